package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

var modified = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func files() fstest.MapFS {
	return fstest.MapFS{
		"index.html":       {Data: []byte("index"), ModTime: modified},
		"a.txt":            {Data: []byte("a"), ModTime: modified},
		"noext":            {Data: []byte("text"), ModTime: modified},
		"epoch.txt":        {Data: []byte("epoch"), ModTime: time.Unix(0, 0)},
		"app.3f2a9c1b.js":  {Data: []byte("js")},
		"dir/index.html":   {Data: []byte("dir's index")},
		"dir/page.html":    {Data: []byte("page")},
		"list/x.txt":       {Data: []byte("x")},
		"odd/index.html/x": {Data: []byte("its index.html is a directory")},
		"é/ü.txt":          {Data: []byte("umlaut")},
		"a:b/index.html":   {Data: []byte("colon")},
		"a:b/c%.txt":       {Data: []byte("percent")},
		"?#/index.html":    {Data: []byte("odd")},
	}
}

func notFound(w http.ResponseWriter, r *http.Request, err error) {
	if err != fs.ErrNotExist {
		w.WriteHeader(500)
		return
	}
	w.WriteHeader(404)
	io.WriteString(w, "none")
}

// ask sends h a request for an escaped name below /p/, like the router. It
// panics if h changes the request.
func ask(h http.Handler, method, name string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/p/"+name, nil)
	r.SetPathValue("rest", strings.TrimPrefix(r.URL.Path, "/p"))
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w, u, before := httptest.NewRecorder(), r.URL, *r.URL
	if h.ServeHTTP(w, r); r.URL != u || *u != before {
		panic(fmt.Sprintf("the URL of the request is %v now", r.URL))
	}
	return w
}

func TestServer(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		want   string // the body or the Location
	}{
		{"a.txt", 200, "a"},
		{"%61.txt", 200, "a"},
		{"%C3%A9/%C3%BC.txt", 200, "umlaut"},
		{"", 200, "index"},
		{"dir/", 200, "dir's index"},
		{"dir", 301, "dir/"},
		{"dir/index.html", 301, "./"},
		{"a.txt/", 301, "../a.txt"},
		{"a:b", 301, "./a:b/"},
		{"a:b/c%25.txt/", 301, "../c%25.txt"},
		{"%3F%23", 301, "%3F%23/"},
		{"dir/page.html", 200, "page"},
		{"none", 404, ""},
		{"list", 404, ""}, // a directory is never listed
		{"list/", 404, ""},
		{"odd/", 404, ""},
		{"dir%2Fpage.html", 404, "none"},
		{"dir%2fpage.html", 404, "none"},
		{"..%2Fa.txt", 404, "none"},
		{"dir%5Cpage.html", 404, "none"},
		{"a.txt%00", 404, "none"},
		{"a%FF.txt", 404, "none"},
		{"%ED%A0%80", 404, "none"},
		{"dir/%FF/index.html", 404, "none"},
		{"C:/a.txt", 404, ""},
		{strings.Repeat("a", 5000), 404, ""},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			w := ask(NewServer(files(), "rest", notFound), method, c.name)
			got := w.Body.String()
			if w.Code == 301 {
				got = w.Header().Get("Location")
			}
			if w.Code != c.status || got != c.want && c.want != "" && (method == "GET" || w.Code == 301) {
				t.Errorf("%s %s: got %d %q, want %d %q", method, c.name, w.Code, got, c.status, c.want)
			}
			if strings.Contains(got, "x.txt") || w.Header()["Cache-Control"] != nil {
				t.Errorf("%s: lists a directory, or has a Cache-Control: %q, %v", c.name, got, w.Header())
			}
		}
	}
}

const browser = "text/html,application/xhtml+xml,*/*;q=0.8"

