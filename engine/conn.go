package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/h2"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
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

	exposed   bool // a hook gets the connection, which the program may pass to handlers
	begun     bool // the head of the next request has begun to arrive
	inHandler bool
	gone      bool // hijacked or passed to net/http, so the engine must not close it
	lastPost  bool // the last request was a POST
	manyInput bool // the last read over HTTP/2 filled a small buffer
	active    bool // the program's hook was last called with StateActive

	requests atomic.Uint64 // served; read by Stats
	counted  uint64        // of requests, those in Server.stat; guarded by server.mu
	http2    *h2.Conn      // if the connection uses HTTP/2; guarded by server.mu
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

var workPool = sync.Pool{New: func() any {
	w := new(work)
	w.res.Sender = &w.res
	return w
}}

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
		if c.priorKnowledge() {
			c.serveHTTP2()
		} else {
			c.handOver(reasonProtocols)
		}
		return false
	} else if p != nil && p.UnencryptedHTTP2() && c.tls == nil && c.server.http2 == nil {
		c.handOver(c.server.http2Reason) // only it looks for the preface
		return false
	}
	c.raw = newRawIO(c)
	c.exposed = (c.server.srv.ConnContext != nil || c.server.srv.ConnState != nil) && !isSocketConn(c.nc)
	c.tmpl = c.template()
	t := &c.server.timeouts
	c.headBegan = t.now()
	return !c.enter(phaseNew, by(c.headBegan, t.Head), 0)
}

// isSocketConn reports whether nc is a SocketConn, or TLS over one.
func isSocketConn(nc net.Conn) bool {
	if over, ok := nc.(*tls.Conn); ok {
		nc = over.NetConn()
	}
	_, ok := nc.(SocketConn)
	return ok
}

// close is deferred by serve. It logs a panic of the handler and closes the
// connection.
func (c *conn) close() {
	request.LogPanic(c.server.logf, "http", c.remoteAddr, recover())
	if x := c.current; c.inHandler {
		c.work.res.Invalidate()
		x.Cancel(context.Canceled)
		x.stopWatch()
		if x.body != nil && !c.gone {
			c.abortBodyRead(x.body)
			x.body.close()
		}
	}
	if !c.gone {
		if c.work != nil {
			c.work.res.flushPending() // still with the handler's write deadline
		}
		c.state.enter(phaseGone)
		c.deadlines.stop(c)
		c.nc.Close()
	}
	c.server.untrackConn(c)
	c.giveBackAll()
	c.current, c.bundle = nil, nil
	if !c.gone {
		defer func() { request.LogPanic(c.server.logf, "http", c.remoteAddr, recover()) }()
		c.hook(http.StateClosed)
	}
}

// next reads and serves the next request. It reports whether the connection
// can serve another one.
func (c *conn) next() bool {
	out, why := c.readHead()
	if out == needMore { // the connection ended
		if c.begun && c.w > c.r {
			c.hook(http.StateActive)
		}
		return false
	}
	if c.server.inShutdown.Load() {
		c.hook(http.StateActive)
		return false
	}
	if out == handOver {
		if c.startsHTTP2() {
			c.serveHTTP2()
		} else {
			c.handOver(why)
		}
		return false
	}
	h := &c.work.head
	bd := c.newRequest(h, c.in.b[c.r:c.w])
	if bd == nil {
		c.handOver(reasonTarget)
		return false
	}
	c.r += h.pos
	c.begun = false
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
	if t.Write != 0 {
		write = t.now() + t.Write
	}
	if c.current.body == nil {
		return c.enter(phaseHandler, 0, write)
	}
	if t.Read != 0 {
		read = c.headBegan + t.Read
	}
	return c.enter(phaseBody, read, write)
}

