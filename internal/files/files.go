// Package files serves the files of a file system. The name of the file is a
// path value of the request. The package does not depend on the router.
//
//	files.go    the two handlers: which file, redirect or page a request gets
//	content.go  how a file is sent: compressed or not, and with which headers
//	etag.go     ETags for files whose modification time says nothing
//	accept.go   Accept and Accept-Encoding
//	hash.go     names that contain a hash of the content
package files

import (
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A Server serves files as http.FileServerFS does, but without directory
// listings, and with the compressed siblings and ETags of [SPA].
type Server struct {
	Rest  string // name of the path value that holds the file name
	Fail  Fail
	store store
}

// A Fail function responds if no file was served: err is fs.ErrNotExist, or an
// error of the system that is temporary.
type Fail func(w http.ResponseWriter, r *http.Request, err error)

// NewServer returns a Server for the files of fsys.
func NewServer(fsys fs.FS, rest string, fail Fail) *Server {
	return &Server{rest, fail, store{fsys: fsys}}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, err := fileName(r, s.Rest)
	if err == nil {
		err = s.serve(w, r, name)
	}
	if err != nil {
		s.Fail(w, r, err)
	}
}

// serve serves the named file, or the index.html of a directory. As
// http.FileServerFS does, it redirects from index.html to its directory, and to
// the name with the trailing slash that it should have. It returns an error if it
// served nothing.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, name string) error {
	if path.Base(name) == "index.html" && !strings.HasSuffix(name, "/") {
		redirect(w, r, "./")
		return nil
	}
	asDir := name == "" || strings.HasSuffix(name, "/")
	name = strings.TrimSuffix(name, "/")
	if name == "" {
		name = "."
	}
	info, err := fs.Stat(s.store.fsys, name)
	switch {
	case err != nil:
		return missing(err)
	case info.IsDir() && asDir:
		return s.store.serve(w, r, path.Join(name, "index.html"), false)
	case info.IsDir():
		index, err := fs.Stat(s.store.fsys, path.Join(name, "index.html"))
		if err != nil {
			return missing(err)
		}
		if !index.Mode().IsRegular() {
			return fs.ErrNotExist
		}
		redirect(w, r, path.Base(name)+"/")
	case asDir:
		redirect(w, r, "../"+path.Base(name))
	default:
		return s.store.serve(w, r, name, false)
	}
	return nil
}

// redirect redirects to a path that is relative to that of the request, so it is
// correct for any prefix.
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	u := url.URL{Path: to, RawQuery: r.URL.RawQuery}
	w.Header().Set("Location", u.String()) // it begins with ./ if the name contains a colon
	w.WriteHeader(http.StatusMovedPermanently)
}

// An SPA serves a single-page application: files, and index.html for all pages.
type SPA struct {
	Rest  string // name of the path value that holds the file name
	Fail  Fail   // err is fs.ErrNotExist if there is no file and the client doesn't accept HTML
	store store
}

// NewSPA returns an SPA for the files of fsys.
func NewSPA(fsys fs.FS, rest string, fail Fail) *SPA {
	return &SPA{rest, fail, store{fsys: fsys}}
}

func (s *SPA) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, err := fileName(r, s.Rest)
	if err == nil {
		err = s.serve(w, r, name)
	}
	if err != nil {
		s.Fail(w, r, err)
	}
}

const (
	revalidate = "no-cache"
	forever    = "public, max-age=31536000, immutable" // RFC 8246
)

// serve serves the named file or, if there is none and the client accepts HTML,
// index.html. It returns an error if it served nothing.
func (s *SPA) serve(w http.ResponseWriter, r *http.Request, name string) error {
	name = strings.TrimSuffix(name, "/")
	if name != "" {
		if err := s.store.serve(w, r, name, true); err != fs.ErrNotExist {
			return err
		}
	}
	w.Header().Add("Vary", "Accept")
	if name != "" && name != "index.html" && !acceptsHTML(r.Header) {
		return fs.ErrNotExist
	}
	return s.store.serve(w, r, "index.html", true)
}

// fileName returns the path value rest without a leading slash. The error is
// fs.ErrNotExist if the value is not a valid file name or contains an escaped
// slash.
func fileName(r *http.Request, rest string) (name string, err error) {
	value := r.PathValue(rest)
	name = strings.TrimPrefix(value, "/")
	clean := strings.TrimSuffix(name, "/")
	if clean != "" && !fs.ValidPath(clean) || strings.ContainsAny(name, "\\\x00") {
		return "", fs.ErrNotExist
	}
	// Middleware such as http.StripPrefix may have shortened the path.
	n := min(len(value), len(r.URL.Path))
	if wirepath.EscapedSlashInTail(r.URL.Path, r.URL.RawPath, n) {
		return "", fs.ErrNotExist
	}
	return name, nil
}
