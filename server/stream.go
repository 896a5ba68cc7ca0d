package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// The streams of an HTTP/2 connection wait for their peer separately, in flow
// control, where deadlines of the connection have no effect. So each request
// gets a writer and a body that start a timer for every call that may wait. If
// the timer fires, it sets net/http's deadline for the stream to a time in the
// past.
//
// net/http's writer must not be used after the handler has returned, because
// its methods would dereference nil. Timers run in other goroutines. So they
// hold the stream's lock, and do nothing after finish has set done.

// streamBuffer is how much of a response net/http and the engine hold back.
const streamBuffer = 4 << 10

// streamChunk is how many bytes of a Write must move within StallTimeout.
const streamChunk = 16 << 10

// A stream is the writer of one HTTP/2 request. It has all methods of
// net/http's writer.
type stream struct {
	http.ResponseWriter
	ctx        context.Context // of the request
	conn       *conn
	controller *http.ResponseController

	mu     sync.Mutex // held by timers while they act
	done   bool       // the handler has returned: net/http's writer is invalid
	open   int        // calls that wait now, in both directions
	reads  waits
	writes waits
	work   work         // has a lock of its own
	wrote  atomic.Int64 // length of the response so far
}

// waits keeps track of the waiting in one direction. The stream's lock guards
// it. Times are those of the server's pulse.
type waits struct {
	expire   func(time.Time) error // sets net/http's deadline
	timer    *time.Timer
	armed    bool          // the timer will fire, not later than StallTimeout after the last wait began
	since    time.Duration // start of the current wait, or its last progress
	open     int           // calls that wait now
	used     bool
	own      bool      // the handler has set a deadline, and only that holds until it returns
	deadline time.Time // set by the handler, or of WriteTimeout
	clock    stall.Clock
}

func newStream(w http.ResponseWriter, r *http.Request, c *conn) *stream {
	s := &stream{ResponseWriter: w, ctx: r.Context(), conn: c, controller: http.NewResponseController(w)}
	s.reads.expire = s.controller.SetReadDeadline
	s.writes.expire = s.controller.SetWriteDeadline
	if d := c.l.s.HTTP.WriteTimeout; d > 0 {
		s.writes.deadline = time.Now().Add(d)
	}
	return s
}

func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// wait calls f, which may wait for the client, and returns the number of bytes
// that it transferred.
func (s *stream) wait(d *waits, f func() (int, error)) (int, error) {
	s.work.pause()
	defer s.work.resume()
	if !s.begin(d) {
		return f()
	}
	n := 0
	defer func() { s.end(d, n) }() // also if f panics
	n, err := f()
	return n, err
}

// begin starts the timer. It reports false if StallTimeout doesn't apply,
// because the handler has set its own deadline or has returned.
func (s *stream) begin(d *waits) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.used = true
	if s.done || d.own {
		return false
	}
	if d.open++; d.open == 1 {
		d.since = s.conn.l.pulse.now()
	}
	if s.open++; s.open == 1 {
		s.conn.streamWaits(+1, 0)
	}
	s.arm(d)
	return true
}

// arm starts the timer unless it is running. If it fires too early, it is
// started again.
func (s *stream) arm(d *waits) {
	limit := s.conn.l.s.StallTimeout
	if limit == 0 || d.armed {
		return
	}
	d.armed = true
	left := d.clock.Left(limit)
	if d.timer == nil {
		d.timer = time.AfterFunc(left, func() { s.fire(d) })
	} else {
		d.timer.Reset(left)
	}
}

// fire is called by the timer, which may be too early or too late: waits may
// have begun and ended since it was started.
func (s *stream) fire(d *waits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.armed = false
	if s.done || d.own || d.open == 0 {
		return
	}
	s.progress(d, 0)
	if d.clock.Waited() >= s.conn.l.s.StallTimeout {
		d.expire(past)
		return
	}
	s.arm(d)
}

// progress records the wait so far.
func (s *stream) progress(d *waits, n int) {
	now := s.conn.l.pulse.now()
	d.clock.Add(now-d.since, int64(n))
	d.since = now
}

func (s *stream) end(d *waits, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress(d, n)
	d.open--
	if s.done {
		return // finish has ended the wait
	}
	if d == &s.writes {
		n = 0
	}
	if s.open--; s.open == 0 {
		s.conn.streamWaits(-1, n)
	} else {
		s.conn.streamWaits(0, n)
	}
}

func (d *waits) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// finish is called when the handler has returned, before net/http invalidates
// its writer. It waits for a running timer function; afterwards timers have no
// effect.
//
// It also sets a deadline for net/http's last flush, unless the client has
// reset the stream. Then nothing is flushed, and net/http would keep the stream
// in memory until the deadline. An earlier deadline of the handler or of
// WriteTimeout remains.
func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	s.reads.stop()
	s.writes.stop()
	if s.open > 0 { // a goroutine of the handler still reads or writes
		s.conn.streamWaits(-1, 0)
	}
	limit := s.conn.l.s.StallTimeout
	if limit > 0 && s.writes.used && s.ctx.Err() == nil {
		s.controller.SetWriteDeadline(earlier(s.writes.deadline, time.Now().Add(limit)))
	}
}

func (s *stream) SetReadDeadline(t time.Time) error  { return s.setDeadline(&s.reads, t) }
func (s *stream) SetWriteDeadline(t time.Time) error { return s.setDeadline(&s.writes, t) }

func (s *stream) setDeadline(d *waits, t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return net.ErrClosed
	}
	d.own, d.deadline = true, t
	return d.expire(t)
}

func (s *stream) Write(p []byte) (int, error) { return writeChunks(s, p, s.ResponseWriter.Write) }

func (s *stream) WriteString(p string) (int, error) {
	return writeChunks(s, p, func(p string) (int, error) { return io.WriteString(s.ResponseWriter, p) })
}

// writeChunks passes p to write in pieces.
func writeChunks[T []byte | string](s *stream, p T, write func(T) (int, error)) (n int, err error) {
	for {
		chunk := p[n:min(len(p), n+streamChunk)]
		m, err := s.wait(&s.writes, func() (int, error) { return write(chunk) })
		if s.wrote.Add(int64(m)) > streamBuffer {
			s.work.respond()
		}
		if n += m; err != nil || n >= len(p) {
			return n, err
		}
	}
}

func (s *stream) Flush() { s.FlushError() }

func (s *stream) FlushError() error {
	s.work.respond()
	_, err := s.wait(&s.writes, func() (int, error) { return 0, s.controller.Flush() })
	return err
}

func (s *stream) Push(target string, opts *http.PushOptions) error {
	if p, ok := s.ResponseWriter.(http.Pusher); ok {
		return p.Push(target, opts)
	}
	return http.ErrNotSupported
}

// CloseNotify is deprecated, but frameworks that predate Request.Context use
// it.
func (s *stream) CloseNotify() <-chan bool {
	//lint:ignore SA1019 passing it on is the point
	return s.ResponseWriter.(http.CloseNotifier).CloseNotify()
}

// A streamBody is the body of one HTTP/2 request. Read may be called after the
// handler has returned: an http.Transport that sends the body to another server
// may do so.
type streamBody struct {
	io.ReadCloser
	s *stream
}

func (b *streamBody) Read(p []byte) (int, error) {
	return b.s.wait(&b.s.reads, func() (int, error) { return b.ReadCloser.Read(p) })
}
