package contender

import (
	"io"
	"net/http"
)

func init() {
	register(Contender{
		Name: "no router", Classes: []Class{Floor},
		Style: "func(http.ResponseWriter, *http.Request), called directly",
	})
}

// loadFloor does no routing. Every request gets the same handler, which writes
// a constant of the same length as the values.
func loadFloor(s Spec) http.Handler {
	var h http.Handler = http.HandlerFunc(returnAtOnce)
	if s.Work == Write {
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/some/page" {
				io.WriteString(w, "123")
			}
		})
	}
	return wrap(h, s.Middleware)
}
