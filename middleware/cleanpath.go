package middleware

import (
	"bytes"
	"net/http"
	"strings"
)

// CleanPath resolves empty, "." and ".." segments in the request's path,
// without a redirect. A trailing slash remains. It must run before routing.
// Middleware that checks r.URL.Path must run inside of it.
//
//	//a/./b//../c/  => /a/c/
//	/a/%2e%2E/b     => /b
//	/a%2F..%2fb//c  => /a%2F..%2fb/c
//
// CleanPath works on the escaped path as sent by the client (r.URL.RawPath if
// it is set). An escaped slash doesn't separate segments, and an escaped dot is
// a dot (RFC 3986 section 6.2.2.2). The remaining segments keep their escapes.
// CONNECT requests, and paths that don't start with a slash ("*", ""), remain
// unchanged.
//
// CleanPath modifies r.URL in place, so outer middleware also sees the clean
// path afterwards. r.RequestURI remains unchanged.
func CleanPath(next http.Handler) http.Handler { return &cleanPathHandler{next} }

type cleanPathHandler struct{ next http.Handler }

func (h *cleanPathHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if u := r.URL; r.Method != http.MethodConnect && strings.HasPrefix(u.Path, "/") {
		if u.RawPath == "" { // the default encoding, which leaves slashes and dots as they are
			if i := unclean(u.Path); i >= 0 {
				u.Path = cleanFrom(u.Path, i)
			}
		} else if sent := wirePath(u); strings.HasPrefix(sent, "/") {
			p := decodeDots(sent)
			if i := unclean(p); i >= 0 {
				setWirePath(u, cleanFrom(p, i))
			} else if sent != u.RawPath {
				u.RawPath = ""
			}
		}
	}
	h.next.ServeHTTP(w, r)
}

// unclean returns the index of the first segment of p that is empty, "." or
// "..", or -1 if there is none. The empty segment after a trailing slash
// doesn't count. p starts with a slash.
func unclean(p string) int {
	for i := 1; i < len(p); i++ {
		if p[i-1] != '/' {
			continue
		}
		switch rest := p[i:]; {
		case rest[0] == '/',
			rest[0] == '.' && (len(rest) == 1 || rest[1] == '/'),
			rest[0] == '.' && rest[1] == '.' && (len(rest) == 2 || rest[2] == '/'):
			return i
		}
	}
	return -1
}

// cleanFrom cleans p, whose segments before i are clean.
func cleanFrom(p string, i int) string {
	var buf [128]byte // enough for most paths
	clean := append(buf[:0], p...)
	n := i - 1 // number of bytes to keep: segments, each preceded by its slash
	for i <= len(p) {
		kept, start := n, i
		clean[n] = '/'
		for n++; i < len(p) && p[i] != '/'; i++ {
			clean[n] = p[i]
			n++
		}
		switch p[start:i] {
		case "", ".":
			n = kept
		case "..":
			n = max(0, bytes.LastIndexByte(clean[:kept], '/'))
		}
		i++
	}
	if n == 0 || p[len(p)-1] == '/' {
		clean[n] = '/'
		n++
	}
	return string(clean[:n])
}

var dots = strings.NewReplacer("%2e", ".", "%2E", ".")

// decodeDots decodes the segments of an escaped path that decode to "." or
// "..".
func decodeDots(escaped string) string {
	if !strings.Contains(escaped, "%2e") && !strings.Contains(escaped, "%2E") {
		return escaped
	}
	segments := strings.Split(escaped, "/")
	for i, s := range segments {
		if d := dots.Replace(s); d == "." || d == ".." {
			segments[i] = d
		}
	}
	return strings.Join(segments, "/")
}
