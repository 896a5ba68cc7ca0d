// Package wirepath splits, cleans and escapes the paths of requests. The router,
// the file server and the middleware use it, so that all of them see the same
// path.
//
// That path is the one which the client sent: URL.RawPath if it is an encoding
// of URL.Path, even if URL.EscapedPath ignores it because of a byte that should
// have been escaped. Segments end at its slashes, and each segment is decoded
// once. So an escaped slash (%2F) never ends a segment.
package wirepath

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
)

// Escaped returns the escaped path of a URL as sent by the client: raw if it is
// an encoding of path, else the default encoding of path.
func Escaped(path, raw string) string {
	if raw != "" && encodes(raw, path) {
		return raw
	}
	return (&url.URL{Path: path}).EscapedPath()
}

// Set sets the path of u to an escaped path. It does nothing if escaped is
// invalid.
func Set(u *url.URL, escaped string) {
	decoded, err := url.PathUnescape(escaped)
	if err != nil {
		return
	}
	u.Path, u.RawPath = decoded, ""
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
}

// Decode decodes an escaped path. If path has an invalid escape, it returns path
// unchanged.
func Decode(path string) string {
	if p, err := url.PathUnescape(path); err == nil {
		return p
	}
	return path
}

// Slash replaces escaped slashes in results of [Split].
const Slash = 0xFF

// Split returns path with each slash that is escaped in raw replaced by [Slash].
// It reports false if there is none: raw has no escaped slash, or it is not an
// encoding of path, because a middleware changed one and not the other.
func Split(path, raw string) (split string, ok bool) {
	if escaped := strings.Contains(raw, "%2F") || strings.Contains(raw, "%2f"); !escaped || !encodes(raw, path) {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(path))
	for i := range len(path) {
		c, n := path[i], 1
		if raw[0] == '%' {
			n = 3
			if c == '/' {
				c = Slash
			}
		}
		b.WriteByte(c)
		raw = raw[n:]
	}
	return b.String(), true
}

// EscapedSlashInTail reports whether the last n bytes of path contain a slash
// that is escaped in raw.
func EscapedSlashInTail(path, raw string, n int) bool {
	split, ok := Split(path, raw)
	return ok && n <= len(path) && strings.Count(split[len(split)-n:], "/") < strings.Count(path[len(path)-n:], "/")
}

// encodes reports whether raw is an encoding of path.
func encodes(raw, path string) bool {
	for ; raw != ""; path = path[1:] {
		c, n := raw[0], 1
		if c == '%' {
			if len(raw) < 3 {
				return false
			}
			code, err := strconv.ParseUint(raw[1:3], 16, 8)
			if err != nil {
				return false
			}
			c, n = byte(code), 3
		}
		if path == "" || path[0] != c {
			return false
		}
		raw = raw[n:]
	}
	return path == ""
}

// isDots reports whether the decoded segment is "." or "..".
func isDots(seg string) bool { return seg == "." || seg == ".." }

// Removed reports whether path cleaning removes the decoded segment.
func Removed(seg string) bool { return seg == "" || isDots(seg) }

// Unclean reports whether path, which begins with a slash and is decoded or a
// result of [Split], has an empty, . or .. segment other than the empty one after
// a trailing slash.
func Unclean(path string) bool { return strings.Contains(path, "//") || DotInside(path) }

// DotInside reports whether rest, which is decoded, has a . or .. segment. Path
// cleaning does not see such a segment next to an escaped slash. A handler that
// uses the value as a file name could then leave its directory.
func DotInside(rest string) bool { return LastDots(rest) >= 0 }

// LastDots returns the index of the last . or .. segment of rest, which is
// decoded, or -1.
func LastDots(rest string) int {
	for end := len(rest); end >= 0; {
		start := strings.LastIndexByte(rest[:end], '/') + 1
		if isDots(rest[start:end]) {
			return start
		}
		end = start - 1
	}
	return -1
}

// Resolve resolves the empty, . and .. segments of an escaped path, including
// dots escaped as %2e. It keeps a trailing slash and the escapes of the other
// segments. The result begins with exactly one slash. It takes linear time.
func Resolve(path string) string {
	b := make([]byte, 0, len(path)+1)
	for rest, more := strings.TrimPrefix(path, "/"), true; more; {
		var seg string
		seg, rest, more = strings.Cut(rest, "/")
		switch escapedDots(seg) {
		case 1:
		case 2:
			b = b[:max(bytes.LastIndexByte(b, '/'), 0)]
		default:
			if seg != "" {
				b = append(append(b, '/'), seg...)
			}
		}
	}
	if len(b) == 0 || strings.HasSuffix(path, "/") {
		b = append(b, '/')
	}
	return string(b)
}

// escapedDots returns 1 if the segment is "." and 2 if it is "..", where each
// dot can be escaped as %2e. Otherwise it returns 0.
func escapedDots(seg string) int {
	if len(seg) > len("%2e%2e") || strings.Trim(seg, ".%2eE") != "" {
		return 0
	}
	if seg = strings.ReplaceAll(strings.ToLower(seg), "%2e", "."); isDots(seg) {
		return len(seg)
	}
	return 0
}

// Clean is Resolve followed by Escape, for a Location header. Without escaping,
// clients could interpret the path differently. Browsers, for example, treat a
// backslash as a slash.
func Clean(path string) string { return Escape(Resolve(path)) }

// Escape escapes the bytes of an escaped path that RFC 3986 doesn't allow in a
// path.
func Escape(path string) string {
	odd := 0
	for i := range len(path) {
		if !allowed(path[i]) {
			odd++
		}
	}
	if odd == 0 {
		return path
	}
	b := make([]byte, 0, len(path)+2*odd)
	for i := range len(path) {
		if c := path[i]; allowed(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return string(b)
}

const hexDigits = "0123456789ABCDEF"

// allowed reports whether c may occur in an escaped path, according to RFC 3986,
// section 3.3. Like net/url, it also allows brackets.
func allowed(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@/%[]", c) >= 0
}

// WithQuery returns a path followed by a raw query, for a Location header. path
// is a result of [Clean]. It begins with exactly one slash, so that the redirect
// cannot lead to another host.
func WithQuery(path, query string) string {
	if query == "" {
		return path
	}
	b := make([]byte, 0, len(path)+1+len(query))
	b = append(append(b, path...), '?')
	for i := range len(query) {
		switch c := query[i]; {
		case c < ' ' || c == 0x7F:
		case c == '#' || c >= 0x80: // # would start a fragment, RFC 3986, section 3.5
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
