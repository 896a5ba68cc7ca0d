// Package request holds what HTTP/1.1 and HTTP/2 have in common: the objects that
// a handler receives, which may be reused, the context and the ResponseWriter,
// which never are, and the state of a response. It knows connections only as a
// [Conn].
package request

import (
	"context"
	"net/http"
	"net/url"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
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

// SetURL sets the URL from the target of a request. If plain is true, no byte
// has a special meaning but a question mark at query, unless that is negative.
// It reports false if the target isn't valid.
func (p *Parts) SetURL(target string, plain bool, query int) bool {
	if !plain {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return false
		}
		p.URL = *u
		return true
	}
	p.URL = url.URL{Path: target}
	if query >= 0 {
		p.URL.Path, p.URL.RawQuery = target[:query], target[query+1:]
		p.URL.ForceQuery = query+1 == len(target)
	}
	return true
}

// A Filler adds fields to the header of Parts. The slices in the header share one
// array.
type Filler struct {
	header http.Header
	values []string
	seen   [(len(syntax.Names) + 63) / 64]uint64 // bit set of the IDs in the header
}

// Filler returns a Filler for up to n fields.
func (p *Parts) Filler(n int) Filler {
	if p.Header == nil {
		p.Header = make(http.Header, n)
	}
	if cap(p.Values) < n {
		p.Values = make([]string, n)
	}
	return Filler{header: p.Header, values: p.Values[:n]}
}

// Add adds a field with a canonical key, whose ID may be 0.
func (f *Filler) Add(id syntax.ID, key, value string) {
	seen, bit := &f.seen[id/64], uint64(1)<<(id%64)
	again := *seen&bit != 0
	if id == 0 {
		_, again = f.header[key]
	} else {
		*seen |= bit
	}
	if again {
		f.header[key] = append(f.header[key], value)
		return
	}
	f.values[0] = value
	f.header[key] = f.values[:1:1]
	f.values = f.values[1:]
}

// dropRequest drops what the program has attached to the request, such as a
// large form: a connection may be idle for long.
func (p *Parts) dropRequest() {
	if SetContext == nil {
		p.Request = nil // Begin won't use it again
		return
	}
	r := p.Request
	r.Body, r.GetBody = http.NoBody, nil
	r.Form, r.PostForm, r.MultipartForm = nil, nil, nil
	r.Trailer, r.Response = nil, nil
	SetContext(r, nil)
}

// maxReused is the number of headers above which Reuse discards their map,
// because clearing a map doesn't make it smaller, and takes time for its size.
const maxReused = 64

// Reuse clears p for another request. It reports false if p must not be used
// again, see Poison.
func (p *Parts) Reuse() bool {
	if p.Poison() {
		return false
	}
	p.dropRequest()
	if len(p.Header) > maxReused || cap(p.Values) > maxReused {
		p.Header, p.Values = nil, nil
	}
	clear(p.Header)
	clear(p.Values[:cap(p.Values)])
	if len(p.ResponseHeader) > maxReused {
		p.ResponseHeader = make(http.Header)
	}
	clear(p.ResponseHeader)
	return true
}
