// Package pathname defines a check for path parameters that the handler's
// routes do not have.
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
//		id := r.PathValue("userID") // no route of this handler has a path parameter "userID"; they have "id"
//	}
//
// It knows the routes of a *muxmaster.Mux, a *muxmaster.Group and an
// *http.ServeMux that the same package registers with constant patterns, with
// the prefixes of their groups and mounts. It follows the handler through
// variables, middleware, functions that return handlers, and the functions that
// handlers call.
//
// # What it does not report
//
// Handlers without a route in the package or with one whose pattern is not
// constant; handlers that are also used in a way that can't be followed; names
// given to r.SetPathValue. Where another package may mount the mux below a
// prefix with parameters of its own, only names of some length that look like a
// misspelling of one that is known.
package pathname
