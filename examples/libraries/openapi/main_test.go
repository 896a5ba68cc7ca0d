package main

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTasks(t *testing.T) {
	mux := newMux()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // a part of the body
	}{
		{"POST", "/api/tasks", `{"text":"wash up"}`, 200, `"id":1,"text":"wash up"`},
		{"GET", "/api/tasks/1", "", 200, `"text":"wash up"`},
		{"GET", "/api/tasks", "", 200, `[{"id":1,"text":"wash up"}]`},
		{"GET", "/api/tasks/2", "", 404, `there is no such task`},
		{"GET", "/api/tasks/0", "", 422, `"location":"path.id"`},
		{"POST", "/api/tasks", `{"text":""}`, 422, `"location":"body.text"`},
		{"GET", "/api/openapi.json", "", 200, `"/tasks/{id}"`},
		{"GET", "/api/docs", "", 200, `openapi`},
		{"GET", "/tasks", "", 404, ``},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: got %d %.300s, want %d %s", c.method, c.path, w.Code, w.Body, c.status, c.want)
		}
	}
}