// serveRequest calls the handler and completes the response.
func (c *conn) serveRequest(bd *bundle) bool {
	x := c.current
	res := &c.work.res
	c.lastPost = c.work.head.method == "POST"
	res.begin(c, bd, &c.work.head)
	if len(res.out) > 0 {
		x.pending = flushTries
		c.server.watcher.add(x)
	}

	c.requests.Add(1)
	c.inHandler = true
	c.server.handler().ServeHTTP(bd.w, bd.Request)
	res.Invalidate()
	x.Cancel(context.Canceled)
	watched := x.stopWatch()
	if res.Hijacked {
		c.inHandler = false
		return false
	}
	c.unread(watched)
	more := c.hasNext()
	keep := res.complete(more)
	c.inHandler = false
	c.current = nil

	if form := bd.Request.MultipartForm; form != nil {
		form.RemoveAll()
	}
	if !keep {
		if res.werr == nil && (c.r < c.w || x.body != nil && !x.body.consumed.Load()) {
			c.linger()
		}
		return false
	}
	if more {
		c.recycle(bd)
		return c.server.keepAlives()
	}
	c.hook(http.StateIdle)
	if !c.server.keepAlives() {
		return false
	}
	c.recycle(bd)
	t := &c.server.timeouts
	if !c.begun {
		return !c.enter(phaseIdle, by(t.now(), t.Idle), 0)
	}
	res.reset() // giveBackUnused won't
	return !c.enter(phaseHead, by(c.headBegan, t.Head), 0)
}

// hasNext reports whether the input holds the complete head of another request,
// which can be served before the response to the current one is written. Then
// the connection stays in the handler's phase, and so under its write deadline,
// until the next handler's phase. Otherwise the response must be written before
// the connection becomes idle.
func (c *conn) hasNext() bool {
	// A goroutine of the handler may still read the body. If so, it owns the
	// input.
	if b := c.current.body; b != nil && !b.consumed.Load() || c.r == c.w {
		return false
	}
	out, _ := c.parseNext()
	return out == complete && c.state.load()&flags == 0
}

// readHead reads the head of the next request into c.work.head. If the
// connection ended it returns needMore.
func (c *conn) readHead() (outcome, reason) {
	for {
		if out, why := c.parseNext(); out != needMore {
			return out, why
		}
		if !c.begun {
			c.giveBackUnused()
		} else if c.requests.Load() > 0 && c.state.load().phase() != phaseHead && c.enter(phaseHead, by(c.headBegan, c.server.timeouts.Head), 0) {
			return needMore, noReason
		}
		if err := c.fill(); err != nil {
			// net/http takes what has arrived of a line for a whole line, and
			// usually answers that it is malformed.
			if ne, ok := err.(net.Error); c.begun && c.w > c.r && (ok && ne.Timeout() || errors.Is(err, io.EOF)) {
				return handOver, reasonCutHead
			}
			return needMore, noReason
		}
	}
}

// leastInput is the number of bytes that must arrive on an idle connection
// before they count as the beginning of a request, as in net/http. It is also
// the maximum number of line ends before a request.
const leastInput = 4

// parseNext parses the next head as far as it has arrived. Once the outcome
// isn't needMore, it stays the same.
func (c *conn) parseNext() (outcome, reason) {
	if !c.begun {
		first := c.requests.Load() == 0
		if n := c.w - c.r; n == 0 || n < leastInput && !first {
			return needMore, noReason
		}
		c.begun = true
		if !first {
			c.headBegan = c.server.timeouts.now()
		}
		if c.work == nil {
			c.work = workPool.Get().(*work)
		}
		c.work.head.reset()
		if c.lastPost {
			c.skipLineEnds()
		}
	}
	if h := &c.work.head; h.out == needMore && c.r < c.w {
		h.out, h.why = c.parseHead(c.in.b[c.r:c.w])
	}
	return c.work.head.out, c.work.head.why
}

// skipLineEnds skips line ends at the start of the input. Old clients send an
// extra line after the body of a POST (RFC 9112 section 2.2).
func (c *conn) skipLineEnds() {
	for range leastInput {
		if b := c.in.b[c.r]; b != '\r' && b != '\n' {
			return
		}
		c.r++
	}
}

// parseHead parses the input b and applies the server's limits.
func (c *conn) parseHead(b []byte) (outcome, reason) {
	h, limit := &c.work.head, c.server.maxHead
	out, why := h.parse(b)
	switch {
	case out == complete && h.pos > limit, out == needMore && len(b) >= limit:
		return handOver, reasonLargeHead
	case out == complete && h.n+h.trailers > c.server.maxFields:
		return handOver, reasonManyHeaders
	}
	return out, why
}
