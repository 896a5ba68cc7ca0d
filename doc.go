// Package muxmaster is an HTTP router, a drop-in replacement for [http.ServeMux].
// Handlers are plain http.Handlers and read path values with r.PathValue:
//
//	mux := muxmaster.New()
//	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
//		fmt.Fprintln(w, r.PathValue("id"))
//	})
//	http.ListenAndServe(":8080", mux)
//
// # Patterns
//
//	/users                     itself
//	/users/:id, /users/{id}    one segment, never empty
//	/users/{id:[0-9]+}         one segment that the whole RE2 expression matches
//	/{name}.json, /user_:name  parameters with text around them, within a segment
//	/static/*filepath          the rest of the path; the value begins with a slash
//	/static/{filepath...}      the rest of the path, without that slash
//	/x/{$}                     /x/ only
//	{tenant}.example.com/x     one label of the host (Handle and the like)
//	{sub...}.example.com/x     one or more labels of the host
//
// GET and the other verb methods take a path. Handle, HandleFunc, TryHandle and
// HandleFast take a pattern of net/http: [METHOD[,METHOD…] ][HOST]/PATH. What
// http.ServeMux accepts means the same there. The two kinds differ in one rule:
// a path that ends in a slash stands for everything below it with Handle, and
// only for itself with the verb methods.
//
// The most specific route wins: first by host, then by path, segment by segment
// from the left, then by method. The order of registration does not matter, with
// one exception: two different constraints at the same place are tried in the
// order in which they were registered. Invalid and conflicting patterns panic, and
// so do spellings of other routers that mean something else here; the text says
// what to write instead.
//
// docs/patterns.md has all rules, and each difference from http.ServeMux with its
// reason.
//
// # Groups, mounts and middleware
//
// Routes are registered on a [Mux] or on a [Group], which has a prefix and
// middleware of its own; both are a [Router]. Middleware is any
// func(http.Handler) http.Handler. Use wraps the routes of a Mux or Group and the
// answers to requests that no route serves there. Pre runs before routing. Mount
// gives another handler everything below a prefix.
//
// # Path values
//
// Requests may be kept after the handler has returned, and a route with
// parameters takes 16 bytes for each value. If handlers do not use the request
// after returning, Mux.PoolRequestBundle and Mux.PoolFastParams reduce that to
// zero. See docs/pooling.md for the contract.
package muxmaster
