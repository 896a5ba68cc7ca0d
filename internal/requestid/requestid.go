// Package requestid holds the id of a request in its context, so that the
// packages that log can read it without importing the middleware that makes
// it.
package requestid

import (
	"context"
	"net/http"
)

// Header is the header that carries the id, in canonical form, for indexing.
const Header = "X-Request-Id"

type key struct{}

// A Context carries an id and the values of its header in one allocation. The
// two are apart so that a handler that writes into the header doesn't change
// the id.
type Context struct {
	context.Context
	id     string
	header [1]string
}

// NewContext returns a context with id, which must be valid.
func NewContext(parent context.Context, id string) *Context {
	return &Context{parent, id, [1]string{id}}
}

// HeaderValues returns the values for the response's header.
func (c *Context) HeaderValues() []string { return c.header[:] }

// Value returns c itself for the id: a string would have to be allocated to
// become an any.
func (c *Context) Value(k any) any {
	if k == (key{}) {
		return c
	}
	return c.Context.Value(k)
}

// FromContext returns the id in ctx, "" if there is none.
func FromContext(ctx context.Context) string {
	if c, ok := ctx.Value(key{}).(*Context); ok {
		return c.id
	}
	return ""
}

// Of returns the id of a request, "" if it has none. It looks at the header of
// the response too, for a middleware in between may have kept the context with
// the id to itself.
func Of(w http.ResponseWriter, r *http.Request) string {
	if id := FromContext(r.Context()); id != "" {
		return id
	}
	if ids := w.Header()[Header]; len(ids) == 1 && Valid(ids[0]) {
		return ids[0]
	}
	return ""
}

// Valid reports whether id consists of 1 to 128 characters of [A-Za-z0-9._-].
func Valid(id string) bool {
	if len(id) == 0 || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		if !allowed[id[i]] {
			return false
		}
	}
	return true
}

var allowed = func() (set [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") {
		set[c] = true
	}
	return set
}()
