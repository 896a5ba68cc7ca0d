package engine_test

import (
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

func Example() {
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "Hello, %s!", r.FormValue("name"))
		}),
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := engine.New(srv)
	defer s.Close()
	go s.Serve(ln) // in place of srv.Serve(ln)

	res, err := http.Get("http://" + ln.Addr().String() + "/?name=world")
	if err != nil {
		panic(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	fmt.Println(res.Status, string(body))
	// Output: 200 OK Hello, world!
}
