// Package body reads request bodies and writes response bodies with pooled
// buffers. It avoids what usually goes wrong with those: unbounded reads, bytes
// of one request in the response to another, a pool full of buffers as large as
// the largest body ever seen, and a half-written answer with status 200.
//
// Each function returns what it borrows from a pool before it returns itself.
// The slices that WithBody and Lines pass to a callback or loop are valid only
// inside it: copy what you need for longer, with bytes.Clone or string(line).
// Programs built with -race overwrite every buffer that goes back to its pool,
// so that a slice which was kept shows up in tests as garbage, instead of as
// another request's data in production.
//
// The errors for bodies that can't be used are *Errors. Handlers can return
// them: the router and [problem.Write] answer with their status.
//
// All functions are safe for concurrent use.
//
// [problem.Write]: https://pkg.go.dev/github.com/seed-1954dcaa/muxmaster/problem#Write
package body
