//go:build !linux || muxmaster_portable

package server

// unsent returns how many bytes of the connection's output the peer has not
// acknowledged, as far as that is known.
func (c *conn) unsent() int { return 0 }
