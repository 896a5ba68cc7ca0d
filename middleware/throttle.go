package middleware

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// Throttle serves at most limit requests at a time. Up to backlog more wait,
// first come first served, each for at most wait. Every other request, and one
// that has waited in vain, is answered with 503 Service Unavailable and a
// Retry-After of wait in whole seconds, at least 1. A request whose context is
// canceled stops waiting.
//
// limit must be positive, backlog not negative, and wait positive where there
// is a backlog. The value that Throttle returns is one limit: all handlers that
// it wraps share it. It limits requests in progress, not requests per second
// or per client.
func Throttle(limit, backlog int, wait time.Duration) func(http.Handler) http.Handler {
	switch {
	case limit <= 0:
		panic(fmt.Sprintf("middleware: Throttle: limit is %d, which would serve nobody; give at least 1", limit))
	case backlog < 0:
		panic(fmt.Sprintf("middleware: Throttle: backlog is %d; give 0 for none", backlog))
	case backlog > 0 && wait <= 0:
		panic(fmt.Sprintf("middleware: Throttle: wait is %v, so nobody could use the backlog; give how long to wait, or a backlog of 0", wait))
	}
	t := &throttle{
		places:     make(chan struct{}, limit),
		backlog:    int64(backlog),
		wait:       wait,
		retryAfter: strconv.FormatInt(int64(max(1, (wait+time.Second-1)/time.Second)), 10),
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !t.enter(r) {
				w.Header().Set("Retry-After", t.retryAfter)
				problem.Write(w, r, problem.Code(http.StatusServiceUnavailable))
				return
			}
			defer t.leave()
			next.ServeHTTP(w, r)
		})
	}
}

type throttle struct {
	places     chan struct{} // one element for each request being served
	backlog    int64
	waiting    atomic.Int64
	wait       time.Duration
	retryAfter string
}

// enter takes a place, after waiting for one if it has to. Whoever waits comes
// first: leave hands its place to the one who has waited longest, and as long
// as someone waits, the channel is full for everyone new.
func (t *throttle) enter(r *http.Request) bool {
	select {
	case t.places <- struct{}{}:
		return true
	default:
	}
	defer t.waiting.Add(-1)
	if t.waiting.Add(1) > t.backlog {
		return false
	}
	timer := time.NewTimer(t.wait)
	defer timer.Stop()
	select {
	case t.places <- struct{}{}:
		return true
	case <-timer.C:
	case <-r.Context().Done():
	}
	return false
}

func (t *throttle) leave() { <-t.places }
