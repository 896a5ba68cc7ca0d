package middleware_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

func ExampleBodyLimit() {
	h := middleware.BodyLimit(1 << 20)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var tooLarge *http.MaxBytesError
		if _, err := io.ReadAll(r.Body); errors.As(err, &tooLarge) {
			http.Error(w, fmt.Sprintf("at most %d bytes", tooLarge.Limit), http.StatusRequestEntityTooLarge)
		}
	}))
	r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", 1<<20+1)))
	r.ContentLength = -1 // not declared
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	fmt.Print(w.Code, " ", w.Body)
	// Output: 413 at most 1048576 bytes
}

// readBody responds with the body, or with 413 if it is too large.
var readBody = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	w.Write(b)
})

func TestBodyLimit(t *testing.T) {
	for _, tt := range []struct {
		limit    int64
		body     string
		declared int64
		code     int
	}{
		{3, "", 0, 200},
		{3, "abc", 3, 200},
		{3, "abc", -1, 200},
		{3, "abcd", 4, 413},
		{3, "abcd", -1, 413},
		{3, "abcd", 2, 413}, // a middleware has replaced the body with a longer one
		{0, "", 0, 200},
		{0, "", -1, 200},
		{0, "a", 1, 413},
		{0, "a", -1, 413},
	} {
		for _, proto := range []int{1, 2} {
			r := httptest.NewRequest("POST", "/", strings.NewReader(tt.body))
			r.ContentLength, r.ProtoMajor = tt.declared, proto
			w := serve(middleware.BodyLimit(tt.limit)(readBody), r)
			if w.Code != tt.code || tt.code == 200 && w.Body.String() != tt.body {
				t.Errorf("limit %d, %q declared as %d: %d %q, want %d", tt.limit, tt.body, tt.declared, w.Code, w.Body, tt.code)
			}
			if closes := w.Header().Get("Connection") == "close"; closes != (tt.code == 413 && proto == 1) { // HTTP/2 ends only the stream
				t.Errorf("limit %d, %q declared as %d: HTTP/%d closes the connection: %v", tt.limit, tt.body, tt.declared, proto, closes)
			}
		}
	}
	r := get("/")
	r.Body = nil
	serve(middleware.BodyLimit(1)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil {
			t.Errorf("nil body: the handler gets %v", r.Body)
		}
	})), r)
}

// TestBodyLimitOnConnections checks the limit over connections. In HTTP/1, a
// request whose Content-Length is below the limit isn't copied.
func TestBodyLimitOnConnections(t *testing.T) {
	forgets := around(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		r.ContentLength = -1
		next.ServeHTTP(w, r)
	})
	for _, proto := range protos {
		for _, tt := range []struct {
			name     string
			body     string
			declared bool
			mws      []mw
			code     int
		}{
			{"declared", "abc", true, nil, 200},
			{"declared, too long", "abcd", true, nil, 413},
			{"not declared", "abc", false, nil, 200},
			{"not declared, too long", "abcd", false, nil, 413},
			{"declaration lost", "abc", true, []mw{forgets}, 200},
			{"declaration lost, too long", "abcd", true, []mw{forgets}, 413},
		} {
			var outer, inner *http.Request
			remember := func(to **http.Request) mw {
				return around(func(w http.ResponseWriter, r *http.Request, next http.Handler) { *to = r; next.ServeHTTP(w, r) })
			}
			srv, _ := start(t, proto, chain(readBody, append(tt.mws, remember(&outer), middleware.BodyLimit(3), remember(&inner))...))
			var body io.Reader = strings.NewReader(tt.body)
			if !tt.declared {
				body = io.MultiReader(body)
			}
			resp, got, _ := fetch(t, srv.Client(), post(t, srv.URL, body))
			if resp.StatusCode != tt.code || tt.code == 200 && got != tt.body {
				t.Errorf("%s, %s: %d %q, want %d", proto, tt.name, resp.StatusCode, got, tt.code)
			}
			srv.Close()
			if same := inner == outer; inner != nil && same != (tt.name == "declared" && strings.HasSuffix(proto, "HTTP/1.1")) {
				t.Errorf("%s, %s: the handler gets the same request: %v", proto, tt.name, same)
			}
		}
	}
}

