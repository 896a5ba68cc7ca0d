// Package recorder watches a response go by: which status was sent and how many
// bytes of body.
//
// A recorder offers what the writer below it offers and nothing more. Libraries
// ask a writer what it can do in two ways: by type assertion, such as
// w.(http.Flusher), and through [http.ResponseController], which follows
// Unwrap. Both get the answer that they would get without the recorder.
//
//	below                   type        Flusher  Hijacker  ReaderFrom  Pusher
//	HTTP/1 connection    => flushHijackReadFrom   x         x           x
//	HTTP/2 stream        => flushPush             x                               x
//	httptest recorder    => flush                 x
//
// A recorder belongs to one request and is never used again. Recycling would
// save one allocation, and a goroutine that outlives its request could write
// into the response of the next client.
package recorder

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// A Recorder notes the status and the bytes of one response. It isn't safe for
// concurrent use, no more than the [http.ResponseWriter] below it is.
type Recorder struct {
	w        http.ResponseWriter
	bytes    int64
	status   int
	hijacked bool
	reading  bool // inside ReadFrom, or a panic came out of it
	dropping bool // the answer was turned down
	judge    Judge
}

// A Judge may turn an answer down before anything of it is sent.
type Judge interface {
	// TurnDown is asked once, when WriteHeader is called with a final status
	// and the response's header is complete.
	TurnDown(code int) bool
}

// Wrap returns a writer that passes everything on to w, and the recorder that
// sees it pass. If w is such a writer already, it is returned as it is: one
// recorder serves all who ask.
func Wrap(w http.ResponseWriter) (http.ResponseWriter, *Recorder) {
	if r := of(w); r != nil {
		return w, r
	}
	const canFlush, canHijack, canReadFrom = 1, 2, 4
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

// Status returns the final status that was sent, 0 as long as none was.
// Informational answers (1xx but 101) don't count.
func (r *Recorder) Status() int { return r.status }

// Bytes returns how many bytes of body the writer below accepted.
func (r *Recorder) Bytes() int64 { return r.bytes }

// Hijacked reports whether the connection was taken over.
func (r *Recorder) Hijacked() bool { return r.hijacked }

// Started reports whether it is too late for another answer: a final status or
// a part of the body was sent, or the connection was taken over. After a panic
// inside ReadFrom nobody can tell, and the answer is yes.
func (r *Recorder) Started() bool { return r.status != 0 || r.hijacked || r.reading }

// SetJudge has j asked before an answer is sent; nil asks nobody. If j turns
// the answer down, nothing of it is sent until TakeBack. Status returns what
// was turned down.
func (r *Recorder) SetJudge(j Judge) { r.judge = j }

// TakeBack reports whether the answer was turned down, and then lets another
// one be written.
func (r *Recorder) TakeBack() bool {
	if !r.dropping {
		return false
	}
	r.dropping, r.status = false, 0
	return true
}

// Unwrap returns the writer below, for [http.ResponseController].
func (r *Recorder) Unwrap() http.ResponseWriter { return r.w }

// Header returns the header of the writer below.
func (r *Recorder) Header() http.Header { return r.w.Header() }

// WriteHeader passes code on and notes it if it is a final status.
func (r *Recorder) WriteHeader(code int) {
	final := code >= 200 || code == http.StatusSwitchingProtocols
	if r.judge != nil && final && !r.Started() && r.judge.TurnDown(code) {
		r.dropping, r.status = true, code
	}
	if r.dropping {
		return
	}
	r.w.WriteHeader(code) // panics on an invalid code, which then was never sent
	if final {
		r.sent(code)
	}
}

// Write passes p on and counts what was accepted.
func (r *Recorder) Write(p []byte) (int, error) {
	if r.dropping {
		return len(p), nil
	}
	r.sent(http.StatusOK)
	n, err := r.w.Write(p)
	r.bytes += int64(n)
	return n, err
}

// WriteString keeps [io.WriteString] from copying the string.
func (r *Recorder) WriteString(s string) (int, error) {
	if r.dropping {
		return len(s), nil
	}
	r.sent(http.StatusOK)
	n, err := io.WriteString(r.w, s)
	r.bytes += int64(n)
	return n, err
}

// FlushError is what [http.ResponseController] calls. Every recorder has it,
// since a writer below that only unwraps to one that flushes must be noticed
// too. Where nothing below flushes, it returns [http.ErrNotSupported].
func (r *Recorder) FlushError() error {
	if r.dropping {
		return nil
	}
	err := http.NewResponseController(r.w).Flush()
	if err == nil {
		r.sent(http.StatusOK) // a flush sends the header
	}
	return err
}

// sent notes the status that goes out now. The first one stays, as it does for
// the client.
func (r *Recorder) sent(code int) {
	if r.status == 0 && !r.hijacked {
		r.status = code
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

// passReadFrom leaves the copying to the writer below, which for a file and a
// TCP connection is sendfile(2).
func (r *Recorder) passReadFrom(src io.Reader) (int64, error) {
	if r.dropping {
		return io.Copy(io.Discard, src)
	}
	r.reading = true
	n, err := r.w.(io.ReaderFrom).ReadFrom(src)
	r.reading = false
	if n > 0 { // net/http sends nothing, not even the header, when src is empty or fails at once
		r.sent(http.StatusOK)
	}
	r.bytes += n
	return n, err
}

// One type for each set of interfaces that a writer below may have, named after
// it. Push is kept where HTTP/2 has it.
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
