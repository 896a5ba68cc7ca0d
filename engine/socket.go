package engine

import "net"

// A SocketConn is a connection, made by a listener of the program's own, that
// wraps a socket: to count it, to limit it, or to bound the time that it waits
// for its peer. On Linux the engine uses the socket directly where the wrapper
// has nothing to say, which costs less CPU:
//
//   - While it waits for a request and reads its head, it reads from the
//     socket. Deadlines that are set on the wrapper must act on the socket.
//   - When it writes, it first gives the socket what that takes at once, and
//     calls Wrote. The rest goes through the wrapper's Write.
//
// Bodies of requests are read by the wrapper's Read, except what came with the
// head. Everything else, from SetDeadline to Close, is done with the wrapper,
// and it is what hijackers get. A connection that has to see all bytes must
// not be a SocketConn.
type SocketConn interface {
	net.Conn

	// Socket returns the socket. If it isn't a *net.TCPConn or a
	// *net.UnixConn, the engine uses the wrapper for everything.
	Socket() net.Conn

	// Wrote is called when n bytes were written to the socket directly,
	// without waiting, before any further call of Write.
	Wrote(n int)
}
