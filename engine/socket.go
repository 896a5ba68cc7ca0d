package engine

import "net"

// A SocketConn is a connection that wraps a socket. If a listener's connections
// implement it, the engine on Linux bypasses the wrapper for some operations,
// which takes less CPU time:
//
//   - While waiting for a request and reading its head, it reads from the socket.
//     Deadlines set on the wrapper must apply to the socket.
//   - When writing, it first writes to the socket as much as possible without
//     waiting, and calls Wrote. It writes the rest with the wrapper's Write.
//
// The engine reads request bodies with the wrapper's Read, except for data that
// arrived with the head. It uses the wrapper for everything else, from
// SetDeadline to Close, and hijacking returns the wrapper. A wrapper that must
// see all bytes must not implement SocketConn.
type SocketConn interface {
	net.Conn

	// Socket returns the socket. If its type isn't *net.TCPConn or
	// *net.UnixConn, the engine doesn't bypass the wrapper.
	Socket() net.Conn

	// Wrote is called after n bytes were written directly to the socket, before
	// the next call of Write.
	Wrote(n int)
}
