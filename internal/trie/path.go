package trie

import (
	"bytes"
	"net/url"
	"strings"
)

// This file reads request paths: how they split into segments, and whether they
// are clean.

// SetPath sets the path to look for. path is decoded; raw is the path as it came
// over the wire, or "" if it is the default encoding of path. A connect path is
// matched although it may not be clean.
//
// The path splits where raw has a slash, and an escaped slash never separates.
// raw counts although URL.EscapedPath may refuse it, as it does for raw quotes,
// braces or bytes above 0x7F. Where raw has an escaped slash, the path that is
// compared has another byte in its place.
func (s *Search[P]) SetPath(path, raw string, connect bool) {
	s.path, s.decoded, s.connect = path, "", connect
	if raw != "" && hasEscapedSlash(raw) {
		if split, ok := splitRaw(path, raw); ok {
			s.path, s.decoded = split, path
		}
	}
}

// splitRaw returns path with the bytes that raw has as an escaped slash replaced
// by slashPlaceholder. It reports false if raw does not encode path, because somebody
// has changed one and not the other.
func splitRaw(path, raw string) (split string, ok bool) {
	if !encodes(raw, path) {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(path))
	for i := range len(path) {
		if raw[0] == '%' {
			if path[i] == '/' {
				b.WriteByte(slashPlaceholder)
			} else {
				b.WriteByte(path[i])
			}
			raw = raw[3:]
			continue
		}
		b.WriteByte(path[i])
		raw = raw[1:]
	}
	return b.String(), true
}

// EscapedSlashInTail reports whether the last n bytes of path have a slash that
// came escaped.
func EscapedSlashInTail(path, raw string, n int) bool {
	split, ok := splitRaw(path, raw)
	return ok && hasEscapedSlash(raw) && strings.Count(split[len(split)-n:], "/") < strings.Count(path[len(path)-n:], "/")
}

// encodes reports whether raw, unescaped, is path.
func encodes(raw, path string) bool {
	n := 0
	for i := 0; i < len(raw); i, n = i+1, n+1 {
		c := raw[i]
		if c == '%' {
			if i+2 >= len(raw) {
				return false
			}
			hi, lo := unhex(raw[i+1]), unhex(raw[i+2])
			if hi < 0 || lo < 0 {
				return false
			}
			c = byte(hi<<4 | lo)
			i += 2
		}
		if n >= len(path) || path[n] != c {
			return false
		}
	}
	return n == len(path)
}

// slashPlaceholder stands for a slash that does not separate. No edge has it, and
// everything else is compared with the text itself.
const slashPlaceholder = 0xFF

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func hasEscapedSlash(raw string) bool {
	for {
		i := strings.IndexByte(raw, '%')
		if i < 0 || i+2 >= len(raw) {
			return false
		}
		if raw[i+1] == '2' && raw[i+2]|0x20 == 'f' {
			return true
		}
		raw = raw[i+1:]
	}
}

// Rooted reports whether the path begins with a slash. Others match no route.
func (s *Search[P]) Rooted() bool { return s.path != "" && s.path[0] == '/' }

// Clean reports whether the path has no empty, . or .. segment that cleaning
// would remove, and begins with a slash. A connect path counts as clean.
func (s *Search[P]) Clean() bool {
	return s.connect || s.Rooted() && !(Suspect(s.path) && Unclean(s.path))
}

// TrimSlash sets s to the path of other without its trailing slash. It reports
// false if that has none, or is nothing else.
func (s *Search[P]) TrimSlash(other *Search[P]) bool {
	n := len(other.path) - 1
	if n < 1 || other.path[n] != '/' {
		return false
	}
	s.path, s.decoded = other.path[:n], other.decoded[:max(len(other.decoded)-1, 0)]
	s.connect, s.Method = other.connect, other.Method
	return true
}

// WirePath returns the escaped path of a URL as it came over the wire: raw if it
// encodes path, else the default encoding of path.
func WirePath(path, raw string) string {
	if raw != "" && encodes(raw, path) {
		return raw
	}
	return (&url.URL{Path: path}).EscapedPath()
}

// CleanPath returns the escaped path with its empty, . and .. segments, escaped
// or not, resolved. A trailing slash is kept; the result begins with one slash.
//
// Bytes that a path can't hold are escaped, so that a client reads the result as
// it was routed: a browser, for example, takes a backslash for a slash. It takes
// linear time.
func CleanPath(path string) string {
	b := make([]byte, 0, len(path)+1)
	for rest, more := strings.TrimPrefix(path, "/"), true; more; {
		var seg string
		seg, rest, more = strings.Cut(rest, "/")
		switch dotSegment(seg) {
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
	odd := 0
	for _, c := range b {
		if !pathByte(c) {
			odd++
		}
	}
	var escaped strings.Builder
	escaped.Grow(len(b) + 2*odd)
	for _, c := range b {
		if pathByte(c) {
			escaped.WriteByte(c)
		} else {
			escaped.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return escaped.String()
}

const hexDigits = "0123456789ABCDEF"

// pathByte reports whether a path holds c unescaped, or it begins an escape:
// RFC 3986, section 3.3, and the brackets that net/url keeps.
func pathByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@/%[]", c) >= 0
}

// WithQuery returns a clean path with a raw query, for a Location header. The path
// begins with exactly one slash, so a Location names no host but the request's
// own.
func WithQuery(path, query string) string {
	if query == "" {
		return path
	}
	b := make([]byte, 0, len(path)+1+len(query))
	b = append(append(b, path...), '?')
	for i := range len(query) {
		switch c := query[i]; {
		case c < ' ' || c == 0x7F:
		case c == '#': // it would begin a fragment: RFC 3986, section 3.4
			b = append(b, "%23"...)
		case c >= 0x80:
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// dotSegment returns how many dots, written . or %2e, the segment consists of:
// 0 if it has other characters or more than two.
func dotSegment(seg string) (n int) {
	for seg != "" {
		switch {
		case seg[0] == '.':
			seg = seg[1:]
		case len(seg) >= 3 && seg[0] == '%' && seg[1] == '2' && seg[2]|0x20 == 'e':
			seg = seg[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

// Unescape decodes an escaped path, and returns what is no valid encoding as it
// is.
func Unescape(path string) string {
	if p, err := url.PathUnescape(path); err == nil {
		return p
	}
	return path
}
