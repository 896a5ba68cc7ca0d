// Package middleware compares the speed of this project's middleware with that
// of go-chi/chi and gorilla/handlers. To update the figures in the
// documentation, run go test ./middleware -run TestFigures -update.
package middleware

import (
	"bufio"
	"context"
	"crypto/subtle"
	"log"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	chirouter "github.com/go-chi/chi/v5"
	chi "github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httplog/v3"
	gorilla "github.com/gorilla/handlers"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// A pair is one task for which our middleware is compared with a counterpart.
type pair struct {
	name  string
	peer  string
	note  string // differences of the counterpart
	ours  func(http.Handler) http.Handler
	their func(http.Handler) http.Handler
	// prepare changes the request once. reset undoes the changes of the
	// contender before each call.
	prepare func(r *http.Request)
	reset   func(r, saved *http.Request)
	handler http.Handler // nil: one that writes two bytes
	more    float64      // additional allocations for guarantees that the counterpart lacks
	least   *least       // if the bar is hard to reach: the part of our time in net/http, slog or the runtime
}

// least is a middleware that does only the part of the work that every
// implementation leaves to the standard library.
type least struct {
	name string
	m    func(http.Handler) http.Handler
}

var (
	slogAlone = &least{"slog's handler, called with a complete record", func(h http.Handler) http.Handler {
		text := slog.NewTextHandler(sink{}, nil)
		record := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
		record.AddAttrs(slog.String("method", "GET"), slog.String("path", "/users/42"), slog.String("pattern", ""), slog.Int("status", 200),
			slog.Int64("bytes", 2), slog.Duration("duration", time.Microsecond), slog.String("remote", "192.0.2.1:1234"))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r)
			text.Handle(r.Context(), record)
		})
	}}
	deferAlone = &least{"a deferred call of an empty function", func(h http.Handler) http.Handler { return &defers{h} }}
	maxBytes   = &least{"http.MaxBytesReader", func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
			h.ServeHTTP(w, r)
		})
	}}
	callAlone = &least{"a call of the next handler", func(h http.Handler) http.Handler { return &passes{h} }}
)

type (
	defers struct{ next http.Handler }
	passes struct{ next http.Handler }
)

func (h *defers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer empty()
	h.next.ServeHTTP(w, r)
}

//go:noinline
func empty() {}

