// Package recorder provides an http.ResponseWriter wrapper that records the
// status and the number of body bytes of a response.
//
// A recorder implements the same optional interfaces as the writer it wraps.
// Libraries detect these by type assertion, such as w.(http.Flusher), or with
// [http.ResponseController], which calls Unwrap. Both give the same result with
// and without the recorder.
//
//	wrapped writer     optional interfaces
//	HTTP/1 connection  Flusher, Hijacker, ReaderFrom, CloseNotifier
//	HTTP/2 stream      Flusher, Pusher, CloseNotifier; of package engine, also ReaderFrom
//	httptest recorder  Flusher
//
// Recorders are not pooled. Otherwise a goroutine that outlives its request
// could write into the response of another client.
package recorder

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// A Recorder records the status and the number of body bytes of a response.
// Like other [http.ResponseWriter]s, it isn't safe for concurrent use.
type Recorder struct {
	w        http.ResponseWriter
	bytes    int64
	status   int
	hijacked bool
	reading  bool // ReadFrom is running or has panicked
	dropping bool // the judge rejected the response
	judge    Judge
	watcher  *Watcher
}

// A Watcher sees a response while it is sent.
type Watcher struct {
	Begin func(status int)             // called with the final status
	Body  func(sent []byte, err error) // called with the result of each write
}

// A Judge can reject a response before any of it is sent.
type Judge interface {
	// TurnDown reports whether to reject the response. It is called once, when
	// WriteHeader is called with a final status. The header is complete then.
	TurnDown(code int) bool
}

// What a writer implements, as bits.
const (
	canFlush = 1 << iota
	canHijack
	canReadFrom
)

// Wrap returns a writer that wraps w, and its Recorder. If w is already such a
// writer, Wrap returns w itself, so that several middleware share a recorder.
func Wrap(w http.ResponseWriter) (http.ResponseWriter, *Recorder) {
	if r := of(w); r != nil {
		return w, r
	}
	can := 0
	if _, ok := w.(http.Flusher); ok {
		can |= canFlush
	}
	if _, ok := w.(http.Hijacker); ok {
		can |= canHijack
	}
	if _, ok := w.(io.ReaderFrom); ok {
		can |= canReadFrom
	}
	rec := Recorder{w: w}
	//lint:ignore SA1019 see wrapNotify
	if _, ok := w.(http.CloseNotifier); ok {
		if x, rec := wrapNotify(w, rec, can); x != nil {
			return x, rec
		}
	}
	switch can {
	case canFlush | canHijack | canReadFrom:
		x := &flushHijackReadFrom{flushHijack{flush{rec}}}
		return x, &x.Recorder
	case canFlush | canHijack:
		x := &flushHijack{flush{rec}}
		return x, &x.Recorder
	case canFlush | canReadFrom:
		x := &flushReadFrom{flush{rec}}
		return x, &x.Recorder
	case canHijack | canReadFrom:
		x := &hijackReadFrom{hijack{rec}}
		return x, &x.Recorder
	case canFlush:
		if _, ok := w.(http.Pusher); ok {
			x := &flushPush{flush{rec}}
			return x, &x.Recorder
		}
		x := &flush{rec}
		return x, &x.Recorder
	case canHijack:
		x := &hijack{rec}
		return x, &x.Recorder
	case canReadFrom:
		x := &readFrom{rec}
		return x, &x.Recorder
	}
	x := &Recorder{w: w} // not &rec, which would move rec to the heap in every case
	return x, x
}

// Status returns the final status, or 0 if none was sent yet. Informational
// statuses (1xx except 101) are not final.
func (r *Recorder) Status() int { return r.status }

// Bytes returns the number of body bytes that the wrapped writer accepted.
func (r *Recorder) Bytes() int64 { return r.bytes }

// Hijacked reports whether the connection was hijacked. If the wrapped writer
// has no Hijack method but unwraps to one that has, a handler can hijack past
// the recorder, with [http.ResponseController].
func (r *Recorder) Hijacked() bool {
	return r.hijacked || r.status == 0 && unwrap(r.w) != nil && Of(Base(r.w)) == Hijacked
}

// Started reports whether it is too late to send another response: a final
// status or a part of the body was sent, or the connection was hijacked. It
// also reports true after a panic inside ReadFrom, unless it is known that
// nothing was sent.
func (r *Recorder) Started() bool {
	return r.status != 0 || r.reading && Of(r.w) != Unsent || r.Hijacked()
}

// SetJudge sets a judge, or removes it if j is nil. If the judge rejects the
// response, the recorder discards all of it until TakeBack is called, and
// Status returns the rejected status.
func (r *Recorder) SetJudge(j Judge) { r.judge = j }

// TakeBack reports whether the response was rejected. If so, another one can be
// written afterwards.
func (r *Recorder) TakeBack() bool {
	if !r.dropping {
		return false
	}
	r.dropping, r.status = false, 0
	return true
}

