package middleware

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
)

// Logger logs each request to [slog.Default]. See [LoggerWith].
func Logger(next http.Handler) http.Handler { return LoggerWith(nil)(next) }

// LoggerWith logs one record to logger for each request, after the next handler
// returns. If logger is nil, it uses the value of [slog.Default] at the time of
// the request. The record has these attributes:
//
//	method      GET
//	path        the escaped path as sent by the client, without the query, which
//	            may contain secrets
//	pattern     r.Pattern, "" if the router did not set it
//	status      the status that was sent; 101 for a hijacked connection, 500 for
//	            a panic before anything was sent
//	bytes       number of body bytes that the handler wrote (not sent for HEAD)
//	duration    time until the handler returned
//	remote      r.RemoteAddr, as set by inner middleware such as [RealIPFrom]
//	request_id  the ID of [RequestID], if there is one
//	panicked    true if the handler panicked; otherwise omitted
//
// The level is Error for status 500 and above and for panics, Warn for status
// 400 and above, else Info. LoggerWith doesn't recover panics.
//
// A record is always one line, for any client input and any [slog.Handler]: the
// path is escaped, and a method or address is quoted if it contains bytes other
// than printable ASCII.
func LoggerWith(logger *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return &loggerHandler{next, logger} }
}

type loggerHandler struct {
	next   http.Handler
	logger *slog.Logger
}

func (h *loggerHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	path := loggedPath(r.URL) // before middleware such as CleanPath changes it
	w, rec := recorder.Wrap(w)
	panicked := true
	// Don't recover, so that the panic keeps its stack trace.
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
	// Without a program counter, because the source line would always be this
	// one, and runtime.Callers takes as long as everything else.
	record := slog.NewRecord(start.Add(duration), level, "request", 0)
	attrs := [9]slog.Attr{
		slog.String("method", printable.ASCII(r.Method)),
		slog.String("path", path),
		slog.String("pattern", r.Pattern),
		slog.Int("status", status),
		slog.Int64("bytes", rec.Bytes()),
		slog.Duration("duration", duration),
		slog.String("remote", printable.ASCII(r.RemoteAddr)),
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
	_ = sink.Handle(ctx, record) // slog.Logger ignores the error too
}

// handlerOf returns the handler of logger, or of the default logger if it is
// nil.
func handlerOf(logger *slog.Logger) slog.Handler {
	if logger == nil {
		logger = slog.Default()
	}
	return logger.Handler()
}
