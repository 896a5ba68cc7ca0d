package files

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// compressed has files with compressed siblings, whose content is only text.
func compressed() fstest.MapFS {
	return fstest.MapFS{
		"index.html":    {Data: []byte("<p>index")},
		"index.html.br": {Data: []byte("br of index")},
		"app.js":        {Data: []byte("js")},
		"app.js.gz":     {Data: []byte("gzip of js")},
		"app.js.br":     {Data: []byte("br of js")},
		"app.js.zst":    {Data: []byte("zstd of js")},
		"only.css":      {Data: []byte("css")},
		"only.css.gz":   {Data: []byte("gzip of css")},
		"plain.css":     {Data: []byte("css")},
		"unknown":       {Data: []byte("<!doctype html>")},
		"unknown.gz":    {Data: []byte("gzip of unknown")},
		"logo.svg":      {Data: []byte("<svg/>")},
		"logo.svg.br":   {Data: []byte("br of svg")},
		"photo.png":     {Data: []byte("png")},
		"photo.png.gz":  {Data: []byte("gzip of png")},
		"dir.js":        {Data: []byte("js")},
		"dir.js.br/x":   {Data: []byte("the sibling is a directory")},
		"font.woff2":    {Data: []byte("woff")},
		"font.woff2.br": {Data: []byte("br of woff")},
		"font.ttf":      {Data: []byte("ttf")},
		"font.ttf.br":   {Data: []byte("br of ttf")},
		"film.mp4":      {Data: []byte("mp4")},
		"film.mp4.br":   {Data: []byte("br of mp4")},
		"mod.wasm":      {Data: []byte("\x00asm")},
		"mod.wasm.zst":  {Data: []byte("zstd of wasm")},
	}
}

func TestStoreSendsSiblings(t *testing.T) {
	const all, js = "gzip, deflate, br, zstd", "text/javascript; charset=utf-8"
	for _, c := range []struct {
		name, accept               string
		body, coding, vary, ofType string
	}{
		{"app.js", all, "br of js", "br", "Accept-Encoding", js},
		{"app.js", "gzip, zstd", "zstd of js", "zstd", "Accept-Encoding", js},
		{"app.js", "gzip", "gzip of js", "gzip", "Accept-Encoding", js},
		{"app.js", "br;q=0.5, gzip", "gzip of js", "gzip", "Accept-Encoding", js},
		{"app.js", "br;q=0, zstd;q=0.1, gzip;q=0.2", "gzip of js", "gzip", "Accept-Encoding", js},
		{"app.js", "*", "br of js", "br", "Accept-Encoding", js},
		{"app.js", "", "js", "", "Accept-Encoding", js},
		{"app.js", "deflate", "js", "", "Accept-Encoding", js},
		{"app.js", "gzip;q=0, br;q=0", "js", "", "Accept-Encoding", js},
		{"app.js", "identity, gzip;q=0.5", "js", "", "Accept-Encoding", js},
		{"app.js", "identity;q=0.5, gzip;q=0.5", "gzip of js", "gzip", "Accept-Encoding", js},
		{"app.js", "*;q=0.5, br;q=0.4", "zstd of js", "zstd", "Accept-Encoding", js},
		{"only.css", "*;q=0.5, gzip;q=0.4", "css", "", "Accept-Encoding", "text/css; charset=utf-8"},
		{"only.css", all, "gzip of css", "gzip", "Accept-Encoding", "text/css; charset=utf-8"},
		{"only.css", "br", "css", "", "Accept-Encoding", "text/css; charset=utf-8"},
		{"plain.css", all, "css", "", "", "text/css; charset=utf-8"},
		{"unknown", all, "gzip of unknown", "gzip", "Accept-Encoding", "text/html; charset=utf-8"},
		{"logo.svg", all, "br of svg", "br", "Accept-Encoding", "image/svg+xml"},
		{"photo.png", all, "png", "", "", "image/png"},
		{"font.woff2", all, "woff", "", "", "font/woff2"},
		{"font.ttf", all, "br of ttf", "br", "Accept-Encoding", "font/ttf"},
		{"film.mp4", all, "mp4", "", "", "video/mp4"},
		{"dir.js", all, "js", "", "", js},
		{"mod.wasm", all, "zstd of wasm", "zstd", "Accept-Encoding", "application/wasm"},
		{"app.js.br", all, "br of js", "", "", "text/plain; charset=utf-8"}, // the sibling itself
	} {
		fsys := &watchedFS{FS: compressed()}
		for handler, h := range map[string]http.Handler{"Server": NewServer(fsys, "rest", notFound), "SPA": NewSPA(fsys, "rest", notFound)} {
			for _, method := range []string{"GET", "HEAD"} {
				var header []string
				if c.accept != "" {
					header = []string{"Accept-Encoding", c.accept}
				}
				w := ask(h, method, c.name, header...)
				body := c.body
				if method == "HEAD" {
					body = ""
				}
				got := w.Header()
				if w.Code != 200 || w.Body.String() != body || got.Get("Content-Encoding") != c.coding || strings.Join(got["Vary"], ", ") != c.vary || got.Get("Content-Type") != c.ofType ||
					got.Get("Content-Length") != strconv.Itoa(len(c.body)) {
					t.Errorf("%s: %s %s, Accept-Encoding %q: got %d %q %v, want %q %q %q %q", handler, method, c.name, c.accept, w.Code, w.Body, got, body, c.coding, c.vary, c.ofType)
				}
				if fsys.open != 0 {
					t.Fatalf("%s: %s %s, Accept-Encoding %q: %d files are open", handler, method, c.name, c.accept, fsys.open)
				}
			}
		}
	}
	// index.html of the application, for any page.
	w := ask(NewSPA(compressed(), "rest", notFound), "GET", "users/5", "Accept", browser, "Accept-Encoding", all)
	if vary := strings.Join(w.Header()["Vary"], ", "); w.Body.String() != "br of index" || vary != "Accept, Accept-Encoding" || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("a page: got %q, %v", w.Body, w.Header())
	}
}

