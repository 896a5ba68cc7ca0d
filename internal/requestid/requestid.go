// Package requestid stores the ID of a request in its context. Packages that
// log can read the ID without importing package middleware, which creates it.
package requestid

import (
	"context"
	"net/http"
)

// Header is the name of the header with the ID, in canonical form.
const Header = "X-Request-Id"

type key struct{}

// A Context holds an ID, and a copy of it as the values of the response header,
// in one allocation. Changing the header doesn't change the ID.
type Context struct {
	context.Context
	id     string
	header [1]string
}

// NewContext returns a context with the given ID, which must be valid.
func NewContext(parent context.Context, id string) *Context {
	return &Context{parent, id, [1]string{id}}
}

// HeaderValues returns the ID as the values of the response header.
func (c *Context) HeaderValues() []string { return c.header[:] }

// Value returns c itself as the value that holds the ID. Returning the string
// would allocate.
func (c *Context) Value(k any) any {
	if k == (key{}) {
		return c
	}
	return c.Context.Value(k)
}

// FromContext returns the ID in ctx, or "" if there is none.
func FromContext(ctx context.Context) string {
	if c, ok := ctx.Value(key{}).(*Context); ok {
		return c.id
	}
	return ""
}

// Of returns the ID of a request, or "" if it has none. If the request's
// context has no ID, because a middleware replaced it, Of uses the response
// header.
func Of(w http.ResponseWriter, r *http.Request) string {
	if id := FromContext(r.Context()); id != "" {
		return id
	}
	if ids := w.Header()[Header]; len(ids) == 1 && Valid(ids[0]) {
		return ids[0]
	}
	return ""
}

// Valid reports whether id consists of 1 to 128 of the characters
// [A-Za-z0-9._-].
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
