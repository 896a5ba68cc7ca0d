package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// These examples run the recipes of docs/recipes.md on which security depends.

// toHTTPS redirects to the same path on host. The host of a request can't be
// trusted, nor can a request target such as "x:@evil.example/".
func toHTTPS(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
	})
}

// Redirect HTTP to HTTPS.
func Example_redirectToHTTPS() {
	for _, target := range []string{"/a%2Fb?c=d", "//evil.example/x", "x:@evil.example/", "http://evil.example/x", "*"} {
		r, err := readRequest("evil.example", "GET", target)
		if err != nil {
			panic(err)
		}
		w := record(toHTTPS("example.com"), r)
		fmt.Println(w.Code, w.Header().Get("Location"))
	}
	// Output:
	// 308 https://example.com/a%2Fb?c=d
	// 308 https://example.com//evil.example/x
	// 308 https://example.com
	// 308 https://example.com/x
	// 308 https://example.com/*
}

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
