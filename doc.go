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
//	/users                     this path only
//	/users/:id, /users/{id}    one non-empty segment
//	/users/{id:[0-9]+}         one segment that matches the RE2 expression as a whole
//	/users/{id:int}            an integer; {id:uuid} is a UUID
//	/{name}.json, /user_:name  a parameter with literal text around it
//	/static/*filepath          the rest of the path; the value starts with a slash
//	/static/{filepath...}      the rest of the path; the value has no leading slash
//	/x/{$}                     /x/ only
//	{tenant}.example.com/x     one host label (Handle, HandleFunc, TryHandle, HandleFast)
//	{sub...}.example.com/x     one or more host labels
//
// GET and the other verb methods take a path. Handle, HandleFunc, TryHandle and
// HandleFast take a net/http pattern: [METHOD[,METHOD…] ][HOST]/PATH. Patterns
// that http.ServeMux accepts have the same meaning. The two kinds of methods
// treat a trailing slash differently: Handle("/x/", h) matches everything below
// /x/, and GET("/x/", h) matches only /x/.
//
// The most specific route wins: first by host, then by path, segment by segment
// from the left, then by method. Registration order does not matter, with one
// exception: two different constraints in the same position are tried in the
// order in which they were registered. Invalid and conflicting patterns panic
// at registration. So does syntax of other routers that has another meaning
// here; the message says what to write instead.
//
// docs/patterns.md has the complete rules and the differences from
// http.ServeMux.
//
// # Groups, mounts and middleware
//
// Routes are registered on a [Mux] or on a [Group]; both implement [Router]. Group
// returns a Group with a prefix and middleware of its own, Host one for a host. Route
// makes one that owns what is below its prefix, and Mount serves that with another
// handler or Mux, which routes by itself.
//
// Middleware has the type func(http.Handler) http.Handler. Pre runs before routing.
// Use wraps the routes of a Mux or Group and its responses to unmatched requests,
// such as 404 and 405. UseRoute does the same with middleware that is made for each
// route and knows its name and annotations. With adds middleware to some routes.
//
// Routes can be added and removed while the Mux serves requests; [Mux.Update] makes
// several changes at once.
//
// # Path values
//
// It is safe to retain a request after its handler returns. Each path value
// costs 16 bytes. If handlers don't use the request after returning, set
// Mux.PoolRequestBundle and Mux.PoolFastParams to serve requests without
// allocating. See docs/pooling.md for the contract.
package muxmaster
