package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// Attacks must end after stall, and before net/http's longest timeout of 10 s.
// Honest clients take several times patience.
const (
	stall    = 200 * time.Millisecond
	patience = 1500 * time.Millisecond
)

func impatient(s *server.Server) {
	s.StallTimeout = stall
	s.HTTP.ReadHeaderTimeout = 2 * stall
	s.HTTP.IdleTimeout = stall
}

// endless writes an endless response.
func endless(w http.ResponseWriter, r *http.Request) {
	for p := make([]byte, 64<<10); ; {
		if _, err := w.Write(p); err != nil {
			return
		}
	}
}

func sendFile(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) }
}

// ownWriteDeadline removes the limit for its writes, but doesn't wait for any.
func ownWriteDeadline(w http.ResponseWriter, r *http.Request) {
	http.NewResponseController(w).SetWriteDeadline(time.Time{})
	w.Write(make([]byte, 1500))
}

// ownReadDeadline removes the limit for its reads, but reads nothing.
func ownReadDeadline(w http.ResponseWriter, r *http.Request) {
	http.NewResponseController(w).SetReadDeadline(time.Time{})
}

func readAll(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); hello(w, r) }

// withTimeouts returns v with timeouts of http.Server that are longer than
// StallTimeout.
func withTimeouts(v variant) variant {
	configure := v.configure
	v.configure = func(t *testing.T, s *server.Server) {
		configure(t, s)
		s.HTTP.ReadTimeout, s.HTTP.WriteTimeout = time.Hour, time.Hour
	}
	return v
}

// TestAttacksEnd checks that unused connections don't stay open.
func TestAttacksEnd(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, make([]byte, 64<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	const post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
	const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	preface := clientPreface + frame(frameSettings, 0, 0, "")
	halfHeaders := preface + frame(frameHeaders, 0, 1, "\x82")
	noWindow := clientPreface + settings(0) + frame(frameHeaders, flagEndHeaders|flagEndStream, 1, headersGET)
	optionsBody := preface + frame(frameHeaders, flagEndHeaders, 1, "\x42\x07OPTIONS\x86\x44\x01*\x41\x01x") // OPTIONS *
	largeHeader := clientPreface + settings(0) + frame(frameHeaders, flagEndStream, 1, headersGET) +
		strings.Repeat(frame(frameContinuation, 0, 1, "\x00\x01a\x7f\x81\x1f"+strings.Repeat("a", 4096)), 20) + frame(frameContinuation, flagEndHeaders, 1, "")
	type row struct {
		name string
		v    variant
		h    http.HandlerFunc
		send string
		drip bool // continue with a byte from time to time
	}
	rows := []row{
		{"silence", plain, hello, "", false},
		{"half a header", plain, hello, "GET / HTTP/1.1\r\nHost:", false},
		{"a dripping header", plain, hello, "GET / HTTP/1.1\r\nX: ", true},
		{"no TLS handshake", overTLS, hello, "", false},
		{"idle after a request", plain, hello, get, false},
		{"body missing", plain, readAll, post, false},
		{"body dripping", plain, readAll, post, true},
		{"body missing, chunked", plain, readAll, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", false},
		{"body missing, after 100 Continue", plain, readAll, strings.Replace(post, "\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n", 1), false},
		{"body missing that nobody reads", plain, hello, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", false},
		{"body missing before a long response", plain, endless, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", false},
		{"body of OPTIONS * missing", plain, readAll, "OPTIONS * HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", false},
		{"body of OPTIONS * dripping", plain, readAll, "OPTIONS * HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", true},
		{"response not read", plain, endless, get, false},
		{"file not read", plain, sendFile(big), get, false},
		{"response not read, request dripping", plain, endless, get, true},
		{"pipelined, responses not read", plain, endless, get + get + get, false},
		{"small responses not read, own write deadline", plain, ownWriteDeadline, strings.Repeat(get, 10_000), false},
		{"body missing that nobody reads, own read deadline", plain, ownReadDeadline, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", false},
		{"body dripping, ReadTimeout", withTimeouts(plain), readAll, post, true},
		{"response not read, WriteTimeout", withTimeouts(plain), endless, get, false},
		{"response not read over TLS, WriteTimeout", withTimeouts(overTLS), endless, get, false},
		{"body missing over TLS", overTLS, readAll, post, false},
		{"body dripping over TLS", overTLS, readAll, post, true},
		{"response not read over TLS", overTLS, endless, get, false},
		{"HTTP/2, then silence", http2c, hello, preface, false},
		{"HTTP/2, half of the headers", http2c, hello, halfHeaders, false},
		{"HTTP/2, no window for a long response", http2c, endless, noWindow, false},
		{"HTTP/2, no window for a short response", http2c, hello, noWindow, false},
		{"HTTP/2, no window for a short response, own write deadline", http2c, ownWriteDeadline, noWindow, false},
		{"HTTP/2, body of OPTIONS * missing", http2c, readAll, optionsBody, false},
		{"HTTP/2, no window for the response to a large header", http2c, hello, largeHeader, false},
		{"HTTP/2 over TLS, then silence", http2, hello, preface, false},
	}
	for _, c := range rows {
		c.name += " on the engine"
		c.v = onEngine(c.v)
		rows = append(rows, c)
	}
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			taken := make(chan bool, 10)
			s, addr, _ := start(t, c.h, func(s *server.Server) {
				c.v.configure(t, s)
				impatient(s)
				s.HTTP.ConnState = func(_ net.Conn, cs http.ConnState) {
					if cs == http.StateNew {
						taken <- true
					}
				}
			})
			nc := dial(t, addr)
			if c.send != "" {
				nc = c.v.secure(nc)
			}
			io.WriteString(nc, c.send) // may fail if this test is slow
			<-taken
			if c.drip {
				go func() {
					for err := error(nil); err == nil; _, err = nc.Write([]byte("1")) {
						<-time.After(stall / 10)
					}
				}()
			}
			eventually(t, 40*stall, "the server has closed the connection", func() bool { return s.Stats().Open == 0 })
		})
	}
}

// TestStuckWritesEnd checks that a client that reads nothing is disconnected also
// if it goes on to open streams and to reset them.
func TestStuckWritesEnd(t *testing.T) {
	for _, v := range []variant{http2c, onEngine(http2c)} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			s, addr, _ := start(t, http.HandlerFunc(endless), func(s *server.Server) {
				v.configure(t, s)
				s.StallTimeout = 2 * stall
			})
			nc := dial(t, addr)
			nc.(*net.TCPConn).SetReadBuffer(4 << 10)
			io.WriteString(nc, clientPreface+settings(1<<31-1)+frame(frameWindowUpdate, 0, 0, "\x7f\x00\x00\x00"))
			go func() {
				for id := uint32(1); ; id += 2 {
					io.WriteString(nc, frame(frameHeaders, flagEndHeaders|flagEndStream, id, headersGET))
					<-time.After(stall / 2) // fills the socket
					if _, err := io.WriteString(nc, frame(frameRSTStream, 0, id, "\x00\x00\x00\x08")); err != nil {
						return
					}
				}
			}()
			eventually(t, longest, "the connection is in", func() bool { return s.Stats().Open == 1 })
			eventually(t, 40*stall, "the server has closed the connection", func() bool { return s.Stats().Open == 0 })
		})
	}
}

