package middleware_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// TestStripSlashesAndRoutesThatEndInASlash checks the responses to a client
// that follows redirects, with StripSlashes around routers that have routes
// with a trailing slash.
func TestStripSlashesAndRoutesThatEndInASlash(t *testing.T) {
	shows := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Pattern+" "+r.URL.Path) }
	files := fstest.MapFS{"dir/index.html": {Data: []byte("index")}, "dir/a.txt": {Data: []byte("a")}, "a.txt": {Data: []byte("a")}}
	ours := func(redirects bool) http.Handler {
		mux := muxmaster.New()
		mux.RedirectTrailingSlash = redirects
		mux.Pre(middleware.StripSlashes)
		mux.HandleFunc("/docs/", shows)
		mux.GET("/x/", shows)
		mux.GET("/plain", shows)
		mux.GET("/both", shows)
		mux.GET("/both/", shows)
		mux.GET("/tail/*rest", shows)
		mux.ServeFiles("/files/*rest", files)
		mux.Group("/group").GET("/", shows)
		mux.Mount("/mounted", muxmaster.New())
		return mux
	}
	std := http.NewServeMux()
	std.HandleFunc("/docs/", shows)
	std.HandleFunc("GET /x/{$}", shows)
	std.HandleFunc("GET /plain", shows)
	std.HandleFunc("GET /tail/{rest...}", shows)
	std.Handle("GET /files/", http.StripPrefix("/files", http.FileServerFS(files)))
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "dir"), 0o777), os.WriteFile(filepath.Join(dir, "dir", "index.html"), []byte("index"), 0o666)); err != nil {
		t.Fatal(err)
	}
	std.Handle("GET /disk/", http.StripPrefix("/disk", http.FileServer(http.Dir(dir))))

	for _, router := range []struct {
		name string
		h    http.Handler
		rows [][2]string // path, response
	}{
		{"with redirects", ours(true), [][2]string{
			{"/docs/", "/docs/ /docs/"}, {"/docs", "/docs/ /docs/"}, {"/docs/a/", "/docs/ /docs/a"}, {"/docs//", "/docs/ /docs/"},
			{"/x/", "GET /x/ /x/"}, {"/x", "GET /x/ /x/"}, {"/x/?q=1", "GET /x/ /x/"},
			{"/plain", "GET /plain /plain"}, {"/plain/", "GET /plain /plain"}, {"/plain//", "GET /plain /plain"},
			{"/both/", "GET /both /both"}, {"/tail/", "GET /tail/*rest /tail/"}, {"/tail/a/", "GET /tail/*rest /tail/a"},
			{"/tail/a%2F/", "GET /tail/*rest /tail/a/"},
			{"/files/dir/", "index"}, {"/files/a.txt/", "a"}, {"/files/dir/a.txt/", "a"},
			{"/nothing/", "404 page not found\n"},
		}},
		{"without redirects", ours(false), [][2]string{
			{"/docs/", "/docs/ /docs/"}, {"/docs/a/", "/docs/ /docs/a"}, {"/plain/", "GET /plain /plain"}, {"/tail/a/", "GET /tail/*rest /tail/a"},
			{"/files/dir/", "index"}, {"/files/a.txt/", "a"},
		}},
		{"http.ServeMux", middleware.StripSlashes(std), [][2]string{
			{"/docs/", "/docs/ /docs/"}, {"/docs", "/docs/ /docs/"}, {"/docs/a/", "/docs/ /docs/a"}, {"/plain/", "GET /plain /plain"},
			{"/tail/", "GET /tail/{rest...} /tail/"}, {"/files/dir/", "index"}, {"/files/a.txt/", "a"}, {"/disk/dir/", "index"},
		}},
	} {
		srv := httptest.NewServer(router.h)
		for _, row := range router.rows {
			if _, body, _ := fetch(t, srv.Client(), request(t, srv.URL+row[0])); body != row[1] {
				t.Errorf("%s: %s: %q, want %q", router.name, row[0], body, row[1])
			}
		}
		// No path may cause a redirect loop.
		for _, path := range []string{"/docs/", "/docs", "/x/", "/x", "/tail/", "/tail", "/files/", "/files", "/files/dir/", "/files/dir", "/group/", "/group", "/mounted/", "/mounted/x/", "//docs//", "/docs/./"} {
			fetch(t, srv.Client(), request(t, srv.URL+path))
		}
		srv.Close()
	}
}

