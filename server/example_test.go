package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// The shortest program. Run returns nil after a normal stop, so the program
// then exits with status 0.
func ExampleRun() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "Hello\n")
	})
	if err := server.Run(":8080", handler); err != nil {
		log.Fatal(err)
	}
}

// A server behind a load balancer, with TLS and health endpoints.
func ExampleServer_Run() {
	database := errors.New("no connection yet") // nil if connected
	s := server.New(":8443", http.NotFoundHandler())
	s.CertFile, s.KeyFile = "cert.pem", "key.pem"
	s.LivePath, s.ReadyPath = "/livez", "/readyz"
	s.Ready = func(context.Context) error { return database }
	s.DrainDelay = 5 * time.Second // time for the load balancer to notice that ReadyPath fails
	s.ErrorHandler = problem.JSON
	s.HTTP.MaxHeaderBytes = 16 << 10
	if err := s.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// A program that must know its address before serving, because the system
// chooses the port.
func ExampleServer_Serve() {
	s := server.New("127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "Hello")
	}))
	s.Log = discardLog
	ctx, stop := server.NotifyContext(context.Background())
	ln, err := s.Listen(ctx)
	if err != nil {
		log.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- s.Serve(ctx, ln) }()

	resp, err := http.Get("http://" + ln.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	fmt.Printf("%s\n", text)

	stop() // or a signal
	fmt.Println(<-served)
	// Output:
	// Hello
	// <nil>
}

// An event stream that ends when the server stops, so that stopping doesn't
// take DrainTimeout. The browser then reconnects to another server.
func ExampleDraining() {
	clock := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				fmt.Fprintf(w, "data: %s\n\n", now.Format(time.TimeOnly))
				if err := http.NewResponseController(w).Flush(); err != nil {
					return
				}
			case <-server.Draining(r.Context()):
				return
			case <-r.Context().Done():
				return
			}
		}
	}
	if err := server.Run(":8080", http.HandlerFunc(clock)); err != nil {
		log.Fatal(err)
	}
}

// Two sockets passed by systemd, one for each of two servers.
func ExampleActivated() {
	sockets, err := server.Activated()
	if err != nil {
		log.Fatal(err)
	}
	for _, socket := range sockets {
		handler := http.DefaultServeMux
		if socket.Name == "admin" { // FileDescriptorName=admin
			handler = http.NewServeMux()
		}
		go func(ln net.Listener) {
			if err := server.New("", handler).Serve(context.Background(), ln); err != nil {
				log.Print(err)
			}
		}(socket.Listener)
	}
}

func ExampleNew() {
	s := server.New(":8080", http.NotFoundHandler())
	fmt.Println(s.HTTP.Addr, s.HTTP.ReadHeaderTimeout > 0) // limits are set
	// Output: :8080 true
}

func ExampleNotifyContext() {
	ctx, stop := server.NotifyContext(context.Background())
	fmt.Println(ctx.Err())
	stop()
	fmt.Println(ctx.Err())
	// Output:
	// <nil>
	// context canceled
}

func ExampleServer_Listen() {
	s := server.New("127.0.0.1:0", http.NotFoundHandler())
	ln, err := s.Listen(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer ln.Close()
	fmt.Println(ln.Addr().Network())
	// Output: tcp
}

func ExampleServer_Stats() {
	s := server.New("127.0.0.1:0", http.NotFoundHandler())
	st := s.Stats() // before Serve
	fmt.Println(st.Open, st.Evicted, st.Refused)
	// Output: 0 0 0
}
