// Package server serves an http.Handler on the open internet: every wait for a
// client is bounded, the number of connections is limited, certificates are
// read again when their files change, and a stop lets running requests finish.
//
//	if err := server.Run(":8080", handler); err != nil {
//		log.Fatal(err)
//	}
//
// It is a thin layer over http.Server, which is available as Server.HTTP.
//
// # Waiting for the peer
//
// net/http's ReadTimeout and WriteTimeout bound whole requests, so a value that
// stops an attacker also cuts off every event stream and every slow upload.
// This package bounds the waiting instead: while the server waits for the peer
// to send a body or to take an answer, at least 4 KiB, or all that is left,
// must move in each StallTimeout. For the answers of HTTP/2 it is 16 KiB, and
// only the stream that stalls ends. Time that the handler spends elsewhere
// does not count.
//
// A handler that needs another rule sets its own deadline with
// http.ResponseController (the zero time: none). From then on, only that
// deadline holds for the request and direction.
//
// # Files
//
// server.go has a server's life from start to end, draining.go what concerns
// its end. listener.go has the limits on connections, activity.go tells whether
// a connection waits for its peer, and evict.go closes those that have waited
// for longest. conn.go and stream.go bound the waiting in HTTP/1 and HTTP/2,
// front.go is what happens before the handler, listen.go and activation.go get
// the socket, certificate.go is TLS.
package server
