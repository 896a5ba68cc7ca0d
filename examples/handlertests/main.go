// Command handlertests converts temperatures. Its tests are the example.
//
//	go test -v ./examples/handlertests
package main

import (
	"log"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	if err := server.Run("localhost:8080", newMux()); err != nil {
		log.Fatal(err)
	}
}

func newMux() *muxmaster.Mux {
	mux := muxmaster.New()
	mux.GET("/celsius/:degrees", problem.Handler(toFahrenheit))
	return mux
}

// toFahrenheit converts the path value degrees from Celsius to Fahrenheit.
func toFahrenheit(w http.ResponseWriter, r *http.Request) error {
	c, err := muxmaster.PathParamAs[float64](r, "degrees")
	if err != nil {
		return err // 400
	}
	if c < -273.15 {
		return &problem.Error{Status: http.StatusUnprocessableEntity, Detail: "it can't be that cold"}
	}
	return body.WriteJSON(w, http.StatusOK, map[string]float64{"fahrenheit": c*9/5 + 32})
}
