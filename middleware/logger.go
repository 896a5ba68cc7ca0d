package middleware

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
)

// Logger writes one record for each request to [slog.Default]. See
// [LoggerWith].
func Logger(next http.Handler) http.Handler { return LoggerWith(nil)(next) }

// LoggerWith writes one record for each request to logger, after the request
// was served. A nil logger stands for [slog.Default] at the time of the
// request.
//
//	method      GET
//	path        the escaped path as it came, without the query, which may
//	            contain secrets
//	pattern     r.Pattern, "" where the router set none
//	status      the status that was sent; 101 for a connection that was
//	            taken over, 500 for a panic before anything was sent
//	bytes       bytes of body that the handler wrote (not sent for HEAD)
//	duration    time until the handler returned
//	remote      r.RemoteAddr, after [RealIP] if that ran further in
//	request_id  the id of [RequestID] if there is one, wherever that ran
//	panicked    true, only if a panic passed through; the panic goes on
//
// The level is Error from status 500 on and for a panic, Warn from 400 on, else
// Info.
//
// A record is one line whatever the client sends, and whatever the handler of
// logger does with it: the path is escaped, and a method or an address with
// bytes that aren't printable ASCII is quoted.
func LoggerWith(logger *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return &loggerHandler{next, logger} }
}

type loggerHandler struct {
	next   http.Handler
	logger *slog.Logger
}

func (h *loggerHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	path := loggedPath(r.URL) // before a middleware such as CleanPath changes it
	w, rec := recorder.Wrap(w)
	panicked := true
	// No recover: the panic keeps its stack for whoever handles it.
	defer func() { h.log(w, r, rec, start, path, panicked) }()
	h.next.ServeHTTP(w, r)
	panicked = false
}

func (h *loggerHandler) log(w http.ResponseWriter, r *http.Request, rec *recorder.Recorder, start time.Time, path string, panicked bool) {
	status := finalStatus(rec, panicked)
	level := slog.LevelInfo
	switch {
	case status >= 500 || panicked:
		level = slog.LevelError
	case status >= 400:
		level = slog.LevelWarn
	}
	ctx, sink := r.Context(), handlerOf(h.logger)
	if !sink.Enabled(ctx, level) {
		return
	}
	duration := time.Since(start)
	// Without a program counter: the source line would always be this one, and
	// finding it costs as much as all the rest.
	record := slog.NewRecord(start.Add(duration), level, "request", 0)
	attrs := [9]slog.Attr{
		slog.String("method", oneLine(r.Method)),
		slog.String("path", path),
		slog.String("pattern", r.Pattern),
		slog.Int("status", status),
		slog.Int64("bytes", rec.Bytes()),
		slog.Duration("duration", duration),
		slog.String("remote", oneLine(r.RemoteAddr)),
	}
	n := 7
	if id := requestid.Of(w, r); id != "" {
		attrs[n] = slog.String("request_id", id)
		n++
	}
	if panicked {
		attrs[n] = slog.Bool("panicked", true)
		n++
	}
	record.AddAttrs(attrs[:n]...)
	_ = sink.Handle(ctx, record) // as slog.Logger does: there is nobody to tell
}

// handlerOf returns the handler of logger, or of the default logger if it is
// nil.
func handlerOf(logger *slog.Logger) slog.Handler {
	if logger == nil {
		logger = slog.Default()
	}
	return logger.Handler()
}

// oneLine returns s, quoted if it has a byte that isn't printable ASCII.
func oneLine(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return strconv.QuoteToASCII(s)
		}
	}
	return s
}
