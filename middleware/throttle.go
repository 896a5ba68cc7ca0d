package middleware

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// Throttle limits the number of concurrent requests. Up to limit requests are
// served at the same time. Up to backlog more requests wait in order of
// arrival, each for at most the duration wait or until its context is canceled.
// To other requests, and to those that waited too long, Throttle responds with
// 503 Service Unavailable and a Retry-After header of wait in whole seconds, at
// least 1.
//
// All handlers that one result of Throttle wraps share the limit. Throttle
// panics unless limit is positive, backlog is not negative, and wait is
// at least a millisecond if there is a backlog.
func Throttle(limit, backlog int, wait time.Duration) func(http.Handler) http.Handler {
	switch {
	case limit <= 0:
		panic(fmt.Sprintf("middleware: Throttle: limit is %d, which would reject all requests; use at least 1", limit))
	case backlog < 0:
		panic(fmt.Sprintf("middleware: Throttle: backlog is %d; use 0 for none", backlog))
	case backlog > 0 && wait <= 0:
		panic(fmt.Sprintf("middleware: Throttle: wait is %v, so the backlog would have no effect; set a positive wait, or a backlog of 0", wait))
	}
	if backlog > 0 {
		refuseTiny("Throttle: wait", wait)
	}
	t := &throttle{
		places:     make(chan struct{}, limit),
		backlog:    int64(backlog),
		wait:       wait,
		retryAfter: strconv.FormatInt(int64(max(1, (wait-1)/time.Second+1)), 10),
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
	inside     atomic.Int64  // number of requests being served and waiting
	backlog    int64
	wait       time.Duration
	retryAfter string
}

// enter acquires a place, and waits if necessary. It reports false if r must be
// rejected. Waiting requests are served in order, because senders on a channel
// are: leave passes its place to the longest waiting one, so the channel
// remains full for new requests.
//
// A count of the waiting requests would not do: one that got its place would
// still be counted until its goroutine runs.
func (t *throttle) enter(r *http.Request) bool {
	for n := t.inside.Load(); ; n = t.inside.Load() {
		if n-int64(cap(t.places)) >= t.backlog {
			return false
		}
		if t.inside.CompareAndSwap(n, n+1) {
			break
		}
	}
	select {
	case t.places <- struct{}{}:
		return true
	default:
	}
	select {
	case t.places <- struct{}{}:
		return true
	case <-time.After(t.wait):
	case <-r.Context().Done():
	}
	t.inside.Add(-1)
	return false
}

func (t *throttle) leave() {
	<-t.places
	t.inside.Add(-1)
}