// TestStripSlashesReplacesOnlyLoopingRedirects checks that StripSlashes
// replaces only a redirect back to the requested path. In all other cases, the
// handler runs once.
func TestStripSlashesReplacesOnlyLoopingRedirects(t *testing.T) {
	for _, tt := range []struct {
		name     string
		target   string
		code     int
		location string
		cookie   bool
		runs     int
	}{
		{"back", "/x/", 301, "/x/", false, 2},
		{"back, temporarily", "/x/?q=1", 307, "/x/?q=1", false, 2},
		{"back, relatively", "/a/x/", 301, "x/", false, 2},
		{"back, escaped in another way", "/a%2fb|/", 308, "/a%2Fb%7C/", false, 2},
		{"back with a fragment", "/x/", 308, "/x/#top", false, 2},
		{"after a change", "/x/", 303, "/x/", false, 1},
		{"found", "/x/", 302, "/x/", false, 1},
		{"with a cookie", "/x/", 307, "/x/", true, 1},
		{"with another query", "/x/", 307, "/x/?page=1", false, 1},
		{"without the query", "/x/?q=1", 307, "/x/", false, 1},
		{"to https", "/x/", 301, "https://example.com/x/", false, 1},
		{"to another host", "/x/", 301, "//example.com/x/", false, 1},
		{"to another path", "/x/", 301, "/y/", false, 1},
		{"to another case", "/x/", 301, "/X/", false, 1},
		{"to a decoded slash", "/a%2Fb/", 301, "/a/b/", false, 1},
		{"to no URL", "/x/", 301, "%zz/x/", false, 1},
		{"to a scheme alone", "/x/", 301, "https:/x/", false, 1},
		{"to nowhere", "/x/", 301, "", false, 1},
		{"not a redirect", "/x/", 200, "/x/", false, 1},
		{"no slash to strip", "/x", 301, "/x/", false, 1},
		{"no slash to strip, back", "/x%2F", 301, "/x%2F", false, 1},
	} {
		runs, seen := 0, ""
		h := middleware.SetHeader("X-Outer", "1")(middleware.StripSlashes(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			runs++
			if runs == 2 {
				seen = r.URL.Path
				if w.Header().Get("Location") != "" || w.Header().Get("X-First") != "" || w.Header().Get("X-Outer") != "1" || r.Pattern != "" {
					t.Errorf("%s: the second run sees headers %v of the first, pattern %q", tt.name, w.Header(), r.Pattern)
				}
				io.WriteString(w, "second")
				return
			}
			r.Pattern = "/first"
			w.Header().Set("Location", tt.location)
			w.Header().Set("X-First", "1")
			if tt.cookie {
				http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			}
			w.WriteHeader(tt.code)
			io.WriteString(w, "first")
			http.NewResponseController(w).Flush()
		})))
		r := withURL(t, tt.target)
		w := serve(h, r)
		want := "first"
		if tt.runs == 2 {
			want = "second"
			if seen != r.URL.Path || seen[len(seen)-1] != '/' {
				t.Errorf("%s: the second run sees %q", tt.name, seen)
			}
		}
		if runs != tt.runs || w.Body.String() != want {
			t.Errorf("%s: %d runs, response %d %q, want %d runs", tt.name, runs, w.Code, w.Body, tt.runs)
		}
	}
}

// TestStripSlashesThatDiscards checks what is sent after a redirect that
// StripSlashes discards, if the handler panics, or always redirects.
func TestStripSlashesThatDiscards(t *testing.T) {
	for _, tt := range []struct {
		then     func()
		code     int
		location string
	}{{func() { panic("failed") }, 500, ""}, {func() {}, 308, "/x/"}} {
		h := chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/x/", http.StatusPermanentRedirect)
			tt.then()
		}), silent, middleware.RecovererWithLogger(slog.New(slog.DiscardHandler)), middleware.StripSlashes)
		if w := serve(h, get("/x/")); w.Code != tt.code || w.Header().Get("Location") != tt.location {
			t.Errorf("got %d, Location %q; want %d, %q", w.Code, w.Header().Get("Location"), tt.code, tt.location)
		}
	}
}

// TestStripSlashesAndIdempotencyKey checks that a request which is served twice
// has its body, and its key, both times.
func TestStripSlashesAndIdempotencyKey(t *testing.T) {
	mux := muxmaster.New()
	mux.Pre(middleware.StripSlashes)
	mux.Use(middleware.Timeout(time.Hour), idempotent(middleware.Idempotency{})) // Timeout copies the request
	mux.POST("/x/", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	if w := serve(mux, keyed("/x/", "a", "body")); w.Code != 200 || w.Body.String() != "body" {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
}
