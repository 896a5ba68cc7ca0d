package trie

import (
	"bytes"
	"net/url"
	"strings"
)

// This file splits, cleans and escapes request paths.

// SetPath sets the path to find a route for. path and raw are the fields Path
// and RawPath of the request's URL: raw is the escaped path as sent by the
// client, or "" if it is the default encoding of path. connect is true for
// CONNECT requests, whose paths are matched without cleaning.
//
// Segments end at the slashes of raw; an escaped slash (%2F) does not end a
// segment. In s.path, each escaped slash is replaced by slashPlaceholder. raw
// is used even if URL.EscapedPath would ignore it, because it contains, for
// example, quotes, braces or bytes above 0x7F.
func (s *Search[P]) SetPath(path, raw string, connect bool) {
	s.path, s.decoded, s.connect = path, "", connect
	if raw != "" && hasEscapedSlash(raw) {
		if split, ok := splitRaw(path, raw); ok {
			s.path, s.decoded = split, path
		}
	}
}

// splitRaw returns path with each slash that is escaped in raw replaced by
// slashPlaceholder. It reports false if raw is not an encoding of path, because
// a middleware changed one and not the other.
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

// EscapedSlashInTail reports whether the last n bytes of path contain a slash
// that is escaped in raw.
func EscapedSlashInTail(path, raw string, n int) bool {
	split, ok := splitRaw(path, raw)
	return ok && hasEscapedSlash(raw) && strings.Count(split[len(split)-n:], "/") < strings.Count(path[len(path)-n:], "/")
}

// encodes reports whether raw is an encoding of path.
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

// slashPlaceholder replaces escaped slashes in Search.path. No edge contains
// it, and specials are compared with the decoded text.
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

// Rooted reports whether the path begins with a slash. Other paths match no
// route.
func (s *Search[P]) Rooted() bool { return s.path != "" && s.path[0] == '/' }

// Clean reports whether cleaning the path would not change it: it begins with a
// slash and has no empty, . or .. segment. CONNECT paths count as clean.
func (s *Search[P]) Clean() bool {
	return s.connect || s.Rooted() && !(Suspect(s.path) && Unclean(s.path))
}

// TrimSlash sets s to the path of other without its trailing slash. It reports
// false if the path has no trailing slash or is "/".
func (s *Search[P]) TrimSlash(other *Search[P]) bool {
	n := len(other.path) - 1
	if n < 1 || other.path[n] != '/' {
		return false
	}
	s.path, s.decoded = other.path[:n], other.decoded[:max(len(other.decoded)-1, 0)]
	s.connect, s.Method = other.connect, other.Method
	return true
}

// WirePath returns the escaped path of a URL as sent by the client: raw if it
// is an encoding of path, else the default encoding of path.
func WirePath(path, raw string) string {
	if raw != "" && encodes(raw, path) {
		return raw
	}
	return (&url.URL{Path: path}).EscapedPath()
}

// CleanPath resolves the empty, . and .. segments of an escaped path, including
// dots escaped as %2e. It keeps a trailing slash. The result begins with
// exactly one slash.
//
// CleanPath escapes the bytes that RFC 3986 doesn't allow in a path, so that
// clients don't interpret the result differently. Browsers, for example, treat
// a backslash as a slash. It takes linear time.
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

// pathByte reports whether c may occur in an escaped path, according to RFC
// 3986, section 3.3. Like net/url, it also allows brackets.
func pathByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@/%[]", c) >= 0
}

// WithQuery returns a path followed by a raw query, for a Location header. path
// is a result of CleanPath. It begins with exactly one slash, so that the
// redirect cannot lead to another host.
func WithQuery(path, query string) string {
	if query == "" {
		return path
	}
	b := make([]byte, 0, len(path)+1+len(query))
	b = append(append(b, path...), '?')
	for i := range len(query) {
		switch c := query[i]; {
		case c < ' ' || c == 0x7F:
		case c == '#': // would start a fragment, RFC 3986, section 3.5
			b = append(b, "%23"...)
		case c >= 0x80:
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// dotSegment returns 1 if the segment is "." and 2 if it is "..", where each
// dot can be escaped as %2e. Otherwise it returns 0.
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

// Unescape decodes an escaped path. If path has an invalid escape, it returns
// path unchanged.
func Unescape(path string) string {
	if p, err := url.PathUnescape(path); err == nil {
		return p
	}
	return path
}
