package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

const (
	maxBody = 64 << 10 // bytes
	maxPage = 100      // books
)

type book struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	Year  int    `json:"year,omitzero"`
}

// validate returns the errors in b, by field.
func (b book) validate() map[string]string {
	wrong := map[string]string{}
	switch {
	case strings.TrimSpace(b.Title) == "":
		wrong["title"] = "must not be empty"
	case len(b.Title) > 200:
		wrong["title"] = "must have at most 200 bytes"
	}
	if b.Year < 0 || b.Year > 9999 {
		wrong["year"] = "must be from 0 to 9999"
	}
	return wrong
}

// handlers contains the handlers for books. The server's ErrorHandler writes
// the response for their errors.
type handlers struct{ books *store }

// register registers the routes on a Mux or a Group.
func (h handlers) register(r muxmaster.Router) {
	r.GET("/", problem.Handler(h.list))
	r.POST("/", problem.Handler(h.create))
	r.GET("/:id", problem.Handler(h.show))
	r.PUT("/:id", problem.Handler(h.replace))
	r.DELETE("/:id", problem.Handler(h.remove))
}

// list responds with at most ?limit= books after ?after=, and a link to the
// next page.
func (h handlers) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	after, err := number(q, "after", 0)
	if err != nil {
		return err
	}
	limit, err := number(q, "limit", 20)
	if err != nil {
		return err
	}
	limit = max(1, min(limit, maxPage))
	books, more := h.books.list(after, limit)
	if more {
		next := url.Values{"after": {strconv.Itoa(books[len(books)-1].ID)}, "limit": {strconv.Itoa(limit)}}
		w.Header().Set("Link", "</books?"+next.Encode()+`>; rel="next"`)
	}
	return body.WriteJSON(w, http.StatusOK, books)
}

// number returns the number in a query parameter, or missing if there is none.
func number(q url.Values, name string, missing int) (int, error) {
	if !q.Has(name) {
		return missing, nil
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < 0 {
		return 0, &problem.Error{Status: http.StatusBadRequest, Detail: "the parameter " + name + " must be a number, and not negative"}
	}
	return n, nil
}

func (h handlers) create(w http.ResponseWriter, r *http.Request) error {
	b, err := readBook(w, r)
	if err != nil {
		return err
	}
	b = h.books.add(b)
	w.Header().Set("Location", "/books/"+strconv.Itoa(b.ID))
	return body.WriteJSON(w, http.StatusCreated, b)
}

func (h handlers) show(w http.ResponseWriter, r *http.Request) error {
	id, err := muxmaster.PathParamAs[int](r, "id")
	if err != nil {
		return err // 400
	}
	b, ok := h.books.get(id)
	if !ok {
		return noBook
	}
	return body.WriteJSON(w, http.StatusOK, b)
}

func (h handlers) replace(w http.ResponseWriter, r *http.Request) error {
	id, err := muxmaster.PathParamAs[int](r, "id")
	if err != nil {
		return err
	}
	b, err := readBook(w, r)
	if err != nil {
		return err
	}
	b.ID = id
	if !h.books.replace(b) {
		return noBook
	}
	return body.WriteJSON(w, http.StatusOK, b)
}

func (h handlers) remove(w http.ResponseWriter, r *http.Request) error {
	id, err := muxmaster.PathParamAs[int](r, "id")
	if err != nil {
		return err
	}
	if !h.books.remove(id) {
		return noBook
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

var noBook = &problem.Error{Status: http.StatusNotFound, Detail: "there is no such book"}

// readBook returns the book in the body of r. Its errors describe all invalid
// fields to the client.
func readBook(w http.ResponseWriter, r *http.Request) (book, error) {
	b, err := body.ReadJSON[book](w, r, maxBody)
	if err != nil {
		return b, err // 400, 408 or 413
	}
	if wrong := b.validate(); len(wrong) > 0 {
		return b, &problem.Error{
			Status:  http.StatusUnprocessableEntity,
			Detail:  "some fields are wrong",
			Members: map[string]any{"fields": wrong},
		}
	}
	return b, nil
}
