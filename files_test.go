package muxmaster_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

var files = fstest.MapFS{
	"a.txt":            {Data: []byte("text of a")},
	"dir/b.txt":        {Data: []byte("text of b")},
	"dir/index.html":   {Data: []byte("index")},
	"with space.txt":   {Data: []byte("space")},
	"list/one.txt":     {Data: []byte("1")},
	"50%.txt":          {Data: []byte("percent")},
	"empty.d/x/.hide":  {Data: []byte("hidden")},
	"dir/sub/deep.css": {Data: []byte("css")},
}

func TestServeFiles(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.ServeFiles("/star/*filepath", files)
		m.ServeFiles("/rest/{path...}", files)
		m.Group("/g/:v").ServeFiles("/*f", files)
		for _, prefix := range []string{"/star", "/rest", "/g/1"} {
			for _, c := range []struct{ method, path, want string }{
				{"GET", "/a.txt", "text of a"},
				{"HEAD", "/a.txt", ""},
				{"GET", "/dir/b.txt", "text of b"},
				{"GET", "/dir/", "index"},
				{"GET", "/dir", "301 dir/"},
				{"GET", "/dir/index.html", "301 ./"},
				{"GET", "/with%20space.txt", "space"},
				{"GET", "/50%25.txt", "percent"},
				{"GET", "/none", "404"},
				{"GET", "/dir/../a.txt", "307 " + prefix + "/a.txt"},
				{"GET", "/dir/%2e%2e/a.txt", "307 " + prefix + "/a.txt"},
				{"GET", "/..%2fa.txt", "404"},
				{"GET", "/dir%2f..%2fa.txt", "404"},
				{"GET", "/..%2f..%2fmount_test.go", "no"},
				{"GET", "/dir%2f..%2f..%2f..%2fgo.mod", "no"},
				{"GET", "/dir%2Fb.txt", "404"},
				{"GET", "/%00", "404"},
				{"GET", "/dir%5Cb.txt", "404"},
				{"GET", "/list/", "404"},
				{"POST", "/a.txt", "405 GET, HEAD, OPTIONS"},
			} {
				got := ask(m, request(t, c.method, prefix+c.path))
				switch {
				case c.want == "no" && got.status >= 400 && got.status < 600:
				case c.want == "no" || got.brief() != c.want:
					t.Errorf("%s: %s %s%s: got %s, want %s", mode.name, c.method, prefix, c.path, got.brief(), c.want)
				}
			}
		}
	}
	for _, c := range []struct {
		path string
		fsys fs.FS
	}{{"/x", files}, {"/x/", files}, {"/x/:f", files}, {"x/*f", files}, {"/x/*f", nil}} {
		m := muxmaster.New()
		if got := panics(func() { m.ServeFiles(c.path, c.fsys) }); !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, c.path) {
			t.Errorf("ServeFiles(%q): panicked with %q", c.path, got)
		}
	}
}

// TestGuardOfFiles checks which ways to write the path of a guarded file reach
// it beside the guard, which is a Group at /admin. None does with ServeFiles, or
// if the guard is around the whole file server. An http.FileServer at / gets the
// paths of the last row, because they aren't below /admin/.
func TestGuardOfFiles(t *testing.T) {
	fsys := fstest.MapFS{"public/a": {Data: []byte("public")}, "admin/x": {Data: []byte("secret")}}
	guard := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) })
	}
	server := http.FileServerFS(fsys)
	muxes := map[string]func(*muxmaster.Mux){
		"ServeFiles":  func(m *muxmaster.Mux) { m.ServeFiles("/*path", fsys) },
		"ServeSPA":    func(m *muxmaster.Mux) { m.ServeSPA("/", fstest.MapFS{"index.html": {}, "admin/x": fsys["admin/x"]}) },
		"Handle":      func(m *muxmaster.Mux) { m.Handle("/", server) },
		"Handle rest": func(m *muxmaster.Mux) { m.Handle("/{path...}", server) },
		"Mount":       func(m *muxmaster.Mux) { m.Mount("/", server) },
		"guarded":     func(m *muxmaster.Mux) { m.Handle("/", guard(server)) },
	}
	for _, c := range []struct {
		targets []string
		served  bool // by an http.FileServer
	}{
		{[]string{"/admin/x", "//admin/x", "/public/../admin/x", "/public/%2e%2e/admin/x", "/admin/./x", "/admin//x", "/%61dmin/x"}, false},
		{[]string{"/public%2F../admin/x", "/public%2F..%2Fadmin/x", "/public/..%2Fadmin/x", "/public%2f%2e%2e%2fadmin%2fx", "/.%2Fadmin/x", "/admin%2F.%2Fx"}, false},
		{[]string{"CONNECT /public/../admin/x", "CONNECT /./admin/x", "CONNECT /public/..%2Fadmin/x", "CONNECT /admin/../admin/x"}, false},
		{[]string{"/admin%2Fx", "/%2Fadmin/x", "CONNECT //admin/x"}, true},
	} {
		for name, register := range muxes {
			m := muxmaster.New()
			register(m)
			g := m.Group("/admin")
			g.Use(guard)
			g.Handle("/", tell("guarded"))
			for _, target := range c.targets {
				method, path, ok := strings.Cut(target, " ")
				if !ok {
					method, path = "GET", target
				}
				got := strings.Contains(ask(m, request(t, method, path)).body, "secret")
				if want := c.served && (name == "Handle" || name == "Handle rest" || name == "Mount"); got != want {
					t.Errorf("%s: %s: served beside the guard: %v, want %v", name, target, got, want)
				}
			}
		}
	}
}

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
	if text := panics(func() { m.ServeSPA("/taken", app) }); !strings.Contains(text, `"GET /taken"`) || !strings.Contains(text, "files_test.go") {
		t.Errorf("ServeSPA beside a route: panicked with %q", text)
	}
	if got := get(t, m, "GET", "/taken/x"); got != "404" {
		t.Errorf("it is half registered: got %s", got)
	}
	if text := panics(func() { m.ServeSPA("/x", nil) }); !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, `"/x"`) {
		t.Errorf("ServeSPA with nil: panicked with %q", text)
	}
}
