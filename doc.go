// Package muxmaster is an HTTP router whose handlers are plain http.Handlers. Path
// values arrive by r.PathValue, without a copy of the request and without types
// of the router's own:
//
//	mux := muxmaster.New()
//	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
//		fmt.Fprintln(w, r.PathValue("id"))
//	})
//	http.ListenAndServe(":8080", mux)
//
// A [Mux] takes the place of an http.ServeMux: what [http.ServeMux] accepts and
// how it answers is what Handle and HandleFunc do. The verb methods, GET and its
// kin, take the same patterns and the paths of other routers, as /users/:id,
// /static/*filepath and /users/{id:[0-9]+}. The language of patterns, and each
// difference from net/http with its reason, is in docs/patterns.md.
//
// Routes are registered on a Mux or on a [Group], which has a prefix and
// middleware. Middleware is func(http.Handler) http.Handler: Use wraps the routes
// of a scope, Pre runs before routing. Which of several routes serves a request
// does not depend on the order in which they were registered.
//
// By default a request may be kept for as long as one likes, and a route with
// values costs one allocation of 16 bytes a value. Mux.PoolRequestBundle and
// Mux.PoolFastParams save that for handlers that keep neither.
package muxmaster
