// Package values sets the path values that r.PathValue returns, and manages
// their memory. It does not know routes. All unsafe code of the router is here.
//
// http.ServeMux passes values to r.PathValue in two unexported fields of the
// request: pat, the pattern with the names, and matches, the values. Setting
// the same fields makes r.PathValue work without copying the request and
// without the map that SetPathValue allocates (direct.go). If the layout of
// net/http's types is unknown, or with the build tag muxmaster_safe, this
// package uses SetPathValue instead (setpathvalue.go), which is slower.
//
// If one router calls another with the same request, the request holds the
// values of both (nested.go).
//
// Values are stored in chunks of memory that are never reused, so that requests
// can be retained, or, if pooled, in rings that later requests reuse
// (buffer.go).
package values

import "net/http"

// An Owner identifies a router. If one router calls another, the request holds
// values of both.
type Owner struct {
	mark byte // its address identifies the owner
}

// Hidden is the first byte of the names that Each leaves out. No path parameter
// can have such a name.
const Hidden = "\x00"

// Count returns the number of path values of r.
func Count(r *http.Request) (n int) {
	Each(r, func(string, string) bool {
		n++
		return true
	})
	return n
}
