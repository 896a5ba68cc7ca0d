package middleware

import "net/http"

// StripSlashes has everything inside of it see the request's path without the slashes at its end; "/" stays. It doesn't
// redirect, and an encoded slash isn't one. As with [CleanPath], it must run before routing, what judges by r.URL.Path
// must run inside of it, and r.URL itself changes. It makes patterns that end in a slash unreachable, those of file
// servers too.
func StripSlashes(next http.Handler) http.Handler { return &stripSlashesHandler{next} }

type stripSlashesHandler struct{ next http.Handler }

func (h *stripSlashesHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p := r.URL.Path; len(p) > 1 && p[len(p)-1] == '/' && p[0] == '/' && r.Method != http.MethodConnect {
		if r.URL.RawPath == "" {
			r.URL.Path = withoutSlashes(p)
		} else if escaped := r.URL.EscapedPath(); escaped[0] == '/' && escaped[len(escaped)-1] == '/' {
			setEscapedPath(r.URL, withoutSlashes(escaped))
		}
	}
	h.next.ServeHTTP(w, r)
}

// withoutSlashes cuts the slashes at the end off a path that starts with one, which stays.
func withoutSlashes(p string) string {
	end := len(p)
	for end > 1 && p[end-1] == '/' {
		end--
	}
	return p[:end]
}
