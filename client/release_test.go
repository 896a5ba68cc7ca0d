package client_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
)

// A followed context counts the contexts that are derived from it and not
// released yet.
type followed struct {
	context.Context
	done chan struct{}
	n    atomic.Int64
}

func (f *followed) Done() <-chan struct{} { return f.done }

// AfterFunc is called by package context for each derived context.
func (f *followed) AfterFunc(func()) func() bool {
	f.n.Add(1)
	return func() bool { f.n.Add(-1); return true }
}

// TestRequestsReleaseTheirContext checks that the parent of a request's
// context, which often lives as long as the program, doesn't reference the
// request afterwards, even if the body was read to its end but not closed.
func TestRequestsReleaseTheirContext(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/none":
			w.WriteHeader(204)
		case "/chunks":
			io.WriteString(w, "chunk")
			http.NewResponseController(w).Flush()
			io.WriteString(w, "chunk")
		default:
			io.WriteString(w, "hello")
		}
	}
	for scheme, proto := range map[string]string{"https": "HTTP/1.1", "h2": "HTTP/2.0"} {
		srv, conns := serve(t, scheme, h)
		cl := use(t, insecure(client.Options{}))
		for _, path := range []string{"/", "/none", "/chunks"} {
			for _, method := range []string{"GET", "POST", "HEAD"} {
				for _, closing := range []bool{false, true} {
					ctx := &followed{Context: context.Background(), done: make(chan struct{})}
					var body io.Reader
					if method == "POST" {
						body = strings.NewReader("x")
					}
					req, _ := http.NewRequestWithContext(ctx, method, srv.URL+path, body)
					resp := do(t, cl, req)
					if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.Proto != proto {
						t.Errorf("%s %s %s: %v", proto, method, path, err)
					}
					if closing {
						resp.Body.Close()
					}
					// HTTP/2 may detect later that the request was sent.
					for end := time.Now().Add(2 * time.Minute); ctx.n.Load() != 0; <-time.After(time.Millisecond) {
						if time.Now().After(end) {
							t.Fatalf("%s %s %s, closed: %v: %d contexts are kept, want none", proto, method, path, closing, ctx.n.Load())
						}
					}
					if n, err := resp.Body.Read(make([]byte, 1)); n != 0 || err == nil {
						t.Errorf("%s %s %s, closed: %v: %d, %v at the end", proto, method, path, closing, n, err)
					}
				}
			}
		}
		if n := conns.Load(); n != 1 {
			t.Errorf("%s: %d connections, want 1", proto, n)
		}
	}
}
