// Package client creates http.Clients that reuse connections, limit all waits,
// and retry requests only if that is safe.
//
//	resp, err := client.Shared().Do(req)
//
// They are ordinary *http.Clients. Compared with http.DefaultClient, they have
//
//   - 100 idle connections per host instead of 2, for 30 s instead of 90. Servers
//     usually keep idle connections longer, so requests are rarely sent on
//     connections that are being closed.
//   - a limit for each phase: 10 s for connecting, 10 s for the TLS handshake, 30 s
//     for the response header, and 30 s for each 4 KiB of the request and of the
//     response body. Only the request's context limits the whole request.
//   - TLS session resumption.
//   - response bodies whose Close method reads up to 256 KiB, for at most 50 ms, so
//     that the connection can be reused.
//   - retries; see Options.Attempts.
package client
