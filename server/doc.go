// Package server serves an http.Handler on the open internet. It limits all
// waits for clients and the number of connections, reloads certificates when
// their files change, and lets running requests finish when it stops.
//
//	if err := server.Run(":8080", handler); err != nil {
//		log.Fatal(err)
//	}
//
// It is a thin layer over http.Server, which is available as Server.HTTP.
//
// # Stalled clients
//
// net/http's ReadTimeout and WriteTimeout limit whole requests, so a value that
// stops an attacker also ends event streams and slow uploads. This package
// limits the waiting time instead. While the server waits for the client to
// send a body or to receive a response, at least 4 KiB, or all that is left,
// must be transferred in each StallTimeout of waiting time. For HTTP/2
// responses the amount is 16 KiB, and only the stalled stream ends. Time that
// the handler spends on other work doesn't count. ReadTimeout and WriteTimeout
// apply too, if they are set.
//
// A handler can set its own read or write deadline for a request with
// http.ResponseController; the zero time means none. Then only that deadline
// applies until the handler returns.
//
// Waiting time is measured by a clock that stands still while the host doesn't
// run the process.
//
// # Files
//
// server.go contains the Server from start to stop, prepare.go checks its
// configuration and sets the hooks of HTTP, and draining.go contains functions
// for stopping. listener.go limits the number of connections, activity.go
// measures how long a connection has been waiting for its client, pulse.go is
// the clock, and evict.go closes those that have been waiting the longest.
// conn.go, deadline.go and writenow_unix.go limit the waiting time in HTTP/1,
// and stream.go in HTTP/2. front.go is the handler that calls the user's
// handler. listen.go and activation.go open the socket, and certificate.go loads
// certificates.
package server
