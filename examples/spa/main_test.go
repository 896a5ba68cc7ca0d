package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRoutes(t *testing.T) {
	srv := httptest.NewServer(newMux(newCounter()))
	defer srv.Close()
	for _, c := range []struct{ method, path, accept, want string }{ // want: status, type and part of the body
		{"GET", "/", "text/html", "200 text/html; charset=utf-8 <title>Counter"},
		{"GET", "/about", "text/html", "200 text/html; charset=utf-8 <title>Counter"},
		{"GET", "/app.js", "*/*", "200 text/javascript; charset=utf-8 EventSource"},
		{"GET", "/missing.js", "*/*", "404 text/plain; charset=utf-8 not found"},
		{"GET", "/api/none", "text/html", "404 text/plain; charset=utf-8 not found"}, // not a page
		{"POST", "/about", "text/html", "405 text/plain; charset=utf-8 Method"},
		{"GET", "/api/count", "*/*", "200 application/json 0"},
		{"POST", "/api/count", "*/*", "200 application/json 1"},
		{"GET", "/api/count", "*/*", "200 application/json 1"},
	} {
		req, err := http.NewRequest(c.method, srv.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", c.accept)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Content-Type"), " ")
		part, ok := strings.CutPrefix(c.want, head)
		if !ok || !strings.Contains(string(body), part) {
			t.Errorf("%s %s: got %s%.60s, want %s", c.method, c.path, head, body, c.want)
		}
	}
}

// TestCrossOrigin checks that pages of other sites can't change the counter.
func TestCrossOrigin(t *testing.T) {
	r := httptest.NewRequest("POST", "/api/count", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	newMux(newCounter()).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("got %d, want 403", w.Code)
	}
}

func TestEvents(t *testing.T) {
	c := newCounter()
	srv := httptest.NewServer(newMux(c))
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() // ends the stream, so that srv can close
	lines := bufio.NewScanner(resp.Body)
	for want := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprint("data: ", want) {
			t.Fatalf("got %q (%v), want %d", lines.Text(), lines.Err(), want)
		}
		lines.Scan() // the empty line
		c.add(1)
	}
}
