package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// These examples run the recipes of docs/recipes.md that use annotations.

// A scopes annotation lists what a login must be allowed to do.
type scopes []string

type needsKey struct{}

// authorize checks the login of each request, and the scopes of its route. A
// route without the annotation is forbidden.
func authorize(mux *muxmaster.Mux, login func(*http.Request) (scopes, bool)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			has, ok := login(r)
			if !ok {
				w.Header().Set("WWW-Authenticate", "Bearer")
				problem.Write(w, r, problem.Code(http.StatusUnauthorized))
				return
			}
			if route, found := mux.Lookup(r); found { // else the response is a 404, 405, redirect or OPTIONS
				needs, annotated := route.Value(needsKey{}).(scopes)
				lacks := func(s string) bool { return !slices.Contains(has, s) }
				if !annotated || slices.ContainsFunc(needs, lacks) {
					problem.Write(w, r, problem.Code(http.StatusForbidden))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// The scopes of a login, read from the route.
func Example_scopes() {
	mux := muxmaster.New()
	mux.Use(authorize(mux, func(r *http.Request) (scopes, bool) { // a token of this example is its scopes
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		return strings.Fields(token), ok
	}))
	ok := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") }
	mux.Annotate(needsKey{}, scopes{}).GET("/me", ok) // any login
	orders := mux.Annotate(needsKey{}, scopes{"orders.read"}).Group("/orders")
	orders.GET("/:id", ok)
	orders.Annotate(needsKey{}, scopes{"orders.read", "orders.write"}).PUT("/:id", ok)
	mux.GET("/forgotten", ok)

	for _, c := range []struct{ method, target, token string }{
		{"GET", "/me", "Bearer x"},
		{"GET", "/me", ""},
		{"GET", "/orders/7", "Bearer orders.read"},
		{"HEAD", "/orders/7", "Bearer orders.write"},
		{"PUT", "/orders/7", "Bearer orders.read"},
		{"PUT", "/orders/7", "Bearer orders.read orders.write"},
		{"GET", "/forgotten", "Bearer orders.read"},
		{"GET", "/nothing", "Bearer x"},
		{"GET", "/nothing", ""},
		{"POST", "/orders/7", "Bearer x"},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Header.Set("Authorization", c.token)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Printf("%s %s as %q: %d\n", c.method, c.target, c.token, w.Code)
	}
	// Output:
	// GET /me as "Bearer x": 200
	// GET /me as "": 401
	// GET /orders/7 as "Bearer orders.read": 200
	// HEAD /orders/7 as "Bearer orders.write": 403
	// PUT /orders/7 as "Bearer orders.read": 403
	// PUT /orders/7 as "Bearer orders.read orders.write": 200
	// GET /forgotten as "Bearer orders.read": 403
	// GET /nothing as "Bearer x": 404
	// GET /nothing as "": 401
	// POST /orders/7 as "Bearer x": 405
}

// A limit annotation is the number of requests that a route serves per second,
// from all clients, and how many of them may come at once.
type limit struct {
	rate  float64
	burst int
}

type limitKey struct{}

// A bucket holds the requests that may come now.
type bucket struct {
	mu     sync.Mutex
	tokens float64
	filled time.Time
}

func (b *bucket) take(l limit, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.filled.IsZero() {
		b.tokens = float64(l.burst)
	} else {
		b.tokens = min(float64(l.burst), b.tokens+now.Sub(b.filled).Seconds()*l.rate)
	}
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// limited refuses requests beyond the limits of their routes.
func limited(mux *muxmaster.Mux, now func() time.Time) func(http.Handler) http.Handler {
	var buckets sync.Map // by method and pattern of the route, so there are never more than routes
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			route, _ := mux.Lookup(r)
			if l, ok := route.Value(limitKey{}).(limit); ok {
				b, _ := buckets.LoadOrStore(route.Method+" "+route.Host+route.Pattern, new(bucket))
				if !b.(*bucket).take(l, now()) {
					w.Header().Set("Retry-After", strconv.Itoa(max(1, int(1/l.rate+0.999))))
					problem.Write(w, r, problem.Code(http.StatusTooManyRequests))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Rate limits, read from the route.
func Example_limits() {
	now := time.Now()
	mux := muxmaster.New()
	mux.Use(limited(mux, func() time.Time { return now }))
	ok := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") }
	mux.Annotate(limitKey{}, limit{rate: 0.5, burst: 2}).POST("/reports/:id", ok)
	mux.GET("/reports/:id", ok)

	for _, c := range []struct {
		method, target string
		after          time.Duration
	}{
		{"POST", "/reports/1", 0}, {"POST", "/reports/2", 0}, {"POST", "/reports/3", 0}, {"GET", "/reports/3", 0},
		{"POST", "/reports/3", 2 * time.Second}, {"POST", "/reports/3", time.Second},
	} {
		now = now.Add(c.after)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(c.method, c.target, nil))
		fmt.Printf("%s %s: %d %s.\n", c.method, c.target, w.Code, w.Header().Get("Retry-After"))
	}
	// Output:
	// POST /reports/1: 200 .
	// POST /reports/2: 200 .
	// POST /reports/3: 429 2.
	// GET /reports/3: 200 .
	// POST /reports/3: 200 .
	// POST /reports/3: 429 2.
}
