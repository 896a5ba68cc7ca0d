package middleware_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// TestNothingUsesARequestAfterItsHandler checks that goroutines that outlive
// their handlers can read the request, and that middleware doesn't use a
// request or a writer after its handler has returned, which the race detector
// checks.
func TestNothingUsesARequestAfterItsHandler(t *testing.T) {
	silence(t)
	var late sync.WaitGroup
	var mu sync.Mutex
	over := false // no handler may start
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if over {
			mu.Unlock()
			return
		}
		late.Add(2)
		mu.Unlock()
		for range 2 {
			go func() {
				defer late.Done()
				ctx := r.Context()
				<-ctx.Done()
				for range 20 {
					_ = fmt.Sprint(r.Method, r.URL.Path, r.URL.RawPath, r.Pattern, r.RemoteAddr, r.PathValue("id"), len(r.Header), middleware.GetRequestID(ctx), ctx.Err())
					time.Sleep(10 * time.Microsecond)
				}
			}()
		}
		switch r.URL.Query().Get("do") {
		case "read":
			io.Copy(io.Discard, r.Body)
		case "write":
			for range 20 {
				if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
					return
				}
				http.NewResponseController(w).Flush()
			}
		case "panic":
			panic("x")
		case "part":
			io.WriteString(w, "part")
			panic("x")
		case "slow":
			<-r.Context().Done()
		case "late":
			time.Sleep(3 * time.Millisecond)
		}
	})
	mux := http.NewServeMux()
	mux.Handle("/users/{id}", middleware.Timeout(2*time.Millisecond)(handler))
	h := chain(mux, middleware.Logger, middleware.Observe(func(*http.Request, int, int64, time.Duration) {}), middleware.Recoverer, middleware.RealIP,
		middleware.RequestID, middleware.CleanPath, middleware.StripSlashes, middleware.Timeout(time.Second), middleware.BodyLimit(8<<10),
		middleware.Throttle(8, 8, time.Millisecond), middleware.SetHeader("X-A", "b"), middleware.NoCache)
	does := []string{"", "read", "write", "panic", "part", "slow", "late"}
	for _, proto := range protos {
		srv, _ := start(t, proto, h)
		var clients sync.WaitGroup
		for i := range 8 {
			clients.Go(func() {
				for n := range 12 {
					do := does[(i+n)%len(does)]
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+n%5)*2*time.Millisecond)
					r, _ := http.NewRequestWithContext(ctx, "POST", srv.URL+"/users//7/?do="+do, strings.NewReader(strings.Repeat("b", n*1000)))
					if resp, err := srv.Client().Do(r); err == nil {
						io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
					}
					cancel()
				}
			})
		}
		clients.Wait()
		srv.Close()
	}
	plain := httptest.NewServer(h)
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() { // half a body, several requests at once, disconnects
			for n := range 12 {
				conn, err := net.Dial("tcp", plain.Listener.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprintf(conn, "GET /users/1?do=%s HTTP/1.1\r\nHost: x\r\n\r\nPOST /users/2/?do=%s HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\nhalf", does[n%len(does)], does[i%len(does)])
				if n%2 == 0 {
					conn.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
					io.Copy(io.Discard, conn)
				}
				conn.(*net.TCPConn).SetLinger(n%3 - 1)
				conn.Close()
			}
		})
	}
	clients.Wait()
	plain.Close()
	mu.Lock()
	over = true
	mu.Unlock()
	late.Wait()
}