// TestHTTP2StreamsThatStallEnd checks that a stalled HTTP/2 stream ends with an
// error for the handler, and that its connection serves other requests.
func TestHTTP2StreamsThatStallEnd(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 64<<10)
	for name, call := range map[string]func(w http.ResponseWriter, r *http.Request) error{ // until it fails
		"response not read":             func(w http.ResponseWriter, r *http.Request) error { _, err := w.Write([]byte(text)); return err },
		"response not read, as strings": func(w http.ResponseWriter, r *http.Request) error { _, err := io.WriteString(w, text); return err },
		"body missing":                  func(w http.ResponseWriter, r *http.Request) error { _, err := r.Body.Read(make([]byte, 1)); return err },
	} {
		// On a busy machine, a short StallTimeout also ends the connection.
		timeout := stall / 4
		steady.Try(t, stall, func() error {
			timeout *= 4
			if err := stallStream(t, call, timeout); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
}

// stallStream stalls one request, whose handler repeats call, and sends another
// over the same connection. It returns an error unless only the first one ends.
func stallStream(t *testing.T, call func(http.ResponseWriter, *http.Request) error, stall time.Duration) error {
	failed := make(chan error, 1)
	var conns atomic.Int64
	ln := wrapper{listen(t), func(nc net.Conn) net.Conn { conns.Add(1); return nc }}
	startOn(t, ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other" {
			hello(w, r)
			return
		}
		err := call(w, r)
		for err == nil {
			err = call(w, r)
		}
		failed <- err
	}), func(s *server.Server) {
		http2.configure(t, s)
		s.StallTimeout = stall
	})
	c, url := http2.client(t), "https://"+ln.Addr().String()
	body, upload := io.Pipe()
	defer upload.Close()
	go c.Post(url, "", body) // nobody reads the response
	if err := steady.Receive(t, "the handler's error", failed); !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the handler got %v, want a deadline error", err)
	}
	if err := get(c, url+"/other"); err != nil || conns.Load() != 1 {
		return fmt.Errorf("another request: %v over %d connections, want one connection", err, conns.Load())
	}
	return nil
}

// TestPrefacesCanBeHijacked checks that handlers can hijack a connection whose
// request is the HTTP/2 client preface, like package h2c of x/net.
func TestPrefacesCanBeHijacked(t *testing.T) {
	t.Parallel()
	for _, v := range []variant{plain, onEngine(plain)} {
		_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Errorf("%s: %s %s %s: %v", v.name, r.Method, r.RequestURI, r.Proto, err)
				return
			}
			defer c.Close()
			rest, _ := rw.Peek(6)
			io.WriteString(c, "then "+string(rest))
		}), func(s *server.Server) { v.configure(t, s) })
		nc := dial(t, addr)
		io.WriteString(nc, clientPreface)
		if got, err := io.ReadAll(nc); string(got) != "then SM\r\n\r\n" {
			t.Errorf("%s: %q, %v; want what follows the preface's header", v.name, got, err)
		}
	}
}

// TestFixedTimeoutsWin checks that ReadTimeout and WriteTimeout of http.Server
// keep their meaning.
func TestFixedTimeoutsWin(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		failed <- err
	}), func(s *server.Server) { s.HTTP.ReadTimeout = 5 * stall })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	nc := dial(t, addr)
	io.WriteString(nc, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
	go func() {
		for ctx.Err() == nil {
			nc.Write(make([]byte, 1<<10)) // for 50 s
			<-time.After(stall / 4)
		}
	}()
	if err := steady.Receive(t, "ReadTimeout ends a slow body", failed); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("body: %v, want a deadline error", err)
	}
}
