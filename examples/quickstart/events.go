package main

import (
	"io"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// events sends an event whenever the notes have changed, so that open pages can
// update. It returns when the server drains; the browser then reconnects to the
// new server.
func (h handlers) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		changed := h.notes.changes() // before sending the event, to miss no change
		io.WriteString(w, "data: changed\n\n")
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		select {
		case <-changed:
		case <-server.Draining(r.Context()):
			return
		case <-r.Context().Done():
			return
		}
	}
}
