package muxmaster_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// app is a built single-page application.
var app = fstest.MapFS{
	"index.html":                    {Data: []byte("<!doctype html>index"), ModTime: appTime},
	"a.txt":                         {Data: []byte("text of a"), ModTime: appTime},
	"app.3f2a9c1b.js":               {Data: []byte("js")},
	"assets/index-BkZ3x9Qd.js":      {Data: []byte("vite js")},
	"assets/style.0a1b2c3d4e5f.css": {Data: []byte("css")},
	"assets/logo.svg":               {Data: []byte("<svg/>")},
	"assets/data.json":              {Data: []byte("{}")},
	"assets/mod.wasm":               {Data: []byte("\x00asm")},
	"docs/index.html":               {Data: []byte("docs index")},
	"docs/page.html":                {Data: []byte("docs page")},
	"robots.txt":                    {Data: []byte("robots")},
	"list/only.txt":                 {Data: []byte("1")},
}

var appTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// asset asks for a target with an Accept header.
func asset(t testing.TB, h http.Handler, method, target, accept string) *httptest.ResponseRecorder {
	t.Helper()
	r := request(t, method, target)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

func TestServeSPA(t *testing.T) {
	for _, prefix := range []string{"/", "/ui", "/ui/", "/t/:tenant"} {
		m := muxmaster.New()
		m.ServeSPA(prefix, app)
		base := strings.TrimSuffix(strings.Replace(prefix, ":tenant", "x", 1), "/")
		for _, c := range []struct {
			method, path, accept string
			status               int
			body                 string
		}{
			{"GET", "/", browser, 200, "<!doctype html>index"},
			{"GET", "/", "*/*", 200, "<!doctype html>index"},
			{"GET", "/a.txt", "", 200, "text of a"},
			{"GET", "/a.txt?v=1", browser, 200, "text of a"},
			{"GET", "/app.3f2a9c1b.js", "*/*", 200, "js"},
			{"GET", "/assets/logo.svg", "image/*", 200, "<svg/>"},
			{"GET", "/robots.txt", "", 200, "robots"},
			{"GET", "/docs/page.html", browser, 200, "docs page"},
			// What the application's own router shows.
			{"GET", "/users/5", browser, 200, "<!doctype html>index"},
			{"GET", "/users/5?tab=x", browser, 200, "<!doctype html>index"},
			{"GET", "/users", "text/html", 200, "<!doctype html>index"},
			{"GET", "/deep/er/path/", browser, 200, "<!doctype html>index"},
			{"GET", "/users/jane@example.com", browser, 200, "<!doctype html>index"},
			{"HEAD", "/users/5", browser, 200, ""},
			{"HEAD", "/a.txt", "", 200, ""},
			// A missing asset is missing.
			{"GET", "/app.00000000.js", "*/*", 404, ""},
			{"GET", "/assets/none.css", "text/css,*/*;q=0.1", 404, ""},
			{"GET", "/none.png", "image/avif,image/webp,*/*", 404, ""},
			{"GET", "/users/5", "application/json", 404, ""},
			{"GET", "/users/5", "", 404, ""},
			{"GET", "/users/5", "*/*", 404, ""},
			{"HEAD", "/none.js", "*/*", 404, ""},
			// Not read, not listed.
			{"POST", "/users/5", browser, 405, ""},
			{"DELETE", "/a.txt", "", 405, ""},
			{"GET", "/list/", "*/*", 404, ""},
			{"GET", "/list", "*/*", 404, ""},
			{"GET", "/assets/", "*/*", 404, ""},
			{"GET", "/assets%2Flogo.svg", "image/*", 404, ""},
			{"GET", "/assets%5Clogo.svg", "image/*", 404, ""},
			{"GET", "/a.txt%00", "", 404, ""},
			{"GET", "/%FF", "*/*", 404, ""},
			{"GET", "/..%2f..%2fetc%2fpasswd", "*/*", 404, ""},
		} {
			w := asset(t, m, c.method, base+c.path, c.accept)
			if w.Code != c.status || c.status == 200 && w.Body.String() != c.body {
				t.Errorf("%s: %s %s%s, Accept %q: got %d %q, want %d %q", prefix, c.method, base, c.path, c.accept, w.Code, w.Body, c.status, c.body)
			}
			if strings.Contains(w.Body.String(), "only.txt") || strings.Contains(w.Body.String(), "passwd") {
				t.Errorf("%s: %s%s: lists or reads too much: %q", prefix, base, c.path, w.Body)
			}
		}
		// The bare prefix is the application too, without a redirect, or leads
		// to it.
		if base != "" {
			w := asset(t, m, "GET", base, browser)
			if l := w.Header().Get("Location"); w.Code != 200 && l != base+"/" {
				t.Errorf("%s: got %d %q", prefix, w.Code, l)
			}
		}
	}
}

func TestServeSPAHeaders(t *testing.T) {
	m := muxmaster.New()
	m.ServeSPA("/", app)
	const forever, revalidate = "immutable", "no-cache"
	for _, c := range []struct{ target, accept, contentType, cache string }{
		{"/", browser, "text/html; charset=utf-8", revalidate},
		{"/index.html", browser, "text/html; charset=utf-8", revalidate},
		{"/users/5", browser, "text/html; charset=utf-8", revalidate},
		{"/app.3f2a9c1b.js", "*/*", "text/javascript; charset=utf-8", forever},
		{"/assets/index-BkZ3x9Qd.js", "*/*", "text/javascript; charset=utf-8", forever},
		{"/assets/style.0a1b2c3d4e5f.css", "*/*", "text/css; charset=utf-8", forever},
		{"/assets/logo.svg", "*/*", "image/svg+xml", ""},
		{"/assets/data.json", "*/*", "application/json", ""},
		{"/assets/mod.wasm", "*/*", "application/wasm", ""},
		{"/a.txt", "*/*", "text/plain; charset=utf-8", ""},
		{"/robots.txt", "*/*", "text/plain; charset=utf-8", ""},
	} {
		w := asset(t, m, "GET", c.target, c.accept)
		h := w.Header()
		if c.target == "/index.html" && w.Code/100 == 3 && strings.HasSuffix(h.Get("Location"), "./") {
			continue // as the file server of net/http says it
		}
		if w.Code != 200 || h.Get("Content-Type") != c.contentType {
			t.Errorf("%s: got %d %q, want %q", c.target, w.Code, h.Get("Content-Type"), c.contentType)
		}
		cache := h.Get("Cache-Control")
		switch {
		case c.cache == forever && (!strings.Contains(cache, "immutable") || !strings.Contains(cache, "max-age=31536000")):
			t.Errorf("%s: Cache-Control %q, want a year and immutable", c.target, cache)
		case c.cache == revalidate && cache != "no-cache":
			t.Errorf("%s: Cache-Control %q, want no-cache", c.target, cache)
		case c.cache == "" && strings.Contains(cache, "immutable"):
			t.Errorf("%s: Cache-Control %q of a name without a fingerprint", c.target, cache)
		}
		// Embedded files have no time, so an ETag tells whether they changed.
		tag, modified := h.Get("ETag"), h.Get("Last-Modified")
		if tag == "" && modified == "" {
			t.Errorf("%s: neither ETag nor Last-Modified", c.target)
		}
		again := request(t, "GET", c.target)
		again.Header.Set("Accept", c.accept)
		if tag != "" {
			again.Header.Set("If-None-Match", tag)
		} else {
			again.Header.Set("If-Modified-Since", modified)
		}
		w = httptest.NewRecorder()
		m.ServeHTTP(w, again)
		if w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("%s: asked again: got %d %q, want 304", c.target, w.Code, w.Body)
		}
	}
	// A 404 is not kept for a year.
	if cache := asset(t, m, "GET", "/app.00000000.js", "*/*").Header().Get("Cache-Control"); strings.Contains(cache, "immutable") {
		t.Errorf("a missing asset: Cache-Control %q", cache)
	}
	// A range of a file.
	r := request(t, "GET", "/a.txt")
	r.Header.Set("Range", "bytes=0-3")
	w := httptest.NewRecorder()
	if m.ServeHTTP(w, r); w.Code != http.StatusPartialContent || w.Body.String() != "text" {
		t.Errorf("a range: got %d %q", w.Code, w.Body)
	}
}

