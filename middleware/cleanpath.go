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
func CleanPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect && strings.HasPrefix(r.URL.Path, "/") {
			escaped := r.URL.EscapedPath()
			if clean := cleanEscaped(escaped); clean != escaped {
				setEscapedPath(r, clean)
			}
		}
		next.ServeHTTP(w, r)
	})
}

var decodeDots = strings.NewReplacer("%2e", ".", "%2E", ".")

// cleanEscaped cleans an escaped path that starts with a slash.
func cleanEscaped(p string) string {
	if !strings.Contains(p, "//") && !strings.Contains(p, "/.") && !strings.Contains(p, "/%2") {
		return p // no empty segment, and none that starts with a dot
	}
	if strings.Contains(p, "/%2") || strings.Contains(p, "/.%2") {
		segments := strings.Split(p, "/")
		for i, s := range segments {
			if len(s) <= len("%2e%2e") {
				if dots := decodeDots.Replace(s); dots == "." || dots == ".." {
					segments[i] = dots
				}
			}
		}
		p = strings.Join(segments, "/")
	}
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// setEscapedPath gives r another URL, the old one with another path. The path is made of parts of a valid one, so that it
// can be unescaped; where it can't, the URL stays.
func setEscapedPath(r *http.Request, escaped string) {
	decoded, err := url.PathUnescape(escaped)
	if err != nil {
		return
	}
	u := *r.URL
	u.Path, u.RawPath = decoded, ""
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
	r.URL = &u
}
