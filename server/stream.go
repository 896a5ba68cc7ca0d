package server

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// In HTTP/2 the streams of a connection wait for their peer one by one, in
// flow control, where no deadline of the connection reaches. So each request
// gets a writer and a body of its own, which arm a timer around what may wait.
// When one fires it sets net/http's own deadline for the stream into the past.

// streamChunk is how much of a Write one timer covers.
const streamChunk = 16 << 10

var past = time.Unix(1, 0)

// A stream is the writer of one HTTP/2 request. It has every method that
// net/http's own has.
type stream struct {
	http.ResponseWriter
	stall time.Duration

	writes     *time.Timer
	wrote      bool
	ownWrites  atomic.Bool // the handler has set a write deadline: only that holds
	ownReads   atomic.Bool
	controller *http.ResponseController
}

func newStream(w http.ResponseWriter, stall time.Duration) *stream {
	return &stream{ResponseWriter: w, stall: stall, controller: http.NewResponseController(w)}
}

func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *stream) SetReadDeadline(t time.Time) error {
	s.ownReads.Store(true)
	return s.controller.SetReadDeadline(t)
}

func (s *stream) SetWriteDeadline(t time.Time) error {
	s.ownWrites.Store(true)
	return s.controller.SetWriteDeadline(t)
}

// waiting runs f, which may wait for the client to take bytes.
func (s *stream) waiting(f func() error) error {
	s.wrote = true
	if s.ownWrites.Load() {
		return f()
	}
	if s.writes == nil {
		s.writes = time.AfterFunc(s.stall, func() { s.controller.SetWriteDeadline(past) })
	} else {
		s.writes.Reset(s.stall)
	}
	defer s.writes.Stop()
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

// finish bounds net/http's own last flush, after the handler.
func (s *stream) finish() {
	if s.wrote && !s.ownWrites.Load() {
		s.controller.SetWriteDeadline(time.Now().Add(s.stall))
	}
}

// A streamBody is the body of one HTTP/2 request.
type streamBody struct {
	io.ReadCloser
	s     *stream
	clock stallClock
	timer *time.Timer
}

func (b *streamBody) Read(p []byte) (int, error) {
	if b.s.ownReads.Load() {
		return b.ReadCloser.Read(p)
	}
	left := b.clock.left(b.s.stall)
	if b.timer == nil {
		b.timer = time.AfterFunc(left, func() { b.s.controller.SetReadDeadline(past) })
	} else {
		b.timer.Reset(left)
	}
	start := time.Now()
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	b.clock.add(time.Since(start), n)
	return n, err
}
