package client_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
)

// oneShot is a body that can't be sent again.
type oneShot struct{ io.Reader }

func TestRetries(t *testing.T) {
	const wait = 5 * time.Millisecond
	for _, c := range []struct {
		name     string
		scheme   string // default: http
		method   string
		body     io.Reader
		header   string
		statuses []int // responses before 200; 0 closes the connection
		after    string
		attempts int
		want     int // status; 0: an error
		sent     int64
	}{
		{name: "no need", method: "GET", want: 200, sent: 1},
		{name: "503", method: "GET", statuses: []int{503}, want: 200, sent: 2},
		{name: "503, a body that was removed", method: "GET", body: strings.NewReader("body"), statuses: []int{503}, want: 200, sent: 2},
		{name: "503 twice", method: "GET", statuses: []int{503, 503}, want: 200, sent: 3},
		{name: "503 forever", method: "GET", statuses: []int{503, 503, 503, 503}, want: 503, sent: 3},
		{name: "429", method: "GET", statuses: []int{429}, want: 200, sent: 2},
		{name: "408", method: "GET", statuses: []int{408}, want: 200, sent: 2},
		{name: "502, 504", method: "GET", statuses: []int{502, 504}, want: 200, sent: 3},
		{name: "500 is final", method: "GET", statuses: []int{500}, want: 500, sent: 1},
		{name: "404 is final", method: "GET", statuses: []int{404}, want: 404, sent: 1},
		{name: "409 is final", method: "PUT", body: strings.NewReader("body"), statuses: []int{409}, want: 409, sent: 1},
		{name: "409 with Retry-After", method: "POST", body: strings.NewReader("body"), header: "Idempotency-Key", statuses: []int{409}, after: "0", want: 200, sent: 2},
		{name: "the same without a key", method: "POST", body: strings.NewReader("body"), statuses: []int{409}, after: "0", want: 409, sent: 1},
		{name: "cut", method: "GET", statuses: []int{0}, want: 200, sent: 2},
		{name: "cut forever", method: "GET", statuses: []int{0, 0, 0, 0}, want: 0, sent: 3},
		{name: "PUT with a body", method: "PUT", body: strings.NewReader("body"), statuses: []int{503, 0}, want: 200, sent: 3},
		{name: "PUT with a body that can't be repeated", method: "PUT", body: oneShot{strings.NewReader("body")}, statuses: []int{503}, want: 503, sent: 1},
		{name: "POST", method: "POST", body: strings.NewReader("body"), statuses: []int{503}, want: 503, sent: 1},
		{name: "POST, cut", method: "POST", body: strings.NewReader("body"), statuses: []int{0}, want: 0, sent: 1},
		{name: "POST with a key", method: "POST", body: strings.NewReader("body"), header: "Idempotency-Key", statuses: []int{503, 0}, want: 200, sent: 3},
		{name: "POST with the other key", method: "POST", body: strings.NewReader("body"), header: "X-Idempotency-Key", statuses: []int{503}, want: 200, sent: 2},
		{name: "no retries wanted", method: "GET", attempts: 1, statuses: []int{503}, want: 503, sent: 1},
		{name: "fewer than one wanted", method: "GET", attempts: -1, statuses: []int{503}, want: 503, sent: 1},
		{name: "five wanted", method: "GET", attempts: 5, statuses: []int{503, 503, 503, 503}, want: 200, sent: 5},
		{name: "Retry-After 0", method: "GET", statuses: []int{503}, after: "0", want: 200, sent: 2},
		{name: "Retry-After longer than MaxWait", method: "GET", statuses: []int{503}, after: "3600", want: 503, sent: 1},
		{name: "503 twice, HTTP/2", scheme: "h2", method: "GET", statuses: []int{503, 503}, want: 200, sent: 3},
		{name: "cut twice, HTTP/2", scheme: "h2", method: "GET", statuses: []int{0, 0}, want: 200, sent: 3},
		{name: "cut forever, HTTP/2", scheme: "h2", method: "PUT", body: strings.NewReader("body"), statuses: []int{0, 0, 0, 0}, want: 0, sent: 3},
		{name: "POST, cut, HTTP/2", scheme: "h2", method: "POST", body: strings.NewReader("body"), statuses: []int{0}, want: 0, sent: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int64
			srv, _ := serve(t, cmp.Or(c.scheme, "http"), func(w http.ResponseWriter, r *http.Request) {
				n := sent.Add(1)
				if text, _ := io.ReadAll(r.Body); (string(text) == "body") != (c.body != nil && c.method != "GET") {
					t.Errorf("attempt %d has the body %q", n, text)
				}
				if int(n) > len(c.statuses) {
					return
				}
				if c.after != "" {
					w.Header().Set("Retry-After", c.after)
				}
				code := c.statuses[n-1]
				if code == 0 {
					panic(http.ErrAbortHandler)
				}
				w.WriteHeader(code)
				io.WriteString(w, "busy")
			})
			req, _ := http.NewRequest(c.method, srv.URL, c.body)
			if c.method == "GET" {
				req.Body, req.ContentLength = nil, 0 // not GetBody
			}
			if c.header != "" {
				req.Header.Set(c.header, "k")
			}
			resp, err := use(t, insecure(client.Options{Attempts: c.attempts, MaxWait: wait})).Do(req)
			got := 0
			if err == nil {
				got = resp.StatusCode
				if resp.Request.Context() != req.Context() {
					t.Error("the response's request has another context")
				}
				text, err := io.ReadAll(resp.Body)
				if resp.Body.Close(); err != nil || got != 200 && string(text) != "busy" {
					t.Errorf("the response body is %q, %v", text, err)
				}
			}
			if got != c.want || sent.Load() != c.sent {
				t.Errorf("status %d (%v) after %d attempts; want %d after %d", got, err, sent.Load(), c.want, c.sent)
			}
		})
	}
}

