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

// Names holds the names of a route's values and the route's owner.
type Names struct {
	owner  *Owner
	params []string
	tag    any
}

// NewNames returns Names for the routes of an owner with these parameters.
func NewNames(o *Owner, list []string, _ bool) *Names { return &Names{o, slices.Clone(list), nil} }

// Set sets the path values of r. The slots hold the values, or for a fast route
// pairs of name and value.
func (n *Names) Set(r *http.Request, slots []string) {
	safeSet(r, n.owner.id, n.params, slots)
	safeSetTag(r, n.owner, n.tag)
}

// WithTag returns a copy of n with the tag v. Set attaches the tag to the
// request.
func (n *Names) WithTag(v any) *Names { return &Names{n.owner, n.params, v} }

// Tag returns the tag that Set attached to r for the owner, or nil.
func Tag(r *http.Request, o *Owner) any { return safeTag(r, o) }

// Clear removes n's values from r.
func (n *Names) Clear(r *http.Request) { safeClear(r, n.owner.id) }

// Drop removes the owner's values from r, which an earlier match may have set.
func Drop(r *http.Request, o *Owner) { safeClear(r, o.id) }

// Key returns the name of the i-th value.
func (n *Names) Key(i int) string { return n.params[i] }

// List returns the names of all path values of r. Those of the innermost router
// come first.
func List(r *http.Request) []string { return safeList(r) }

// The functions below require Direct. Here they do nothing or are never called.

func (n *Names) TrySet(*http.Request, string, []string) bool { return false }
func (n *Names) TryClear(*http.Request)                      {}
func (n *Names) InRing() *Names                              { return n }
func ClearCopy(*http.Request)                                {}
func Has(*http.Request) bool                                 { return true }

// Pairs converts slots to pairs.
func Pairs[P ~struct{ Key, Value string }](slots []string) []P {
	ps := make([]P, len(slots)/2)
	for i := range ps {
		ps[i] = P(struct{ Key, Value string }{slots[2*i], slots[2*i+1]})
	}
	return ps
}

// Slots is the inverse of Pairs.
func Slots[P ~struct{ Key, Value string }](ps []P) []string {
	var slots []string
	for _, p := range ps {
		kv := struct{ Key, Value string }(p)
		slots = append(slots, kv.Key, kv.Value)
	}
	return slots
}
