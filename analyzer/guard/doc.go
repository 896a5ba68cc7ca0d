// Package guard defines a check for a login or another policy that may not cover
// all that it seems to cover.
//
// # What it reports
//
// A guard beside a file server: a subtree below an http.FileServer whose
// handler denies access, or serves the same files inside more middleware. The
// file server interprets paths itself, so there may be spellings of a path that
// reach it beside the guard. A guard belongs around the whole file server.
//
//	files := http.FileServerFS(public)
//	mux.Handle("/", files)
//	mux.Handle("/.git/", http.NotFoundHandler())     // reported
//	mux.With(login).Handle("/private/", files)       // reported
//
// # What it does not report
//
// Routes whose pattern isn't constant, and Muxes and Groups that it can't
// follow: those in more than one variable, and those of other packages.
package guard
