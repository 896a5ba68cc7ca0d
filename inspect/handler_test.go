package inspect

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

func TestServeHTTP(t *testing.T) {
	m := muxmaster.New()
	m.GET("/<script/:id", func(http.ResponseWriter, *http.Request) { t.Error("a handler was called") })
	m.With(requireLogin).GET("/g", showOld)
	m.POST("/g", showOld)
	m.POST("/a\u202eb\U000e0041", showOld)
	page := Handler(m)
	for _, tt := range []struct {
		method string
		target string
		status int
		typ    string
		body   string // expected substring
	}{
		{"GET", "/r", 200, "text/html", "<title>Routes</title>"},
		{"HEAD", "/r/", 200, "text/html", ""},
		{"POST", "/r", 405, "text/plain", "Method Not Allowed"},
		{"GET", "/r/routes.json", 200, "application/json", `"Pattern":"/\u003cscript/:id"`},
		{"GET", "/r/routes.txt", 200, "text/plain", "/<script/:id  "},
		{"GET", "/r", 200, "text/html", `[{"Method":"GET","Host":"","Pattern":"/\u003cscript/:id",`},
		{"GET", "/r", 200, "text/html", "<pre>/&lt;script/:id  GET "},
		{"GET", "/r/coverage.json", 404, "text/plain", "Coverage.Page"},
		{"GET", "/r/routes.json", 200, "application/json", `"Example":"/%3Cscript/1"`},
		{"GET", "/r/routes.json", 200, "application/json", `"Guard":"inspect.requireLogin"`},
		{"GET", "/r/routes.json", 200, "application/json", `"Warning":"no authentication: GET of this path uses inspect.requireLogin"`},
		{"GET", "/r/explain.json?path=/%253Cscript/a%2520b", 200, "application/json", `"Value":"a b"`},
		{"GET", "/r/explain.json?path=none", 400, "text/plain", "inspect: explain.json needs a path"},
		{"GET", "/r/explain.json?path=/x", 200, "application/json", `"Method":"GET","Target":"/x"`},
		{"GET", "/r/explain.json?method=PUT&path=http://a.b/x%253Fy", 200, "application/json", `"Method":"PUT","Target":"http://a.b/x%3Fy"`},
		{"GET", "/r/explain.json", 400, "text/plain", "inspect: explain.json needs a path"},
		{"GET", "/r/routes.json", 200, "application/json", `"Pattern":"/a\u202eb\udb40\udc41"`},
		{"GET", "/r", 200, "text/html", `"Pattern":"/a\u202eb\udb40\udc41"`},
		{"GET", "/r", 200, "text/html", "/a\ufffdb\ufffd         POST"},
		{"GET", "/r/routes.txt", 200, "text/plain", "/a\ufffdb\ufffd  "},
		{"GET", "/r/openapi.json", 200, "application/json", `"openapi":"3.1.0"`},
	} {
		r := httptest.NewRequest(tt.method, tt.target, nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		h := w.Header()
		r.RemoteAddr = "192.0.2.1:1" // others are in TestIsLocal
		remote := httptest.NewRecorder()
		page.ServeHTTP(remote, r)
		if remote.Code != http.StatusForbidden {
			t.Errorf("%s %s of a remote client: got %d", tt.method, tt.target, remote.Code)
		}
		if w.Code != tt.status || !strings.HasPrefix(h.Get("Content-Type"), tt.typ+"; charset=utf-8") || !strings.Contains(w.Body.String(), tt.body) {
			t.Errorf("%s %s: got %d, %s:\n%.400s", tt.method, tt.target, w.Code, h.Get("Content-Type"), w.Body)
		}
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: got the header %v", tt.method, tt.target, h)
		}
		if page := tt.typ == "text/html"; page != (h.Get("Content-Security-Policy") == policy) || page != (h.Get("Referrer-Policy") == "no-referrer") {
			t.Errorf("%s %s: got the header %v", tt.method, tt.target, h)
		}
	}
}

func TestIsLocal(t *testing.T) {
	for _, tt := range []struct {
		peer, host string
		header     string
		want       bool
	}{
		{"127.0.0.1:1", "localhost:8080", "", true},
		{"127.9.9.9:1", "LOCALHOST", "", true},
		{"[::1]:1", "[::1]:8080", "", true},
		{"[::1]:1", "[::1]", "", true},
		{"[::ffff:127.0.0.1]:1", "127.0.0.1", "", true},
		{"127.0.0.1:1", "app.localhost:8080", "", true},
		{"192.0.2.1:1", "localhost", "", false},
		{"[::ffff:192.0.2.1]:1", "localhost", "", false},
		{"@", "localhost", "", false},
		{"", "localhost", "", false},
		{"127.0.0.1", "localhost", "", false}, // no port: not from net/http
		{"127.0.0.1:1", "", "", false},
		{"127.0.0.1:1", "localhost.", "", false},
		{"127.0.0.1:1", "evil.example", "", false},
		{"127.0.0.1:1", "localhost.evil.example", "", false},
		{"127.0.0.1:1", "127.0.0.1.evil.example", "", false},
		{"127.0.0.1:1", "192.0.2.1", "", false},
		{"127.0.0.1:1", "localhost", "Forwarded", false},
		{"127.0.0.1:1", "localhost", "X-Forwarded-For", false},
		{"127.0.0.1:1", "localhost", "X-Real-Ip", false},
		{"127.0.0.1:1", "localhost", "Cdn-Loop", false},
		{"127.0.0.1:1", "localhost", "Via", false},
		{"127.0.0.1:1", "localhost", "X-Forwarded-Proto", false},
		{"127.0.0.1:1", "localhost", "X-Client-Ip", false},
		{"127.0.0.1:1", "localhost", "Accept", true},
	} {
		r := &http.Request{RemoteAddr: tt.peer, Host: tt.host, Header: http.Header{}}
		if tt.header != "" {
			r.Header.Set(tt.header, "127.0.0.1")
		}
		if got := isLocal(r); got != tt.want {
			t.Errorf("%q asks %q with %q: got %v, want %v", tt.peer, tt.host, tt.header, got, tt.want)
		}
		r.ProtoMajor, r.ProtoMinor = 1, 0 // as nginx asks
		if isLocal(r) {
			t.Errorf("%q asks %q with %q and HTTP/1.0: local", tt.peer, tt.host, tt.header)
		}
	}
}
