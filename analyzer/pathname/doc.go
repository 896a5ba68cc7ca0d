// Package pathname defines a check for reads of path parameters that no route
// of the handler has.
//
// # What it reports
//
// A name in r.PathValue, muxmaster.PathParam, muxmaster.PathParamAs, Params.Get
// and Params.Lookup that no route of the handler has; the value would always be
// "".
//
//	mux.GET("/users/:id", getUser)
//
//	func getUser(w http.ResponseWriter, r *http.Request) {
//		id := r.PathValue("userID") // reported: its routes have "id"
//	}
//
// It knows the routes of a *muxmaster.Mux, a *muxmaster.Group and an
// *http.ServeMux that the same package registers with constant patterns, with
// the prefixes of their groups and mounts. The pattern and the handler may come
// from the arguments of a function that registers routes, or from a table in a
// loop. It follows the handler through variables, middleware, functions that
// return handlers, and the functions that handlers call.
//
// # What it does not report
//
// Handlers without a route in the package, or with a route whose pattern is not
// constant; handlers with uses that it can't follow; names passed to
// r.SetPathValue. If another package may mount the mux below a prefix with
// parameters, it reports only likely misspellings of longer names.
package pathname