// TestBodyLimitKeepsTheContext checks that a handler that reads a body that is
// too long gets its beginning, and can still use the request's context.
func TestBodyLimitKeepsTheContext(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		select {
		case <-r.Context().Done():
		case <-time.After(50 * time.Millisecond):
		}
		fmt.Fprintf(w, "%s, %v, %v", b, err, r.Context().Err())
	})
	for _, proto := range []string{"HTTP/1.1", "engine HTTP/1.1"} {
		srv, _ := start(t, proto, middleware.BodyLimit(3)(h))
		resp := exchange(t, srv, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n")
		if got, err := io.ReadAll(resp.Body); string(got) != "abc, http: request body too large, <nil>" {
			t.Errorf("%s: %q, %v", proto, got, err)
		}
	}
}

// TestBodyLimitRespondsAtOnce checks that a client that sends part of a large
// body and waits gets the response immediately, through any wrapper, and that
// it gets no 100 Continue. The handler may read the body in another goroutine.
func TestBodyLimitRespondsAtOnce(t *testing.T) {
	readElsewhere := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read := make(chan error)
		go func() { _, err := io.Copy(io.Discard, r.Body); read <- err }()
		problem.Write(w, r, <-read)
		w.(http.Flusher).Flush()
	})
	for _, outer := range []struct {
		name string
		h    http.Handler
		mws  []mw
		code int // of the response to a body of unknown length
	}{
		{"alone", readBody, nil, 413},
		{"read in another goroutine", readElsewhere, nil, 413},
		{"the same inside another BodyLimit", readElsewhere, []mw{middleware.BodyLimit(1 << 20)}, 413},
		{"inside Logger", readBody, []mw{silent}, 413},
		{"inside a foreign wrapper", readBody, []mw{foreign, silent, foreign}, 413},
		{"no Unwrap, nothing written", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }), []mw{hide}, 200},
	} {
		h := chain(outer.h, append(outer.mws, middleware.BodyLimit(1000))...)
		for _, proto := range []string{"HTTP/1.1", "engine HTTP/1.1"} {
			srv, _ := start(t, proto, h)
			for request, code := range map[string]int{
				"Content-Length: 200000\r\n\r\n" + strings.Repeat("x", 2000):            413,
				"Content-Length: 200000\r\nExpect: 100-continue\r\n\r\n":                413,
				"Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + strings.Repeat("x", 2000): outer.code,
			} {
				if resp := exchange(t, srv, "POST / HTTP/1.1\r\nHost: x\r\n"+request); resp.StatusCode != code || !resp.Close {
					t.Errorf("%s, %s: %.40q: %v; want %d and the connection closed", proto, outer.name, request, resp, code)
				}
			}
		}
	}
}

// TestBodyLimitAndUnreadBodies checks that a client that waits for 100 Continue
// immediately gets the response of a handler that doesn't read the body, and
// that net/http closes the connection.
func TestBodyLimitAndUnreadBodies(t *testing.T) {
	routed := around(func(w http.ResponseWriter, r *http.Request, next http.Handler) { r.Pattern = "/"; next.ServeHTTP(w, r) })
	limit, timeout := middleware.BodyLimit(1<<20), middleware.Timeout(time.Hour)
	for name, stack := range map[string][]mw{
		"none":                   nil,
		"BodyLimit":              {limit, routed},
		"BodyLimit, Timeout":     {limit, timeout, routed},
		"Timeout, BodyLimit":     {timeout, limit, routed},
		"around and inside both": {routed, timeout, limit, timeout, limit, routed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{0, 10, 10_000} { // a long response is sent before the handler returns
				srv, _ := start(t, "HTTP/1.1", chain(text(strings.Repeat("x", size)), stack...))
				for _, framing := range []string{"Content-Length: 5", "Transfer-Encoding: chunked"} {
					resp := exchange(t, srv, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"+framing+"\r\n\r\n")
					b, err := io.ReadAll(resp.Body)
					if resp.StatusCode != 200 || len(b) != size || err != nil || !resp.Close {
						t.Errorf("%s: %d, %d bytes of %d, %v, closes %v; want 200 and the connection closed", framing, resp.StatusCode, len(b), size, err, resp.Close)
					}
				}
			}
		})
	}
}