// TestRetriesSendTrailers checks that a retry sends the trailer that its own body
// sets at the end.
func TestRetriesSendTrailers(t *testing.T) {
	var sent atomic.Int64
	srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
		if sent.Add(1) == 1 {
			w.Header().Set("Connection", "close") // otherwise the server waits for the body
			w.WriteHeader(503)
			return
		}
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, r.Trailer.Get("Sum"))
	})
	first, _ := io.Pipe()
	req, _ := http.NewRequest("PUT", srv.URL, first)
	req.Trailer = http.Header{"Sum": nil}
	req.GetBody = func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("body"), endFunc(func() { req.Trailer.Set("Sum", "1") }))), nil
	}
	if text, _ := io.ReadAll(do(t, use(t, client.Options{}), req).Body); string(text) != "1" || sent.Load() != 2 {
		t.Errorf("after %d attempts, the trailer is %q", sent.Load(), text)
	}
}

// An endFunc is an empty reader that calls the function.
type endFunc func()

func (f endFunc) Read([]byte) (int, error) { f(); return 0, io.EOF }

// TestRetryAfterFailedDial checks that a request that was never sent is retried
// for any method, unless there is no such host.
func TestRetryAfterFailedDial(t *testing.T) {
	srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("refused"), "body after 3 dials"},
		{&net.DNSError{Err: "server misbehaving", IsTemporary: true}, "body after 3 dials"},
		{&net.DNSError{Err: "no such host", IsNotFound: true}, "no response after 1 dials"},
	} {
		dials, got := 0, "no response"
		dialer := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials++; dials < 3 {
				return nil, &net.OpError{Op: "dial", Net: network, Err: tt.err}
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		}}
		resp, err := use(t, client.Options{Transport: dialer, MaxWait: time.Millisecond}).Post(srv.URL, "text/plain", strings.NewReader("body"))
		if err == nil {
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			got = string(text)
		}
		if got = fmt.Sprint(got, " after ", dials, " dials"); got != tt.want {
			t.Errorf("%v: %s (%v), want %s", tt.err, got, err, tt.want)
		}
	}
}

// TestRetryWithoutConnection checks that a request with any method is retried if
// the TLS handshake failed, because then it was not sent.
func TestRetryWithoutConnection(t *testing.T) {
	var sent, conns atomic.Int64
	srv, _ := serve(t, "https", func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		io.Copy(w, r.Body)
	}, func(srv *http.Server) {
		srv.ConnState = func(c net.Conn, cs http.ConnState) {
			if cs == http.StateNew && conns.Add(1) < 3 {
				c.(interface{ NetConn() net.Conn }).NetConn().Close()
			}
		}
	})
	req, _ := http.NewRequest("POST", srv.URL, strings.NewReader("body"))
	if text, _ := io.ReadAll(do(t, use(t, insecure(client.Options{MaxWait: time.Millisecond})), req).Body); string(text) != "body" || sent.Load() != 1 || conns.Load() != 3 {
		t.Errorf("%q after %d requests over %d connections, want the body after 1 over 3", text, sent.Load(), conns.Load())
	}
}

