//go:build !linux || muxmaster_portable

package engine

import "net"

// A rawIO would read and write a socket with raw system calls. In this build,
// connections use [net.Conn] instead and newRawIO always returns nil.
type rawIO struct{}

func newRawIO(*conn) *rawIO { return nil }

func (*rawIO) fill() error { panic("unreachable") }

func (*rawIO) Write([]byte) (int, error) { panic("unreachable") }

func (*rawIO) TryWrite([]byte) (int, error) { panic("unreachable") }

func (*rawIO) wraps() bool { panic("unreachable") }

// underTLS returns a listener that accepts the connections of l, for TLS.
func underTLS(l net.Listener) net.Listener { return l }
