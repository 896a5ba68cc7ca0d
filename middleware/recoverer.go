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
)

// Recoverer turns a panic of what it wraps into a logged error and a 500, with [slog.Default]. See [RecovererWithLogger].
func Recoverer(next http.Handler) http.Handler { return RecovererWithLogger(nil)(next) }

// RecovererWithLogger logs a panic of what it wraps to logger ([slog.Default] if nil), with value, stack, method, path
// and request id, and ends the request:
//
//	nothing was sent yet       => 500 Internal Server Error
//	the response has started   => the connection (HTTP/2: the stream) is aborted after what was sent, so that the client
//	                              doesn't take a part for the whole; nothing is appended
//	the connection was taken   => nothing: it belongs to whoever took it, who should close it in a defer
//
// The abort is [http.ErrAbortHandler], passed on to the server. A handler's own panic(http.ErrAbortHandler) is passed on as
// it is, unlogged. A panic in a goroutine that a handler started can't be caught here; it ends the process.
//
// Without a panic it costs a defer, no allocation, and the writer isn't wrapped. Inside of [Logger] it knows from its
// recorder what was sent, else from the server's writer. Of a writer made elsewhere that has no Unwrap method it knows
// nothing, and only calls WriteHeader(500), which has no effect on a response that has started.
func RecovererWithLogger(logger *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return &recovererHandler{next, logger} }
}

type recovererHandler struct {
	next   http.Handler
	logger *slog.Logger
}

func (h *recovererHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	returned := false
	defer func() {
		if returned { // cheaper than to ask recover
			return
		}
		v := recover()
		switch v {
		case nil: // runtime.Goexit
		case http.ErrAbortHandler:
			panic(v)
		default:
			h.log(w, r, v)
			answerPanic(w, r)
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
		slog.String("path", r.URL.EscapedPath()),
		slog.String("request_id", requestid.Of(w, r)),
		slog.String("stack", stack()))
	_ = sink.Handle(ctx, record) // as slog.Logger does: there is nobody to tell
}

// stack returns the calls that led to the panic that is being recovered, the innermost first, each as runtime.Stack
// writes it, without the words of the arguments: to print those takes more time than everything else here. Of a stack
// that is deeper than 100 calls, the outer ones are left out.
func stack() string {
	var pcs [100]uintptr
	n := runtime.Callers(3, pcs[:]) // from the deferred function on
	frames := runtime.CallersFrames(pcs[:n])
	var room [4 << 10]byte
	text := room[:0]
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

func answerPanic(w http.ResponseWriter, r *http.Request) {
	switch recorder.Of(w) {
	case recorder.Unsent:
		fail(w, http.StatusInternalServerError)
	case recorder.Started:
		// Outside of a server (in a test with httptest.NewRecorder) there is nothing to abort and nobody to catch it.
		if r.Context().Value(http.ServerContextKey) != nil {
			_ = http.NewResponseController(w).Flush() // a client must not mistake it for a request that was never served
			panic(http.ErrAbortHandler)
		}
	case recorder.Unknown:
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// fail answers with a status and its text. What the handler said about the content that it didn't get to send is taken back.
func fail(w http.ResponseWriter, code int) {
	h := w.Header()
	h.Del("Etag")
	h.Del("Last-Modified")
	h.Set("Cache-Control", "no-store")
	http.Error(w, http.StatusText(code), code)
}
