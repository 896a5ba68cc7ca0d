package h2

import (
	"io"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A writer is the [http.ResponseWriter] of one request.
type writer struct{ request.Writer }

var (
	_ http.ResponseWriter = (*writer)(nil)
	_ http.Flusher        = (*writer)(nil)
	_ http.Pusher         = (*writer)(nil)
	_ http.CloseNotifier  = (*writer)(nil) //lint:ignore SA1019 net/http implements it
	_ io.ReaderFrom       = (*writer)(nil)
	_ io.StringWriter     = (*writer)(nil)
)

// ReadFrom implements [io.ReaderFrom].
func (w *writer) ReadFrom(src io.Reader) (int64, error) { return request.Copy(w, src) }

// EnableFullDuplex implements EnableFullDuplex of [http.ResponseController].
// HTTP/2 is always full duplex.
func (w *writer) EnableFullDuplex() error { return nil }

// Push implements [http.Pusher]. The server doesn't push: clients don't want it
// any more.
func (w *writer) Push(string, *http.PushOptions) error { return http.ErrNotSupported }
