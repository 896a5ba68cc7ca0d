package engine

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A countingConn is a SocketConn that counts the bytes read and written with
// it.
type countingConn struct {
	net.Conn
	*counts
}

type counts struct {
	read, written, wrote atomic.Int64
	waits                chan bool // gets a token when Write is called
}

func (c countingConn) Socket() net.Conn { return c.Conn }
func (c countingConn) Wrote(n int)      { c.wrote.Add(int64(n)) }

func (c countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c countingConn) Write(p []byte) (int, error) {
	select {
	case c.waits <- true:
	default:
	}
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// counting returns a listener that accepts countingConns.
func (c *counts) counting(t *testing.T) net.Listener {
	return wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return countingConn{nc, c} }}
}

// TestSocketConn checks which bytes bypass the wrapper of a socket: heads, and
// writes that the kernel accepts at once. Bodies and writes that wait must not.
// Each byte of a response is counted once.
func TestSocketConn(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		ln := &counts{waits: make(chan bool, 1)}
		s := k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/large" {
				for range 200 {
					io.WriteString(w, strings.Repeat("x", 1<<16))
				}
				return
			}
			io.Copy(w, r.Body)
		})})
		c := dial(t, startOn(t, ln.counting(t), s, s.Serve))
		c.SetReadBuffer(256 << 10)
		sent, received := 0, int64(0)
		br := bufio.NewReader(io.TeeReader(c, countWriter{&received}))
		ask := func(request, body, want string) {
			t.Helper()
			io.WriteString(c, request)
			if body != "" {
				io.WriteString(c, "Expect: 100-continue\r\n\r\n")
				if _, err := http.ReadResponse(br, nil); err != nil { // 100 Continue
					t.Fatal(err)
				}
				io.WriteString(c, body)
				sent += len(body)
			}
			if len(want) > 1<<20 {
				eventually(t, "a write waits", ln.waits)
			}
			if got := readText(t, br); got != want {
				t.Errorf("%q: %d bytes, want %d", request, len(got), len(want))
			}
		}
		for range 3 {
			ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello", "", "hello")
		}
		direct := newRawIO(&conn{nc: c}) != nil
		if n := ln.read.Load(); direct && n > 0 {
			t.Errorf("the wrapper has read %d bytes of heads", n)
		}
		if n := ln.written.Load(); direct && n > 0 {
			t.Errorf("the wrapper has written %d bytes that didn't have to wait", n)
		}
		heads := ln.read.Load()
		ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n", "hello", "hello")
		ask("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n", "hello")
		if n := ln.read.Load() - heads; n < int64(sent) {
			t.Errorf("the wrapper has read %d bytes of bodies, want %d", n, sent)
		}
		ask("GET /large HTTP/1.1\r\nHost: h\r\n\r\n", "", strings.Repeat("x", 200<<16))
		if n := ln.written.Load(); n == 0 {
			t.Error("the wrapper has written nothing of a response that waits")
		}
		if n := ln.written.Load() + ln.wrote.Load(); n != received {
			t.Errorf("the wrapper counted %d bytes, the client received %d", n, received)
		}
	})
}

// A staleConn is a SocketConn whose writes leave a deadline, which passes.
type staleConn struct{ countingConn }

func (c staleConn) Wrote(int) { c.Conn.SetWriteDeadline(longAgo) }

func (c staleConn) Write(p []byte) (int, error) {
	c.Conn.SetWriteDeadline(time.Time{})
	defer c.Wrote(0)
	return c.countingConn.Write(p)
}

// TestSocketDeadline checks that a deadline of the wrapper's last Write doesn't end
// later ones that bypass the wrapper.
func TestSocketDeadline(t *testing.T) {
	for _, k := range engines {
		s := k.make(&http.Server{Protocols: protocols(true, false, true), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				w.Write(megabyte)
			}
		})})
		url := "http://" + startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return staleConn{countingConn{nc, new(counts)}} }}, s, s.Serve)
		for _, http2 := range []bool{false, true} {
			cl := &http.Client{Transport: transport(t, protocols(!http2, false, http2))}
			res, err := cl.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, res.Body); n != 10<<20 || err != nil {
				t.Errorf("%s, HTTP/2: %v: got %d bytes, %v", k.name, http2, n, err)
			}
		}
	}
}

// A readerFromConn counts calls of its ReadFrom, which would use sendfile.
type readerFromConn struct {
	countingConn
	calls *atomic.Int64
}

func (c readerFromConn) ReadFrom(src io.Reader) (int64, error) {
	c.calls.Add(1)
	return io.Copy(struct{ io.Writer }{c}, src)
}

// TestWithPrefix checks that responses use the connection's ReadFrom, whether
// the engine or net/http serves the request.
func TestWithPrefix(t *testing.T) {
	for _, k := range engines {
		var all atomic.Int64
		s := k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5000")
			io.Copy(w, io.LimitReader(zeros{}, 5000))
		})})
		addr := startOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn { return readerFromConn{countingConn{nc, new(counts)}, &all} }}, s, s.Serve)
		for _, request := range []string{"GET /", "CONNECT /"} {
			before := all.Load()
			out := talk(t, addr, request+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
			if calls := all.Load() - before; calls != 1 || len(out) < 5000 {
				t.Errorf("%s, %s: ReadFrom was called %d times; %d bytes", k.name, request, calls, len(out))
			}
		}
	}
}

type countWriter struct{ n *int64 }

func (w countWriter) Write(p []byte) (int, error) {
	*w.n += int64(len(p))
	return len(p), nil
}

// TestNoFalseRaces sets a variable before a request and reads it in the
// handler, and the reverse. The race detector must not report that.
func TestNoFalseRaces(t *testing.T) {
	for _, k := range kinds {
		var request, response int
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			response = request
			io.WriteString(w, "ok")
		})}))
		c := dial(t, addr)
		br := bufio.NewReader(c)
		for i := range 3 {
			request = i
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			readText(t, br)
			if response != i {
				t.Errorf("%s: got %d, want %d", k.name, response, i)
			}
		}
	}
}
