package muxmaster

import (
	"fmt"
	"io/fs"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/files"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// ServeFiles serves the files of fsys for GET and HEAD requests. The path must
// end in a catch-all, whose value is the name of the file:
//
//	mux.ServeFiles("/static/*filepath", os.DirFS("public"))
//
// It serves files as [http.FileServerFS] does, including the redirects to and
// from index.html, but without directory listings. The response is 404 for a
// directory without an index.html, and for a name that contains an escaped
// slash, a backslash, a NUL byte or invalid UTF-8. So requests such as
// /static/..%5Csecret cannot reach a file outside of the path.
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

// ServeSPA serves a single-page application for GET and HEAD requests: the
// files of fsys below prefix, and index.html for all other pages.
//
//	mux.ServeSPA("/", os.DirFS("dist"))
//
// The response is
//
//   - the file, if the path names one. A file without a modification time gets an
//     ETag of its content. A file with a fingerprint in its name, such as
//     app.3f2a9c1b.js or index-DiwrgTda.css, is cacheable for a year (immutable,
//     RFC 8246); clients revalidate all other files.
//   - otherwise index.html with status 200, if the request accepts text/html, so
//     that the application can show the page.
//   - otherwise a 404, for example for a missing script or image.
//
// More specific routes and mounts, such as /api/, take precedence. ServeSPA
// rejects the same file names as [Router.ServeFiles]. It panics if fsys has no
// index.html.
func (s *scope) ServeSPA(prefix string, fsys fs.FS) {
	s.requireNew()
	if fsys == nil {
		panic(fmt.Sprintf("muxmaster: ServeSPA %q: the file system is nil", prefix))
	}
	if _, err := fs.Stat(fsys, "index.html"); err != nil {
		panic(fmt.Sprintf("muxmaster: ServeSPA %q: the file system needs an index.html: %v", prefix, err))
	}
	bare := s.join(prefix)
	s.handleAll(files.NewSPA(fsys, spaRest, notFound), trie.Verb, "GET "+bare+"/*"+spaRest, "GET "+bare)
}

// spaRest is the name of the catch-all in the pattern of ServeSPA.
const spaRest = "filepath"

func notFound(w http.ResponseWriter, r *http.Request) {
	problem.Write(w, r, problem.Code(http.StatusNotFound))
}
