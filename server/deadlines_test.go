package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// A probe is the innermost connection of a server. It records whether a read is
// in progress, and its deadline. The server may leave an earlier deadline in
// place, and set the actual one when that passes. So state makes it pass.
type probe struct {
	net.Conn
	mu       sync.Mutex
	deadline time.Time
	reads    int  // in progress
	known    bool // the deadline was set after state made one pass
}

func (p *probe) SetDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deadline = t
	return p.Conn.SetDeadline(t)
}

func (p *probe) SetReadDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deadline, p.known = t, true
	return p.Conn.SetReadDeadline(t)
}

func (p *probe) Read(b []byte) (int, error) {
	p.mu.Lock()
	p.reads++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reads--
	}()
	return p.Conn.Read(b)
}

// state describes how long the read in progress may wait.
func (p *probe) state() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reads == 0 {
		return "no read"
	}
	if !p.known {
		p.Conn.SetReadDeadline(time.Unix(1, 0))
		return "unknown"
	}
	p.known = false
	switch left := time.Until(p.deadline); {
	case p.deadline.IsZero():
		return "no deadline"
	case left < 0:
		return "ended"
	case left < 90*time.Minute:
		return "StallTimeout"
	}
	return "the handler's deadline"
}

// TestWhichReadsAreBounded checks that StallTimeout (an hour here) limits only
// the waits for a body. The deadline of a read depends on the order in which
// net/http, the engine and handlers set deadlines and read, which may change
// with the Go release.
func TestWhichReadsAreBounded(t *testing.T) {
	const (
		get      = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
		post     = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"
		chunked  = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
		expects  = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
		allOfIt  = "3\r\nabc\r\n0\r\n\r\n"
		oneChunk = "3\r\nabc\r\n"
	)
	controller := http.NewResponseController
	readAll := func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }
	for _, c := range []struct {
		name string
		send string
		do   func(w http.ResponseWriter, r *http.Request) // the handler then waits
		want string
	}{
		{"no body", get, nil, "no deadline"},
		{"body not read", post, nil, "no read"},
		{"body awaited", post, readAll, "StallTimeout"},
		{"body awaited, a part has arrived", post + "a", readAll, "StallTimeout"},
		{"body read", post + "abc", readAll, "no deadline"},
		{"chunks awaited", chunked, readAll, "StallTimeout"},
		{"next chunk awaited", chunked + oneChunk, readAll, "StallTimeout"},
		{"chunks read", chunked + allOfIt, readAll, "no deadline"},
		{"100 Continue, body awaited", expects, readAll, "StallTimeout"},
		{"100 Continue, body read", expects + "abc", readAll, "no deadline"},
		{"response sent, body awaited", post, func(w http.ResponseWriter, r *http.Request) {
			controller(w).EnableFullDuplex()
			controller(w).Flush()
			readAll(w, r)
		}, "StallTimeout"},
		{"own deadline", post, func(w http.ResponseWriter, r *http.Request) {
			controller(w).SetReadDeadline(time.Now().Add(5 * time.Hour))
			readAll(w, r)
		}, "the handler's deadline"},
		{"own deadline, a part has arrived", post + "a", func(w http.ResponseWriter, r *http.Request) {
			r.Body.Read(make([]byte, 1))
			controller(w).SetReadDeadline(time.Now().Add(5 * time.Hour))
			readAll(w, r)
		}, "the handler's deadline"},
		{"own deadline: none", post, func(w http.ResponseWriter, r *http.Request) {
			controller(w).SetReadDeadline(time.Time{})
			readAll(w, r)
		}, "no deadline"},
		{"hijacked", get, func(w http.ResponseWriter, r *http.Request) {
			if c, rw, err := controller(w).Hijack(); err == nil {
				defer c.Close()
				io.Copy(io.Discard, rw)
			}
		}, "no deadline"},
		{"hijacked with a part of the body", post + "a", func(w http.ResponseWriter, r *http.Request) {
			r.Body.Read(make([]byte, 1))
			if c, rw, err := controller(w).Hijack(); err == nil {
				defer c.Close()
				io.Copy(io.Discard, rw)
			}
		}, "no deadline"},
		{"second request, no body", "POST /pass HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" + get, nil, "no deadline"},
		{"second request, body awaited", "GET /pass HTTP/1.1\r\nHost: x\r\n\r\n" + post, readAll, "StallTimeout"},
		{"after one with its own deadline, body awaited", "POST /own HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" + post, readAll, "StallTimeout"},
		{"pipelined after a body that was read", post + "abc" + get, readAll, "no deadline"},
	} {
		for _, v := range []variant{plain, overTLS, onEngine(plain), onEngine(overTLS)} {
			t.Run(c.name+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				release, probes := make(chan bool), make(chan *probe, 1)
				ln := listen(t)
				_, stop := startOn(t, wrapper{ln, func(nc net.Conn) net.Conn {
					p := &probe{Conn: nc}
					probes <- p
					return p
				}}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch r.URL.Path {
					case "/own":
						controller(w).SetReadDeadline(time.Now().Add(5 * time.Hour))
						fallthrough
					case "/pass":
						readAll(w, r)
						return
					}
					if c.do != nil {
						c.do(w, r)
					}
					select {
					case <-release:
					case <-r.Context().Done():
					}
				}), func(s *server.Server) {
					s.StallTimeout, s.DrainTimeout = time.Hour, 0
					s.HTTP.ReadHeaderTimeout, s.HTTP.IdleTimeout = 6*time.Hour, 6*time.Hour
					v.configure(t, s)
				})
				defer func() { close(release); stop() }()
				nc := v.secure(dial(t, ln.Addr().String()))
				io.WriteString(nc, c.send)
				p := <-probes
				var got []string // the states that were seen
				defer func() {
					if t.Failed() {
						t.Log(fmt.Sprint("states: ", strings.Join(got, ", ")))
					}
				}()
				eventually(t, longest/4, "the read has: "+c.want, func() bool {
					state := p.state()
					if len(got) == 0 || got[len(got)-1] != state {
						got = append(got, state)
					}
					return state == c.want
				})
			})
		}
	}
}

// TestStaleDeadlines checks that a deadline which a handler has set on the connection
// itself doesn't end the connection after the request.
func TestStaleDeadlines(t *testing.T) {
	const wait = 300 * time.Millisecond
	type key struct{}
	for _, v := range []variant{plain, overTLS, onEngine(plain), onEngine(overTLS)} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/first" {
					r.Context().Value(key{}).(net.Conn).SetDeadline(time.Now().Add(wait))
				}
				io.WriteString(w, r.URL.Path)
			}), func(s *server.Server) {
				s.HTTP.ConnContext = func(ctx context.Context, nc net.Conn) context.Context { return context.WithValue(ctx, key{}, nc) }
				v.configure(t, s)
			})
			steady.Try(t, wait/10, func() error {
				nc := v.secure(dial(t, addr))
				br := bufio.NewReader(nc)
				for _, path := range []string{"/first", "/second"} {
					io.WriteString(nc, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
					if _, err := http.ReadResponse(br, nil); err != nil {
						return fmt.Errorf("%s: %v", path, err)
					}
					io.ReadFull(br, make([]byte, len(path)))
					time.Sleep(2 * wait)
				}
				return nil
			})
		})
	}
}
