// Package request holds what requests of HTTP/1.1 and HTTP/2 have in common: the
// objects that a handler receives, which may be reused, and the context, which
// never is. It knows nothing of connections.
package request

import (
	"context"
	"net/http"
	"net/url"
)

// Parts are the objects of one request that the server can reuse.
type Parts struct {
	Request        *http.Request
	URL            url.URL
	Header         http.Header
	Values         []string // backing array of the slices in Header
	ResponseHeader http.Header
}

// SetContext sets the context of a request in place, or is nil if that isn't
// possible; see setcontext.go.
var SetContext func(*http.Request, context.Context)

// Begin makes p.Request a copy of the template with the context ctx, and
// returns it. If possible, it overwrites the old request.
func (p *Parts) Begin(template *http.Request, ctx context.Context) *http.Request {
	if p.Request != nil && SetContext != nil {
		*p.Request = *template
		SetContext(p.Request, ctx)
	} else {
		p.Request = template.WithContext(ctx)
	}
	return p.Request
}

// maxReused is the number of response headers above which Reuse discards their
// map, because clearing a map doesn't make it smaller.
const maxReused = 64

// Reuse clears p for another request. It reports false if p must not be used
// again, see Poison.
func (p *Parts) Reuse() bool {
	if p.Poison() {
		return false
	}
	// The connection may now be idle for long, and the request may hold a large
	// form.
	p.URL = url.URL{}
	*p.Request = http.Request{URL: &p.URL, Header: p.Header, Body: http.NoBody}
	clear(p.Header)
	clear(p.Values[:cap(p.Values)])
	if len(p.ResponseHeader) > maxReused {
		p.ResponseHeader = make(http.Header)
	}
	clear(p.ResponseHeader)
	return true
}
