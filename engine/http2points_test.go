package engine

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// interruptions are what a client and the server can do at any point of an
// exchange.
var interruptions = []struct {
	name string
	do   func(c *frameConn, id uint32)
	ends string // what ends by it: the stream, the connection, or nothing
}{
	{"a reset", func(c *frameConn, id uint32) { c.reset(id) }, "stream"},
	{"two resets", func(c *frameConn, id uint32) { c.reset(id); c.reset(id) }, "stream"},
	{"no window for a while", func(c *frameConn, id uint32) { c.settings(4, 0); c.settings(4, 1<<16-1) }, ""},
	{"no table for a while", func(c *frameConn, id uint32) { c.settings(1, 0, 1, 100); c.ping(); c.settings(1, 4096) }, ""},
	{"larger frames", func(c *frameConn, id uint32) { c.settings(5, 1<<20); c.settings(5, 1<<14) }, ""},
	{"priorities", func(c *frameConn, id uint32) {
		c.frame(fPriority, 0, id, u32(0)+"x")
		c.frame(0x10, 0, 0, u32(id)+"u=0")
		c.frame(0x10, 0, 0, u32(id)+"u=7, i")
	}, ""},
	{"pings", func(c *frameConn, id uint32) {
		c.Write([]byte(strings.Repeat(string(appendTestFrame(nil, fPing, 0, 0, "12345678")), 100)))
	}, ""},
	{"GOAWAY", func(c *frameConn, id uint32) { c.frame(fGoAway, 0, 0, u32(0)+u32(0)) }, "connection"},
	{"the end of the connection", func(c *frameConn, id uint32) { c.Close() }, "connection"},
	{"a half-closed connection", func(c *frameConn, id uint32) { c.Conn.(*net.TCPConn).CloseWrite() }, "connection"},
}

// An interruptedServer has handlers that read and write in several ways.
type interruptedServer struct {
	running atomic.Int64 // handlers and their goroutines
}

func (s *interruptedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Add(-1)
	w.Header().Set("Trailer", "X-End")
	w.Header().Set("X-Path", r.URL.Path)
	body := r.Body // which isn't used again
	switch r.URL.Path {
	case "/echo":
		io.Copy(w, body)
	case "/parts":
		for range 5 {
			io.WriteString(w, "part")
			w.(http.Flusher).Flush()
		}
		io.Copy(io.Discard, body)
	case "/large":
		w.Write(megabyte[:200_000])
	case "/goroutine": // outlives its handler
		s.running.Add(1)
		go func() {
			defer s.running.Add(-1)
			io.Copy(io.Discard, body)
		}()
	case "/deadline":
		http.NewResponseController(w).SetReadDeadline(time.Now())
		io.Copy(w, body)
	case "/panic":
		io.WriteString(w, "part")
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("X-End", "1")
}

// interruptedFrames returns the frames of a request to an interruptedServer.
func interruptedFrames(id uint32, path string) []testFrame {
	return []testFrame{
		{fHeaders, endHeaders, id, reqBlock("POST", path, "trailer=x-t", "expect=100-continue", "cookie=a", "cookie=b")},
		{fData, 0, id, "data"},
		{fData, padded, id, "\x02data\x00\x00"},
		{fData, 0, id, strings.Repeat("x", 5000)},
		{fHeaders, endHeaders | endStream, id, block("x-t=1", "x-u=2")},
	}
}

// TestHTTP2Points interrupts exchanges at all of their points. What isn't
// concerned must go on, and everything must end.
func TestHTTP2Points(t *testing.T) {
	for _, k := range engines {
		for _, in := range interruptions {
			t.Run(k.name+", "+in.name, func(t *testing.T) {
				h := new(interruptedServer)
				srv := &http.Server{Handler: h, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 10}, Protocols: protocols(true, false, true)}
				leavesNothing(t, k.make, srv, func(s server, addr string) {
					for _, path := range strings.Fields("/echo /parts /large /goroutine /deadline /panic /") {
						id := uint32(1)
						var c *frameConn
						for point := range 10 {
							if c == nil || in.ends == "connection" {
								c, id = dialFrames(t, addr), 1
								c.endless.Store(true)
								c.ping()
							}
							interruptAt(c, point/2+1, point%2 == 0, in.do, in.ends, id, interruptedFrames(id, path))
							if in.ends == "connection" {
								c.Close()
								continue
							}
							if in.ends == "" && !c.ended(id) {
								t.Fatalf("%s, point %d: the response didn't end: %s", path, point, c.summary())
							}
							c.get(id+2, "/")
							if c.ended(id + 2); c.end(id+2) != "end" {
								t.Fatalf("%s, point %d: the next response: %s", path, point, c.summary())
							}
							id += 4
						}
						c.Close()
					}
					for h.running.Load() > 0 {
						time.Sleep(time.Millisecond)
					}
					if err := s.Shutdown(context.Background()); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// TestHTTP2PointsShutdown shuts servers down at all points of an exchange, which
// must go on until its end.
func TestHTTP2PointsShutdown(t *testing.T) {
	for _, k := range engines {
		for path, end := range map[string]string{"/echo": "end", "/parts": "end", "/large": "end", "/goroutine": "", "/deadline": "", "/panic": "reset 2", "/": ""} {
			for point := range 10 {
				h := new(interruptedServer)
				leavesNothing(t, k.make, &http.Server{Handler: h, Protocols: protocols(true, false, true)}, func(s server, addr string) {
					c := dialFrames(t, addr)
					defer c.Close()
					c.endless.Store(true)
					c.ping()
					wait, down := point%2 == 0, make(chan error, 1)
					interruptAt(c, point/2+1, wait, func(*frameConn, uint32) {
						go func() { down <- s.Shutdown(context.Background()) }()
						if wait {
							c.wait(func() bool { return c.away })
						}
					}, "", 1, interruptedFrames(1, path))
					if !c.ended(1) || !strings.HasPrefix(c.end(1), end) {
						t.Errorf("%s %s, point %d: want %q, got %s", k.name, path, point, end, c.summary())
					}
					if !c.wait(func() bool { return c.away }) {
						t.Errorf("%s %s, point %d: no GOAWAY", k.name, path, point)
					}
					c.Close()
					if err := eventually(t, "the end of Shutdown", down); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// interruptAt sends the first frames of a stream, does something, and sends the
// others if it doesn't end what they belong to. If wait is true, the server has
// seen the frames before.
func interruptAt(c *frameConn, frames int, wait bool, do func(*frameConn, uint32), ends string, id uint32, list []testFrame) {
	for i, f := range list {
		if i == frames {
			if wait {
				c.ping()
			}
			do(c, id)
			if ends != "" {
				return
			}
		}
		c.frame(f.kind, f.flags, f.stream, f.payload)
	}
	if frames >= len(list) {
		if wait {
			c.ping()
		}
		do(c, id)
	}
}
