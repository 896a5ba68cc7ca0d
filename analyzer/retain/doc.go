// Package retain defines a check for requests that a handler keeps.
//
// # What it reports
//
// A muxmaster.Mux with PoolRequestBundle or PoolFastParams set takes the
// storage of a request's path values back when the handler returns. net/http
// does the same with the body, whatever the router. A handler therefore must
// not let the request or its parameters outlive its call:
//
//	func export(w http.ResponseWriter, r *http.Request) {
//		go func() {
//			record(r.PathValue("id")) // the handler may have returned
//		}()
//	}
//
// The check follows r, r.URL, r.Body, shallow copies of r (r.WithContext, *r),
// ps, &ps[i], ps[i:], what is built from them and the closures and method
// values over them, from every function that has a handler's signature
//
//	func(http.ResponseWriter, *http.Request)
//	func(http.ResponseWriter, *http.Request) error
//	func(http.ResponseWriter, *http.Request, muxmaster.Params)
//
// through the functions of the same package, to what outlives the call: a
// goroutine, a channel, a package variable, a variable of the function around
// the handler, a field, a map, sync.Map, atomic.Value and the like, and
// functions that run later what they are given (time.AfterFunc,
// context.AfterFunc, errgroup.Group.Go, sync.WaitGroup.Go).
//
// # What it does not report
//
// Strings and other values without a pointer into the request, copies (*r.URL,
// ps[i], slices.Clone(ps)), r.Header, r.Context(), r.Clone(ctx). Goroutines
// that the handler waits for on every way to its end, by sync.WaitGroup,
// errgroup.Group or the receive from a channel that the goroutine sends on or
// closes. Timers that it stops, fields that it sets to nil and map entries that
// it deletes again. Objects that are given w along with r, and the variables of
// a function that makes a handler and calls ServeHTTP itself: they belong to
// one request.
//
// # Recycled requests
//
// An engine.Server with Recycle set uses the request, its URL, its header maps
// and the ResponseWriter again. In a package that sets it, and with the flag
// -retain.recycle in all of them, the check follows w, w.Header(), r.Header and
// the slices of values in it, too. Strings stay good there as well.
//
// In a file that ends in _test.go, variables and channels of the test around a
// handler are no reports either, nor are the fields of a handler's receiver: a
// test that looks at the request afterwards means to.
package retain
