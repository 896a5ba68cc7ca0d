package middleware

import (
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// Observe calls f after each request, for metrics. The arguments of f are
//
//   - the request, with r.Pattern as set by the router;
//   - the status that was sent: 101 for a hijacked connection, 500 for a panic
//     before anything was sent, 200 if the handler wrote nothing;
//   - the number of body bytes that the handler wrote (not sent for HEAD);
//   - the time until the handler returned.
//
// Observe also calls f after a panic, and doesn't recover the panic. f is
// called on the goroutine of the request, before the response is complete, and
// must be safe for concurrent use. It must not retain r. Observe panics if f is
// nil.
func Observe(f func(r *http.Request, status int, bytes int64, d time.Duration)) func(http.Handler) http.Handler {
	if f == nil {
		panic("middleware: Observe: the function is nil; pass one that records the values for a request")
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

// finalStatus returns the status that the client gets, even if the handler did
// not write one.
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
