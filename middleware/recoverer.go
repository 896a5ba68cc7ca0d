package middleware

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// Recoverer recovers from panics, logs them to [slog.Default] and answers 500.
// See [RecovererWithLogger].
func Recoverer(next http.Handler) http.Handler { return RecovererWithLogger(nil)(next) }

// RecovererWithLogger recovers from panics of what it wraps. It logs value,
// stack, method, path and request id to logger, where nil stands for
// [slog.Default] at the time of the panic. Then it ends the request:
//
//	nothing was sent yet      => 500 Internal Server Error
//	the response has started  => the connection (HTTP/2: the stream) is aborted
//	                             after what was sent, so that the client doesn't
//	                             take a part for the whole
//	the connection was taken  => nothing: it belongs to the handler that took
//	                             it, which should close it in a defer
//
// To abort, it panics with [http.ErrAbortHandler], which the server expects. A
// handler's own panic(http.ErrAbortHandler) is passed on and not logged. A
// panic in a goroutine that a handler started can't be recovered here; it ends
// the process.
//
// A request that doesn't panic costs a deferred call. The writer is wrapped
// only inside of middleware that replaces the server's writer, for example to
// compress: the server doesn't know about a response that such a writer keeps
// back.
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
		w, _ = recorder.Wrap(w) // the server doesn't know what another writer keeps back
	}
	returned := false
	defer func() {
		if returned { // faster than asking recover
			return
		}
		v := recover()
		switch v {
		case nil: // runtime.Goexit
		case http.ErrAbortHandler:
			panic(v)
		default:
			h.log(w, r, v)
			answerPanic(w, r, encoding)
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
	record := slog.NewRecord(time.Now(), slog.LevelError, "panic", 0) // the stack says where
	record.AddAttrs(
		slog.String("value", fmt.Sprint(v)), // Sprint survives a String method that panics itself
		slog.String("method", oneLine(r.Method)),
		slog.String("path", loggedPath(r.URL)),
		slog.String("request_id", requestid.Of(w, r)),
		slog.String("stack", stack()))
	_ = sink.Handle(ctx, record) // as slog.Logger does: there is nobody to tell
}

// stack returns the calls that led to the panic that is being recovered, the
// innermost first. Each is written as by runtime.Stack, but without the words
// of the arguments, which take more time to print than all the rest. The outer
// ones of more than 100 calls are left out.
func stack() string {
	var pcs [100]uintptr
	n := runtime.Callers(3, pcs[:]) // from the deferred function on
	frames := runtime.CallersFrames(pcs[:n])
	var buf [4 << 10]byte
	text := buf[:0]
	for ours, more := true, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if ours && f.Function == "runtime.gopanic" { // a second one is of an earlier panic
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

// answerPanic ends a request whose handler panicked. encoding is the
// Content-Encoding of the response before the handler ran.
func answerPanic(w http.ResponseWriter, r *http.Request, encoding []string) {
	switch recorder.Of(w) {
	case recorder.Unsent:
		replace(w, r, problem.Code(http.StatusInternalServerError), encoding)
	case recorder.Started:
		// Without a server, as in a test with httptest.NewRecorder, there is
		// nothing to abort, and nobody recovers.
		if r.Context().Value(http.ServerContextKey) != nil {
			_ = http.NewResponseController(w).Flush() // so that the client doesn't take the request for one that was never served
			panic(http.ErrAbortHandler)
		}
	}
}

// replace answers with err in place of a handler. A Content-Encoding that was
// there before the handler ran is that of a middleware which compresses, and
// stays. One that the handler has set describes content that is lost.
func replace(w http.ResponseWriter, r *http.Request, err error, encoding []string) {
	if h := w.Header(); encoding != nil {
		h["Content-Encoding"] = encoding
	} else {
		delete(h, "Content-Encoding")
	}
	problem.Write(w, r, err)
}
