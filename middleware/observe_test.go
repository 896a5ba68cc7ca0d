package middleware_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleObserve() {
	requests := map[string]int{} // represents a counter with labels
	observe := middleware.Observe(func(r *http.Request, status int, bytes int64, d time.Duration) {
		requests[fmt.Sprintf("%s %d", r.Pattern, status)]++
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "a user") })
	h := observe(mux)
	for _, target := range []string{"/users/7", "/users/8", "/nothing"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
	}
	fmt.Println(requests)
	// Output: map[ 404:1 GET /users/{id} 200:2]
}

func TestObserve(t *testing.T) {
	for _, tt := range recordings {
		for _, outer := range []struct {
			name string
			mws  []mw
		}{{"alone", nil}, {"inside Logger", []mw{silent}}} {
			calls := 0
			observe := middleware.Observe(func(r *http.Request, status int, bytes int64, d time.Duration) {
				calls++
				if r.Pattern != "/p" || status != tt.status || bytes != tt.bytes || d < time.Millisecond || d > time.Minute {
					t.Errorf("%s, %s: %q %d %d %v, want %d %d", tt.name, outer.name, r.Pattern, status, bytes, d, tt.status, tt.bytes)
				}
			})
			h := chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Pattern = "/p"
				time.Sleep(time.Millisecond)
				tt.h(w, r)
			}), append(outer.mws, observe)...)
			if v := recovering(func() { serve(h, get("/")) }); v != tt.panic || calls != 1 {
				t.Errorf("%s, %s: panic %v, %d calls", tt.name, outer.name, v, calls)
			}
		}
	}
	wantPanic(t, "middleware: Observe: the function is nil; pass one that records the values for a request", func() { middleware.Observe(nil) })
}

// TestObserveKeepsInterfaces checks that middleware hides no interface that the
// servers' writers have. Libraries use some of them without checking.
func TestObserveKeepsInterfaces(t *testing.T) {
	offers := func(w http.ResponseWriter) string {
		_, flusher := w.(http.Flusher)
		_, hijacker := w.(http.Hijacker)
		_, pusher := w.(http.Pusher)
		_, readerFrom := w.(io.ReaderFrom)
		_, notifier := w.(http.CloseNotifier) //lint:ignore SA1019 gin's Context.Stream needs it
		return fmt.Sprintln("Flusher", flusher, "Hijacker", hijacker, "Pusher", pusher, "ReaderFrom", readerFrom, "CloseNotifier", notifier)
	}
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, offers(w)) })
	observe := middleware.Observe(func(*http.Request, int, int64, time.Duration) {})
	for _, proto := range protos {
		var answers [2]string
		for i, h := range []http.Handler{show, observe(show)} {
			srv, _ := start(t, proto, h)
			_, answers[i], _ = fetch(t, srv.Client(), request(t, srv.URL))
		}
		if answers[0] != answers[1] || !strings.Contains(answers[0], "CloseNotifier true") {
			t.Errorf("%s: %s with Observe: %s", proto, answers[0], answers[1])
		}
	}
}