// A response that depends on Accept has a Vary header, for caches.
func TestServeSPAVaries(t *testing.T) {
	m := muxmaster.New()
	m.ServeSPA("/", app)
	for _, accept := range []string{browser, "application/json"} {
		w := asset(t, m, "GET", "/users/5", accept)
		if !strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Accept") {
			t.Errorf("Accept %q: %d with Vary %q", accept, w.Code, w.Header().Values("Vary"))
		}
	}
}

// Everything more specific wins: routes, mounts, Groups.
func TestServeSPABesideRoutes(t *testing.T) {
	m := tagged("m")
	m.ServeSPA("/", app)
	sub := tagged("s")
	add(sub, "GET /x")
	add(m, "Handle /api/|POST /form|GET /users/:id|Mount /debug/pprof/")
	m.Mount("/v2", sub)
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/api/x", "m Handle /api/"},
		{"GET", "/debug/pprof/heap", "m Mount /debug/pprof/"},
		{"GET", "/debug/pprof", "m Mount /debug/pprof/"},
		{"GET", "/users/5", "m GET /users/:id"},
		{"POST", "/form", "m POST /form"},
		{"GET", "/v2/x", "m s GET /x"},
		{"GET", "/v2/none", "m s s 404"},
		{"GET", "/v2", "m s s 404"},
		{"POST", "/v2/x", "m s s 405 GET, HEAD, OPTIONS"},
		{"POST", "/none", "m m 405 GET, HEAD, OPTIONS"},
		{"GET", "/a.txt", "m text of a"},
	} {
		r := request(t, c.method, c.target)
		r.Header.Set("Accept", browser)
		if got := ask(m, r).body; got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
	}
	if w := asset(t, m, "GET", "/other/page", browser); !strings.HasSuffix(w.Body.String(), "index") {
		t.Errorf("/other/page: got %q", w.Body)
	}
	// A missing asset is the Mux's 404.
	if got := asset(t, m, "GET", "/none.js", "*/*"); got.Code != 200 && !strings.Contains(got.Body.String(), "404") {
		t.Errorf("/none.js: got %d %q", got.Code, got.Body)
	}
}

func TestBadServeSPA(t *testing.T) {
	for _, c := range []struct {
		path string
		fsys fstest.MapFS
	}{
		{"x", app}, {"/x/*rest", app}, {"/x/{rest...}", app}, {"/{$}", app}, {"GET /x", app},
		{"/none", fstest.MapFS{"a.txt": {Data: []byte("no index.html")}}},
	} {
		m := muxmaster.New()
		if text := panics(func() { m.ServeSPA(c.path, c.fsys) }); !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, c.path) {
			t.Errorf("ServeSPA(%q): panicked with %q", c.path, text)
		}
	}
	m := muxmaster.New()
	m.GET("/taken", tell("taken"))
	if text := panics(func() { m.ServeSPA("/taken", app) }); !strings.Contains(text, `"GET /taken"`) || !strings.Contains(text, "spa_test.go") {
		t.Errorf("ServeSPA beside a route: panicked with %q", text)
	}
	if got := get(t, m, "GET", "/taken/x"); got != "404" {
		t.Errorf("it is half registered: got %s", got)
	}
	if text := panics(func() { m.ServeSPA("/x", nil) }); !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, `"/x"`) {
		t.Errorf("ServeSPA with nil: panicked with %q", text)
	}
}
