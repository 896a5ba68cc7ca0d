package middleware

import (
	"maps"
	"net/http"
)

// NoCache keeps the response out of every cache. It sets Cache-Control,
// Expires, Pragma and X-Accel-Expires (nginx) before the handler runs. For GET
// and HEAD it also hides the headers that would let the handler answer 304 Not
// Modified: If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since and
// If-Range. For other methods these stay, since they keep one client from
// overwriting what another one wrote.
func NoCache(next http.Handler) http.Handler { return &noCacheHandler{next} }

var (
	noCacheResponse = [...][2]string{ // canonical names
		{"Cache-Control", "no-cache, no-store, no-transform, must-revalidate, private, max-age=0"},
		{"Expires", "Thu, 01 Jan 1970 00:00:00 GMT"},
		{"Pragma", "no-cache"},
		{"X-Accel-Expires", "0"},
	}
	conditional = [...]string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"}
)

type noCacheHandler struct{ next http.Handler }

func (h *noCacheHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	values := make([]string, len(noCacheResponse)) // one allocation for all
	header := w.Header()
	for i, kv := range noCacheResponse {
		values[i] = kv[1]
		header[kv[0]] = values[i : i+1 : i+1] // no room to append into the next
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

// unconditional returns a copy of h without preconditions. h itself belongs to
// the caller.
func unconditional(h http.Header) http.Header {
	h = maps.Clone(h)
	for _, name := range conditional {
		delete(h, name)
	}
	return h
}
