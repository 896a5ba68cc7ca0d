// Package pattern defines a check for routes that cannot work.
//
// # What it reports
//
// For constant patterns, parsed by the router's own parser:
//
//   - those that make the registration panic, with the reason;
//   - two routes on one mux that match the same requests, in groups and mounts
//     too: the second registration panics;
//   - routes that no request reaches: a constraint that matches everything stands
//     before them, the path is not clean, the method is not in upper case;
//   - wildcards in the dialect of another router: <id>, [id], *, {path*}, {id?},
//     {id:int}, {path:.*}, %d, which panic on a Mux and are literal text for an
//     http.ServeMux; there, :id and *path, too.
//
// Patterns of an *http.ServeMux are registered on one, of the Go version that
// muxvet was built with, to see whether it panics.
//
// # What it does not report
//
// Routes registered under different conditions; routes on a variable that is
// assigned more than once, or on different muxes created by the same
// constructor; anything in _test.go files, where bad patterns are often
// intended.
package pattern
