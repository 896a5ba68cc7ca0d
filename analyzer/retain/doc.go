// Package retain defines a check for handlers that retain the request.
//
// # What it reports
//
// With PoolRequestBundle or PoolFastParams, later requests reuse the memory of
// a request's path values. With any router, net/http closes the body when the
// handler returns. So a handler must not retain the request or its parameters:
//
//	func export(w http.ResponseWriter, r *http.Request) {
//		go func() {
//			record(r.PathValue("id")) // the handler may have returned
//		}()
//	}
//
// The check examines all functions with the signature of a handler:
//
//	func(http.ResponseWriter, *http.Request)
//	func(http.ResponseWriter, *http.Request) error
//	func(http.ResponseWriter, *http.Request, muxmaster.Params)
//
// It follows r, r.URL, r.Body, shallow copies of r (r.WithContext, *r), ps,
// &ps[i], ps[i:], what is built from them, and closures and method values over
// them, through the functions of the same package. It reports them where they
// go to something that outlives the call: a goroutine, a channel, a package
// variable, a variable of the function around the handler, a field, a map,
// sync.Map, atomic.Value and the like, and functions that run their argument
// later (time.AfterFunc, context.AfterFunc, errgroup.Group.Go,
// sync.WaitGroup.Go).
//
// # What it does not report
//
//   - Strings and other values without a pointer into the request, copies
//     (*r.URL, ps[i], slices.Clone(ps)), r.Header, r.Context(), r.Clone(ctx).
//   - Goroutines that the handler always waits for before it returns, by
//     sync.WaitGroup, errgroup.Group, or a receive from a channel that the
//     goroutine sends on or closes.
//   - Timers that the handler stops, fields that it sets to nil, and map entries
//     that it deletes.
//   - Objects that are given w along with r, and the variables of a function that
//     makes a handler and calls ServeHTTP itself: they belong to one request.
//   - In a file that ends in _test.go, variables and channels of the test around
//     a handler, and the fields of the handler's receiver: a test may look at the
//     request afterwards.
//
// # Recycled requests
//
// With engine.Server.Recycle set, later requests reuse the request, its URL,
// its header maps and the ResponseWriter. In a package that sets it, and with
// the flag -retain.recycle in all packages, the check follows w, w.Header(),
// r.Header and the slices of values in it, too. Strings remain valid.
package retain
