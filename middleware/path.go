package middleware

import (
	"net/url"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// wirePath returns the escaped path of u as sent by the client, which is what
// the router matches. Unlike [url.URL.EscapedPath], it also does so if the path
// contains bytes that aren't allowed in paths, such as | or \. EscapedPath
// would then return a path in which %2F has become a slash.
func wirePath(u *url.URL) string { return trie.WirePath(u.Path, u.RawPath) }

// loggedPath returns wirePath with all bytes escaped that aren't allowed in
// paths.
func loggedPath(u *url.URL) string {
	if u.RawPath == "" {
		return u.EscapedPath()
	}
	p := wirePath(u)
	for i := range len(p) {
		if !inPath(p[i]) {
			return escapeRest(p, i)
		}
	}
	return p
}

func escapeRest(p string, i int) string {
	const digits = "0123456789ABCDEF"
	b := append(make([]byte, 0, len(p)+16), p[:i]...)
	for ; i < len(p); i++ {
		if c := p[i]; inPath(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(b)
}

// inPath reports whether c may occur in an escaped path (RFC 3986 section 3.3).
// Like net/url, it also allows brackets.
func inPath(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("/%-._~!$&'()*+,;=:@[]", c) >= 0
}

// setWirePath sets the path of u to an escaped path. It does nothing if escaped
// is invalid.
func setWirePath(u *url.URL, escaped string) {
	decoded, err := url.PathUnescape(escaped)
	if err != nil {
		return
	}
	u.Path, u.RawPath = decoded, ""
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
}
