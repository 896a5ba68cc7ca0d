//go:build !linux || muxmaster_portable

package engine

// A rawIO would read and write a socket with system calls of the engine's own.
// This one is never made: connections use [net.Conn].
type rawIO struct{}

func newRawIO(*conn) *rawIO { return nil }

func (*rawIO) fill() error { panic("unreachable") }

func (*rawIO) Write([]byte) (int, error) { panic("unreachable") }

func (*rawIO) wraps() bool { panic("unreachable") }
