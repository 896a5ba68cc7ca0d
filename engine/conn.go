package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A conn is a connection that the engine serves. Only the connection's
// goroutine accesses it, except for the fields documented otherwise.
type conn struct {
	server   *Server
	nc       net.Conn
	raw      *rawIO // faster access to nc; may be nil
	accepted time.Time
	ctx      context.Context // from BaseContext and ConnContext; passed to net/http
	connCtx  context.Context // ctx with the local address; parent of request contexts

	remoteAddr string
	tls        *tls.ConnectionState
	tmpl       *http.Request
	bundle     *bundle  // reused by each request, with Recycle
	writers    []writer // allocated but not used yet

	in      *buffer // nil while none is needed
	r, w    int     // in.b[r:w] is the unused input
	work    *work   // nil between requests
	current *requestContext

	inHandler bool
	gone      bool // hijacked or passed to net/http, so the engine must not close it
	lastPost  bool // the last request was a POST

	requests atomic.Uint64 // served; read by Stats
	state    stateWord     // shared with the timer and Shutdown

	deadlines deadlines
	headBegan int64 // when the first bytes of the current head arrived
}

// A work is the state for serving a request, except for the input buffer. A
// connection that waits for a request has none.
type work struct {
	head head
	res  response
}

var workPool = sync.Pool{New: func() any { return new(work) }}

// serve serves a connection until it ends, is hijacked or passed to net/http.
func (c *conn) serve() {
	defer c.close()
	if !c.begin() {
		return
	}
	for c.next() {
	}
}

// begin prepares a new connection. It reports whether requests can be read.
func (c *conn) begin() bool {
	if addr := c.nc.RemoteAddr(); addr != nil {
		c.remoteAddr = addr.String()
	}
	c.connCtx = context.WithValue(c.ctx, http.LocalAddrContextKey, c.nc.LocalAddr())
	if !c.handshake() {
		return false
	}
	if p := c.server.srv.Protocols; p != nil && !p.HTTP1() {
		c.handOver(reasonProtocols)
		return false
	}
	c.raw = newRawIO(c)
	c.tmpl = c.template()
	t := &c.server.timeouts
	c.headBegan = t.now()
	return !c.enter(phaseNew, by(c.headBegan, t.head), 0)
}

// close is deferred by serve. It logs a panic of the handler and closes the
// connection.
func (c *conn) close() {
	if v := recover(); v != nil && v != http.ErrAbortHandler {
		buf := make([]byte, 64<<10)
		buf = buf[:runtime.Stack(buf, false)]
		c.server.logf("http: panic serving %v: %v\n%s", c.remoteAddr, v, buf)
	}
	if x := c.current; c.inHandler {
		c.work.res.invalidate()
		x.Cancel(context.Canceled)
		x.stopWatch()
		if x.body != nil && !c.gone {
			c.abortBodyRead(x.body)
			x.body.close()
		}
	}
	c.state.enter(phaseGone)
	if !c.gone {
		if c.work != nil {
			c.work.res.flushPending()
		}
		c.deadlines.stop(c)
		c.nc.Close()
	}
	c.server.untrackConn(c)
	c.giveBackAll()
	if !c.gone {
		c.hook(http.StateClosed)
	}
}

// next reads and serves the next request. It reports whether the connection
// can serve another one.
func (c *conn) next() bool {
	out, why := c.readHead()
	if c.server.inShutdown.Load() {
		if out != needMore || c.w > c.r {
			c.hook(http.StateActive)
		}
		return false
	}
	switch out {
	case needMore: // the connection ended
		if c.w > c.r {
			c.hook(http.StateActive)
		}
		return false
	case handOver:
		c.handOver(why)
		return false
	}
	h := &c.work.head
	bd := c.newRequest(h, c.in.b[c.r:c.w])
	if bd == nil {
		c.handOver(reasonTarget)
		return false
	}
	c.r += h.pos
	if c.enterServing() {
		return false
	}
	c.hook(http.StateActive)
	return c.serveRequest(bd)
}

// enterServing begins the phase of a running handler.
func (c *conn) enterServing() (condemned bool) {
	t := &c.server.timeouts
	var read, write int64
	if t.write != 0 {
		write = t.now() + t.write
	}
	if c.current.body == nil {
		return c.enter(phaseHandler, 0, write)
	}
	if t.read != 0 {
		read = c.headBegan + t.read
	}
	return c.enter(phaseBody, read, write)
}