// TestStoreConditions checks conditional requests and ranges, which refer to the
// file that is sent.
func TestStoreConditions(t *testing.T) {
	s := NewServer(compressed(), "rest", notFound)
	plain, br := ask(s, "GET", "app.js").Header().Get("ETag"), ask(s, "GET", "app.js", "Accept-Encoding", "br").Header().Get("ETag")
	if plain == "" || br == "" || plain == br {
		t.Fatalf("ETags %s and %s", plain, br)
	}
	for _, c := range []struct {
		header []string
		status int
		body   string
		length string
	}{
		{[]string{"If-None-Match", br}, 304, "", ""},
		{[]string{"If-None-Match", plain}, 200, "br of js", "8"},
		{[]string{"If-Match", br}, 200, "br of js", ""},
		{[]string{"If-Match", plain}, 412, "", ""},
		{[]string{"Range", "bytes=3-4"}, 206, "of", "2"},
		{[]string{"Range", "bytes=-2"}, 206, "js", "2"},
		{[]string{"Range", "bytes=3-4", "If-Range", br}, 206, "of", "2"},
		{[]string{"Range", "bytes=3-4", "If-Range", plain}, 200, "br of js", "8"},
		{[]string{"Range", "bytes=3-4" + strings.Repeat(",", maxRanges)}, 200, "br of js", "8"},
		{[]string{"Range", "bytes=100-"}, 416, "invalid range: failed to overlap\n", ""},
	} {
		w := ask(s, "GET", "app.js", append(c.header, "Accept-Encoding", "br")...)
		if h := w.Header(); w.Code != c.status || w.Body.String() != c.body || h.Get("Content-Length") != c.length || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: got %d %q %v, want %d %q and length %q", c.header, w.Code, w.Body, h, c.status, c.body, c.length)
		}
	}
	dated := fstest.MapFS{"index.html": {}, "a.js": {ModTime: modified}, "a.js.br": {Data: []byte("br"), ModTime: modified}}
	w := ask(NewServer(dated, "rest", notFound), "GET", "a.js", "Accept-Encoding", "br", "If-Unmodified-Since", "Thu, 01 Jan 2026 00:00:00 GMT")
	if w.Code != 412 || w.Header().Get("Content-Length") != "" {
		t.Errorf("If-Unmodified-Since: got %d, %v; want 412 without the length of the file", w.Code, w.Header())
	}
}

// TestStoreIgnoresOldSiblings checks that a compressed file isn't sent if it is
// more than a minute older than the file itself.
func TestStoreIgnoresOldSiblings(t *testing.T) {
	for _, c := range []struct {
		lag  time.Duration
		want string
	}{{0, "br"}, {-time.Hour, "br"}, {30 * time.Second, "br"}, {time.Hour, "plain"}} {
		fsys := &watchedFS{FS: fstest.MapFS{
			"a.js":    {Data: []byte("plain"), ModTime: modified},
			"a.js.br": {Data: []byte("br"), ModTime: modified.Add(-c.lag)},
		}}
		w := ask(NewServer(fsys, "rest", notFound), "GET", "a.js", "Accept-Encoding", "br")
		if w.Body.String() != c.want || (w.Header().Get("Vary") != "") != (c.want == "br") || fsys.open != 0 {
			t.Errorf("%v older: got %q, %v, %d files are open", c.lag, w.Body, w.Header(), fsys.open)
		}
	}
}

// TestStoreKeepsHeaders checks that headers that a middleware has set remain,
// and that nothing is compressed twice.
func TestStoreKeepsHeaders(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, value, _ := strings.Cut(r.Header.Get("Set"), "=")
		w.Header().Set(key, value)
		NewSPA(compressed(), "rest", notFound).ServeHTTP(w, r)
	})
	for _, header := range []string{"Content-Encoding=x", "Content-Type=x/y", "Cache-Control=private"} {
		w := ask(h, "GET", "app.js", "Accept-Encoding", "br", "Set", header)
		key, want, _ := strings.Cut(header, "=")
		body := "br of js"
		if key == "Content-Encoding" {
			body = "js"
		}
		if w.Body.String() != body || w.Header().Get(key) != want {
			t.Errorf("%s: got %q, %v", header, w.Body, w.Header())
		}
	}
}

// writeFiles writes files with a modification time into a new directory.
func writeFiles(t *testing.T, modified time.Time, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		replaceFile(t, filepath.Join(dir, name), text, modified)
	}
	return dir
}

// overwriteFile writes a file that exists. Its change time is another one, if
// there is any.
func overwriteFile(t *testing.T, name, text string, modified time.Time) {
	t.Helper()
	old, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if changeTime(old) == nil {
		replaceFile(t, name, text, modified)
		return
	}
	for same := true; same; { // some systems update their clock every few milliseconds
		write(t, name, text, modified)
		info, err := os.Stat(name)
		same = err == nil && changeTime(info) == changeTime(old)
	}
}

// write writes a file, with the directories that it needs.
func write(t *testing.T, name, text string, modified time.Time) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600), os.Chtimes(name, modified, modified)); err != nil {
		t.Fatal(err)
	}
}

// replaceFile replaces a file as tools that copy do, by another one.
func replaceFile(t *testing.T, name, text string, modified time.Time) {
	t.Helper()
	write(t, name+".new", text, modified)
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}
