package middleware

import (
	"maps"
	"net/http"
)

// NoCache prevents caching of the response. Before calling the next handler, it
// sets Cache-Control, Expires and X-Accel-Expires (nginx). For GET and
// HEAD, it also removes the request headers that could cause a 304 Not Modified
// response: If-None-Match and If-Modified-Since. It keeps If-Match,
// If-Unmodified-Since and If-Range, without which a client that resumes a
// download could get a part of another version, and keeps all of them for other
// methods, where they prevent lost updates.
func NoCache(next http.Handler) http.Handler { return &noCacheHandler{next} }

var (
	noCacheResponse = [...][2]string{ // canonical names
		{"Cache-Control", "no-cache, no-store, no-transform, must-revalidate, private, max-age=0"},
		{"Expires", "Thu, 01 Jan 1970 00:00:00 GMT"},
		{"X-Accel-Expires", "0"},
	}
	conditional = [...]string{"If-None-Match", "If-Modified-Since"}
)

type noCacheHandler struct{ next http.Handler }

func (h *noCacheHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	values := make([]string, len(noCacheResponse)) // one allocation for all
	header := w.Header()
	for i, kv := range noCacheResponse {
		values[i] = kv[1]
		header[kv[0]] = values[i : i+1 : i+1] // limit the capacity, for handlers that append
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		for _, name := range conditional {
			if _, ok := r.Header[name]; ok {
				r.Header = unconditional(r.Header)
				break
			}
		}
	}
	h.next.ServeHTTP(w, r)
}

// unconditional returns a copy of h without the conditional headers.
func unconditional(h http.Header) http.Header {
	h = maps.Clone(h)
	for _, name := range conditional {
		delete(h, name)
	}
	return h
}