// TestTrailersThroughCopies checks that handlers get trailers through
// middleware that copies the request, including undeclared ones.
func TestTrailersThroughCopies(t *testing.T) {
	trailers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, r.Trailer)
	})
	limit, timeout := middleware.BodyLimit(1<<20), middleware.Timeout(time.Hour)
	for _, stack := range [][]mw{nil, {limit}, {timeout}, {limit, timeout}, {timeout, limit}} {
		srv, _ := start(t, "HTTP/1.1", chain(trailers, stack...))
		for _, declared := range []string{"", "Trailer: X-Sum\r\n"} {
			resp := exchange(t, srv, "POST / HTTP/1.1\r\nHost: x\r\n"+declared+"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Sum: 7\r\n\r\n")
			if b, _ := io.ReadAll(resp.Body); string(b) != "map[X-Sum:[7]]" {
				t.Errorf("%d middleware, %q: %s", len(stack), declared, b)
			}
		}
		srv.Close()
	}
}

// earlyResponse is a transport that responds while it is still reading the
// request body in another goroutine, like http.Transport if the server doesn't
// wait for the body.
type earlyResponse struct{}

func (earlyResponse) RoundTrip(r *http.Request) (*http.Response, error) {
	go func() {
		defer r.Body.Close()
		io.Copy(io.Discard, r.Body)
	}()
	header := http.Header{}
	for _, name := range strings.Fields("A B C D E F G H I J K L M N O P") {
		header.Set(name, "x")
	}
	return &http.Response{StatusCode: http.StatusUnauthorized, Header: header, Body: http.NoBody, Request: r}, nil
}

// TestBodyLimitExceededElsewhere exceeds the limit in another goroutine, while
// the handler responds or after it has returned. BodyLimit must not use the
// response there, which the race detector checks.
func TestBodyLimitExceededElsewhere(t *testing.T) {
	proxy := &httputil.ReverseProxy{Transport: earlyResponse{}, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "x"}) }}
	for _, proto := range protos {
		srv, _ := start(t, proto, middleware.BodyLimit(1000)(proxy))
		for range 50 {
			resp, err := srv.Client().Post(srv.URL, "text/plain", io.MultiReader(strings.NewReader(strings.Repeat("x", 2000))))
			if err != nil {
				continue // the connection was closed before everything was sent
			}
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s: %s", proto, resp.Status)
			}
			resp.Body.Close()
		}
	}
}

// failing is a body whose first Read fails.
type failing struct {
	io.ReadCloser
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	if err := f.err; err != nil {
		f.err = nil
		return 0, err
	}
	return f.ReadCloser.Read(p)
}

// TestBodyLimitKeepsErrors checks that no Read after an error succeeds.
func TestBodyLimitKeepsErrors(t *testing.T) {
	r := httptest.NewRequest("POST", "/", strings.NewReader("abc"))
	r.Body = &failing{r.Body, io.ErrUnexpectedEOF}
	serve(middleware.BodyLimit(10)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 2 {
			if b, err := io.ReadAll(r.Body); len(b) > 0 || err != io.ErrUnexpectedEOF {
				t.Errorf("read %q, %v; want %v", b, err, io.ErrUnexpectedEOF)
			}
		}
	})), r)
}

func TestBodyLimitRefusesNegative(t *testing.T) {
	wantPanic(t, "middleware: BodyLimit: the limit must not be negative; BodyLimit(0) allows no body", func() { middleware.BodyLimit(-1) })
}

// TestBodyLimitDoesNotReset checks that a client that still sends the body can
// read the whole response: the server ends its side of the connection first.
func TestBodyLimitDoesNotReset(t *testing.T) {
	silence(t)
	srv := httptest.NewServer(middleware.BodyLimit(10)(problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.ReadAll(r.Body)
		if !errors.As(err, new(*http.MaxBytesError)) {
			t.Errorf("read: %v", err)
		}
		return err
	})))
	defer srv.Close()
	for name, head := range map[string]string{"chunked": "Transfer-Encoding: chunked\r\n\r\n20000\r\n", "length": "Content-Length: 400000\r\n\r\n"} {
		c, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: a\r\n%s%s", head, strings.Repeat("x", 100_000))
		got, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 413 ") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
