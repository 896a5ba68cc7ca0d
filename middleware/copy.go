package middleware

import (
	"context"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file is for middleware that calls the next handler with a copy of the
// request. Replacing a field of the original for a while instead would race with
// goroutines that outlive the handler and still read the request.

// copyOf returns a copy of r with another context. The caller must call handBack
// when the next handler has returned.
func copyOf(r *http.Request, ctx context.Context) *http.Request {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		// net/http adds a trailer that the client didn't declare to the map of
		// its own request, and makes one if there is none, which the copy would
		// not have.
		r.Trailer = make(http.Header)
	}
	return r.WithContext(ctx)
}

// handBack ends the use of a copy of r. It copies what the next handler has
// stored in the copy, such as the pattern and the path values, back to r, which
// then has the context ctx. It doesn't copy the body: if a client waits for 100
// Continue and the handler responds without reading, net/http must find its own
// body, or it waits for the client before it sends the response.
//
// If the path values are in memory that the router reuses, handBack removes them
// from the copy, which the router doesn't know.
func handBack(r, inner *http.Request, ctx context.Context) {
	if inner.Pattern != r.Pattern || inner.RemoteAddr != r.RemoteAddr || inner.MultipartForm != r.MultipartForm || (inner.Form == nil) != (r.Form == nil) {
		body := r.Body
		*r = *inner.WithContext(ctx)
		r.Body = body
	}
	values.ClearCopy(inner)
}
