package client

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// A sending is the context of a request while it is sent once, as far as this
// package knows. It watches what net/http does with it.
//
// net/http sends a request again by itself if a connection that it has used
// before breaks without an answer, and if the request is idempotent. It does so
// for each such connection that is left. Before each time it asks the
// transport's Proxy function, and that is where proxy counts and stops it.
//
// For HTTP/1, the connection itself bounds the writing. In HTTP/2 each stream
// waits for its peer in flow control, so there a timer runs between handing out
// a piece of the body and being asked for the next one. The same is done for a
// Transport that isn't from this package.
type sending struct {
	context.Context
	cancel context.CancelCauseFunc
	hooks  httptrace.ClientTrace
	stall  time.Duration
	max    int // how often the request may be sent

	// Used on the goroutine of RoundTrip only.
	asked  bool  // net/http has begun to send it
	sent   int   // how often it may have reached the server, without the last time
	conn   *conn // where it is sent now; nil for HTTP/2 and for foreign connections
	before int64 // what was written to conn before

	mu       sync.Mutex // the body is read on another goroutine
	hasBody  bool
	whole    bool // the body comes without an upload around it
	timed    bool // the timer bounds the sending
	finished bool
	by       *upload // whose bytes are pending; nil for a whole body
	timer    *time.Timer
	clock    stall.Clock
	since    time.Time // since when the timer runs; zero if it doesn't
	pending  int64     // bytes that were handed out since then
}

type sendingKey struct{}

// Value returns s itself for sendingKey.
func (s *sending) Value(key any) any {
	if key == (sendingKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// proxy returns a Proxy function that does what next does, and counts.
func proxy(next func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(req *http.Request) (*url.URL, error) {
		if s, ok := req.Context().Value(sendingKey{}).(*sending); ok {
			if err := s.begin(); err != nil {
				return nil, err
			}
		}
		if next == nil {
			return nil, nil
		}
		return next(req)
	}
}

// begin is called before net/http sends the request. It returns an error if it
// was sent often enough.
func (s *sending) begin() error {
	if s.asked && s.conn != nil && s.conn.wrote.Load() != s.before {
		s.sent++ // a part of it at least has left
	}
	s.asked, s.conn = true, nil
	if s.sent >= s.max {
		return fmt.Errorf("client: the connection broke before an answer came; the request was sent %d times: %w", s.sent, io.ErrUnexpectedEOF)
	}
	return nil
}

// times returns how often the request was sent, failed dials included.
func (s *sending) times() int { return min(s.sent+1, s.max) }

// outgoing returns a copy of req that s watches.
func (s *sending) outgoing(req *http.Request) *http.Request {
	s.hasBody = req.Body != nil && req.Body != http.NoBody
	s.hooks.GotConn = s.gotConn
	if s.hasBody {
		s.hooks.WroteHeaders, s.hooks.WroteRequest = s.wroteHeaders, s.wroteRequest
	}
	out := req.WithContext(httptrace.WithClientTrace(s, &s.hooks))
	if s.stall <= 0 || !s.hasBody {
		return out
	}
	// A short body that is at hand stays as it is: net/http would send the
	// header of any other on its own.
	if s.whole = req.GetBody != nil && 0 < req.ContentLength && req.ContentLength <= stall.Bytes && req.Header.Get("Expect") == ""; s.whole {
		return out
	}
	out.Body = &upload{ReadCloser: req.Body, s: s}
	if req.GetBody != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			b, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			return &upload{ReadCloser: b, s: s}, nil
		}
	}
	return out
}

func (s *sending) gotConn(info httptrace.GotConnInfo) {
	c := unwrap(info.Conn)
	if t, ok := info.Conn.(*tls.Conn); ok && t.ConnectionState().NegotiatedProtocol == "h2" {
		c = nil
	}
	if s.conn = c; c != nil {
		s.before = c.wrote.Load()
	}
	s.mu.Lock()
	s.timed, s.finished, s.clock = c == nil && s.stall > 0, false, stall.Clock{}
	s.mu.Unlock()
}

func (s *sending) wroteHeaders() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.whole {
		s.wait(nil, 0)
	}
}

func (s *sending) wroteRequest(httptrace.WroteRequestInfo) { s.finish() }

// wait starts the timer: n more bytes of u are on their way. s.mu is held.
func (s *sending) wait(u *upload, n int) {
	if !s.timed || s.finished {
		return
	}
	s.by, s.since = u, time.Now()
	s.pending += int64(n)
	left := s.clock.Left(s.stall)
	if s.timer == nil {
		s.timer = time.AfterFunc(left, func() { s.cancel(&StalledError{After: s.stall, Sending: true}) })
	} else {
		s.timer.Reset(left)
	}
}

// arrived stops the timer: all bytes that were pending have left. It returns how
// long they took. s.mu is held.
func (s *sending) arrived() (took time.Duration) {
	if s.since.IsZero() {
		return 0
	}
	s.timer.Stop()
	took = time.Since(s.since)
	s.clock.Add(took, s.pending)
	s.since, s.pending = time.Time{}, 0
	return took
}

// finish stops the timer for good.
func (s *sending) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = true
	s.arrived()
}

// unfinished reports whether the request's body is still being sent.
func (s *sending) unfinished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasBody && !s.finished
}

// An upload is the body of a request, handed out in pieces that are small
// enough to see from one to the next whether the peer takes them.
type upload struct {
	io.ReadCloser
	s     *sending
	piece int   // bytes to hand out next
	ended error // what Read returned at last
}

// maxPiece is the size of the pieces for a peer that takes them quickly, as in
// package server. Pieces of stall.Bytes make HTTP/2 uploads twice as expensive.
const maxPiece = 16 << 10

func (u *upload) Read(p []byte) (int, error) {
	s := u.s
	s.mu.Lock()
	timed := s.timed
	if u.ended == nil {
		if s.arrived() < s.stall/8 {
			u.piece *= 2
		} else {
			u.piece = 0
		}
		u.piece = min(max(u.piece, stall.Bytes), maxPiece)
	}
	s.mu.Unlock()
	switch {
	case u.ended != nil:
		return 0, u.ended
	case !timed:
		return u.ReadCloser.Read(p)
	}
	n, err := u.ReadCloser.Read(p[:min(len(p), u.piece)])
	u.ended = err
	s.mu.Lock()
	defer s.mu.Unlock()
	// Also after the last piece: net/http looks for the end of a body before it
	// sends its last piece.
	s.wait(u, n)
	return n, err
}

func (u *upload) Close() error {
	u.s.mu.Lock()
	if u.s.by == u { // and not the body of the next time
		u.s.arrived()
	}
	u.s.mu.Unlock()
	return u.ReadCloser.Close()
}
