package files

import (
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A store sends the files of a file system.
type store struct {
	fsys fs.FS

	once  sync.Once
	fixed time.Time // the modification time that all files have, see etag.go
	tags  sync.Map  // name => tag
	count atomic.Int32
}

// A file is an open regular file that can be read from any position.
type file struct {
	io.ReadSeekCloser
	name string
	info fs.FileInfo
}

// open opens the named file. The error is that of missing.
func (s *store) open(name string) (*file, error) {
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, missing(err)
	}
	info, err := f.Stat()
	content, ok := f.(io.ReadSeekCloser)
	if err != nil || !ok || !info.Mode().IsRegular() {
		f.Close()
		return nil, fs.ErrNotExist
	}
	return &file{content, name, info}, nil
}

// missing returns fs.ErrNotExist instead of err, which is an error of the file
// system, unless it is temporary: there may be such a file, but the process or
// the system has too many open files.
func missing(err error) error {
	if t, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err); ok && t.Temporary() {
		return err
	}
	return fs.ErrNotExist
}

// codings are the content codings of compressed siblings, in the order of
// preference.
var codings = [...]struct{ name, ext string }{{"br", ".br"}, {"zstd", ".zst"}, {"gzip", ".gz"}}

// maxLag is how much older than a file its compressed sibling may be. One that
// is older is out of date. It isn't zero because copying doesn't always keep the
// order of modification times.
const maxLag = time.Minute

// sibling opens the compressed sibling of f that the client prefers. It returns
// nil if it accepts none. exists says whether f has one at all.
func (s *store) sibling(f *file, header http.Header) (sibling *file, coding string, exists bool) {
	best, identity := 0.0, acceptsCoding(header, "identity")
	for _, c := range codings {
		q := acceptsCoding(header, c.name)
		if q < identity {
			q = 0
		}
		if exists && q <= best {
			continue
		}
		x, err := s.open(f.name + c.ext)
		if err != nil {
			continue
		}
		if x.info.ModTime().Before(f.info.ModTime().Add(-maxLag)) {
			x.Close()
			continue
		}
		exists = true
		if q <= best {
			x.Close()
			continue
		}
		if sibling != nil {
			sibling.Close()
		}
		sibling, coding, best = x, c.name, q
	}
	return sibling, coding, exists
}

// serve sends the named file, if cache is set with Cache-Control, unless the
// response already has one. It returns fs.ErrNotExist if there is no such file, or
// it can't be read, and temporary errors.
func (s *store) serve(w http.ResponseWriter, r *http.Request, name string, cache bool) error {
	f, err := s.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := w.Header()
	contentType := mime.TypeByExtension(path.Ext(name))
	if contentType == "" {
		if contentType, err = sniff(f); err != nil {
			return fs.ErrNotExist
		}
	}
	sent, coding := f, ""
	if compressible(contentType) && h.Get("Content-Encoding") == "" {
		sibling, c, exists := s.sibling(f, r.Header)
		if sibling != nil {
			defer sibling.Close()
			sent, coding = sibling, c
		}
		if exists {
			h.Add("Vary", "Accept-Encoding")
		}
	}
	modified := sent.info.ModTime()
	if s.meaningless(modified) {
		tag, err := s.tag(sent)
		if err != nil {
			return fs.ErrNotExist
		}
		if tag != "" {
			h.Set("ETag", tag)
		}
		modified = time.Time{}
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", contentType)
	}
	// These could lead to a 412, which has another length and must not be cached.
	conditional := r.Header.Get("If-Match") != "" || r.Header.Get("If-Unmodified-Since") != ""
	if cache && h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", revalidate)
		if !conditional && hashed(path.Base(name)) {
			h.Set("Cache-Control", forever)
		}
	}
	if coding != "" {
		h.Set("Content-Encoding", coding)
		// http.ServeContent doesn't set it for an encoded file.
		if size, err := sent.Seek(0, io.SeekEnd); err == nil && !conditional {
			h.Set("Content-Length", strconv.FormatInt(size, 10))
		}
	}
	if strings.Count(r.Header.Get("Range"), ",") >= maxRanges {
		r = r.WithContext(r.Context())
		r.Header = r.Header.Clone()
		r.Header.Del("Range")
	}
	http.ServeContent(w, r, name, modified, sent.ReadSeekCloser) // an *os.File allows sendfile
	return nil
}

// maxRanges is the limit of http.ServeContent since Go 1.26.9 and 1.27.2, which
// ignores Range headers with more (CVE-2026-78667).
const maxRanges = 200

// sniff returns the type of a file by its content, as http.ServeContent does.
func sniff(f *file) (string, error) {
	var buf [512]byte
	n, err := io.ReadFull(f, buf[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	_, err = f.Seek(0, io.SeekStart)
	return http.DetectContentType(buf[:n]), err
}

// compressible reports whether files of a type may have compressed siblings.
// Looking for siblings of images and videos would be in vain.
func compressible(contentType string) bool {
	switch major, minor, _ := strings.Cut(contentType, "/"); major {
	case "image":
		return strings.HasPrefix(minor, "svg") || strings.HasPrefix(minor, "x-") || strings.HasPrefix(minor, "vnd.") || strings.HasPrefix(minor, "bmp")
	case "video", "audio":
		return false
	case "font":
		return !strings.HasPrefix(minor, "woff")
	}
	return true
}
