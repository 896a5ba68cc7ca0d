package h2

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A writer is the [http.ResponseWriter] of one request. After the handler has
// returned, its methods only log a line. Writers are never reused.
type writer struct {
	stream *stream
	conn   *Conn
	gen    uint64
	header http.Header // after the handler has returned; nil with Recycle
}

var (
	_ http.ResponseWriter = (*writer)(nil)
	_ http.Flusher        = (*writer)(nil)
	_ http.Pusher         = (*writer)(nil)
	_ http.CloseNotifier  = (*writer)(nil) //lint:ignore SA1019 net/http implements it
	_ io.ReaderFrom       = (*writer)(nil)
	_ io.StringWriter     = (*writer)(nil)
)

// Format implements [fmt.Formatter], because the fields must not be read while
// they change.
func (w *writer) Format(s fmt.State, _ rune) { io.WriteString(s, "engine.ResponseWriter") }

// lock locks the response and returns it. If the handler has returned, lock logs
// the call of method, locks nothing and returns nil.
func (w *writer) lock(method string) *response {
	r := &w.stream.res
	if r.LockFor(w.gen) {
		return r
	}
	if method != "Header" || w.header == nil {
		w.conn.server.Late(method)
	}
	return nil
}

// ResponseProgress tells packages problem and middleware whether the response has
// started. The connection can't be hijacked.
func (w *writer) ResponseProgress() (started, hijacked bool) {
	r := &w.stream.res
	if !r.LockFor(w.gen) {
		return true, false
	}
	defer r.Unlock()
	return r.WroteHeader, false
}

// Header implements [http.ResponseWriter].
func (w *writer) Header() http.Header {
	r := w.lock("Header")
	if r == nil {
		if w.header == nil {
			return make(http.Header)
		}
		return w.header
	}
	defer r.Unlock()
	r.UseHeader(r.stream.ResponseHeader)
	return r.header()
}

// WriteHeader implements [http.ResponseWriter].
func (w *writer) WriteHeader(code int) {
	r := w.lock("WriteHeader")
	if r == nil {
		return
	}
	defer r.Unlock()
	if r.WroteHeader {
		return
	}
	request.CheckCode(code)
	r.writeHeader(code)
}

// Write implements [http.ResponseWriter].
func (w *writer) Write(p []byte) (int, error) { return w.write("Write", p, "") }

// WriteString implements [io.StringWriter].
func (w *writer) WriteString(s string) (int, error) { return w.write("WriteString", nil, s) }

func (w *writer) write(method string, p []byte, s string) (int, error) {
	r := w.lock(method)
	if r == nil {
		return 0, request.ErrLate
	}
	defer r.Unlock()
	return r.write(p, s)
}

// Flush implements [http.Flusher].
func (w *writer) Flush() { w.FlushError() }

// FlushError implements Flush of [http.ResponseController].
func (w *writer) FlushError() error {
	r := w.lock("Flush")
	if r == nil {
		return request.ErrLate
	}
	defer r.Unlock()
	if !r.WroteHeader {
		r.writeHeader(http.StatusOK)
	}
	stage := r.stage
	r.stage = r.stage[:0]
	return r.send(stage, false)
}

// ReadFrom implements [io.ReaderFrom].
func (w *writer) ReadFrom(src io.Reader) (int64, error) { return request.Copy(w, src) }

// SetReadDeadline implements SetReadDeadline of [http.ResponseController].
func (w *writer) SetReadDeadline(t time.Time) error { return w.setDeadline(t, false) }

// SetWriteDeadline implements SetWriteDeadline of [http.ResponseController].
func (w *writer) SetWriteDeadline(t time.Time) error { return w.setDeadline(t, true) }

// setDeadline doesn't lock the response, because it may be called to interrupt
// a Write of another goroutine, which holds the lock.
func (w *writer) setDeadline(t time.Time, write bool) error {
	if !w.conn.setDeadline(w, t, write) {
		w.conn.server.Late("SetDeadline")
		return request.ErrLate
	}
	return nil
}

// EnableFullDuplex implements EnableFullDuplex of [http.ResponseController].
// HTTP/2 is always full duplex.
func (w *writer) EnableFullDuplex() error { return nil }

// CloseNotify implements [http.CloseNotifier].
func (w *writer) CloseNotify() <-chan bool {
	r := w.lock("CloseNotify")
	if r == nil {
		panic("engine: CloseNotify called after the handler returned")
	}
	defer r.Unlock()
	return r.stream.ctx.CloseNotify()
}

// Push implements [http.Pusher]. The server doesn't push: clients don't want it
// any more.
func (w *writer) Push(string, *http.PushOptions) error { return http.ErrNotSupported }
