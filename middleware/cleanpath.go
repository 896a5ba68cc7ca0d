package middleware

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
)

// CleanPath has everything inside of it see the request's path in clean form, without empty, "." and ".." segments, as
// net/http's own redirects write it; a slash at the end stays. It doesn't redirect. For the router to see it, it must
// run before routing, and what judges by r.URL.Path must run inside of it.
//
//	//a/./b//../c/ => /a/c/      /a/%2e%2E/b => /b      /a%2F..%2fb//c => /a%2F..%2fb/c
//
// Segments are those of the escaped path: an encoded slash separates nothing, an encoded dot is a dot (RFC 3986 section
// 6.2.2.2), and everything that isn't removed keeps its escaping. Left alone are CONNECT requests and paths that don't
// start with a slash ("*", "").
//
// r.URL itself changes, so that everyone who reads it from then on reads the path that is routed, those outside too;
// r.RequestURI stays as sent.
func CleanPath(next http.Handler) http.Handler { return &cleanPathHandler{next} }

type cleanPathHandler struct{ next http.Handler }

func (h *cleanPathHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if u := r.URL; r.Method != http.MethodConnect && strings.HasPrefix(u.Path, "/") {
		if u.RawPath == "" { // nothing but the default escaping, which leaves slashes and dots as they are
			if i := unclean(u.Path); i >= 0 {
				u.Path = cleanFrom(u.Path, i)
			}
		} else if escaped := u.EscapedPath(); strings.HasPrefix(escaped, "/") {
			p := decodeDots(escaped)
			if i := unclean(p); i >= 0 {
				setEscapedPath(u, cleanFrom(p, i))
			}
		}
	}
	h.next.ServeHTTP(w, r)
}

// unclean returns where the first segment starts that is empty, "." or "..", or -1. An empty one at the end stands for
// the slash before it, and is clean. p starts with a slash.
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
	var room [128]byte // for most paths
	clean := append(room[:0], p...)
	n := i - 1 // bytes of clean that are kept: segments, each with the slash before it
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

// decodeDots decodes the segments of an escaped path that are "." or ".." then.
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

// setEscapedPath gives u the path that escaped stands for. It is made of parts of a valid one, so that it can be
// unescaped; where it can't, the path stays.
func setEscapedPath(u *url.URL, escaped string) {
	decoded, err := url.PathUnescape(escaped)
	if err != nil {
		return
	}
	u.Path, u.RawPath = decoded, ""
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
}
