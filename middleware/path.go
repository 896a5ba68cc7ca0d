package middleware

import (
	"net/url"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// wirePath returns the escaped path of u as sent by the client, which is what
// the router matches.
func wirePath(u *url.URL) string { return wirepath.Escaped(u.Path, u.RawPath) }

// loggedPath returns wirePath with all bytes escaped that aren't allowed in
// paths.
func loggedPath(u *url.URL) string {
	if u.RawPath == "" {
		return u.EscapedPath()
	}
	return wirepath.Escape(wirePath(u))
}