func (h *passes) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.next.ServeHTTP(w, r) }

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
	{name: "Logger", peer: "chi", note: "the line is unstructured and contains the query", ours: ourLogger, their: chiLogger, least: slogAlone},
	{name: "Logger", peer: "gorilla", note: "the line has no keys, level, pattern or duration, and contains the query", ours: ourLogger, least: slogAlone,
		their: func(h http.Handler) http.Handler { return gorilla.LoggingHandler(sink{}, h) }},
	{name: "Logger", peer: "chi/httplog", note: "more attributes", ours: ourLogger,
		their: httplog.RequestLogger(slog.New(slog.NewTextHandler(sink{}, nil)), &httplog.Options{Schema: httplog.SchemaECS.Concise(true)})},
	{name: "RequestID, generated", peer: "chi", note: "ID of a prefix and a counter; not sent to the client", ours: middleware.RequestID, their: chi.RequestID, reset: whole},
	{name: "RequestID, received", peer: "chi", note: "accepts any bytes", ours: middleware.RequestID, their: chi.RequestID, reset: whole,
		prepare: func(r *http.Request) { r.Header.Set("X-Request-Id", "0123456789abcdef") }},
	{name: "RealIP, through a proxy", peer: "chi", note: "ClientIPFromXFF, stored in the context", ours: middleware.RealIPFrom(private...),
		their: chi.ClientIPFromXFF("127.0.0.0/8", "10.0.0.0/8"), prepare: forwarded, reset: remoteAddr},
	{name: "RealIP, direct", peer: "chi", note: "the same", ours: middleware.RealIPFrom(private...),
		their: chi.ClientIPFromXFF("127.0.0.0/8", "10.0.0.0/8"), reset: remoteAddr},
	{name: "RealIP, through a proxy", peer: "gorilla", note: "ProxyHeaders: trusts all clients; omits the port", more: 1, ours: middleware.RealIPFrom(private...),
		their: gorilla.ProxyHeaders, prepare: forwarded, reset: remoteAddr},
	// Recoverer wraps writers that aren't the server's, which is an allocation,
	// and the one of these tests isn't.
	{name: "Recoverer", peer: "chi", note: "keeps the handler's headers in the 500, and makes a partial response look complete", more: 1, ours: middleware.Recoverer, their: chi.Recoverer, least: deferAlone},
	{name: "Recoverer", peer: "gorilla", note: "swallows ErrAbortHandler", more: 1, ours: middleware.Recoverer, their: gorilla.RecoveryHandler(), least: deferAlone},
	{name: "Recoverer, with a panic", peer: "gorilla", note: "with PrintRecoveryStack, which also prints argument words", more: 1, handler: fails,
		ours:  middleware.RecovererWithLogger(slog.New(slog.NewTextHandler(sink{}, nil))),
		their: gorilla.RecoveryHandler(gorilla.RecoveryLogger(stdLogger{log.New(sink{}, "", log.LstdFlags)}), gorilla.PrintRecoveryStack(true))},
	{name: "Timeout", peer: "chi", note: "writes 504 even after the response has started", more: 1, ours: middleware.Timeout(time.Hour), their: chi.Timeout(time.Hour)},
	{name: "BodyLimit, no body", peer: "chi", note: "RequestSize", ours: middleware.BodyLimit(1 << 20), their: chi.RequestSize(1 << 20),
		reset: body},
	{name: "BodyLimit, Content-Length", peer: "chi", note: "RequestSize: the same", ours: middleware.BodyLimit(1 << 20), their: chi.RequestSize(1 << 20),
		prepare: received("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"), reset: body},
	{name: "BodyLimit, chunked", peer: "chi", note: "RequestSize: inside a wrapper, the response may be late or missing", more: 1, ours: middleware.BodyLimit(1 << 20), their: chi.RequestSize(1 << 20),
		prepare: received("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"), reset: body, least: maxBytes},
	{name: "Throttle", peer: "chi", note: "ThrottleBacklog", ours: middleware.Throttle(100, 100, time.Second), their: chi.ThrottleBacklog(100, 100, time.Second)},
	{name: "BasicAuth", peer: "chi", note: "the user isn't compared in constant time", ours: middleware.BasicAuth("r", basicAuth), their: chi.BasicAuth("r", map[string]string{"user": "password"}),
		prepare: func(r *http.Request) { r.SetBasicAuth("user", "password") }},
	{name: "SetHeader", peer: "chi", note: "", ours: middleware.SetHeader("x-frame-options", "DENY"), their: chi.SetHeader("x-frame-options", "DENY")},
	{name: "NoCache", peer: "chi", note: "changes the caller's header", ours: middleware.NoCache, their: chi.NoCache},
	{name: "CleanPath, clean", peer: "chi", note: "", ours: middleware.CleanPath, their: chi.CleanPath, prepare: routed("/users/42/posts"), reset: rerouted},
	{name: "CleanPath, not clean", peer: "chi", note: "affects only chi's router", ours: middleware.CleanPath, their: chi.CleanPath, prepare: routed("/users//42/./posts"), reset: rerouted},
	{name: "StripSlashes", peer: "chi", note: "affects only chi's router; causes redirect loops for routes with a trailing slash", more: 2, ours: middleware.StripSlashes, their: chi.StripSlashes, prepare: routed("/users/42/"), reset: rerouted, least: callAlone},
	{name: "Logger, Recoverer, RealIP, RequestID, Timeout", peer: "chi", note: "", least: slogAlone,
		ours:  stack(ourLogger, middleware.Recoverer, middleware.RealIPFrom(private...), middleware.RequestID, middleware.Timeout(time.Hour)),
		their: stack(chi.RequestID, chi.ClientIPFromXFF("127.0.0.0/8", "10.0.0.0/8"), chiLogger, chi.Recoverer, chi.Timeout(time.Hour)), prepare: forwarded, reset: whole},
}
