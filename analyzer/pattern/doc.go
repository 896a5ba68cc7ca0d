// Package pattern defines a check for routes that cannot work.
//
// # What it reports
//
// For constant patterns, which it registers on a Mux of the router that muxvet
// was built with:
//
//   - those that make the registration panic, with the reason;
//   - routes that no request reaches, because the path is not clean;
//   - wildcards in the syntax of another router: <id>, [id], *, {path*}, {id?},
//     {id:guid}, {path:.*}, %d, which panic on a Mux and are literal text for an
//     http.ServeMux. For an http.ServeMux, this includes :id and *path.
//
// To check patterns of an *http.ServeMux, it registers them on one, of the Go
// version that muxvet was built with.
//
// # What it does not report
//
// Routes that match the same requests: the second registration panics when the
// program starts, and the message names both. Anything in _test.go files, where
// bad patterns are often intended.
package pattern
