//go:build muxmaster_safe

package values

import (
	"net/http"
	"slices"
)

// With the build tag muxmaster_safe, the router has no unsafe code: it sets
// path values with SetPathValue.

// Safe reports whether the build tag muxmaster_safe is set.
const Safe = true

// Direct reports whether values are written directly to the fields of the
// request.
const Direct = false

// Names holds the names of a route's values.
type Names struct {
	list []string
	mark any    // see NewMark
	text string // of mark, see remember
}

// NewNames returns Names for routes with these parameters.
func NewNames(_ *Owner, list []string, _ bool) *Names { return &Names{list: slices.Clone(list)} }

// NewMark returns Names like NewNames that also tell whoever gets the request what v
// is: see [Mark].
func NewMark(_ *Owner, list []string, _ bool, v any) *Names {
	n := &Names{list: slices.Clone(list), mark: v}
	n.text = remember(n)
	return n
}

// Mark returns what the Names of r were made with by [NewMark], or nil. Only those
// that were set last count.
func Mark(r *http.Request) any { return safeMark(r) }

// Drop removes the mark of r.
func Drop(r *http.Request, _ *Owner) { safeDrop(r) }

// Set sets the path values of r. The slots hold the values.
func (n *Names) Set(r *http.Request, slots []string) { safeSet(r, n.text, n.list, slots) }

// Each calls yield with the name and the value of each path value of the
// innermost router, until it returns false.
func Each(r *http.Request, yield func(name, value string) bool) { safeEach(r, yield) }

// Same reports whether two strings are equal.
func Same(a, b string) bool { return a == b }

// Saved has nothing to restore.
type Saved struct{}

// The functions below require Direct. Here they do nothing or are never called.

func (n *Names) TrySet(*http.Request, string, []string) bool { return false }
func (n *Names) Values(*http.Request) []string               { return nil }
func (n *Names) TryClear(*http.Request)                      {}
func ClearCopy(*http.Request)                                {}
func Save(*http.Request) (s Saved)                           { return s }
func (Saved) Restore(*http.Request)                          {}
func Has(*http.Request) bool                                 { return true }
func Foreign(*http.Request, *Owner) bool                     { return true }
