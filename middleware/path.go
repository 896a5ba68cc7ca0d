package middleware

import (
	"net/url"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// wirePath returns the path of u as the router reads it: as it came over the
// wire, also where it has bytes that don't belong there, such as | or \, for
// which [url.URL.EscapedPath] would return another path, one in which %2F may
// have become a slash.
func wirePath(u *url.URL) string { return trie.WirePath(u.Path, u.RawPath) }

// loggedPath returns the path of u as it came over the wire, with all bytes
// escaped that don't belong there.
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

// inPath reports whether c may stand in an escaped path (RFC 3986 section 3.3).
// Brackets may not, but package net/url lets them pass.
func inPath(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("/%-._~!$&'()*+,;=:@[]", c) >= 0
}

// setWirePath gives u the path that escaped stands for. escaped is made of
// parts of a path that can be unescaped; if it can't, the path stays.
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
