// Package values delivers path values to r.PathValue and stores them. It knows
// *http.Request and nothing of routes. Everything unsafe in the module is here.
//
// http.ServeMux hands values to r.PathValue through two unexported fields of the
// request: pat, the pattern with the names, and matches, the values. Filling the
// same fields makes r.PathValue work without a copy of the request and without
// the map that SetPathValue needs (direct.go). Where net/http lays out its types
// in another way, or with the build tag muxmaster_safe, SetPathValue does the
// same more slowly (setpathvalue.go).
//
// Values stand in chunks (chunk.go): by default in one that is never used again,
// so a request may be kept for ever; pooled, in one that later requests share.
package values

import (
	"strconv"
	"sync/atomic"
)

// An Owner stands for a router. A request holds values of several owners if one
// router calls another.
type Owner struct {
	mark byte   // its address identifies the owner in direct delivery
	id   string // and this in SetPathValue
}

var owners atomic.Int64

// NewOwner returns a new Owner.
func NewOwner() *Owner { return &Owner{id: strconv.FormatInt(owners.Add(1), 10) + "/"} }
