// Package files serves the files of a file system. The name of the file is a
// path value of the request. The package does not depend on the router.
package files

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A Server serves files like http.FileServerFS, but without directory listings.
type Server struct {
	Rest     string           // name of the path value that holds the file name
	NotFound http.HandlerFunc // responds to requests with an invalid file name
	files    http.Handler
}

// NewServer returns a Server for the files of fsys.
func NewServer(fsys fs.FS, rest string, notFound http.HandlerFunc) *Server {
	return &Server{rest, notFound, http.FileServerFS(unlisted{fsys})}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := fileName(r, s.Rest)
	if !ok {
		s.NotFound(w, r)
		return
	}
	// The file server gets only the file name as the path. Its redirects are
	// relative, so they are correct for the full path too.
	u := *r.URL
	u.Path, u.RawPath = "/"+name, ""
	inner := *r
	inner.URL = &u
	s.files.ServeHTTP(w, &inner)
}

// An SPA serves a single-page application: files, and index.html for all pages.
type SPA struct {
	Rest     string           // name of the path value that holds the file name
	NotFound http.HandlerFunc // responds if there is no file and the client doesn't accept HTML
	app      spa
}

// NewSPA returns an SPA for the files of fsys.
func NewSPA(fsys fs.FS, rest string, notFound http.HandlerFunc) *SPA {
	return &SPA{Rest: rest, NotFound: notFound, app: spa{fsys: fsys}}
}

func (s *SPA) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := fileName(r, s.Rest)
	if !ok || !s.app.serve(w, r, name) {
		s.NotFound(w, r)
	}
}

// fileName returns the path value rest without a leading slash. It reports
// false if the value is not a valid file name or contains an escaped slash.
func fileName(r *http.Request, rest string) (name string, ok bool) {
	name = r.PathValue(rest)
	if strings.ContainsAny(name, "\\\x00") || !utf8.ValidString(name) {
		return "", false
	}
	return strings.TrimPrefix(name, "/"), !wirepath.EscapedSlashInTail(r.URL.Path, r.URL.RawPath, len(name))
}

// unlisted is a file system in which directories without an index.html don't
// exist.
type unlisted struct{ fs.FS }

func (u unlisted) Open(name string) (fs.File, error) {
	f, err := u.FS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if info.IsDir() {
		index, err := fs.Stat(u.FS, path.Join(name, "index.html"))
		if err != nil || index.IsDir() {
			f.Close()
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
	}
	return f, nil
}

type spa struct {
	fsys fs.FS
	tags sync.Map // ETags by name, of files without a modification time
}

// serve serves the named file or, if there is none and the client accepts HTML,
// index.html. It reports false if it served nothing.
func (a *spa) serve(w http.ResponseWriter, r *http.Request, name string) bool {
	name = strings.TrimSuffix(name, "/")
	if name != "" && a.serveFile(w, r, name) {
		return true
	}
	w.Header().Add("Vary", "Accept")
	if name != "" && name != "index.html" && !acceptsHTML(r) {
		return false
	}
	return a.serveFile(w, r, "index.html")
}

// acceptsHTML reports whether r accepts HTML, as browsers do for pages.
func acceptsHTML(r *http.Request) bool {
	for _, line := range r.Header["Accept"] {
		for part := range strings.SplitSeq(line, ",") {
			if t, _, err := mime.ParseMediaType(part); err == nil && (t == "text/html" || t == "application/xhtml+xml") {
				return true
			}
		}
	}
	return false
}

// serveFile serves the named file. It reports false if there is none.
func (a *spa) serveFile(w http.ResponseWriter, r *http.Request, name string) bool {
	f, err := a.fsys.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	content, ok := f.(io.ReadSeeker)
	if !ok {
		return false
	}
	h := w.Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache")
		if fingerprinted(path.Base(name)) {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
	}
	if info.ModTime().IsZero() {
		tag, err := a.tag(name, content)
		if err != nil {
			h.Del("Cache-Control")
			return false
		}
		h.Set("ETag", tag)
	}
	http.ServeContent(w, r, name, info.ModTime(), content)
	return true
}

// A fingerprint is a hash of the content between the name and the extension:
// eight or more hexadecimal digits (app.3f2a9c1b.js, app.3f2a9c1b.js.map), or
// the eight characters that Vite and esbuild use (index-DiwrgTda.css,
// app-7XK2QZ4D.js).
var (
	hexFingerprint = regexp.MustCompile(`[.-]([0-9a-f]{8,64})(?:\.[a-z][a-z0-9]*){1,3}$`)
	fingerprint    = regexp.MustCompile(`[.-]([A-Za-z0-9_-]{8})(?:\.[a-z][a-z0-9]*){1,2}$`)
)

// fingerprinted reports whether the name contains a fingerprint, so that the
// content of the file never changes. Digits alone are not a fingerprint,
// because they may be a date; neither are lower-case letters alone, which may
// be a word.
func fingerprinted(name string) bool {
	for _, re := range []*regexp.Regexp{hexFingerprint, fingerprint} {
		if m := re.FindStringSubmatch(name); m != nil {
			upper := strings.ContainsAny(m[1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
			lower := strings.ContainsAny(m[1], "abcdefghijklmnopqrstuvwxyz")
			digit := strings.ContainsAny(m[1], "0123456789")
			if digit && (upper || lower) || upper && lower {
				return true
			}
		}
	}
	return false
}

// tag returns an ETag of the content. It computes the ETag once for each name,
// because files without a modification time, as in an embed.FS, don't change.
func (a *spa) tag(name string, content io.ReadSeeker) (string, error) {
	if tag, ok := a.tags.Load(name); ok {
		return tag.(string), nil
	}
	hash := sha256.New()
	_, err := io.Copy(hash, content)
	if _, seekErr := content.Seek(0, io.SeekStart); err != nil || seekErr != nil {
		return "", errors.Join(err, seekErr)
	}
	tag := `"` + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16]) + `"`
	a.tags.Store(name, tag)
	return tag, nil
}
