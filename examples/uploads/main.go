// Command uploads stores files that clients upload with forms.
//
//	go run ./examples/uploads -dir /tmp
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "where to listen, `host:port`")
	name := flag.String("dir", "uploads", "the `directory` that keeps the files; it must exist")
	flag.Parse()
	dir, err := os.OpenRoot(*name)
	if err != nil {
		log.Fatal("uploads: ", err)
	}
	s := server.New(*addr, newMux(&uploads{dir: dir, maxFile: 100 << 20}, 300<<20))
	s.StallTimeout = 10 * time.Second // for each 4 KiB; the total time isn't limited
	s.ErrorHandler = problem.JSON
	if err := s.Run(context.Background()); err != nil {
		log.Fatal("uploads: ", err)
	}
}

// newMux returns a Mux that accepts requests of at most maxRequest bytes.
func newMux(u *uploads, maxRequest int64) *muxmaster.Mux {
	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer)
	files := mux.Group("/files")
	files.Use(
		middleware.Throttle(8, 32, 5*time.Second), // 8 uploads at a time; 32 wait for up to 5 s
		middleware.BodyLimit(maxRequest),
	)
	files.POST("/", problem.Handler(u.create))
	files.GET("/:name", problem.Handler(u.show))
	return mux
}

type uploads struct {
	dir     *os.Root
	maxFile int64 // bytes
}

// maxFiles is the maximum number of files in a form: an empty one is a few bytes
// of the request.
const maxFiles = 20

// A file describes a stored file to the client.
type file struct {
	Name     string `json:"name"`     // chosen by the server
	Original string `json:"original"` // the client's
	Bytes    int64  `json:"bytes"`
}

// create stores the files of a form, all or none.
func (u *uploads) create(w http.ResponseWriter, r *http.Request) (err error) {
	form, err := r.MultipartReader()
	if err != nil {
		return &problem.Error{Status: http.StatusUnsupportedMediaType, Detail: "send a form of type multipart/form-data", Err: err}
	}
	kept := []file{}
	defer func() {
		if err != nil {
			for _, f := range kept {
				u.dir.Remove(f.Name)
			}
		}
	}()
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return badForm(err)
		}
		if part.FileName() == "" {
			continue // a form field without a file
		}
		if len(kept) == maxFiles {
			return &problem.Error{Status: http.StatusRequestEntityTooLarge, Detail: fmt.Sprint("a form may have ", maxFiles, " files")}
		}
		f, err := u.keep(part)
		if err != nil {
			return err
		}
		kept = append(kept, f)
	}
	if len(kept) == 0 {
		return &problem.Error{Status: http.StatusBadRequest, Detail: "the form has no file"}
	}
	return body.WriteJSON(w, http.StatusCreated, kept)
}

// keep copies a part to a new file. After an error, it removes the file.
func (u *uploads) keep(part *multipart.Part) (file, error) {
	f := file{Name: rand.Text(), Original: part.FileName()}
	out, err := u.dir.OpenFile(f.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return f, err // 500
	}
	f.Bytes, err = io.Copy(out, io.LimitReader(part, u.maxFile+1))
	switch {
	case err != nil:
		err = badForm(err)
	case f.Bytes > u.maxFile:
		err = &problem.Error{Status: http.StatusRequestEntityTooLarge, Detail: fmt.Sprint("a file may have ", u.maxFile, " bytes")}
	}
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		u.dir.Remove(f.Name)
	}
	return f, err
}

// badForm returns the error for an invalid form: 413 if the request is too
// large, otherwise 400. An error of writing a file is a 500.
func badForm(err error) error {
	if errors.As(err, new(*http.MaxBytesError)) || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return &problem.Error{Status: http.StatusBadRequest, Detail: "the form is damaged or incomplete", Err: err}
}

// show sends a file as a download, so that browsers don't interpret content
// that other users have uploaded.
func (u *uploads) show(w http.ResponseWriter, r *http.Request) error {
	f, err := u.dir.Open(r.PathValue("name"))
	if err != nil {
		return &problem.Error{Status: http.StatusNotFound, Detail: "there is no such file", Err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return problem.Code(http.StatusNotFound)
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", "attachment")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}
