// Package middleware contains only Go benchmarks and a test that compare this
// project's middleware with that of go-chi/chi and gorilla/handlers, for
// docs/middleware.md.
package middleware

import (
	"bufio"
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	chirouter "github.com/go-chi/chi/v5"
	chi "github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httplog/v3"
	gorilla "github.com/gorilla/handlers"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// A pair is one task for which our middleware is compared with a counterpart.
type pair struct {
	name  string
	peer  string
	ours  func(http.Handler) http.Handler
	their func(http.Handler) http.Handler
	// prepare changes the request once. reset undoes the changes of the
	// contender before each call.
	prepare func(r *http.Request)
	reset   func(r, saved *http.Request)
	handler http.Handler // nil: one that writes two bytes
	more    float64      // additional allocations for guarantees that the counterpart lacks
}

// sink discards its input. Unlike io.Discard, log.Logger doesn't recognize it
// and formats the line.
type sink struct{}

func (sink) Write(p []byte) (int, error) { return len(p), nil }

type stdLogger struct{ *log.Logger }

var (
	ok    = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(twoBytes) })
	fails = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic("oops") })

	twoBytes = []byte("ok")

	chiLogger = chi.RequestLogger(&chi.DefaultLogFormatter{Logger: log.New(sink{}, "", log.LstdFlags), NoColor: true})
	ourLogger = middleware.LoggerWith(slog.New(slog.NewTextHandler(sink{}, nil)))

	private = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
)

func forwarded(r *http.Request) {
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("X-Forwarded-For", "198.51.100.7, 10.0.0.2")
}

func whole(r, saved *http.Request)      { *r = *saved }
func remoteAddr(r, saved *http.Request) { r.RemoteAddr = saved.RemoteAddr }
func body(r, saved *http.Request)       { r.Body = saved.Body }

// received sets the method and the body of r to those of a parsed request.
func received(text string) func(*http.Request) {
	return func(r *http.Request) {
		real, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			panic(err)
		}
		r.Method, r.Body, r.ContentLength = real.Method, real.Body, real.ContentLength
	}
}

// routed adds chi's routing context to r, which chi's CleanPath and
// StripSlashes need.
func routed(path string) func(*http.Request) {
	return func(r *http.Request) {
		r.URL.Path, r.RequestURI = path, path
		*r = *r.WithContext(context.WithValue(r.Context(), chirouter.RouteCtxKey, chirouter.NewRouteContext()))
	}
}

func rerouted(r, saved *http.Request) {
	r.URL.Path = saved.RequestURI
	chirouter.RouteContext(r.Context()).RoutePath = ""
}

func basicAuth(user, pass string) bool {
	return subtle.ConstantTimeCompare([]byte(user), []byte("user"))&subtle.ConstantTimeCompare([]byte(pass), []byte("password")) == 1
}

func stack(mws ...func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		for i := len(mws) - 1; i >= 0; i-- {
			h = mws[i](h)
		}
		return h
	}
}

