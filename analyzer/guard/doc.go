// Package guard defines a check for routes that a login or another policy does
// not cover, although it looks as if it did.
//
// # What it reports
//
// Plain routes on a Mux or Group with UseFast, and fast routes on one with Use:
// the registration panics, because the route would bypass the middleware.
//
//	mux.UseFast(login)
//	mux.GET("/admin", admin) // reported
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
