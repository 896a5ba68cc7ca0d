// Package client makes http.Clients that reuse their connections, never wait
// for ever, and repeat requests only where that is safe.
//
//	resp, err := client.Shared().Do(req)
//
// They are ordinary *http.Clients. Compared with http.DefaultClient, their
// transport adds:
//
//   - 100 idle connections per host instead of 2, for 30 s instead of 90. That
//     is less than servers keep them, so no request meets a connection that is
//     being closed.
//   - A bound on each phase: 10 s for making a connection, 10 s for the TLS
//     handshake, 30 s for the header of the answer, and 30 s for each 4 KiB of
//     the request and of the answer's body. The whole is bounded only by the
//     request's context.
//   - TLS session resumption.
//   - A Close of the answer's body that reads a short rest of it, at most 256
//     KiB and for at most 50 ms, so that the connection can be reused.
//   - Retries; see Options.Attempts.
package client