var pairs = []pair{
	{name: "Logger", peer: "chi", ours: ourLogger, their: chiLogger},
	{name: "Logger", peer: "gorilla", ours: ourLogger,
		their: func(h http.Handler) http.Handler { return gorilla.LoggingHandler(sink{}, h) }},
	{name: "Logger", peer: "chi/httplog", ours: ourLogger,
		their: httplog.RequestLogger(slog.New(slog.NewTextHandler(sink{}, nil)), &httplog.Options{Schema: httplog.SchemaECS.Concise(true)})},
	{name: "RequestID, generated", peer: "chi", ours: middleware.RequestID, their: chi.RequestID, reset: whole},
	{name: "RequestID, received", peer: "chi", ours: middleware.RequestID, their: chi.RequestID, reset: whole,
		prepare: func(r *http.Request) { r.Header.Set("X-Request-Id", "0123456789abcdef") }},
	{name: "RealIP, through a proxy", peer: "chi", ours: middleware.RealIPFrom(private...),
		their: chi.ClientIPFromXFF("127.0.0.0/8", "10.0.0.0/8"), prepare: forwarded, reset: remoteAddr},
	{name: "RealIP, direct", peer: "chi", ours: middleware.RealIPFrom(private...),
		their: chi.ClientIPFromXFF("127.0.0.0/8", "10.0.0.0/8"), reset: remoteAddr},
	{name: "RealIP, through a proxy", peer: "gorilla", more: 1, ours: middleware.RealIPFrom(private...),
		their: gorilla.ProxyHeaders, prepare: forwarded, reset: remoteAddr},
	// Recoverer wraps writers that aren't the server's, which is an allocation,
	// and the one of these tests isn't.
	{name: "Recoverer", peer: "chi", more: 1, ours: middleware.Recoverer, their: chi.Recoverer},
	{name: "Recoverer", peer: "gorilla", more: 1, ours: middleware.Recoverer, their: gorilla.RecoveryHandler()},
	{name: "Recoverer, with a panic", peer: "gorilla", more: 1, handler: fails,
		ours:  middleware.RecovererWithLogger(slog.New(slog.NewTextHandler(sink{}, nil))),
		their: gorilla.RecoveryHandler(gorilla.RecoveryLogger(stdLogger{log.New(sink{}, "", log.LstdFlags)}), gorilla.PrintRecoveryStack(true))},
	{name: "Timeout", peer: "chi", more: 1, ours: middleware.Timeout(time.Hour), their: chi.Timeout(time.Hour)},
	{name: "BodyLimit, no body", peer: "chi", ours: middleware.BodyLimit(1 << 20), their: chi.RequestSize(1 << 20),
		reset: body},
	{name: "BodyLimit, Content-Length", peer: "chi", ours: middleware.BodyLimit(1 << 20), their: chi.RequestSize(1 << 20),
		prepare: received("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"), reset: body},
	{name: "BodyLimit, chunked", peer: "chi", more: 1, ours: middleware.BodyLimit(1 << 20), their: chi.RequestSize(1 << 20),
		prepare: received("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"), reset: body},
	{name: "Throttle", peer: "chi", ours: middleware.Throttle(100, 100, time.Second), their: chi.ThrottleBacklog(100, 100, time.Second)},
	{name: "BasicAuth", peer: "chi", ours: middleware.BasicAuth("r", basicAuth), their: chi.BasicAuth("r", map[string]string{"user": "password"}),
		prepare: func(r *http.Request) { r.SetBasicAuth("user", "password") }},
	{name: "SetHeader", peer: "chi", ours: middleware.SetHeader("x-frame-options", "DENY"), their: chi.SetHeader("x-frame-options", "DENY")},
	{name: "NoCache", peer: "chi", ours: middleware.NoCache, their: chi.NoCache},
	{name: "CleanPath, clean", peer: "chi", ours: middleware.CleanPath, their: chi.CleanPath, prepare: routed("/users/42/posts"), reset: rerouted},
	{name: "CleanPath, not clean", peer: "chi", ours: middleware.CleanPath, their: chi.CleanPath, prepare: routed("/users//42/./posts"), reset: rerouted},
	{name: "StripSlashes", peer: "chi", more: 2, ours: middleware.StripSlashes, their: chi.StripSlashes, prepare: routed("/users/42/"), reset: rerouted},
	{name: "Logger, Recoverer, RealIP, RequestID, Timeout", peer: "chi",
		ours:  stack(ourLogger, middleware.Recoverer, middleware.RealIPFrom(private...), middleware.RequestID, middleware.Timeout(time.Hour)),
		their: stack(chi.RequestID, chi.ClientIPFromXFF("127.0.0.0/8", "10.0.0.0/8"), chiLogger, chi.Recoverer, chi.Timeout(time.Hour)), prepare: forwarded, reset: whole},
}

// connection is a ResponseWriter with the interfaces of net/http's, which
// reuses its header for the next call.
type connection struct{ *measure.Writer }

func (connection) Flush()                                       {}
func (connection) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, nil }
func (connection) ReadFrom(src io.Reader) (int64, error)        { return io.Copy(io.Discard, src) }

// task returns a task that serves the pair's request with m.
func (p pair) task(m func(http.Handler) http.Handler) measure.Task {
	handler := p.handler
	if handler == nil {
		handler = ok
	}
	h, w, r := m(handler), connection{measure.NewWriter()}, httptest.NewRequest("GET", "/users/42?q=1", nil)
	r.Body = http.NoBody // like the server
	if p.prepare != nil {
		p.prepare(r)
	}
	saved := new(http.Request)
	*saved = *r
	return measure.Task{Ops: 1, Run: func(times int) {
		for range times {
			if p.reset != nil {
				p.reset(r, saved)
			}
			h.ServeHTTP(w, r)
		}
	}}
}

// TestNoMoreAllocationsThanCounterparts also checks that docs/middleware.md has
// all pairs.
func TestNoMoreAllocationsThanCounterparts(t *testing.T) {
	document, err := os.ReadFile("../../docs/middleware.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		allocs := func(m func(http.Handler) http.Handler) float64 {
			task := p.task(m)
			return testing.AllocsPerRun(1000, func() { task.Run(1) })
		}
		if ours, theirs := allocs(p.ours), allocs(p.their); ours > theirs+p.more {
			t.Errorf("%s: %v allocations, %s has %v", p.name, ours, p.peer, theirs)
		}
		if !strings.Contains(string(document), fmt.Sprintf("| %s | %s |", p.name, p.peer)) {
			t.Errorf("docs/middleware.md lacks %s compared to %s", p.name, p.peer)
		}
	}
}

// BenchmarkMiddleware measures the pairs and the handler alone:
//
//	go test -bench . -count 10 ./middleware | tee new.txt
//	go run golang.org/x/perf/cmd/benchstat -col /side new.txt
func BenchmarkMiddleware(b *testing.B) {
	for _, p := range pairs {
		b.Run(p.name+", "+strings.ReplaceAll(p.peer, "/", "-"), func(b *testing.B) {
			b.Run("side=theirs", func(b *testing.B) { measure.Benchmark(b, p.task(p.their)) })
			b.Run("side=ours", func(b *testing.B) { measure.Benchmark(b, p.task(p.ours)) })
			b.Run("side=neither", func(b *testing.B) { measure.Benchmark(b, p.task(stack())) })
		})
	}
}
