// Package client makes http.Clients that reuse their connections, never wait
// for ever, and repeat requests only where that is safe.
//
//	resp, err := client.Shared().Do(req)
//
// What a client of this package adds to http.DefaultClient, all of it in its
// transport, so that it is an ordinary *http.Client otherwise:
//
//   - 100 idle connections per host instead of 2, for 30 s instead of 90: less
//     than servers keep them, so that no request meets a closing connection;
//   - a bound on each phase: dialling 10 s, TLS handshake 10 s, waiting for the
//     answer's header 30 s, each wait for more of its body 30 s. There is no
//     bound on the whole; that is what a request's context is for;
//   - TLS sessions that are resumed;
//   - a Close that reads a short rest of the body, so that the connection is
//     reused, and never more than 256 KiB or 50 ms of it;
//   - retries; see Options.Attempts.
package client
