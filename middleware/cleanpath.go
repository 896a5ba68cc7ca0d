package middleware

import (
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// CleanPath resolves empty, "." and ".." segments in the request's path,
// without a redirect. A trailing slash remains.
//
//	//a/./b//../c/  => /a/c/
//	/a/%2e%2E/b     => /b
//	/a%2Fb//c       => /a%2Fb/c
//
// CleanPath works on the escaped path as sent by the client (r.URL.RawPath if
// it is set). An escaped slash doesn't separate segments, and an escaped dot is
// a dot (RFC 3986 section 6.2.2.2). The remaining segments keep their escapes.
// Paths that don't start with a slash ("*", "") remain unchanged.
//
// If the decoded path still has an empty, "." or ".." segment, next to an
// escaped slash (/a%2F..%2Fb, /a/%2Fb), CleanPath responds with 400 Bad Request.
// A handler that cleans the decoded path, as [http.FileServer] does, would
// otherwise use another path than the router and access checks. So don't use
// CleanPath in a service whose path values are URLs (/proxy/https:%2F%2F…).
//
// CleanPath must run before routing: use Mux.Pre. The handlers that it returns
// have a method RunsBeforeRouting, so that Mux.Use can refuse them. Middleware
// that checks r.URL.Path must run inside of CleanPath. It modifies r.URL in
// place, so outer middleware also sees the clean path afterwards. r.RequestURI
// remains unchanged.
func CleanPath(next http.Handler) http.Handler { return &cleanPathHandler{next: next} }

type cleanPathHandler struct {
	next http.Handler
	beforeRouting
}

// beforeRouting is embedded in handlers that have no effect behind a router.
type beforeRouting struct{}

// RunsBeforeRouting does nothing. A router panics if the middleware of a route
// returns a handler with this method.
func (beforeRouting) RunsBeforeRouting() {}

var errEscapedSlash = &problem.Error{
	Status: http.StatusBadRequest,
	Detail: "The path has an empty or dot segment next to an escaped slash.",
}

func (h *cleanPathHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if u := r.URL; strings.HasPrefix(u.Path, "/") {
		// An escaped dot can only be in RawPath.
		if u.RawPath != "" || wirepath.Unclean(u.Path) {
			if sent := wirePath(u); strings.HasPrefix(sent, "/") {
				wirepath.Set(u, wirepath.Resolve(sent))
			}
		}
		if wirepath.Unclean(u.Path) {
			problem.Write(w, r, errEscapedSlash)
			return
		}
	}
	h.next.ServeHTTP(w, r)
}
