package middleware

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// Recoverer recovers panics, logs them to [slog.Default] and responds with 500.
// See [RecovererWithLogger].
func Recoverer(next http.Handler) http.Handler { return RecovererWithLogger(nil)(next) }

// RecovererWithLogger recovers panics of the next handler. It logs the panic
// value, stack, method, path and request ID to logger. The value has at most 4
// KiB, and is quoted if it contains characters that aren't printable. If logger
// is nil, RecovererWithLogger uses the value of [slog.Default] at the time of
// the panic. What happens next depends on the state of the response:
//
//	nothing was sent yet        It responds with 500 Internal Server Error.
//	the response has started    It aborts the connection (HTTP/2: the stream), so
//	                            that the client doesn't take the partial response
//	                            for complete.
//	the connection is hijacked  It does nothing. The handler should close the
//	                            connection in a deferred call.
//
// To abort, it panics with [http.ErrAbortHandler], which the server handles. If
// the handler itself panics with http.ErrAbortHandler, RecovererWithLogger
// re-panics without logging. It can't recover a panic in a goroutine that a
// handler started; such a panic terminates the process.
//
// A request that doesn't panic costs a deferred call. RecovererWithLogger wraps
// the writer only inside middleware that replaces the server's writer, for
// example to compress, because such a writer may buffer a response before the
// server sees it.
func RecovererWithLogger(logger *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return &recovererHandler{next: next, logger: logger} }
}

type recovererHandler struct {
	next   http.Handler
	logger *slog.Logger
	seen   recorder.Cache
}

func (h *recovererHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var encoding []string
	if !h.seen.Own(w) {
		encoding = w.Header()["Content-Encoding"]
		w, _ = recorder.Wrap(w) // another writer may buffer the response
	}
	returned := false
	defer func() {
		if returned { // faster than calling recover
			return
		}
		v := recover()
		switch v {
		case nil: // runtime.Goexit
		case http.ErrAbortHandler:
			panic(v)
		default:
			h.log(w, r, v)
			respondToPanic(w, r, encoding)
		}
	}()
	h.next.ServeHTTP(w, r)
	returned = true
}

func (h *recovererHandler) log(w http.ResponseWriter, r *http.Request, v any) {
	ctx, sink := r.Context(), handlerOf(h.logger)
	if !sink.Enabled(ctx, slog.LevelError) {
		return
	}
	record := slog.NewRecord(time.Now(), slog.LevelError, "panic", 0) // the stack has the source line
	record.AddAttrs(
		slog.String("value", printable.Excerpt(fmt.Sprint(v), maxValue)), // Sprint recovers panics of String methods
		slog.String("method", printable.ASCII(r.Method)),
		slog.String("path", loggedPath(r.URL)),
		slog.String("request_id", requestid.Of(w, r)),
		slog.String("stack", stack()))
	_ = sink.Handle(ctx, record) // slog.Logger ignores the error too
}

const maxValue = 4 << 10 // maximum length of a panic value in the log, in bytes

// stack returns the stack trace of the recovered panic, innermost call first,
// in the format of runtime.Stack but without arguments, which take most of the
// time to print. It contains at most 100 calls.
func stack() string {
	var pcs [100]uintptr
	n := runtime.Callers(3, pcs[:]) // skip up to the deferred function
	frames := runtime.CallersFrames(pcs[:n])
	var buf [4 << 10]byte
	text := buf[:0]
	for ours, more := true, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if ours && f.Function == "runtime.gopanic" { // a second one belongs to an earlier panic
			text, ours = text[:0], false
			continue
		}
		text = append(append(text, f.Function...), "()\n\t"...)
		text = append(append(text, f.File...), ':')
		text = append(strconv.AppendInt(text, int64(f.Line), 10), '\n')
	}
	if n == len(pcs) {
		text = append(text, "...\n"...)
	}
	return string(text)
}

// respondToPanic ends a request whose handler panicked. encoding is the
// Content-Encoding of the response before the handler ran.
func respondToPanic(w http.ResponseWriter, r *http.Request, encoding []string) {
	switch recorder.Of(w) {
	case recorder.Unsent:
		replace(w, r, problem.Code(http.StatusInternalServerError), encoding)
	case recorder.Started:
		// Without a server, as in tests with httptest.NewRecorder, there is
		// nothing to abort, and the panic would not be recovered.
		if r.Context().Value(http.ServerContextKey) != nil {
			_ = http.NewResponseController(w).Flush() // otherwise clients may assume that the request was not served
			panic(http.ErrAbortHandler)
		}
	}
}

// replace writes an error response instead of the handler's. It restores the
// Content-Encoding that was set before the handler ran, because a middleware
// that compresses has set it. The handler's own Content-Encoding is removed.
func replace(w http.ResponseWriter, r *http.Request, err error, encoding []string) {
	if h := w.Header(); encoding != nil {
		h["Content-Encoding"] = encoding
	} else {
		delete(h, "Content-Encoding")
	}
	problem.Write(w, r, err)
}
