package debugpage

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServeHTTP(t *testing.T) {
	source := &Source{
		Routes:  func() []Route { return []Route{{Pattern: "/<script>", Example: "/a&b"}} },
		Explain: func(method, target string) any { return []string{method, target} },
		OpenAPI: func() (any, error) { return map[string]string{"openapi": "3.1.0"}, nil },
	}
	broken := &Source{
		Explain: func(method, target string) any { return func() {} },
		OpenAPI: func() (any, error) { return nil, errors.New("broken") },
	}
	for _, tt := range []struct {
		source *Source
		method string
		target string
		status int
		typ    string
		body   string // expected substring
	}{
		{source, "GET", "/r", 200, "text/html", "<title>Routes</title>"},
		{source, "HEAD", "/r/", 200, "text/html", ""},
		{source, "POST", "/r", 405, "text/plain", "Method Not Allowed"},
		{source, "GET", "/r/routes.json", 200, "application/json", `"Pattern":"/\u003cscript\u003e"`},
		{source, "GET", "/r/routes.json", 200, "application/json", `"Example":"/a\u0026b"`},
		{source, "GET", "/r/explain.json?path=/x", 200, "application/json", `["GET","/x"]`},
		{source, "GET", "/r/explain.json?method=PUT&path=http://a.b/x%253Fy", 200, "application/json", `["PUT","http://a.b/x%3Fy"]`},
		{source, "GET", "/r/explain.json", 400, "text/plain", "muxmaster: explain.json needs a path"},
		{source, "GET", "/r/openapi.json", 200, "application/json", `{"openapi":"3.1.0"}`},
		{broken, "GET", "/r/openapi.json", 500, "text/plain", "cannot be made"},
		{broken, "GET", "/r/explain.json?path=/", 500, "text/plain", "unsupported type"},
	} {
		r := httptest.NewRequest(tt.method, tt.target, nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		w := httptest.NewRecorder()
		tt.source.ServeHTTP(w, r)
		h := w.Header()
		if w.Code != tt.status || !strings.HasPrefix(h.Get("Content-Type"), tt.typ+"; charset=utf-8") || !strings.Contains(w.Body.String(), tt.body) {
			t.Errorf("%s %s: got %d, %s:\n%.200s", tt.method, tt.target, w.Code, h.Get("Content-Type"), w.Body)
		}
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: got the header %v", tt.method, tt.target, h)
		}
		if page := tt.typ == "text/html"; page != (h.Get("Content-Security-Policy") == policy) || page != (h.Get("Referrer-Policy") == "no-referrer") {
			t.Errorf("%s %s: got the header %v", tt.method, tt.target, h)
		}
	}
}

func TestOtherClientsAreRejected(t *testing.T) {
	called := func() []Route { t.Error("the routes were asked for"); return nil }
	for name, source := range map[string]*Source{
		"not local":   {Routes: called},
		"not allowed": {Routes: called, Allow: func(*http.Request) bool { return false }},
	} {
		w := httptest.NewRecorder()
		source.ServeHTTP(w, httptest.NewRequest("GET", "/r/routes.json", nil))
		if w.Code != 403 {
			t.Errorf("%s: got %d, want 403", name, w.Code)
		}
	}
}

func TestLocal(t *testing.T) {
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
		{"127.0.0.1:1", "localhost", "Via", false},
		{"127.0.0.1:1", "localhost", "X-Forwarded-Proto", false},
		{"127.0.0.1:1", "localhost", "X-Client-Ip", false},
		{"127.0.0.1:1", "localhost", "Accept", true},
	} {
		r := &http.Request{RemoteAddr: tt.peer, Host: tt.host, Header: http.Header{}}
		if tt.header != "" {
			r.Header.Set(tt.header, "127.0.0.1")
		}
		if got := Local(r); got != tt.want {
			t.Errorf("%q asks %q with %q: got %v, want %v", tt.peer, tt.host, tt.header, got, tt.want)
		}
		r.ProtoMajor, r.ProtoMinor = 1, 0 // as nginx asks
		if Local(r) {
			t.Errorf("%q asks %q with %q and HTTP/1.0: local", tt.peer, tt.host, tt.header)
		}
	}
}
