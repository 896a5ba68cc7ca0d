package middleware

import (
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// Observe calls f after each request, with what metrics need:
//
//   - r, where r.Pattern is set if the router sets it;
//   - the status that was sent: 101 for a connection that was taken over, 500
//     for a panic before anything was sent, 200 if the handler wrote nothing;
//   - the bytes of body that the handler wrote (for HEAD they weren't sent);
//   - the time until the handler returned.
//
// After a panic f is called too, and the panic goes on. f runs on the request's
// goroutine, before the client has the end of the answer, and several calls may
// run at a time. It must not keep r. A nil f panics.
func Observe(f func(r *http.Request, status int, bytes int64, d time.Duration)) func(http.Handler) http.Handler {
	if f == nil {
		panic("middleware: Observe: the function is nil; give one that takes the figures of a request")
	}
	return func(next http.Handler) http.Handler { return &observeHandler{next, f} }
}

type observeHandler struct {
	next http.Handler
	f    func(r *http.Request, status int, bytes int64, d time.Duration)
}

func (h *observeHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	w, rec := recorder.Wrap(w)
	panicked := true
	defer func() { h.f(r, finalStatus(rec, panicked), rec.Bytes(), time.Since(start)) }()
	h.next.ServeHTTP(w, r)
	panicked = false
}

// finalStatus returns the status that the client gets, also where none was
// written.
func finalStatus(rec *recorder.Recorder, panicked bool) int {
	switch status := rec.Status(); {
	case status != 0:
		return status
	case rec.Hijacked():
		return http.StatusSwitchingProtocols
	case panicked:
		return http.StatusInternalServerError
	}
	return http.StatusOK
}
