// Package body reads request bodies and writes response bodies without a
// fresh buffer each time, and without what usually goes wrong when buffers are
// shared: unbounded reads, one request's bytes in another's response, a pool
// full of the largest body ever seen, a half-written answer under status 200.
//
// What each function borrows, it gives back before it returns. The slices that
// WithBody and Lines hand to a callback or loop are valid only inside it: keep
// a copy (bytes.Clone, string(line)) or nothing. Programs built with -race
// overwrite every buffer as it is given back, so that a kept slice shows up in
// tests as rubbish instead of as another request's data in production.
//
// All functions are safe for concurrent use.
package body
