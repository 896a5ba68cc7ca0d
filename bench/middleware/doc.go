// Package middleware contains only Go benchmarks and a test that compare this
// project's middleware with that of go-chi/chi and gorilla/handlers, for
// docs/middleware.md.
package middleware
