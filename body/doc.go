// Package body reads request bodies and writes response bodies with pooled
// buffers. It limits the size of bodies and of pooled buffers, and never writes
// a partial response because of an encoding error.
//
// Each function returns its buffers to the pool before it returns. The slices
// that WithBody and Lines pass to a function or loop are valid only inside of
// it. To retain data, copy it with bytes.Clone or string(line). In programs
// built with -race, buffers are overwritten when they return to the pool, so
// that tests detect retained slices.
//
// Errors that are caused by the request body have the type *Error. Handlers of
// problem.Handler can return them: [problem.Write] responds with their status.
//
// All functions are safe for concurrent use.
//
// [problem.Write]: https://pkg.go.dev/github.com/seed-1954dcaa/muxmaster/problem#Write
package body
