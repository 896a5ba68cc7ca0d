package problem

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// clearContent removes the headers that describe content which the handler
// meant to send. Most error answers come with few headers or none, so looking
// at each is faster than a deletion for each name.
func clearContent(w http.ResponseWriter) {
	h := w.Header()
	cached := false
	for name := range h {
		switch name {
		case "Content-Length", "Content-Type", "Content-Disposition", "Content-Language", "Content-Location", "Etag", "Last-Modified":
			delete(h, name)
		case "Content-Encoding":
			if recorder.Own(w) {
				delete(h, name)
			}
		case "Expires", "Cache-Control":
			delete(h, name)
			cached = true
		}
	}
	if cached { // an error must not be kept for as long as the content would be
		h["Cache-Control"] = []string{"no-store"}
	}
}
