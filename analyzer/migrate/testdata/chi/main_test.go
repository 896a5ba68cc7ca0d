package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"
)

func TestArticles(t *testing.T) {
	r := chi.NewRouter()
	r.Route("/articles", articles)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/articles/7/view", nil))
	if w.Code != http.StatusOK {
		t.Errorf("got %d", w.Code)
	}
}
