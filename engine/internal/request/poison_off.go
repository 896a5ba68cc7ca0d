//go:build !race && !muxmaster_debug

package request

// Poison does nothing in ordinary builds; see poison_on.go.
func (p *Parts) Poison() bool { return false }
