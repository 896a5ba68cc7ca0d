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

import (
	"strconv"
	"sync/atomic"
)

// An Owner identifies a router. If one router calls another, the request holds
// values of both.
type Owner struct {
	mark byte   // its address identifies the owner in direct delivery
	id   string // and this in SetPathValue
}

var owners atomic.Int64

// NewOwner returns a new Owner.
func NewOwner() *Owner { return &Owner{id: strconv.FormatInt(owners.Add(1), 10) + "/"} }
