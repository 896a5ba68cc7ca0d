package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// Package problem writes the responses for the errors of handlers.
type handlers struct{ notes *store }

var errNoNote = &problem.Error{Status: http.StatusNotFound, Detail: "There is no such note."}

func (h handlers) list(w http.ResponseWriter, r *http.Request) error {
	notes, _ := h.notes.list(r.URL.Query().Get("tag"))
	return body.WriteJSON(w, http.StatusOK, notes)
}

func (h handlers) create(w http.ResponseWriter, r *http.Request) error {
	n, err := body.ReadJSON[note](w, r, 64<<10) // at most 64 KiB
	if err == nil && n.Text == "" {
		err = &problem.Error{Status: http.StatusUnprocessableEntity, Detail: "A note needs a text."}
	}
	if err == nil {
		n, err = h.notes.add(n)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Location", fmt.Sprintf("/api/notes/%d", n.ID))
	return body.WriteJSON(w, http.StatusCreated, n)
}

func (h handlers) show(w http.ResponseWriter, r *http.Request) error {
	id, err := muxmaster.PathParamAs[int](r, "id")
	if err != nil {
		return err
	}
	notes, _ := h.notes.list("")
	for _, n := range notes {
		if n.ID == id {
			return body.WriteJSON(w, http.StatusOK, n)
		}
	}
	return errNoNote
}

func (h handlers) remove(w http.ResponseWriter, r *http.Request) error {
	id, err := muxmaster.PathParamAs[int](r, "id")
	if err == nil {
		err = h.notes.remove(id)
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// events sends an event at once and after each change, so that open pages can
// update. When the server drains, the browser reconnects to the new server.
func (h handlers) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		_, changed := h.notes.list("") // before sending the event, to miss no change
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
