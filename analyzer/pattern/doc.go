// Package pattern defines a check for routes that cannot work.
//
// # What it reports
//
// For constant patterns, which it registers on a Mux of the router that muxvet
// was built with:
//
//   - those that make the registration panic, with the reason;
//   - two routes on one mux that match the same requests, also in groups and
//     mounts: the second registration panics;
//   - routes that no request reaches, because a route with a constraint that
//     matches everything has precedence, or the path is not clean;
//   - wildcards in the syntax of another router: <id>, [id], *, {path*}, {id?},
//     {id:guid}, {path:.*}, %d, which panic on a Mux and are literal text for an
//     http.ServeMux. For an http.ServeMux, this includes :id and *path.
//
// To check patterns of an *http.ServeMux, it registers them on one, of the Go
// version that muxvet was built with.
//
// # What it does not report
//
// Routes registered under different conditions; routes on a variable that is
// assigned more than once, or on different muxes created by the same
// constructor; anything in _test.go files, where bad patterns are often
// intended.
package pattern