func TestSPA(t *testing.T) {
	for _, c := range []struct {
		name, accept string
		status       int
		body         string
	}{
		{"", browser, 200, "index"},
		{"", "application/json", 200, "index"}, // the page itself
		{"index.html", "", 200, "index"},
		{"a.txt", "", 200, "a"},
		{"a.txt/", "", 200, "a"},
		{"users/5", browser, 200, "index"},
		{"users/5/", browser, 200, "index"},
		{"users/5", "text/html", 200, "index"},
		{"users/5", "application/xhtml+xml", 200, "index"},
		{"users/5", "Text/HTML; q=0.9", 200, "index"},
		{"users/5", "application/json", 404, "none"},
		{"users/5", "*/*", 404, "none"},
		{"users/5", "text/*", 404, "none"},
		{"users/5", "", 404, "none"},
		{"users/5", "text/html-x", 404, "none"},
		{"users/5", "text/html;q=0", 404, "none"},
		{"users/5", "text/html; q=0.0, */*", 404, "none"},
		{"users/5", "text/html;q=0, application/xhtml+xml", 200, "index"},
		{"users/5", "text/html;q=x", 404, "none"},
		{"dir", browser, 200, "index"}, // a directory is a page of the application
		{"dir", "", 404, "none"},
		{"list/", browser, 200, "index"},
		{"dir/index.html", "", 200, "dir's index"},
		{"dir%2Fpage.html", browser, 404, "none"},
		{"dir%5Cpage.html", browser, 404, "none"},
		{"%FF", browser, 404, "none"},
	} {
		var header []string
		if c.accept != "" {
			header = []string{"Accept", c.accept}
		}
		w := ask(NewSPA(files(), "rest", notFound), "GET", c.name, header...)
		if w.Code != c.status || w.Body.String() != c.body {
			t.Errorf("%s, Accept %q: got %d %q, want %d %q", c.name, c.accept, w.Code, w.Body, c.status, c.body)
		}
		// Responses that depend on Accept have Vary: Accept.
		if varies := w.Header().Get("Vary") == "Accept"; varies != (c.body == "index" || c.status == 404 && !strings.Contains(c.name, "%")) && c.name != "index.html" {
			t.Errorf("%s, Accept %q: Vary %q", c.name, c.accept, w.Header()["Vary"])
		}
	}
	// Several Accept lines are one list.
	if w := ask(NewSPA(files(), "rest", notFound), "GET", "users", "Accept", "image/png", "Accept", "text/html"); w.Code != 200 {
		t.Errorf("two lines of Accept: got %d", w.Code)
	}
	// Without an index.html, the response is 404.
	if w := ask(NewSPA(fstest.MapFS{}, "rest", notFound), "GET", "", "Accept", browser); w.Code != 404 {
		t.Errorf("no index.html: got %d", w.Code)
	}
}

func TestSPACaching(t *testing.T) {
	spa := NewSPA(files(), "rest", notFound)
	for _, c := range []struct {
		name, cache   string
		tag, modified bool // whether the header exists
	}{
		{"a.txt", "no-cache", false, true},
		{"index.html", "no-cache", false, true},
		{"epoch.txt", "no-cache", true, false},
		{"app.3f2a9c1b.js", "public, max-age=31536000, immutable", true, false},
		{"dir/page.html", "no-cache", true, false},
	} {
		w := ask(spa, "GET", c.name)
		h := w.Header()
		if h.Get("Cache-Control") != c.cache || (h.Get("ETag") != "") != c.tag || (h.Get("Last-Modified") != "") != c.modified {
			t.Errorf("%s: %v", c.name, h)
		}
		for header, value := range map[string]string{"If-None-Match": h.Get("ETag"), "If-Modified-Since": h.Get("Last-Modified")} {
			if value == "" {
				continue
			}
			if w := ask(spa, "GET", c.name, header, value); w.Code != 304 || w.Body.Len() > 0 {
				t.Errorf("%s, %s %s: got %d %q", c.name, header, value, w.Code, w.Body)
			}
		}
		// A cache must not answer others with it.
		if w := ask(spa, "GET", c.name, "If-Match", `"x"`); w.Code != 412 || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s, If-Match: got %d, Cache-Control %q", c.name, w.Code, w.Header()["Cache-Control"])
		}
	}
}

// A readerFrom is a ResponseWriter that records what its ReadFrom gets.
type readerFrom struct {
	*httptest.ResponseRecorder
	src io.Reader
}

func (w *readerFrom) ReadFrom(src io.Reader) (int64, error) {
	w.src = src
	return io.Copy(w.ResponseRecorder, src)
}

// TestSendfile checks that a server gets an *os.File, for sendfile(2).
func TestSendfile(t *testing.T) {
	dir := writeFiles(t, modified, map[string]string{"a.txt": "a"})
	r := httptest.NewRequest("GET", "/a.txt", nil)
	r.SetPathValue("rest", "/a.txt")
	w := &readerFrom{ResponseRecorder: httptest.NewRecorder()}
	NewServer(os.DirFS(dir), "rest", notFound).ServeHTTP(w, r)
	limited, _ := w.src.(*io.LimitedReader)
	if limited == nil || w.Body.String() != "a" {
		t.Fatalf("ReadFrom got a %T; the response is %q", w.src, w.Body)
	}
	if _, ok := limited.R.(*os.File); !ok {
		t.Errorf("ReadFrom got a %T, want an *os.File", limited.R)
	}
}

