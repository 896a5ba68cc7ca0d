package h2

import (
	"context"
	"net/http"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A stream is a request and its response.
//
// It is in Conn.streams from its first frame until its response ends, or until
// either side resets it. The handler may run longer. When both are over, the
// stream is used again, by any connection, but only with Recycle its Parts. The
// context, the body and the writer are never used again.
type stream struct {
	*request.Parts
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
	started    bool  // the handler is about to run, or runs
	recvEnd    bool  // END_STREAM was received
	sentHead   bool
	sendEnd    bool  // END_STREAM was sent
	declared   int64 // Content-Length of the request, or -1
	received   int64 // bytes of the body
	padding    int64 // bytes to add to recvWindow
	recvWindow int64
	sendWindow int64 // of the client, less its initialWindow
	readBy     int64 // deadlines; 0 for none
	writeBy    int64
	setWriteBy bool // the handler has set writeBy
	queued          // what waits to be sent
}

// A kept is what a handler can retain, in one allocation.
type kept struct {
	ctx request.Context
	w   writer
}

// A bundle is what a handler can retain without Recycle.
type bundle struct {
	request.Parts
	req http.Request
	kept
}

// open opens a stream for a request. problem says what is wrong with it, if
// anything.
func (c *Conn) open(h *fieldBlock, r *parsedRequest, problem string) error {
	if problem != "" {
		_, err := c.register(nil, h.stream, problem)
		return err
	}
	s := c.newStream()
	s.id, s.answer, s.bad = h.stream, r.answer, r.bad
	if !s.setURL(r) {
		_, err := c.register(nil, h.stream, "bad_path")
		return err
	}
	s.setHeader(r)
	req := s.Begin(c.template, s.ctx)
	req.Method = r.method
	req.URL = &s.URL
	req.Header = s.Header
	req.Host = r.authority
	if req.RequestURI = r.path; r.connects() {
		req.RequestURI = r.authority
	}
	req.Trailer = r.trailer()
	req.Body = http.NoBody
	if r.hasBody {
		s.body = new(body)
		s.body.begin(s, r, req)
		req.Body, req.ContentLength = s.body, r.length
	}
	s.res.begin(s, r.method)
	s.declared = r.length
	s.recvEnd = !r.hasBody
	if c.proxied = c.proxied || r.proxied; c.proxied {
		r.priority = ""
	}
	s.setPriority(r.priority)
	ok, err := c.register(s, s.id, "")
	if ok {
		c.ready = append(c.ready, s.id)
	}
	return err
}

// freeStreams holds streams for reuse.
var freeStreams = sync.Pool{New: func() any {
	s := new(stream)
	s.res.stream = s
	s.res.Sender = &s.res
	return s
}}

// newStream returns a stream with its Parts, a context and a writer.
func (c *Conn) newStream() *stream {
	s := freeStreams.Get().(*stream)
	var k *kept
	if c.server.Recycle {
		if s.Parts == nil {
			s.Parts = new(request.Parts)
		}
		k = new(kept)
	} else {
		b := new(bundle)
		b.Request = &b.req
		s.Parts, k = &b.Parts, &b.kept
	}
	s.conn, s.ctx, s.w = c, &k.ctx, &k.w
	s.ctx.Context = c.ctx
	return s
}

// run calls the handler. It runs in a goroutine of the pool.
func (s *stream) run() {
	panicking := true
	defer func() {
		if panicking {
			request.LogPanic(s.conn.server.Logf, "http2", s.conn.template.RemoteAddr, recover())
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
	c, r := s.conn, &s.res
	// A goroutine that waits for the end of the context must not write any more, and
	// may change the header. If one writes now, that may take long.
	locked := r.TryLock()
	if locked {
		r.prepare(panicked)
	}
	s.ctx.Cancel(context.Canceled)
	if s.body != nil {
		s.body.close()
	}
	if form := s.Request.MultipartForm; form != nil {
		form.RemoveAll()
	}
	if !locked {
		r.Lock()
		r.prepare(panicked)
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
			c.stopUpload(s)
		}
		c.completed++
		c.drop(s, errClosed)
	}
	c.handlerReturned()
	r.reset()
	later := r.Release()
	s.reuse()
	c.flushLate()
	idle := len(c.streams) == 0
	c.mu.Unlock()
	for _, f := range later {
		f()
	}
	if idle {
		c.setState()
	}
	if !c.server.KeepAlives() {
		c.Shutdown()
	}
}

// reuse keeps a stream for another request, of any connection.
func (s *stream) reuse() {
	if !s.conn.server.Recycle || !s.Reuse() {
		s.Parts = nil
	}
	s.res.recycle()
	s.conn, s.ctx, s.body, s.w, s.answer = nil, nil, nil, nil, nil
	s.bad, s.gone, s.started, s.recvEnd, s.sentHead, s.sendEnd, s.setWriteBy = false, nil, false, false, false, false, false
	s.received, s.padding = 0, 0
	s.queued = queued{}
	freeStreams.Put(s)
}

// drop removes a stream that has ended from the connection, and wakes its
// handler if that waits. The caller holds c.mu, and resets the stream if needed.
// If the stream didn't end by its response, the caller must afterwards, without
// c.mu, call the method of the result.
func (c *Conn) drop(s *stream, why error) orphan {
	if s.gone != nil {
		return orphan{}
	}
	o := orphan{s.ctx, s.body, why, s.started}
	s.gone = why
	delete(c.streams, s.id)
	if s.recvEnd && s.sendEnd {
		c.closed--
	}
	c.unqueue(s)
	c.leave(s)
	if !c.writing {
		c.checkIdle()
	}
	return o
}

// endReceived records that END_STREAM was received. The caller holds c.mu.
func (c *Conn) endReceived(s *stream) {
	s.recvEnd, s.readBy = true, 0
	if s.gone != nil {
		c.leaveEarly(s.id)
	} else if s.sendEnd {
		c.closed++
	}
}

// leaveEarly records that the client has ended a stream that the server has
// reset: further frames are errors. The caller holds c.mu.
func (c *Conn) leaveEarly(id uint32) {
	delete(c.early, id)
	c.past.end(id)
}

// endSent records that END_STREAM is sent. If the client has sent it, too, it may
// open another stream at once, even before the handler continues. The caller
// holds c.mu.
func (c *Conn) endSent(s *stream) {
	s.sendEnd = true
	if s.recvEnd {
		c.closed++
	}
}

// resetStream appends RST_STREAM. The caller holds c.mu.
func (c *Conn) resetStream(id uint32, code errCode) {
	c.past.reset(id)
	c.appendControl(appendReset(nil, id, code))
}

// stopUpload asks the client to stop sending the request, whose response is
// complete (RFC 9113 section 8.1). It does so with another write, because curl
// 7.88 discards a response that arrives together with the reset. The caller holds
// c.mu.
func (c *Conn) stopUpload(s *stream) {
	for id := range c.early {
		if len(c.early) < maxEarly {
			break
		}
		delete(c.early, id)
	}
	if c.early == nil {
		c.early = make(map[uint32]*stream)
	}
	c.early[s.id] = &stream{id: s.id, body: droppedBody, gone: errClosed, declared: s.declared,
		received: s.received, recvWindow: s.recvWindow, sendWindow: s.sendWindow}
	if len(c.out) == 0 {
		c.resetStream(s.id, noError)
		return
	}
	c.past.reset(s.id)
	c.later = appendReset(c.later, s.id, noError)
}

// maxEarly is how many streams a connection keeps in early.
const maxEarly = 32

// droppedBody is the body of all streams in early: their own may have a Trailer
// map of megabytes.
var droppedBody = &body{closed: true}

// unended returns a stream that the client hasn't ended, or nil. The caller holds
// c.mu.
func (c *Conn) unended(id uint32) *stream {
	if s := c.streams[id]; s != nil {
		return s
	}
	return c.early[id]
}

// An orphan is what remains of a stream for its handler.
type orphan struct {
	ctx  *request.Context
	body *body
	why  error

	hasHandler bool
}

// cancel tells the handler that the stream has ended.
func (o orphan) cancel() {
	if o.ctx == nil {
		return
	}
	switch {
	case o.body == nil:
	case !o.hasHandler:
		o.body.close() // nobody else will
	case o.why == errDisconnected:
		o.body.fail(o.why)
	default:
		o.body.reset(o.why)
	}
	o.ctx.ClientLeft()
}
