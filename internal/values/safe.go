//go:build muxmaster_safe

package values

import "net/http"

// With the build tag muxmaster_safe nothing is unsafe: path values are delivered
// by SetPathValue alone.

// Safe says that the build tag muxmaster_safe is set.
const Safe = true

// Direct says that values are delivered by writing net/http's fields.
const Direct = false

// Names are the names of a route's values, and whose route it is.
type Names struct {
	owner  *Owner
	params []string
	tag    any
}

// NewNames returns the names of values for an owner's routes.
func NewNames(o *Owner, list []string, _ bool) *Names { return &Names{o, list, nil} }

// Set makes r.PathValue answer with vals.
func (n *Names) Set(r *http.Request, vals []string) {
	safeSet(r, n.owner.id, n.params, vals)
	safeSetTag(r, n.owner, n.tag)
}

// WithTag returns a copy of n that carries v.
func (n *Names) WithTag(v any) *Names { return &Names{n.owner, n.params, v} }

// Tag returns the tag of the owner's values of r, nil if it has none.
func Tag(r *http.Request, o *Owner) any { return safeTag(r, o) }

// Clear makes r.PathValue answer "" again.
func (n *Names) Clear(r *http.Request) { safeClear(r, n.owner.id) }

// Drop removes what an earlier match by the owner left in r.
func Drop(r *http.Request, o *Owner) { safeClear(r, o.id) }

// Key returns the name of a fast route's value.
func (n *Names) Key(i int) string { return n.params[i] }

// List returns the names of all values of r, the innermost router's first.
func List(r *http.Request) []string { return safeList(r) }

// The rest needs direct delivery: it does nothing, or is not called.

func (n *Names) TrySet(*http.Request, string, []string) bool { return false }
func (n *Names) TryClear(*http.Request)                      {}
func Has(*http.Request) bool                                 { return true }

func Pairs[P ~struct{ Key, Value string }](slots []string) []P { return make([]P, len(slots)/2) }
func Slots[P ~struct{ Key, Value string }](ps []P) []string    { return make([]string, 2*len(ps)) }