// serveRequest calls the handler and completes the response.
func (c *conn) serveRequest(bd *bundle) bool {
	x := c.current
	res := &c.work.res
	res.begin(c, bd, &c.work.head)
	if len(res.out) > 0 {
		x.pending = true
		c.server.watcher.add(x)
	}

	c.requests.Add(1)
	c.inHandler = true
	c.server.handler().ServeHTTP(bd.w, bd.Request)
	res.invalidate()
	x.Cancel(context.Canceled)
	watched := x.stopWatch()
	if res.hijacked {
		c.inHandler = false
		return false
	}
	c.unread(watched)
	// A goroutine of the handler may still read the body. If so, it owns the
	// input.
	more := (x.body == nil || x.body.consumed.Load()) && c.w > c.r
	keep := res.complete(more)
	c.inHandler = false

	c.lastPost = c.work.head.method == "POST"
	if form := bd.Request.MultipartForm; form != nil {
		form.RemoveAll()
	}
	if !keep {
		res.flushPending()
		if x.body != nil && x.body.closedUnread.Load() {
			c.closeWriteAndWait()
		}
		return false
	}
	c.hook(http.StateIdle)
	if !c.server.keepAlives() {
		return false
	}
	t := &c.server.timeouts
	if c.enter(phaseIdle, by(t.now(), t.idle), 0) {
		return false
	}
	if c.server.Recycle {
		c.recycle(bd)
	}
	return true
}

// readHead reads the head of the next request into c.work.head. If the
// connection ended it returns needMore.
func (c *conn) readHead() (outcome, reason) {
	begun, skipped := false, false
	for {
		if c.r == c.w {
			if !c.giveBackUnused() {
				return needMore, noReason
			}
		} else {
			if !begun {
				begun = true
				c.beginHead()
			}
			if b := c.in.b[c.r:c.w]; c.lastPost && !skipped && (b[0] == '\r' || b[0] == '\n') {
				if skipped = c.skipLineEnds(b); skipped {
					continue
				}
			} else if out, why := c.parseHead(b); out != needMore {
				return out, why
			}
			if !c.work.res.flushPending() {
				return needMore, noReason
			}
			if c.requests.Load() > 0 && c.state.load().phase() != phaseHead && c.enter(phaseHead, by(c.headBegan, c.server.timeouts.head), 0) {
				return needMore, noReason
			}
		}
		if err := c.fill(); err != nil {
			if errors.Is(err, io.EOF) && c.w > c.r && (c.requests.Load() == 0 || skipped || c.w-c.r >= maxLineEnds) {
				return handOver, reasonCutHead
			}
			return needMore, noReason
		}
	}
}

// beginHead is called when the first bytes of a head have arrived.
func (c *conn) beginHead() {
	if c.requests.Load() > 0 {
		c.headBegan = c.server.timeouts.now()
	}
	if c.work == nil {
		c.work = workPool.Get().(*work)
	}
	c.work.head.reset()
}

// maxLineEnds is the maximum number of bytes that skipLineEnds skips, as in
// net/http.
const maxLineEnds = 4

// skipLineEnds skips the line ends at the start of the input b. Old clients
// send an extra line after the body of a POST (RFC 9112 section 2.2). It
// reports false if it needs more input.
func (c *conn) skipLineEnds(b []byte) bool {
	if len(b) < maxLineEnds {
		return false
	}
	for i := 0; i < maxLineEnds && (b[i] == '\r' || b[i] == '\n'); i++ {
		c.r++
	}
	return true
}

// parseHead parses the input b and applies the server's limits.
func (c *conn) parseHead(b []byte) (outcome, reason) {
	h, limit := &c.work.head, c.server.maxHead
	out, why := h.parse(b)
	switch {
	case out == complete && h.pos > limit, out == needMore && len(b) >= limit:
		return handOver, reasonLargeHead
	case out == complete && h.n > c.server.maxFields:
		return handOver, reasonManyHeaders
	}
	return out, why
}

// closeIfIdle closes the connection if it waits for a request. It may be
// called by any goroutine. It reports whether it closed the connection.
func (c *conn) closeIfIdle() bool {
	w := c.state.load()
	switch w.phase() {
	case phaseIdle:
	case phaseHead:
		if c.requests.Load() > 0 {
			break
		}
		fallthrough
	case phaseNew:
		// Give a new connection the time to send its request, as net/http
		// does (Go issue 22682).
		if time.Since(c.accepted) < 5*time.Second {
			return false
		}
	default:
		return false
	}
	if !c.state.mark(w, flagClosing) {
		return false
	}
	c.abort()
	return true
}

// abort closes the connection under its goroutine. It may be called by any
// goroutine.
func (c *conn) abort() { c.nc.Close() }

// closeWriteAndWait closes the write side of the connection and waits, so that
// the client reads the response before unread input causes a reset (Go issue
// 3595).
func (c *conn) closeWriteAndWait() {
	if cw, ok := c.nc.(interface{ CloseWrite() error }); ok {
		cw.CloseWrite()
	}
	time.Sleep(resetDelay)
}

// resetDelay is the same as in net/http.
const resetDelay = 500 * time.Millisecond
