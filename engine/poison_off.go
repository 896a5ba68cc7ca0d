//go:build !race && !muxmaster_debug

package engine

// poison does nothing in ordinary builds; see poison_on.go.
func (bd *bundle) poison() bool { return false }
