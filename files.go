package muxmaster

import (
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/files"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// ServeFiles serves files of fsys for GET and HEAD. The path ends in a catch-all,
// whose value names the file:
//
//	mux.ServeFiles("/static/*filepath", os.DirFS("public"))
//
// Files are served as http.FileServerFS does, with its redirects to and from
// index.html, but without listings: a directory without an index.html is a 404.
// So is a name that holds an escaped slash, a backslash, a NUL byte or invalid
// UTF-8. So /static%2F.. or /static/..%5C never reach a file that another
// pattern guards.
func (s *scope) ServeFiles(path string, fsys fs.FS) {
	s.requireNew()
	if fsys == nil {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the file system is nil", path))
	}
	p, err := parse("GET "+s.prefix+path, trie.Verb)
	s.must(err)
	if p.Rest == "" {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the path must end in a catch-all, as in /static/*filepath", path))
	}
	s.verb(http.MethodGet, path, files.NewServer(fsys, p.Rest, notFound))
}

// ServeSPA serves a single-page application for GET and HEAD: the files of fsys
// below the prefix, and index.html for every other page.
//
//		mux.ServeSPA("/", os.DirFS("dist"))
//
//	  - A file is served with the type of its name and with an ETag, of its content,
//	    if it has no modification time. A name with a fingerprint, such as
//	    app.3f2a9c1b.js or index-DiwrgTda.css, may be cached for a year
//	    (immutable, RFC 8246); every other file is revalidated on each use.
//	  - A request that accepts text/html and names no file gets index.html with
//	    status 200, so that the application can show the page.
//	  - Everything else is a 404: missing scripts, images and data.
//
// More specific routes and mounts, such as /api/, win as they do over any
// catch-all. Names are refused as [Router.ServeFiles] does. ServeSPA panics if
// fsys has no index.html.
func (s *scope) ServeSPA(prefix string, fsys fs.FS) {
	s.requireNew()
	if fsys == nil {
		panic(fmt.Sprintf("muxmaster: ServeSPA %q: the file system is nil", prefix))
	}
	if _, err := fs.Stat(fsys, "index.html"); err != nil {
		panic(fmt.Sprintf("muxmaster: ServeSPA %q: the file system needs an index.html: %v", prefix, err))
	}
	if prefix == "" || prefix[0] != '/' {
		panic(fmt.Sprintf("muxmaster: ServeSPA %q: the prefix must begin with /", prefix))
	}
	if _, err := parsePrefix(strings.TrimSuffix(prefix, "/")); err != nil {
		panic(fmt.Sprintf("muxmaster: ServeSPA %q: %v", prefix, err))
	}
	pattern := strings.TrimSuffix(prefix, "/") + "/*" + spaRest
	h := files.NewSPA(fsys, spaRest, notFound)
	s.verb(http.MethodGet, pattern, h)
	if bare := s.prefix + strings.TrimSuffix(prefix, "/"); bare != "" {
		s.verb(http.MethodGet, strings.TrimSuffix(prefix, "/"), h)
	}
}

// spaRest names the path value of a single-page application's route.
const spaRest = "filepath"

func notFound(w http.ResponseWriter, r *http.Request) {
	plainError(w, r, "404 page not found\n", http.StatusNotFound, "")
}
