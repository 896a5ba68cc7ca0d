package request

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// A Writer is the [http.ResponseWriter] of one request, as far as HTTP/1.1 and
// HTTP/2 have it in common. After the handler has returned, its methods only log
// a line, even if the response is reused. Writers are never reused.
type Writer struct {
	Response *Response
	Conn     Conn
	Gen      uint64      // of the response, from Begin
	Kept     http.Header // after the handler has returned; nil with Recycle
}

// A Sender sends a Response. Its methods are called with that locked.
type Sender interface {
	Header() http.Header
	WriteHeader(code int)
	Write(p []byte, s string) (int, error) // either p or s is empty
	Flush() error
	CloseNotify() <-chan bool
}

// A Conn is the connection of a Writer.
type Conn interface {
	// SetDeadline sets a read or write deadline. It returns ErrLate if the
	// handler has returned.
	SetDeadline(w *Writer, t time.Time, write bool) error
	// Late logs a call of a method after the handler has returned.
	Late(method string)
}

// Format implements [fmt.Formatter], because the fields must not be read while
// they change.
func (w *Writer) Format(s fmt.State, _ rune) { io.WriteString(s, "engine.ResponseWriter") }

// Lock locks the response and returns it. If the handler has returned, Lock logs
// the call of method, locks nothing and returns nil.
func (w *Writer) Lock(method string) *Response {
	if w.Response.LockFor(w.Gen) {
		return w.Response
	}
	w.Conn.Late(method)
	return nil
}

// Valid reports whether the handler still runs.
func (w *Writer) Valid() bool { return w.Response.Is(w.Gen) }

// ResponseProgress tells packages problem and middleware whether the response has
// started, and whether the connection was hijacked.
func (w *Writer) ResponseProgress() (started, hijacked bool) {
	r := w.Response
	if !r.LockFor(w.Gen) {
		return true, false
	}
	defer r.Unlock()
	return r.WroteHeader, r.Hijacked
}

// Header implements [http.ResponseWriter].
func (w *Writer) Header() http.Header {
	r := w.Response
	switch {
	case r.LockFor(w.Gen):
	case w.Kept != nil:
		return w.Kept.Clone() // the response may not be complete
	default:
		w.Conn.Late("Header")
		return make(http.Header)
	}
	defer r.Unlock()
	h := w.Response.Sender.Header()
	r.UseHeader(h)
	return h
}

// WriteHeader implements [http.ResponseWriter].
func (w *Writer) WriteHeader(code int) {
	if r := w.Lock("WriteHeader"); r != nil {
		defer r.Unlock()
		w.Response.Sender.WriteHeader(code)
	}
}

// Write implements [http.ResponseWriter].
func (w *Writer) Write(p []byte) (int, error) { return w.write("Write", p, "") }

// WriteString implements [io.StringWriter].
func (w *Writer) WriteString(s string) (int, error) { return w.write("WriteString", nil, s) }

func (w *Writer) write(method string, p []byte, s string) (int, error) {
	r := w.Lock(method)
	if r == nil {
		return 0, ErrLate
	}
	defer r.Unlock()
	return w.Response.Sender.Write(p, s)
}

// Flush implements [http.Flusher].
func (w *Writer) Flush() { w.FlushError() }

// FlushError implements Flush of [http.ResponseController].
func (w *Writer) FlushError() error {
	r := w.Lock("Flush")
	if r == nil {
		return ErrLate
	}
	defer r.Unlock()
	return w.Response.Sender.Flush()
}

// CloseNotify implements [http.CloseNotifier].
func (w *Writer) CloseNotify() <-chan bool {
	r := w.Response
	if !r.LockFor(w.Gen) {
		panic("engine: CloseNotify called after the handler returned")
	}
	defer r.Unlock()
	return w.Response.Sender.CloseNotify()
}

// SetReadDeadline implements SetReadDeadline of [http.ResponseController].
func (w *Writer) SetReadDeadline(t time.Time) error { return w.setDeadline(t, false) }

// SetWriteDeadline implements SetWriteDeadline of [http.ResponseController].
func (w *Writer) SetWriteDeadline(t time.Time) error { return w.setDeadline(t, true) }

// setDeadline doesn't lock the response, because it may be called to interrupt
// a Write of another goroutine, which holds the lock.
func (w *Writer) setDeadline(t time.Time, write bool) error {
	err := w.Conn.SetDeadline(w, t, write)
	if err == ErrLate {
		w.Conn.Late("SetDeadline")
	}
	return err
}
