// Package handler defines a check for handlers that defeat guarantees of the
// router.
//
// # What it reports
//
// http.TimeoutHandler around the handler of a pooled route, at the registration
// or in a middleware of Use or With:
//
//	mux.PoolRequestBundle = true
//	mux.Handle("GET /users/{id}", http.TimeoutHandler(user, time.Second, ""))
//
// After the timeout it returns while user is still running in another
// goroutine. Then another request may reuse the memory of the path values, and
// r.PathValue("id") returns that request's value or "". A TimeoutHandler around
// the Mux is safe, and so is Timeout of package middleware.
//
// A HandlerFuncE whose type the Mux doesn't see, so that Mux.ErrorHandler
// doesn't get its errors:
//
//	mux.GET("/users/{id}", muxmaster.HandlerFuncE(user).ServeHTTP)
//	mux.Handle("GET /users/{id}", authenticated(muxmaster.HandlerFuncE(user)))
//
// # What it does not report
//
// A HandlerFuncE whose Mux has no ErrorHandler, because wrapping makes no
// difference then; and one whose Mux comes from another package.
package handler
