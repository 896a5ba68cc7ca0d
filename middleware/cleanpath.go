package middleware

import (
	"net/http"
	"net/url"
	"path"
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
// start with a slash ("*", ""). r.RequestURI stays as sent.
func CleanPath(next http.Handler) http.Handler { return &cleanPathHandler{next} }

type cleanPathHandler struct{ next http.Handler }

func (h *cleanPathHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect && strings.HasPrefix(r.URL.Path, "/") {
		if r.URL.RawPath == "" { // nothing but the default escaping, which leaves slashes and dots as they are
			if clean := cleanSegments(r.URL.Path); clean != r.URL.Path {
				setPath(r, clean, "")
			}
		} else if escaped := r.URL.EscapedPath(); strings.HasPrefix(escaped, "/") {
			if clean := cleanSegments(decodeDots(escaped)); clean != escaped {
				setEscapedPath(r, clean)
			}
		}
	}
	h.next.ServeHTTP(w, r)
}

// cleanSegments cleans a path that starts with a slash.
func cleanSegments(p string) string {
	for i := 1; i < len(p); i++ {
		if p[i-1] == '/' && (p[i] == '/' || p[i] == '.') {
			clean := path.Clean(p)
			if strings.HasSuffix(p, "/") && clean != "/" {
				clean += "/"
			}
			return clean
		}
	}
	return p
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

// setEscapedPath gives r the path that escaped stands for. It is made of parts of a valid one, so that it can be
// unescaped; where it can't, the path stays.
func setEscapedPath(r *http.Request, escaped string) {
	decoded, err := url.PathUnescape(escaped)
	if err != nil {
		return
	}
	raw := escaped
	if (&url.URL{Path: decoded}).EscapedPath() == escaped {
		raw = ""
	}
	setPath(r, decoded, raw)
}

// setPath gives r another URL, the old one with another path: others may be looking at the old one.
func setPath(r *http.Request, decoded, raw string) {
	u := *r.URL
	u.Path, u.RawPath = decoded, raw
	r.URL = &u
}