// A dialingBody is a request body that comes from another server, which can't be
// reached for the rest.
type dialingBody struct{ io.Reader }

func newDialingBody() io.ReadCloser {
	return io.NopCloser(io.MultiReader(strings.NewReader("half"), dialingBody{}))
}

func (dialingBody) Read([]byte) (int, error) {
	return 0, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
}

// TestNoRetryAfterErrorOfTheBody checks that a POST isn't retried because of an
// error of its body that looks as if the request wasn't sent.
func TestNoRetryAfterErrorOfTheBody(t *testing.T) {
	for _, o := range []client.Options{{}, {Transport: new(http.Transport)}} {
		o.MaxWait = time.Millisecond
		srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
		req, _ := http.NewRequest("POST", srv.URL, newDialingBody())
		bodies := 1
		req.GetBody = func() (io.ReadCloser, error) { bodies++; return newDialingBody(), nil }
		if _, err := use(t, o).Do(req); err == nil || bodies != 1 {
			t.Errorf("%v with %d bodies, want an error with 1", err, bodies)
		}
	}
}

// TestNoRetryOfPermanentErrors checks that a request isn't retried if its
// connection fails for good, or if net/http rejects it. The waits before all
// retries would take longer than the context lasts.
func TestNoRetryOfPermanentErrors(t *testing.T) {
	secure, conns := serve(t, "https", func(w http.ResponseWriter, r *http.Request) {})
	plain, plainConns := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {})
	c := use(t, client.Options{Attempts: 1000})
	for _, tt := range []struct {
		url    string
		header http.Header
	}{
		{secure.URL, nil}, // unknown certificate
		{strings.Replace(plain.URL, "http:", "https:", 1), nil}, // no TLS there
		{"htp://127.0.0.1", nil},
		{"http://127.0.0.1", http.Header{"X": {"a\r\nb"}}},
		{"http://127.0.0.1", http.Header{"": {"b"}}},
	} {
		ctx, cancel := context.WithCancel(context.Background()) // a deadline would end the retries before
		stop := time.AfterFunc(time.Minute, cancel)
		r, _ := http.NewRequestWithContext(ctx, "GET", tt.url, nil)
		r.Header = tt.header
		if resp, err := c.Do(r); err == nil {
			resp.Body.Close()
			t.Errorf("%v %v: no error", r.URL, r.Header)
		} else if errors.Is(err, context.Canceled) {
			t.Errorf("%v %v: retried for a minute, want an error at once", r.URL, r.Header)
		}
		stop.Stop()
		cancel()
	}
	if conns.Load() != 1 || plainConns.Load() != 1 {
		t.Errorf("%d and %d connections, want one each", conns.Load(), plainConns.Load())
	}
}

// TestRetriesRespectTheContext checks that the end of the context ends the wait
// before a retry, and that there is no wait if the context would end during it.
// Then the response is returned.
func TestRetriesRespectTheContext(t *testing.T) {
	srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3600") // who waited for that would be ended by go test
		w.WriteHeader(503)
	})
	c := use(t, client.Options{MaxWait: 2 * time.Hour})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", srv.URL, nil)
	resp, err := c.Do(req)
	if err != nil || resp.StatusCode != 503 {
		t.Errorf("deadline before the wait's end: %v, want the 503 at once", err)
	}
	// If the machine is busy, the wait may not have begun when the context ends.
	for delay := 50 * time.Millisecond; !errors.Is(err, context.Canceled); delay *= 2 {
		if delay > time.Minute {
			t.Fatalf("canceled during the wait: %v, want context.Canceled", err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		req, _ = http.NewRequestWithContext(ctx, "GET", srv.URL, nil)
		time.AfterFunc(delay, cancel)
		_, err = c.Do(req)
	}
}
