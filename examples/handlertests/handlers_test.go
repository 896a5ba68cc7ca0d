package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// TestHandler tests a handler without a router and a server. SetPathValue sets
// the path values.
func TestHandler(t *testing.T) {
	for _, c := range []struct {
		degrees string
		status  int // of the error, or 0
		want    string
	}{
		{"0", 0, `{"fahrenheit":32}`},
		{"-40", 0, `{"fahrenheit":-40}`},
		{"100", 0, `{"fahrenheit":212}`},
		{"hot", 400, ""},
		{"-300", 422, ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetPathValue("degrees", c.degrees)
		w := httptest.NewRecorder()
		err := toFahrenheit(w, r)
		if err != nil {
			if got := problem.Status(err); got != c.status {
				t.Errorf("%s: got status %d (%v), want %d", c.degrees, got, err, c.status)
			}
			continue
		}
		if got := strings.TrimSpace(w.Body.String()); got != c.want || c.status != 0 {
			t.Errorf("%s: got %s, want %s", c.degrees, got, c.want)
		}
	}
}

// TestRoutes tests the routing without a connection. The Mux is an
// http.Handler.
func TestRoutes(t *testing.T) {
	mux := newMux()
	for _, c := range []struct {
		method, target string
		status         int
	}{
		{"GET", "/celsius/20", 200},
		{"HEAD", "/celsius/20", 200},
		{"GET", "/celsius/hot", 400},
		{"POST", "/celsius/20", 405},
		{"GET", "/celsius/", 404},
		{"GET", "/celsius/20/", 307},
		{"GET", "/kelvin/20", 404},
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(c.method, c.target, nil))
		if w.Code != c.status {
			t.Errorf("%s %s: got %d, want %d", c.method, c.target, w.Code, c.status)
		}
	}
}

// TestExplain tests which route serves a request, without calling the handler.
func TestExplain(t *testing.T) {
	if e := newMux().Explain("GET", "/celsius/20"); e.Route == nil || e.Route.Pattern != "/celsius/:degrees" {
		t.Errorf("got\n%v", e)
	}
}

// TestServer uses a server and a client, for behavior that needs a connection.
func TestServer(t *testing.T) {
	srv := httptest.NewServer(newMux())
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL + "/celsius/20")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || string(body) != `{"fahrenheit":68}` {
		t.Errorf("got %d %s, %v", resp.StatusCode, body, err)
	}
}
