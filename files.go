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
//	root, err := os.OpenRoot("public")
//	// ...
//	mux.ServeFiles("/static/*filepath", root.FS())
//
// Use [os.Root] or an embed.FS: [os.DirFS] follows symbolic links that lead out
// of the directory. All of them serve files whose names begin with a dot, such
// as .env and .git/config, if they are there.
//
// It serves files as [http.FileServerFS] does, including the redirects to and
// from index.html, but without directory listings. The response is 404 for a
// directory without an index.html, and for a name that contains an escaped
// slash, a backslash, a NUL byte or invalid UTF-8. So requests such as
// /static/..%5Csecret cannot reach a file outside of the path.
//
// If there is a compressed file beside a file (app.js.br, app.js.zst or
// app.js.gz beside app.js) that the client accepts and that isn't older, it is
// sent instead, with Content-Encoding and the type of the file. Ranges refer to
// what is sent.
//
// A file whose modification time says nothing gets an ETag of its content
// instead of Last-Modified: if it is zero, as in an embed.FS, or the same for all
// files, as in reproducible builds.
func (s *scope) ServeFiles(path string, fsys fs.FS) {
	s.requireNew()
	if fsys == nil {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the file system is nil", path))
	}
	p, err := parse("GET "+s.prefix+path, trie.Verb)
	must(err)
	if p.Rest == "" {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the path must end in a catch-all, as in /static/*filepath", path))
	}
	s.verb(http.MethodGet, path, files.NewServer(fsys, p.Rest, notFound))
}

// ServeSPA serves a single-page application for GET and HEAD requests: the
// files of fsys below prefix, and index.html for all other pages.
//
//	root, err := os.OpenRoot("dist")
//	// ...
//	mux.ServeSPA("/", root.FS())
//
// The response is
//
//   - the file, if the path names one. A file whose name contains a hash of a
//     build tool, such as app.3f2a9c1b.js or index-DiwrgTda.css, is cacheable for
//     a year (immutable, RFC 8246). Clients revalidate all other files, and those
//     whose hash might be a word, a date or a number.
//   - otherwise index.html with status 200, if the request accepts text/html, so
//     that the application can show the page.
//   - otherwise a 404, for example for a missing script or image.
//
// More specific routes and mounts, such as /api/, take precedence. ServeSPA sends
// compressed files and ETags, and rejects file names, as [Router.ServeFiles]
// does. It panics if fsys has no index.html.
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
