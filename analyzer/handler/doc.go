// Package handler defines a check for handlers that don't keep what the router
// promises.
//
// # What it reports
//
// http.TimeoutHandler around the handler of a pooled route, at the registration
// or in a middleware of Use or With:
//
//	mux.PoolRequestBundle = true
//	mux.Handle("GET /users/{id}", http.TimeoutHandler(user, time.Second, ""))
//
// It answers when the time is over, while user still runs in another goroutine.
// By then the storage of the path values serves another request, and
// r.PathValue("id") is that request's value or "". Outside the Mux it is safe,
// and so is the package middleware's Timeout.
//
// A HandlerFuncE that the Mux can't see, so that its errors don't go to
// Mux.ErrorHandler:
//
//	mux.GET("/users/{id}", muxmaster.HandlerFuncE(user).ServeHTTP)
//	mux.Handle("GET /users/{id}", authenticated(muxmaster.HandlerFuncE(user)))
//
// # What it does not report
//
// A HandlerFuncE whose Mux has no ErrorHandler: wrapped or not, it answers the
// same. Where the Mux comes from another package that can't be told, and it is
// not reported either.
package handler