// Watch sets a watcher, or removes it if x is nil. It reports false if there is
// another one. While there is one, files are copied instead of sent by sendfile(2).
func (r *Recorder) Watch(x *Watcher) bool {
	if x != nil && r.watcher != nil {
		return false
	}
	r.watcher = x
	return true
}

// Unwrap returns the wrapped writer, for [http.ResponseController].
func (r *Recorder) Unwrap() http.ResponseWriter { return r.w }

// Header returns the header of the wrapped writer.
func (r *Recorder) Header() http.Header { return r.w.Header() }

// WriteHeader calls WriteHeader of the wrapped writer, and records a final
// status.
func (r *Recorder) WriteHeader(code int) {
	final := code >= 200 || code == http.StatusSwitchingProtocols
	if r.judge != nil && final && !r.Started() && r.judge.TurnDown(code) {
		r.dropping, r.status = true, code
	}
	if r.dropping {
		return
	}
	r.w.WriteHeader(code) // panics if the code is invalid; then it must not be recorded
	if final {
		r.sent(code)
	}
}

// Write calls Write of the wrapped writer and counts the bytes.
func (r *Recorder) Write(p []byte) (int, error) {
	if r.dropping {
		return len(p), nil
	}
	r.sent(http.StatusOK)
	n, err := r.w.Write(p)
	r.bytes += int64(n)
	if r.watcher != nil {
		r.watcher.Body(p[:n], err)
	}
	return n, err
}

// WriteString implements [io.StringWriter], so that [io.WriteString] doesn't
// copy the string.
func (r *Recorder) WriteString(s string) (int, error) {
	if r.dropping {
		return len(s), nil
	}
	if r.watcher != nil {
		return r.Write([]byte(s))
	}
	r.sent(http.StatusOK)
	n, err := io.WriteString(r.w, s)
	r.bytes += int64(n)
	return n, err
}

// FlushError flushes the response for [http.ResponseController]. Every recorder
// implements it, because the wrapped writer may not be a Flusher but unwrap to
// one. It returns [http.ErrNotSupported] if no wrapped writer can flush.
func (r *Recorder) FlushError() error {
	if r.dropping {
		return nil
	}
	err := http.NewResponseController(r.w).Flush()
	if err == nil || Of(r.w) == Started {
		r.sent(http.StatusOK) // a flush sends the header, also if it fails later
	}
	return err
}

// sent records the status that was sent. Later statuses are ignored.
func (r *Recorder) sent(code int) {
	if r.status == 0 && !r.Hijacked() {
		r.status = code
		if r.watcher != nil {
			r.watcher.Begin(code)
		}
	}
}

func (r *Recorder) recorder() *Recorder { return r }

func (r *Recorder) passFlush() {
	if r.dropping {
		return
	}
	r.w.(http.Flusher).Flush()
	r.sent(http.StatusOK)
}

func (r *Recorder) passHijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := r.w.(http.Hijacker).Hijack()
	r.hijacked = r.hijacked || err == nil
	return conn, rw, err
}

// passReadFrom calls ReadFrom of the wrapped writer, which uses sendfile(2) for
// a file and a TCP connection.
func (r *Recorder) passReadFrom(src io.Reader) (int64, error) {
	if r.dropping {
		return io.Copy(io.Discard, src)
	}
	if r.watcher != nil {
		return io.Copy(struct{ io.Writer }{r}, src)
	}
	r.reading = true
	n, err := r.w.(io.ReaderFrom).ReadFrom(src)
	r.reading = false
	if n > 0 || Of(r.w) == Started { // if src is empty or fails at once, net/http sends nothing, not even the header
		r.sent(http.StatusOK)
	}
	r.bytes += n
	return n, err
}

// There is one type for each set of optional interfaces. Push is supported for
// HTTP/2 writers.
type (
	flush               struct{ Recorder }
	hijack              struct{ Recorder }
	readFrom            struct{ Recorder }
	flushPush           struct{ flush }
	flushHijack         struct{ flush }
	flushReadFrom       struct{ flush }
	hijackReadFrom      struct{ hijack }
	flushHijackReadFrom struct{ flushHijack }
)

func (x *flush) Flush() { x.passFlush() }

func (x *hijack) Hijack() (net.Conn, *bufio.ReadWriter, error)      { return x.passHijack() }
func (x *flushHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) { return x.passHijack() }

func (x *readFrom) ReadFrom(src io.Reader) (int64, error)            { return x.passReadFrom(src) }
func (x *flushReadFrom) ReadFrom(src io.Reader) (int64, error)       { return x.passReadFrom(src) }
func (x *hijackReadFrom) ReadFrom(src io.Reader) (int64, error)      { return x.passReadFrom(src) }
func (x *flushHijackReadFrom) ReadFrom(src io.Reader) (int64, error) { return x.passReadFrom(src) }

func (x *flushPush) Push(target string, opts *http.PushOptions) error {
	return x.w.(http.Pusher).Push(target, opts)
}
