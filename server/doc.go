// Package server serves an http.Handler the way a server on the open internet
// should: with every wait bounded, a limit on connections, certificates that
// are read again when they are renewed, health endpoints, and an end that
// loses no request.
//
//	err := server.Run(":8080", handler)
//
// It is a thin layer over http.Server, which stays reachable as Server.HTTP.
//
// # Waiting for the peer
//
// net/http's ReadTimeout and WriteTimeout bound whole requests, so a value
// that stops an attacker also cuts every event stream and slow upload short.
// This package bounds waiting instead: while the server waits for the peer to
// send or to take bytes, at least 4 KiB (or the rest) must move in each
// StallTimeout. Time that the handler spends elsewhere does not count. A
// handler that wants another rule sets its own deadline with
// http.ResponseController (the zero time: none); from then on, for that
// request and direction, only its deadline holds.
//
// # Files
//
// server.go has a server's life from start to end, listener.go the limit on
// connections, conn.go and stream.go the waiting in HTTP/1 and HTTP/2,
// front.go what happens before the handler, listen.go and activation.go where
// the socket comes from, certificate.go TLS.
package server
