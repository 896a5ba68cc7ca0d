package middleware

import (
	"net/http"
	"strings"
)

// StripSlashes has everything inside of it see the request's path without the slashes at its end; "/" stays. It doesn't
// redirect, and an encoded slash isn't one. As with [CleanPath], it must run before routing, and what judges by r.URL.Path
// must run inside of it. It makes patterns that end in a slash unreachable, those of file servers too.
func StripSlashes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect && len(r.URL.Path) > 1 && strings.HasPrefix(r.URL.Path, "/") {
			escaped := r.URL.EscapedPath()
			if short := strings.TrimRight(escaped, "/"); short == "" {
				setEscapedPath(r, "/")
			} else if short != escaped {
				setEscapedPath(r, short)
			}
		}
		next.ServeHTTP(w, r)
	})
}
