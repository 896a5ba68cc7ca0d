//go:build muxmaster_safe

package muxmaster

import "net/http"

// With the build tag muxmaster_safe nothing is unsafe: path values are delivered
// by SetPathValue alone.

const direct = false

// names are the parameters of a route, and a mark of the Mux that it belongs to.
type names struct {
	mark   *byte
	params []string
}

func newNames(m *Mux, list []string, _ bool) *names { return &names{&m.mark, list} }

func (n *names) setValues(r *http.Request, vals []string) { safeSet(r, n.mark, n.params, vals) }
func (n *names) setParams(r *http.Request, ps Params) {
	safeSet(r, n.mark, n.params, ps.values())
}

// Only where values are delivered directly are these asked.
func interleaved(Params) []string                       { return nil }
func (rt *route) setFirst(*http.Request, []string) bool { return false }
func (n *names) clearOwn(*http.Request) bool            { return false }
func routed(*http.Request) bool                         { return true }

func (n *names) clearValues(r *http.Request) { safeClear(r, n.mark) }
func (n *names) key(i int) string            { return n.params[i] }
func (n *names) list() []string              { return n.params }
func hasValues(*http.Request) bool           { return true }
func dropValues(r *http.Request, m *Mux)     { safeClear(r, &m.mark) }
func pathParams(r *http.Request) Params      { return safeParams(r) }