// TestDirectoriesOfTheSystem checks that directories of the operating system
// aren't served, although they can be opened like files.
func TestDirectoriesOfTheSystem(t *testing.T) {
	dir := writeFiles(t, modified, map[string]string{"sub/x.txt": "x", "index.html": "index"})
	for _, c := range []struct {
		h      http.Handler
		name   string
		status int
	}{
		{NewSPA(os.DirFS(dir), "rest", notFound), "sub", 404},
		{NewSPA(os.DirFS(dir), "rest", notFound), "sub/x.txt", 200},
		{NewServer(os.DirFS(dir), "rest", notFound), "sub/", 404},
		{NewServer(os.DirFS(dir), "rest", notFound), "sub/x.txt", 200},
	} {
		if w := ask(c.h, "GET", c.name); w.Code != c.status {
			t.Errorf("%T: %s: got %d %q, want %d", c.h, c.name, w.Code, w.Body, c.status)
		}
	}
}

// A watchedFS counts its open files. They may be broken or not seekable.
type watchedFS struct {
	fs.FS
	open                int
	broken, notSeekable bool
}

type watchedFile struct {
	fs.File
	fsys *watchedFS
}

func (w *watchedFS) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	w.open++
	if w.notSeekable {
		return struct{ fs.File }{watchedFile{f, w}}, nil
	}
	return watchedFile{f, w}, nil
}

func (f watchedFile) Read(p []byte) (int, error) {
	if f.fsys.broken {
		return 0, errors.New("broken")
	}
	return f.File.Read(p)
}

func (f watchedFile) Seek(offset int64, whence int) (int64, error) {
	return f.File.(io.Seeker).Seek(offset, whence)
}

// Stat returns a wrong size, as some file systems do.
func (f watchedFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return wrongSize{info}, err
}

type wrongSize struct{ fs.FileInfo }

func (wrongSize) Size() int64 { return 1 }

func (f watchedFile) ReadDir(n int) ([]fs.DirEntry, error) {
	return f.File.(fs.ReadDirFile).ReadDir(n)
}

func (f watchedFile) Close() error { f.fsys.open--; return f.File.Close() }

// TestFilesThatCantBeRead checks that a file that can't be read or sought, as
// those of a zip.Reader, is treated as missing, and that its headers are removed.
func TestFilesThatCantBeRead(t *testing.T) {
	for _, name := range []string{"app.3f2a9c1b.js", "noext"} {
		for _, fsys := range []*watchedFS{{FS: files(), broken: true}, {FS: files(), notSeekable: true}} {
			w := ask(NewSPA(fsys, "rest", notFound), "GET", name)
			if w.Code != 404 || w.Header().Get("Cache-Control") != "" || w.Header().Get("ETag") != "" || fsys.open != 0 {
				t.Errorf("%s, seekable %v: got %d with %v, %d files are open", name, !fsys.notSeekable, w.Code, w.Header(), fsys.open)
			}
		}
	}
}

// A fullFS can't open files, as if the process has too many.
type fullFS struct{}

func (fullFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EMFILE}
}

// TestTooManyOpenFiles checks that an existing file isn't reported as missing,
// which caches may remember, and not replaced by index.html.
func TestTooManyOpenFiles(t *testing.T) {
	for _, h := range []http.Handler{NewServer(fullFS{}, "rest", notFound), NewSPA(fullFS{}, "rest", notFound)} {
		for _, name := range []string{"", "a.txt", "dir/"} {
			if w := ask(h, "GET", name, "Accept", browser); w.Code != 500 {
				t.Errorf("%T: %s: got %d, want 500", h, name, w.Code)
			}
		}
	}
}

// TestServerInsideStripPrefix checks that handlers whose request has a shorter
// path than the path value don't panic, and still see escaped slashes.
func TestServerInsideStripPrefix(t *testing.T) {
	for name, h := range map[string]http.Handler{"Server": NewServer(files(), "rest", notFound), "SPA": NewSPA(files(), "rest", notFound)} {
		for _, c := range []struct {
			target, prefix string
			status         int
		}{
			{"/p/dir/page.html", "/p", 200},
			{"/p/dir/page.html", "/p/dir", 200},
			{"/p/dir/page.html", "/p/dir/page.html", 200},
			{"/p/dir%2Fpage.html", "/p", 404},
			{"/p/dir%2Fpage.html", "/p/dir", 404},
			{"/p/dir%2Fpage.html", "/p/d", 404},
			{"/p/%64ir%2Fpage.html", "/p", 404},
			{"/p/%64ir/page.html", "/p", 200},
		} {
			r := httptest.NewRequest("GET", c.target, nil)
			r.SetPathValue("rest", strings.TrimPrefix(r.URL.Path, "/p"))
			w := httptest.NewRecorder()
			stripped := r.Clone(t.Context()) // as http.StripPrefix does, but also within a segment
			stripped.URL.Path = strings.TrimPrefix(r.URL.Path, c.prefix)
			if stripped.URL.RawPath != "" {
				stripped.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, c.prefix)
			}
			if h.ServeHTTP(w, stripped); w.Code != c.status {
				t.Errorf("%s: %s without %s: got %d, want %d", name, c.target, c.prefix, w.Code, c.status)
			}
		}
	}
}
