package middleware_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

func ExampleTimeout() {
	h := middleware.Timeout(time.Millisecond)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done() // for example, a query that takes too long
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Print(w.Code, " ", w.Body)
	// Output: 503 Service Unavailable
}

func TestTimeoutResponse(t *testing.T) {
	const short, long = time.Millisecond, time.Hour
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	past, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	wait := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	spin := func(_ http.ResponseWriter, r *http.Request) {
		for at, _ := r.Context().Deadline(); time.Now().Before(at); {
		}
	}
	for _, tt := range []struct {
		name string
		ctx  context.Context
		d    time.Duration
		h    http.HandlerFunc
		code int
		body string
	}{
		{"in time, nothing written", t.Context(), long, quiet, 200, ""},
		{"in time", t.Context(), long, text("ok"), 200, "ok"},
		{"late, nothing written", t.Context(), short, wait, 503, "Service Unavailable\n"},
		{"late, context never asked", t.Context(), short, spin, 503, "Service Unavailable\n"},
		{"late, header set", t.Context(), short, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Etag", `"x"`); wait(w, r) }, 503, "Service Unavailable\n"},
		{"late, error returned", t.Context(), short, problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
			wait(w, r)
			return fmt.Errorf("query: %w", r.Context().Err())
		}), 503, "Service Unavailable\n"},
		{"late, error with a status", t.Context(), short, problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
			wait(w, r)
			return &problem.Error{Status: 500, Err: r.Context().Err()}
		}), 500, "Internal Server Error\n"},
		{"late, status written", t.Context(), short, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202); wait(w, r) }, 202, ""},
		{"late, body written", t.Context(), short, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "part"); wait(w, r) }, 200, "part"},
		{"late, with its own response", t.Context(), short, func(w http.ResponseWriter, r *http.Request) { wait(w, r); http.Error(w, "slow", 504) }, 504, "slow\n"},
		{"an earlier deadline than the request's", t.Context(), long, problem.Handler(func(http.ResponseWriter, *http.Request) error { return context.DeadlineExceeded }), 500, "Internal Server Error\n"},
		{"after the deadline of the outer context", past, long, quiet, 503, "Service Unavailable\n"},
		{"canceled", canceled, long, wait, 200, ""},
	} {
		log := &logBuffer{}
		setDefault(t, log.logger())
		w := serve(middleware.Timeout(tt.d)(tt.h), get("/").WithContext(tt.ctx))
		if w.Code != tt.code || w.Body.String() != tt.body {
			t.Errorf("%s: %d %q, want %d %q", tt.name, w.Code, w.Body, tt.code, tt.body)
		}
		deadline, logged := "1ms", log.String()
		if tt.ctx == past {
			deadline = "0s"
		}
		switch text := "middleware: Timeout: the handler returned after its deadline of " + deadline + " without a response"; {
		case (logged != "") != (w.Code == 500 || w.Code == 503):
			t.Errorf("%s: %d, logged %q", tt.name, w.Code, logged)
		case w.Code == 503 && !strings.Contains(tt.name, "error") && log.one(t)["error"] != text:
			t.Errorf("%s: logged %s, want the error %q", tt.name, logged, text)
		}
		if w.Code == 503 && w.Header().Get("Etag") != "" {
			t.Errorf("%s: the response has the ETag of another", tt.name)
		}
	}
}

// TestTimeoutAfterStart checks that Timeout adds nothing to what outer middleware
// has written.
func TestTimeoutAfterStart(t *testing.T) {
	h, w := middleware.Timeout(time.Millisecond)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })), httptest.NewRecorder()
	io.WriteString(w, "part")
	if h.ServeHTTP(w, get("/")); w.Body.String() != "part" {
		t.Errorf("got %q, want the part alone", w.Body)
	}
}

// TestTimeoutContext checks the context of the handler, and that the outer
// request keeps its own.
func TestTimeoutContext(t *testing.T) {
	type key struct{}
	parent := context.WithValue(t.Context(), key{}, "v")
	var kept context.Context
	r := get("/").WithContext(parent)
	serve(middleware.Timeout(time.Hour)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "/" // as a router does, so that something is handed back
		kept = r.Context()
		at, _ := kept.Deadline()
		if left := time.Until(at); left <= 59*time.Minute || left > time.Hour || kept.Err() != nil || kept.Value(key{}) != "v" {
			t.Errorf("deadline in %v, Err %v, Value %v", left, kept.Err(), kept.Value(key{}))
		}
	})), r)
	if kept.Err() != context.Canceled || r.Context() != parent || r.Pattern != "/" {
		t.Errorf("afterwards Err %v, and the caller's request has the parent context: %v, pattern %q", kept.Err(), r.Context() == parent, r.Pattern)
	}
}

func TestTimeoutRefusesDurations(t *testing.T) {
	for _, d := range []time.Duration{0, -1} {
		wantPanic(t, "middleware: Timeout: the duration must be positive; to have no timeout, omit the middleware", func() { middleware.Timeout(d) })
	}
	for _, d := range []time.Duration{1, 5, time.Millisecond - 1} {
		hint := fmt.Sprintf(" is %v; did you mean %d*time.Second?", d, int64(d))
		wantPanic(t, "middleware: Timeout: the duration"+hint, func() { middleware.Timeout(d) })
		wantPanic(t, "middleware: Throttle: wait"+hint, func() { middleware.Throttle(1, 1, d) })
	}
}

// TestTimeoutUsesTheClock checks that the clock decides whether a handler was
// too late, not the context's timer, which may fire after the handler has
// returned.
func TestTimeoutUsesTheClock(t *testing.T) {
	silence(t)
	for range 20 {
		w := serve(middleware.Timeout(time.Millisecond)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, stop := context.WithCancel(r.Context())
			defer stop()
			for at, _ := r.Context().Deadline(); time.Now().Before(at); {
			}
		})), get("/"))
		if w.Code != 503 {
			t.Fatalf("%d after the deadline, want 503", w.Code)
		}
	}
}
