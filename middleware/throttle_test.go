package middleware_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleThrottle() {
	// 100 reports at a time; 200 more may wait, for at most 5 seconds.
	limited := middleware.Throttle(100, 200, 5*time.Second)
	mux := http.NewServeMux()
	mux.Handle("GET /report", limited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "a costly report")
	})))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/report", nil))
	fmt.Println(w.Body)
	// Output: a costly report
}

// A gate is a handler that reports each incoming request and waits until it may
// continue.
type gate struct {
	in     chan string
	let    chan struct{}
	active atomic.Int32
	most   atomic.Int32
}

func newGate() *gate { return &gate{in: make(chan string), let: make(chan struct{})} }

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := g.active.Add(1)
	defer g.active.Add(-1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
	g.in <- r.URL.Path
	<-g.let
}

// send starts a request and returns a channel for the response.
func send(h http.Handler, r *http.Request) chan *httptest.ResponseRecorder {
	response := make(chan *httptest.ResponseRecorder, 1)
	go func() { response <- serve(h, r) }()
	return response
}

func TestThrottleServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		h := middleware.Throttle(2, 3, time.Minute)(g)
		var responses []chan *httptest.ResponseRecorder
		for _, path := range []string{"/1", "/2", "/3", "/4", "/5"} {
			responses = append(responses, send(h, get(path)))
			synctest.Wait() // it is running or waiting
		}
		if w := serve(h, get("/6")); w.Code != 503 || w.Header().Get("Retry-After") != "60" || w.Body.String() != "Service Unavailable\n" {
			t.Errorf("a full backlog: %d %v %q", w.Code, w.Header(), w.Body)
		}
		time.Sleep(59 * time.Second) // synctest's time, which passes when all goroutines wait
		served := <-g.in + <-g.in
		for range 3 {
			g.let <- struct{}{}
			served += <-g.in
		}
		if served != "/1/2/3/4/5" || g.most.Load() != 2 {
			t.Errorf("served %s, at most %d at a time; want /1/2/3/4/5, 2", served, g.most.Load())
		}
		g.let <- struct{}{}
		g.let <- struct{}{}
		for i, response := range responses {
			if w := <-response; w.Code != 200 {
				t.Errorf("request %d: %d, want 200", i+1, w.Code)
			}
		}
	})
}

func TestThrottleWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		h := middleware.Throttle(1, 1, time.Minute)(g)
		first := send(h, get("/"))
		<-g.in
		start := time.Now()
		if w := serve(h, get("/")); w.Code != 503 || time.Since(start) != time.Minute {
			t.Errorf("%d after %v, want 503 after a minute", w.Code, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		if w := serve(h, get("/").WithContext(ctx)); w.Code != 503 || time.Since(start) != time.Second {
			t.Errorf("cancelled: %d after %v, want 503 after a second", w.Code, time.Since(start))
		}
		g.let <- struct{}{}
		<-first
		second := send(h, get("/"))
		<-g.in
		g.let <- struct{}{}
		if w := <-second; w.Code != 200 {
			t.Errorf("afterwards %d, want 200", w.Code)
		}
	})
}

// TestThrottleServesUpToTheBacklog checks that a request that has got its place
// no longer takes one of the backlog.
func TestThrottleServesUpToTheBacklog(t *testing.T) {
	h := middleware.Throttle(1, 1, time.Hour)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { runtime.Gosched() })) // so that both are inside
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			for range 500 {
				if w := serve(h, get("/")); w.Code != 200 {
					t.Errorf("%d, want 200: there are two requests at a time", w.Code)
					return
				}
			}
		})
	}
	clients.Wait()
}

func TestThrottleRefuses(t *testing.T) {
	for _, tt := range []struct {
		wait       time.Duration
		retryAfter string
	}{
		{0, "1"},
		{time.Millisecond, "1"},
		{time.Second, "1"},
		{1500 * time.Millisecond, "2"},
		{time.Hour, "3600"},
		{math.MaxInt64, "9223372037"},
	} {
		g := newGate()
		limit := middleware.Throttle(1, 0, tt.wait)
		first := send(limit(g), get("/"))
		<-g.in
		// Another handler with the same middleware value shares the limit.
		w := serve(limit(quiet), get("/"))
		if w.Code != 503 || w.Header().Get("Retry-After") != tt.retryAfter {
			t.Errorf("wait %v: %d, Retry-After %q; want 503, %q", tt.wait, w.Code, w.Header().Get("Retry-After"), tt.retryAfter)
		}
		if w := serve(middleware.Throttle(1, 0, tt.wait)(quiet), get("/")); w.Code != 200 {
			t.Errorf("wait %v: a handler of another limit: %d, want 200", tt.wait, w.Code)
		}
		g.let <- struct{}{}
		<-first
		if w := serve(limit(quiet), get("/")); w.Code != 200 {
			t.Errorf("wait %v: afterwards %d, want 200", tt.wait, w.Code)
		}
	}
}

func TestThrottleCountsPanicsAsReturns(t *testing.T) {
	limit := middleware.Throttle(1, 0, 0)
	recovering(func() {
		serve(limit(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })), get("/"))
	})
	if w := serve(limit(quiet), get("/")); w.Code != 200 {
		t.Errorf("%d, want 200", w.Code)
	}
}

func TestThrottleRefusesArguments(t *testing.T) {
	for _, tt := range []struct {
		limit, backlog int
		wait           time.Duration
		want           string
	}{
		{0, 0, 0, "middleware: Throttle: limit is 0, which would reject all requests; use at least 1"},
		{-1, 0, 0, "middleware: Throttle: limit is -1, which would reject all requests; use at least 1"},
		{1, -1, 0, "middleware: Throttle: backlog is -1; use 0 for none"},
		{1, 1, 0, "middleware: Throttle: wait is 0s, so the backlog would have no effect; set a positive wait, or a backlog of 0"},
	} {
		wantPanic(t, tt.want, func() { middleware.Throttle(tt.limit, tt.backlog, tt.wait) })
	}
}
