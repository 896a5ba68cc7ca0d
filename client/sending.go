package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// A sending is the context of a request in one call of the transport's
// RoundTrip. It observes how net/http sends the request.
//
// If a reused connection breaks without a response, net/http itself retries an
// idempotent request, on one pooled connection after another. Over HTTP/2, it
// retries any request on one new connection after another, without end, if the
// server's only response is GOAWAY or REFUSED_STREAM, and up to Go 1.26
// PROTOCOL_ERROR. Before it takes another connection, it calls the transport's
// Proxy function. So our Proxy function counts the attempts and stops net/http
// with an error (see begin).
//
// In HTTP/1, the connection limits the time for writing. In HTTP/2, each stream
// waits for its peer separately, in flow control. So a timer runs between
// passing a piece of the body to net/http and the next call of Read. The same
// is done if Options.Transport is set.
type sending struct {
	context.Context
	cancel context.CancelCauseFunc
	own    bool // the transport was created by this package
	hooks  httptrace.ClientTrace
	stall  time.Duration
	max    int // maximum number of attempts

	maxWait time.Duration // before an attempt

	// Used only on the goroutine of RoundTrip.
	refused int // number of earlier attempts that HTTP/2 didn't process
	sent    int // number of other earlier attempts that may have reached the server

	// The mutex guards the fields below. The body is read on another goroutine,
	// and Options.Transport may send the request on several at the same time.
	mu        sync.Mutex
	asked     bool  // there was an attempt
	connected bool  // the current attempt has a connection
	conn      *conn // that connection; nil for HTTP/2 and if it isn't a *conn
	before    int64 // conn.wrote at the start of the attempt
	header    bool  // its header was written
	hasBody   bool
	whole     bool // the body isn't wrapped in an upload
	timed     bool // use the timer
	finished  bool
	then      func()  // called by finish
	by        *upload // the upload whose bytes are pending; nil if whole is set
	timer     *time.Timer
	clock     stall.Clock
	since     time.Time // start of the timer; zero if it isn't running
	pending   int64     // number of bytes passed to net/http since then
}

type sendingKey struct{}

// Value returns s itself for sendingKey.
func (s *sending) Value(key any) any {
	if key == (sendingKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// proxy returns a Proxy function that calls begin and then next.
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

// maxRefused is how often net/http may take another connection after it sent a
// request over HTTP/2, as often as it repeats one on the same connection.
const maxRefused = 7

// begin is called before each attempt by net/http. It returns an error if the
// maximum number of attempts is reached.
func (s *sending) begin() error {
	s.mu.Lock()
	if s.conn != nil && s.conn.wrote.Load() != s.before {
		s.sent++ // at least a part of the request was sent
	}
	refused := s.conn == nil && s.header
	s.asked, s.connected, s.conn, s.header = true, false, nil, false
	s.mu.Unlock()
	if s.sent >= s.max {
		return fmt.Errorf("client: the connection broke before a response arrived; the request was sent %d times: %w", s.sent, io.ErrUnexpectedEOF)
	}
	if !refused {
		return nil
	}
	if s.refused++; s.refused > maxRefused {
		s.sent = s.max
		return fmt.Errorf("client: the server refused the request on %d HTTP/2 connections: %w", s.refused, io.ErrUnexpectedEOF)
	}
	if s.refused > 1 { // the first one may have been a connection that the server was closing
		return sleep(s, backoff(s.refused-1, s.maxWait))
	}
	return nil
}

// stallError returns the *StalledError because of which the request failed, or
// nil. err is what net/http returned, which after a failed write may be an error
// of reading the connection that it closed.
func (s *sending) stallError(err error) *StalledError {
	stalled, ok := context.Cause(s.Context).(*StalledError)
	if ok || errors.As(err, &stalled) {
		return stalled
	}
	if c := s.connection(); c != nil && c.hasStalled() {
		return &StalledError{After: s.stall, Sending: true}
	}
	return nil
}

// connection returns s.conn.
func (s *sending) connection() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

// times returns the number of attempts, including those without a connection.
// It returns max if net/http rejected the request, as it would do again.
func (s *sending) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own && !s.asked {
		return s.max
	}
	return min(s.sent+1, s.max)
}

// unsent reports whether no part of the request was sent before err: there was
// no connection, for example because of a failed dial or TLS handshake. Only the
// transport of this package is sure to report its connections.
func (s *sending) unsent(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connected || s.sent > 0 {
		return false
	}
	op, ok := errors.AsType[*net.OpError](err)
	return s.own || ok && op.Op == "dial"
}

// outgoing returns a copy of req with s as its context and a wrapped body.
func (s *sending) outgoing(req *http.Request) *http.Request {
	s.hasBody = req.Body != nil && req.Body != http.NoBody
	s.hooks.GotConn, s.hooks.WroteHeaders = s.gotConn, s.wroteHeaders
	if s.hasBody {
		s.hooks.WroteRequest = s.wroteRequest
	}
	out := req.WithContext(httptrace.WithClientTrace(s, &s.hooks))
	if s.stall <= 0 || !s.hasBody {
		return out
	}
	// Don't wrap a short body in memory. net/http sends it together with the
	// header, which it doesn't do for other bodies.
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
	c := stall.Conn[*conn](info.Conn)
	if c != nil {
		c.ready()
	}
	if t, ok := info.Conn.(*tls.Conn); c != nil && c.http2 || ok && t.ConnectionState().NegotiatedProtocol == "h2" {
		c = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = true // net/http doesn't call begin if it has an HTTP/2 connection
	if s.connected, s.conn, s.header = true, c, false; c != nil {
		s.before = c.wrote.Load()
	}
	s.timed, s.finished, s.clock = c == nil && s.stall > 0, false, stall.Clock{}
}

func (s *sending) wroteHeaders() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = true
	if s.whole {
		s.wait(nil, 0)
	}
}

func (s *sending) wroteRequest(httptrace.WroteRequestInfo) { s.finish() }

// wait starts the timer after n bytes of u were passed to net/http. The caller
// must hold s.mu.
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

// arrived stops the timer when the pending bytes were sent. It returns the time
// that took. The caller must hold s.mu.
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

// finish stops the timer and prevents it from starting again.
func (s *sending) finish() {
	s.mu.Lock()
	s.finished = true
	s.arrived()
	then := s.then
	s.then = nil
	s.mu.Unlock()
	if then != nil {
		then()
	}
}

// whenFinished reports whether the request has been sent. If not, f is called
// once it has.
func (s *sending) whenFinished(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.hasBody || s.finished {
		return true
	}
	s.then = f
	return false
}

// unfinished reports whether the request body is still being sent.
func (s *sending) unfinished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasBody && !s.finished
}

// An upload is a request body that returns small pieces from Read, to observe
// the speed at which the peer receives them.
type upload struct {
	io.ReadCloser
	s     *sending
	piece int   // maximum number of bytes of the next Read
	ended error // the last error of Read
}

// maxPiece is the size of the pieces for a fast peer, as in package server.
// Pieces of stall.Bytes make HTTP/2 uploads twice as expensive.
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
	// Also after the last piece, because net/http reads until io.EOF before it
	// sends the last piece.
	s.wait(u, n)
	return n, err
}

func (u *upload) Close() error {
	u.s.mu.Lock()
	if u.s.by == u { // not the body of a later attempt
		u.s.arrived()
	}
	u.s.mu.Unlock()
	return u.ReadCloser.Close()
}
