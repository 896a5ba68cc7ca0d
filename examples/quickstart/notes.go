package main

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

const maxBody = 64 << 10

// handlers contains the handlers for notes. Package problem writes the response
// for the errors that they return.
type handlers struct{ notes *store }

func (h handlers) list(w http.ResponseWriter, r *http.Request) error {
	return body.WriteJSON(w, http.StatusOK, h.notes.list(r.URL.Query().Get("tag")))
}

func (h handlers) create(w http.ResponseWriter, r *http.Request) error {
	n, err := readNote(w, r)
	if err != nil {
		return err
	}
	if n, err = h.notes.add(n); err != nil {
		return err
	}
	path, err := muxmaster.BuildPath("/api/notes/{id}", "id", strconv.Itoa(n.ID))
	if err != nil {
		return err
	}
	w.Header().Set("Location", path)
	return body.WriteJSON(w, http.StatusCreated, n)
}

func (h handlers) show(w http.ResponseWriter, r *http.Request) error {
	n, err := h.find(r)
	if err != nil {
		return err
	}
	return body.WriteJSON(w, http.StatusOK, n)
}

func (h handlers) text(w http.ResponseWriter, r *http.Request) error {
	n, err := h.find(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = fmt.Fprintln(w, n.Text)
	return err
}

func (h handlers) update(w http.ResponseWriter, r *http.Request) error {
	id, err := muxmaster.PathParamAs[int](r, "id")
	if err != nil {
		return err
	}
	n, err := readNote(w, r)
	if err != nil {
		return err
	}
	n.ID = id
	if n, err = h.notes.replace(n); err != nil {
		return err
	}
	return body.WriteJSON(w, http.StatusOK, n)
}

func (h handlers) remove(w http.ResponseWriter, r *http.Request) error {
	id, err := muxmaster.PathParamAs[int](r, "id")
	if err != nil {
		return err
	}
	if err := h.notes.remove(id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h handlers) find(r *http.Request) (note, error) {
	id, err := muxmaster.PathParamAs[int](r, "id")
	if err != nil {
		return note{}, err
	}
	return h.notes.get(id)
}

func readNote(w http.ResponseWriter, r *http.Request) (note, error) {
	in, err := body.ReadJSON[struct {
		Text string   `json:"text"`
		Tags []string `json:"tags"`
	}](w, r, maxBody)
	if err != nil {
		return note{}, err
	}
	if in.Text == "" {
		return note{}, &problem.Error{Status: http.StatusUnprocessableEntity, Detail: "A note needs a text."}
	}
	return note{Text: in.Text, Tags: in.Tags}, nil
}
