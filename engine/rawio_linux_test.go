//go:build !muxmaster_portable

package engine

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestFill reads 300 requests that have arrived already, and counts how often
// reading lets another goroutine run first. It must do so often, and not always:
// the scheduler asks the poller for connections with input only when no
// goroutine can run.
func TestFill(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client := dial(t, ln.Addr().String())
	nc, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()

	var turns, stop atomic.Int64
	go func() {
		for stop.Load() == 0 {
			turns.Add(1)
			runtime.Gosched()
		}
	}()
	defer stop.Store(1)

	c := &conn{server: New(&http.Server{}), nc: nc}
	c.raw = newRawIO(c)
	c.requests.Store(1)
	yields := 0
	for range 300 {
		if _, err := client.Write([]byte("request")); err != nil {
			t.Fatal(err)
		}
		before := turns.Load()
		if err := c.fill(); err != nil {
			t.Fatal(err)
		}
		if turns.Load() > before {
			yields++
		}
		c.r = c.w
	}
	// With the race detector, reads are ordinary system calls, which also let
	// other goroutines run.
	if yields < 150 || yields > 250 && !raceEnabled {
		t.Errorf("%d of 300 reads let another goroutine run, want 200", yields)
	}
}

// wrapListener hides the type of the sockets, so that the engine reads and
// writes them as any net.Conn.
type wrapListener struct{ net.Listener }

func (l wrapListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	return struct{ net.Conn }{nc}, err
}

// BenchmarkRawIO compares raw system calls with the methods of net.Conn: the
// time of a request with 16 connections on one processor, with the client's part.
func BenchmarkRawIO(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const request, conns = "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 16
	for _, c := range []struct {
		name string
		wrap func(net.Listener) net.Listener
	}{
		{"raw", func(l net.Listener) net.Listener { return l }},
		{"conn", func(l net.Listener) net.Listener { return wrapListener{l} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			s := New(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })})
			go s.Serve(c.wrap(ln))
			defer s.Close()
			var left atomic.Int64
			left.Store(int64(b.N))
			var wg sync.WaitGroup
			for range conns {
				nc, err := net.Dial("tcp", ln.Addr().String())
				if err != nil {
					b.Fatal(err)
				}
				defer nc.Close()
				wg.Go(func() {
					response := make([]byte, 4096)
					for left.Add(-1) >= 0 {
						io.WriteString(nc, request)
						if n, err := nc.Read(response); err != nil || string(response[n-5:n]) != "hello" {
							b.Errorf("%q, %v", response[:n], err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
