package middleware

import (
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
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
		// An escaped dot can only be in RawPath.
		if u.RawPath != "" || wirepath.Unclean(u.Path) {
			if sent := wirePath(u); strings.HasPrefix(sent, "/") {
				if clean := wirepath.Resolve(sent); clean != sent {
					wirepath.Set(u, clean)
				} else if sent != u.RawPath {
					u.RawPath = ""
				}
			}
		}
	}
	h.next.ServeHTTP(w, r)
}
