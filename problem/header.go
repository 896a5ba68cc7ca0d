package problem

import (
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// clearContent removes the headers that describe the content of the discarded
// response, except Content-Type. Usually few headers are set, so a loop over them
// is faster than deleting each name.
func clearContent(w http.ResponseWriter) {
	h := w.Header()
	cached := false
	for name := range h {
		switch name {
		case "Content-Length", "Content-Disposition", "Content-Language", "Content-Location", "Etag", "Last-Modified",
			"Content-Digest", "Repr-Digest":
			delete(h, name)
		case "Content-Range":
			if !strings.Contains(h.Get(name), "*/") { // that form belongs to a 416
				delete(h, name)
			}
		case "Content-Encoding":
			if recorder.Own(w) {
				delete(h, name)
			}
		case "Expires", "Cache-Control", "Cdn-Cache-Control", "Surrogate-Control":
			delete(h, name)
			cached = true
		case "X-Accel-Expires": // of nginx
			h[name] = []string{"0"}
		}
	}
	if cached { // don't cache an error as long as the content
		h["Cache-Control"] = []string{"no-store"}
	}
}
