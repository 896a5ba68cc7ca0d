package client_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
)

// TestUploadsThatEndAnywhere ends requests by cancellation, broken connections
// or early responses. No goroutine or timer may use them afterwards, which the
// race detector checks.
func TestUploadsThatEndAnywhere(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/read":
			io.Copy(io.Discard, r.Body)
		case "/some":
			io.CopyN(io.Discard, r.Body, 20<<10)
		case "/early":
			io.WriteString(w, "early")
			http.NewResponseController(w).Flush()
			io.CopyN(io.Discard, r.Body, 20<<10)
		case "/break":
			io.CopyN(io.Discard, r.Body, 20<<10)
			panic(http.ErrAbortHandler)
		}
	}
	paths := []string{"/read", "/some", "/early", "/break"}
	before := runtime.NumGoroutine()
	for _, scheme := range []string{"https", "h2"} {
		srv, _ := serve(t, scheme, h)
		c := client.New(insecure(client.Options{StallTimeout: 20 * time.Millisecond, Attempts: 2, MaxWait: time.Millisecond}))
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := range 20 {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+n*n)*time.Millisecond)
					method := []string{"PUT", "POST"}[n%2]
					var body io.Reader = bytes.NewReader(make([]byte, n*10_000))
					if n%3 == 0 {
						body = io.LimitReader(zeros{}, int64(n*50_000))
					}
					req, _ := http.NewRequestWithContext(ctx, method, srv.URL+paths[(i+n)%len(paths)], body)
					if resp, err := c.Do(req); err == nil {
						if n%4 > 0 {
							io.Copy(io.Discard, resp.Body)
						}
						resp.Body.Close()
					}
					cancel()
				}
			})
		}
		wg.Wait()
		c.CloseIdleConnections()
		srv.Close()
	}
	if after := settle(func(n int) bool { return n <= before }); after > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after\n%s", before, after, buf[:runtime.Stack(buf, true)])
	}
}
