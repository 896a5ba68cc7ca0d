package server

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// The streams of an HTTP/2 connection wait for their peer separately, in flow
// control, where deadlines of the connection have no effect. So each request
// gets a writer and a body that arm a timer around every call that may wait.
// A timer that fires sets net/http's own deadline for the stream to the past.
//
// net/http's writer must not be used once the handler has returned: it refers
// to nothing then. A timer runs in a goroutine of its own, so timers act only
// under the stream's lock, and only until finish has set done.

// streamChunk is how many bytes of a Write one timer covers.
const streamChunk = 16 << 10

var past = time.Unix(1, 0)

// A stream is the writer of one HTTP/2 request. It has all methods of
// net/http's writer.
type stream struct {
	http.ResponseWriter
	stall      time.Duration
	controller *http.ResponseController

	mu     sync.Mutex // held by timers while they act
	done   bool       // the handler has returned: net/http's writer is invalid
	reads  stallTimer
	writes stallTimer
}

// A stallTimer bounds the waiting of one direction. The stream's lock guards
// it.
type stallTimer struct {
	timer    *time.Timer
	deadline time.Time // of the current wait
	waiting  int       // calls that wait now
	used     bool
	own      bool // the handler has set a deadline, and only that holds
}

func newStream(w http.ResponseWriter, stall time.Duration) *stream {
	return &stream{ResponseWriter: w, stall: stall, controller: http.NewResponseController(w)}
}

func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// begin starts a wait of at most d. If it does not return within d and before
// end and finish are called, expire is called, under the lock.
func (s *stream) begin(t *stallTimer, d time.Duration, expire func(time.Time) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.waiting++
	t.used = true
	if s.done || t.own {
		return
	}
	t.deadline = time.Now().Add(d)
	if t.timer != nil {
		t.timer.Reset(d)
		return
	}
	t.timer = time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		// The timer may have fired just as its wait ended, and another wait
		// may have begun.
		if !s.done && !t.own && t.waiting > 0 && !time.Now().Before(t.deadline) {
			expire(past)
		}
	})
}

func (s *stream) end(t *stallTimer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.waiting--; t.waiting == 0 {
		t.stop()
	}
}

func (t *stallTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

// finish is called when the handler has returned, before net/http invalidates
// its writer. It waits for a timer that acts at the moment; no timer acts
// later. It also bounds net/http's own last flush.
func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	s.reads.stop()
	s.writes.stop()
	if s.writes.used && !s.writes.own {
		s.controller.SetWriteDeadline(time.Now().Add(s.stall))
	}
}

func (s *stream) SetReadDeadline(t time.Time) error {
	return s.setDeadline(&s.reads, t, s.controller.SetReadDeadline)
}

func (s *stream) SetWriteDeadline(t time.Time) error {
	return s.setDeadline(&s.writes, t, s.controller.SetWriteDeadline)
}

func (s *stream) setDeadline(st *stallTimer, t time.Time, set func(time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return net.ErrClosed
	}
	st.own = true
	return set(t)
}

// waiting runs f, which may wait for the client to take bytes.
func (s *stream) waiting(f func() error) error {
	s.begin(&s.writes, s.stall, s.controller.SetWriteDeadline)
	defer s.end(&s.writes)
	return f()
}

func (s *stream) Write(p []byte) (n int, err error) {
	for {
		chunk := p[n:min(len(p), n+streamChunk)]
		err = s.waiting(func() error {
			m, err := s.ResponseWriter.Write(chunk)
			n += m
			return err
		})
		if err != nil || n >= len(p) {
			return n, err
		}
	}
}

func (s *stream) WriteString(p string) (n int, err error) {
	for {
		chunk := p[n:min(len(p), n+streamChunk)]
		err = s.waiting(func() error {
			m, err := io.WriteString(s.ResponseWriter, chunk)
			n += m
			return err
		})
		if err != nil || n >= len(p) {
			return n, err
		}
	}
}

func (s *stream) Flush() { s.FlushError() }

func (s *stream) FlushError() error { return s.waiting(s.controller.Flush) }

func (s *stream) Push(target string, opts *http.PushOptions) error {
	if p, ok := s.ResponseWriter.(http.Pusher); ok {
		return p.Push(target, opts)
	}
	return http.ErrNotSupported
}

// CloseNotify is deprecated but asserted for by frameworks that predate
// Request.Context.
func (s *stream) CloseNotify() <-chan bool {
	//lint:ignore SA1019 passing it on is the point
	return s.ResponseWriter.(http.CloseNotifier).CloseNotify()
}

// A streamBody is the body of one HTTP/2 request. Its Read may be called after
// the handler has returned, as http.Transport does with a proxy's body.
type streamBody struct {
	io.ReadCloser
	s     *stream
	clock stallClock // of the one goroutine that reads
}

func (b *streamBody) Read(p []byte) (int, error) {
	b.s.begin(&b.s.reads, b.clock.left(b.s.stall), b.s.controller.SetReadDeadline)
	defer b.s.end(&b.s.reads)
	start := time.Now()
	n, err := b.ReadCloser.Read(p)
	b.clock.add(time.Since(start), n)
	return n, err
}
