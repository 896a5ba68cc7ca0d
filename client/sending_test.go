package client_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// TestAttemptsIsACap checks that Attempts includes retries by net/http, which
// repeats a request over each pooled connection that breaks.
func TestAttemptsIsACap(t *testing.T) {
	const pooled = 20
	for _, reset := range []bool{false, true} {
		for _, c := range []struct {
			method, key string
			attempts    int
			want        int64 // requests that the server receives
			ok          bool
		}{
			{"GET", "", 1, 1, false},
			{"GET", "", 3, 3, false},
			{"GET", "", pooled + 1, pooled + 1, true},
			{"POST", "k", 1, 1, false},
			{"POST", "k", 3, 3, false},
			{"PUT", "", 3, 3, false},
			{"HEAD", "", 3, 3, false},
			{"DELETE", "", 3, 3, false},
			{"QUERY", "", 3, 3, false},
			{"QUERY", "", pooled + 1, pooled + 1, true},
			{"POST", "", 3, 1, false}, // never sent twice
			{"PATCH", "", 3, 1, false},
		} {
			var first sync.WaitGroup // until each connection has a request
			first.Add(pooled)
			var fresh atomic.Bool
			var received atomic.Int64
			const response = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
			url := accept(t, nil, func(nc net.Conn) {
				br := bufio.NewReader(nc)
				read := func() bool {
					req, err := http.ReadRequest(br)
					if err != nil {
						return false
					}
					io.Copy(io.Discard, req.Body)
					return true
				}
				if !read() {
					return
				}
				if fresh.Load() {
					received.Add(1)
					io.WriteString(nc, response)
					return
				}
				first.Done()
				first.Wait()
				io.WriteString(nc, response)
				if !read() {
					return
				}
				received.Add(1)
				if reset {
					nc.(*net.TCPConn).SetLinger(0)
				}
			})
			cl := use(t, client.Options{Attempts: c.attempts, MaxWait: time.Millisecond})
			var wg sync.WaitGroup
			for range pooled {
				wg.Go(func() {
					if err := drainTo(cl, url); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			fresh.Store(true)
			var body io.Reader
			if c.method != "GET" && c.method != "HEAD" {
				body = strings.NewReader("x")
			}
			req, _ := http.NewRequest(c.method, url, body)
			if c.key != "" {
				req.Header.Set("Idempotency-Key", c.key)
			}
			resp, err := cl.Do(req)
			if err == nil {
				resp.Body.Close()
			}
			if received.Load() != c.want || (err == nil) != c.ok {
				t.Errorf("%s, key %q, Attempts %d, reset %v: received %d times, %v; want %d times, success %v", c.method, c.key, c.attempts, reset, received.Load(), err, c.want, c.ok)
			}
		}
	}
}

// acceptFrames is accept over HTTP/2. It calls f with the head of each frame.
func acceptFrames(t *testing.T, cert *httptest.Server, f func(nc net.Conn, head []byte)) (url string) {
	return accept(t, &tls.Config{Certificates: cert.TLS.Certificates, NextProtos: []string{"h2"}}, func(nc net.Conn) {
		io.WriteString(nc, "\x00\x00\x00\x04\x00\x00\x00\x00\x00") // SETTINGS
		io.CopyN(io.Discard, nc, 24)                               // the preface
		for h := make([]byte, 9); ; {
			if _, err := io.ReadFull(nc, h); err != nil {
				return
			}
			io.CopyN(io.Discard, nc, int64(h[0])<<16|int64(h[1])<<8|int64(h[2]))
			f(nc, h)
		}
	})
}

// TestRefusedOverHTTP2 checks that a request ends that a server doesn't process
// because it closes the connection, or resets with PROTOCOL_ERROR. net/http
// sends the first again, also a POST, over one new connection after another, and
// up to Go 1.26 the second, too.
func TestRefusedOverHTTP2(t *testing.T) {
	const rst, goaway = "\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x01", "\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	cert, _ := serve(t, "h2", func(http.ResponseWriter, *http.Request) {})
	for _, c := range []struct {
		method, refusal string
		want, since27   int64 // how often the server receives the request, with Go 1.26 and since Go 1.27
	}{{"GET", goaway, 8, 8}, {"POST", goaway, 8, 8}, {"GET", rst, 8, 3}, {"POST", rst, 8, 1}} {
		if !strings.HasPrefix(runtime.Version(), "go1.26") {
			c.want = c.since27
		}
		var received atomic.Int64
		url := acceptFrames(t, cert, func(nc net.Conn, h []byte) {
			if h[3] <= 1 && h[4]&1 != 0 { // DATA or HEADERS with END_STREAM
				received.Add(1)
				io.WriteString(nc, c.refusal)
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		req, _ := http.NewRequestWithContext(ctx, c.method, url, nil)
		if c.method == "POST" {
			req, _ = http.NewRequestWithContext(ctx, c.method, url, strings.NewReader("x"))
		}
		_, err := use(t, insecure(client.Options{MaxWait: time.Millisecond})).Do(req)
		if received.Load() != c.want || err == nil || ctx.Err() != nil {
			t.Errorf("%s, %q: received %d times, %v; want %d times", c.method, c.refusal, received.Load(), err, c.want)
		}
		cancel()
	}
}

// TestResponseBeforeTheEndOfTheRequest checks that a response that arrives
// before the request was sent completely can be closed, and that its context
// interrupts reading it. In HTTP/2, net/http alone would wait forever.
func TestResponseBeforeTheEndOfTheRequest(t *testing.T) {
	hold := make(chan struct{})
	srv, _ := serve(t, "h2", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "early")
		http.NewResponseController(w).Flush()
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	})
	defer close(hold)
	cl := use(t, insecure(client.Options{}))
	for _, how := range []string{"close", "context"} {
		ctx, cancel := context.WithCancel(context.Background())
		req, _ := http.NewRequestWithContext(ctx, "POST", srv.URL, io.LimitReader(zeros{}, 64<<20))
		resp := do(t, cl, req)
		done := make(chan error, 1)
		go func() {
			if how == "context" {
				time.AfterFunc(50*time.Millisecond, cancel)
				_, err := io.ReadAll(resp.Body)
				done <- err
			}
			done <- resp.Body.Close()
		}()
		select {
		case err := <-done:
			if how == "context" && !errors.Is(err, context.Canceled) {
				t.Errorf("Read after the end of the context: %v", err)
			}
		case <-time.After(29 * time.Second): // shorter than StallTimeout
			t.Errorf("%s: still waiting", how)
		}
		cancel()
	}
}

// TestEarlyResponseWithoutBody checks that a request is sent to its end over
// HTTP/2 if the server has responded before, without a body.
func TestEarlyResponseWithoutBody(t *testing.T) {
	cert, _ := serve(t, "h2", func(http.ResponseWriter, *http.Request) {})
	last := make(chan byte, 1) // type of the frame that ends the request
	url := acceptFrames(t, cert, func(nc net.Conn, h []byte) {
		switch {
		case h[3] == 1: // HEADERS
			io.WriteString(nc, "\x00\x00\x01\x01\x05\x00\x00\x00\x01\x89") // 204, END_STREAM
		case h[3] == 0 && h[4]&1 != 0, h[3] == 3: // DATA with END_STREAM, RST_STREAM
			last <- h[3]
			nc.Close()
		}
	})
	ctx := &followed{Context: context.Background(), done: make(chan struct{})}
	body, end := io.Pipe()
	req, _ := http.NewRequestWithContext(ctx, "POST", url, body)
	do(t, use(t, insecure(client.Options{})), req).Body.Close()
	io.WriteString(end, "the rest")
	end.Close()
	if got := <-last; got != 0 {
		t.Errorf("the request ended with a frame of type %d, want DATA", got)
	}
	steady.Until(t, time.Minute, "the context is released", func() bool { return ctx.n.Load() == 0 })
}

// TestHedgingTransport checks that a transport may send a request several times
// at the same time, and return while one still runs.
func TestHedgingTransport(t *testing.T) {
	var wg sync.WaitGroup
	srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	next := new(http.Transport)
	defer next.CloseIdleConnections()
	c := client.New(client.Options{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		responses := make(chan *http.Response, 2)
		for range 2 {
			wg.Go(func() {
				resp, _ := next.RoundTrip(r) // the second one may be canceled
				responses <- resp
			})
		}
		resp := <-responses
		wg.Go(func() {
			if other := <-responses; other != nil {
				other.Body.Close()
			}
		})
		return resp, nil
	})})
	for range 20 {
		resp := get(t, c, srv.URL)
		io.Copy(io.Discard, resp.Body)
		wg.Wait()
		resp.Body.Close()
	}
}
