package engine_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

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

// With Recycle, handlers must not retain the request.
func ExampleServer_recycle() {
	s := engine.New(&http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path := r.URL.Path // strings can be retained
			go func() { _ = path }()
			io.WriteString(w, path)
		}),
	})
	s.Recycle = true
	defer s.Close()
	res, err := http.Get("http://" + serve(s) + "/recycled")
	if err != nil {
		panic(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	fmt.Println(string(body))
	// Output: /recycled
}

// Stats shows how many requests and connections net/http serves.
func ExampleServer_Stats() {
	s := engine.New(&http.Server{Handler: http.NotFoundHandler()})
	defer s.Close()
	c, err := net.Dial("tcp", serve(s))
	if err != nil {
		panic(err)
	}
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.2\r\n\r\n")
	io.Copy(io.Discard, c)

	st := s.Stats()
	fmt.Println("connections:", st.Connections)
	fmt.Println("requests served by the engine:", st.Requests)
	for why, n := range st.Reasons {
		fmt.Println("connections passed to net/http:", n, why)
	}
	// Output:
	// connections: 1
	// requests served by the engine: 1
	// connections passed to net/http: 1 not HTTP/1.1 or 1.0
}

// Shutdown also waits for requests on connections that were passed to net/http.
func ExampleServer_Shutdown() {
	s := engine.New(&http.Server{Handler: http.NotFoundHandler()})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	served := make(chan error)
	go func() { served <- s.Serve(ln) }()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(s.Shutdown(ctx))
	fmt.Println(<-served)
	// Output:
	// <nil>
	// http: Server closed
}

// serve lets s serve on a free port. It returns the address.
func serve(s *engine.Server) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go s.Serve(ln)
	return ln.Addr().String()
}

func ExampleNew() {
	s := engine.New(&http.Server{
		Handler:           http.NotFoundHandler(),
		ReadHeaderTimeout: 10 * time.Second, // the fields keep their meaning
	})
	defer s.Close()
	res, err := http.Get("http://" + serve(s))
	if err != nil {
		panic(err)
	}
	res.Body.Close()
	fmt.Println(res.Status)
	// Output: 404 Not Found
}

func ExampleServer_Serve() {
	s := engine.New(&http.Server{Handler: http.NotFoundHandler()})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	time.AfterFunc(time.Millisecond, func() { s.Close() })
	fmt.Println(s.Serve(ln))
	// Output: http: Server closed
}

func ExampleServer_Close() {
	s := engine.New(&http.Server{Handler: http.NotFoundHandler()})
	fmt.Println(s.Close())
	fmt.Println(s.ListenAndServe())
	// Output:
	// <nil>
	// http: Server closed
}

func ExampleServer_SetKeepAlivesEnabled() {
	s := engine.New(&http.Server{Handler: http.NotFoundHandler()})
	defer s.Close()
	s.SetKeepAlivesEnabled(false)
	res, err := http.Get("http://" + serve(s))
	if err != nil {
		panic(err)
	}
	res.Body.Close()
	fmt.Println(res.Close) // the response has Connection: close
	// Output: true
}

func ExampleServer_ServesHTTP2() {
	srv := &http.Server{Protocols: new(http.Protocols)}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	fmt.Println(engine.New(srv).ServesHTTP2())
	// Output: true
}

func ExampleServer_Format() {
	fmt.Println(engine.New(&http.Server{Addr: ":8080"}))
	// Output: engine.Server(:8080)
}
