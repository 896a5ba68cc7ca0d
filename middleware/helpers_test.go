package middleware_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

type mw = func(http.Handler) http.Handler

// chain wraps a handler in middleware, the first one outermost.
func chain(h http.Handler, mws ...mw) http.Handler {
	for _, m := range slices.Backward(mws) {
		h = m(h)
	}
	return h
}

// quiet does nothing.
var quiet = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, s) }
}

// serve serves one request and returns the response.
func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func get(target string) *http.Request { return httptest.NewRequest("GET", target, nil) }

// A logBuffer stores log output. It is safe for concurrent use.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(l, nil)) }

// records decodes the JSON records, one per line.
func (l *logBuffer) records(t *testing.T) (records []map[string]any) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		records = append(records, r)
	}
	return records
}

// one returns the only record.
func (l *logBuffer) one(t *testing.T) map[string]any {
	t.Helper()
	records := l.records(t)
	if len(records) != 1 {
		t.Fatalf("%d records, want 1: %s", len(records), l)
	}
	return records[0]
}

// protos are the protocols that tests use.
var protos = []string{"HTTP/1.1", "HTTP/2.0"}

// start serves h over TLS with the given protocol. The buffer contains the
// error log of net/http.
func start(t *testing.T, proto string, h http.Handler) (*httptest.Server, *logBuffer) {
	t.Helper()
	complaints := &logBuffer{}
	srv := httptest.NewUnstartedServer(h)
	srv.EnableHTTP2 = proto == "HTTP/2.0"
	srv.Config.ErrorLog = log.New(complaints, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv, complaints
}

// wantPanic checks the text of a panic.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	f()
}

// recovering calls f and returns the value of its panic.
func recovering(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// keepBack holds the response back until the handler has returned or panicked,
// like a middleware that compresses.
func keepBack(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := &keptBack{ResponseWriter: w}
		defer func() {
			if k.code != 0 {
				w.WriteHeader(k.code)
			}
			w.Write(k.body)
		}()
		next.ServeHTTP(k, r)
	})
}

type keptBack struct {
	http.ResponseWriter
	code int
	body []byte
}

func (k *keptBack) Unwrap() http.ResponseWriter { return k.ResponseWriter }

func (k *keptBack) WriteHeader(code int) {
	if k.code == 0 {
		k.code = code
	}
}

func (k *keptBack) Write(p []byte) (int, error) {
	k.WriteHeader(200)
	k.body = append(k.body, p...)
	return len(p), nil
}
