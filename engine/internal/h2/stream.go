package h2

import (
	"context"
	"net/http"
	"runtime"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A stream is a request and its response.
//
// It is in Conn.streams from its first frame until its response ends, or until
// either side resets it. The handler may run longer. With Recycle, the stream is
// used again when both are over, except for the context, the body and the
// writer.
type stream struct {
	request.Parts
	conn   *Conn
	id     uint32
	ctx    *request.Context
	body   *body // nil if the request has none
	w      *writer
	answer http.HandlerFunc // responds instead of the program's handler, or nil
	bad    bool             // the request is malformed; reset after the response
	res    response

	// Guarded by conn.mu.
	gone       error // why the stream ended, or nil
	recvEnd    bool  // END_STREAM was received
	sentHead   bool
	sendEnd    bool  // END_STREAM was sent
	declared   int64 // Content-Length of the request, or -1
	received   int64 // bytes of the body
	recvWindow int64
	sendWindow int64
	readBy     int64 // deadlines; 0 for none
	writeBy    int64
	queued     // what waits to be sent
}

// A bundle is all that a request needs, in one allocation.
type bundle struct {
	stream
	req  http.Request
	ctx  request.Context
	w    writer
	body body
}

// maxShared is the length of the largest text that a request's path and its
// header share. If it is longer, the path is copied, so that a retained path
// doesn't keep the header in memory.
const maxShared = 1024

// open opens a stream for a request, or resets it if the path is invalid.
func (c *Conn) open(h *fieldBlock, r *parsedRequest) error {
	s := c.newStream(r.hasBody)
	s.id, s.answer, s.bad = h.stream, r.answer, r.bad
	path := r.path
	if c.decoder.Text() > maxShared {
		path = strings.Clone(path)
	}
	if !s.setURL(r, path) {
		return c.streamError(h.stream, protocolError, "bad_path")
	}
	s.setHeader(r)
	req := s.Begin(c.template, s.ctx)
	req.Method = r.method
	req.URL = &s.URL
	req.Header = s.Header
	req.Host = r.authority
	if req.RequestURI = path; r.method == "CONNECT" {
		req.RequestURI = r.authority
	}
	if r.scheme != "https" {
		req.TLS = nil
	}
	req.Trailer = r.trailer()
	req.Body = http.NoBody
	if r.hasBody {
		req.Body, req.ContentLength = s.body, r.length
		s.body.begin(s, r, req)
	}
	s.res.begin(s, r.method == "HEAD")
	s.declared = r.length
	s.recvEnd = !r.hasBody
	s.setPriority(r.priority)

	c.mu.Lock()
	s.recvWindow, s.sendWindow = c.server.streamWindow, c.initialWindow
	if !c.acked {
		s.recvWindow = max(s.recvWindow, defaultWindow)
	}
	s.setTimes(c)
	c.streams[s.id] = s
	first := len(c.streams) == 1
	c.mu.Unlock()
	c.ready = append(c.ready, s.id)
	if first {
		c.setState()
	}
	return nil
}

// newStream returns a stream with a context, a writer, and a body if wanted.
func (c *Conn) newStream(hasBody bool) *stream {
	if !c.server.Recycle {
		b := new(bundle)
		s := &b.stream
		s.Request, s.ctx, s.w = &b.req, &b.ctx, &b.w
		if hasBody {
			s.body = &b.body
		}
		return s.init(c)
	}
	c.mu.Lock()
	var s *stream
	if n := len(c.free); n > 0 {
		s, c.free = c.free[n-1], c.free[:n-1]
	}
	c.mu.Unlock()
	if s == nil {
		s = new(stream)
	}
	if len(c.writers) == 0 {
		c.writers = make([]writer, 8)
	}
	s.w, c.writers = &c.writers[0], c.writers[1:]
	s.ctx = new(request.Context)
	if hasBody {
		s.body = new(body)
	}
	return s.init(c)
}

func (s *stream) init(c *Conn) *stream {
	s.conn = c
	s.ctx.Context = c.ctx
	return s
}

// run calls the handler. It runs in a goroutine of the pool.
func (s *stream) run() {
	panicking := true
	defer func() {
		var v any
		if panicking {
			if v = recover(); v != nil && v != http.ErrAbortHandler {
				buf := make([]byte, 64<<10)
				buf = buf[:runtime.Stack(buf, false)]
				s.conn.server.Logf("http2: panic serving %v: %v\n%s", s.conn.template.RemoteAddr, v, buf)
			}
		}
		s.complete(panicking)
	}()
	h := http.Handler(s.answer)
	if s.answer == nil {
		h = s.conn.server.Handler()
	}
	h.ServeHTTP(s.w, s.Request)
	panicking = false
}

// complete completes the response after the handler has returned.
func (s *stream) complete(panicked bool) {
	c := s.conn
	s.ctx.Cancel(context.Canceled)
	if s.body != nil {
		s.body.close()
	}
	if form := s.Request.MultipartForm; form != nil {
		form.RemoveAll()
	}
	r := &s.res
	r.mu.Lock()
	r.invalidate()
	if !panicked {
		r.prepare()
	}
	c.mu.Lock()
	ok := !panicked && r.finish()
	if s.gone == nil {
		switch {
		case !ok && !s.sendEnd:
			c.resetStream(s.id, internalError)
		case s.bad:
			c.resetStream(s.id, protocolError)
		case !s.recvEnd:
			c.resetStream(s.id, noError) // RFC 9113 section 8.1
		}
		c.completed++
		c.drop(s, errClosed)
	}
	c.handlerReturned()
	r.reset()
	c.reuse(s)
	r.mu.Unlock()
	idle := len(c.streams) == 0
	c.flush()
	c.mu.Unlock()
	if idle {
		c.setState()
	}
	if !c.server.KeepAlives() {
		c.Shutdown()
	}
}

// reuse keeps a stream for another request. The caller holds c.mu.
func (c *Conn) reuse(s *stream) {
	if !c.server.Recycle || len(c.free) >= maxFree || !s.Reuse() {
		return
	}
	res := &s.res
	s.ctx, s.body, s.w, s.answer = nil, nil, nil, nil
	s.bad, s.gone, s.recvEnd, s.sentHead, s.sendEnd, s.received = false, nil, false, false, false, 0
	s.queued = queued{}
	res.recycle()
	c.free = append(c.free, s)
}

// maxFree is how many streams a connection keeps for reuse.
const maxFree = 32

// drop removes a stream that has ended from the connection, and wakes its
// handler if that waits. The caller holds c.mu, and resets the stream if needed.
// If the stream didn't end by its response, the caller must afterwards, without
// c.mu, call the method of the result.
func (c *Conn) drop(s *stream, why error) orphan {
	if s.gone != nil {
		return orphan{}
	}
	o := orphan{s.ctx, s.body, why}
	s.gone = why
	delete(c.streams, s.id)
	c.unqueue(s)
	if len(c.streams) == 0 {
		c.becameIdle()
	}
	return o
}

// resetStream appends RST_STREAM. The caller holds c.mu.
func (c *Conn) resetStream(id uint32, code errCode) {
	c.past.reset(id)
	c.grow(headLen + 4)
	c.out = appendReset(c.out, id, code)
}

// An orphan is what remains of a stream for its handler.
type orphan struct {
	ctx  *request.Context
	body *body
	why  error
}

// cancel tells the handler that the stream has ended.
func (o orphan) cancel() {
	if o.ctx == nil {
		return
	}
	if o.body != nil {
		o.body.fail(o.why)
	}
	o.ctx.ClientLeft()
}
