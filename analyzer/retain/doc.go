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
// It tracks r, r.URL, r.Body, shallow copies of r (r.WithContext, *r), ps,
// &ps[i], ps[i:], values that contain them, and closures and method values that
// use them, through the functions of the same package. It reports when one of
// them is passed to something that outlives the call: a goroutine, a channel, a
// package variable, a variable of the function around the handler, a field, a
// map, a sync.Map, atomic.Value or similar type, and functions that run their
// argument later (time.AfterFunc, context.AfterFunc, errgroup.Group.Go,
// sync.WaitGroup.Go).
//
// # What it does not report
//
//   - Strings and other values without a pointer into the request, copies
//     (*r.URL, ps[i], slices.Clone(ps)), r.Header, r.Context(), r.Clone(ctx).
//   - Goroutines that the handler always waits for before it returns, with
//     sync.WaitGroup, errgroup.Group, or a receive from a channel that the
//     goroutine sends on or closes.
//   - Timers that the handler stops, fields that it sets to nil, and map entries
//     that it deletes.
//   - Objects that also hold w, and variables of a function that creates a
//     handler and calls its ServeHTTP: they belong to one request.
//   - In test files, values that are stored or sent on a channel, because tests
//     often inspect the request afterwards.
//
// # Recycled requests
//
// With engine.Server.Recycle set, later requests reuse the request, its URL,
// its header maps and the ResponseWriter. In a package that sets it, and with
// the flag -retain.recycle in all packages, the check also tracks w,
// w.Header(), r.Header and its slices of values. Strings remain valid.
package retain
