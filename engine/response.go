package engine

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A response builds the response to a request. Responses are always reused. A
// handler has a writer, which checks whether the response still belongs to its
// request.
//
// Body bytes go from write to stage, then to out, then to the connection. The
// stage holds them until it is full or the length of the body is known. The
// head precedes them in out.
type response struct {
	mu  sync.Mutex    // guards all but gen; held by the writer's methods
	gen atomic.Uint64 // changes when a response begins and when it ends

	responseState // reset for each request

	// Reused storage.
	fields   []request.Field
	trailers []string
	stage    []byte
	out      []byte
}

// A responseState is the part of a response that belongs to one request.
type responseState struct {
	conn   *conn
	ctx    *requestContext
	header http.Header // the handler's

	isHEAD     bool
	http10     bool
	keepAlive  bool // an HTTP/1.0 request has Connection: keep-alive
	wantsClose bool // the request has Connection: close
	fullDuplex bool

	wroteHeader  bool // WriteHeader was called
	calledHeader bool // Header was called
	snapshot     bool // fields is the header as of WriteHeader
	sentHead     bool // the head is in out
	chunking     bool
	done         bool // the handler has returned
	hijacked     bool
	closeAfter   bool // close the connection after this response

	status        int
	contentLength int64 // declared by the handler, or -1
	written       int64 // body bytes that the handler wrote
	werr          error // the first write error of the connection
}

// begin starts the response to the request of bd, whose head is h.
func (r *response) begin(c *conn, bd *bundle, h *head) {
	r.mu.Lock()
	defer r.mu.Unlock()
	gen := r.gen.Add(1)
	r.responseState = responseState{
		conn:          c,
		ctx:           c.current,
		header:        bd.ResponseHeader,
		isHEAD:        h.method == "HEAD",
		http10:        h.http10,
		keepAlive:     h.http10 && h.keepAlive,
		wantsClose:    h.close,
		contentLength: -1,
	}
	r.fields, r.trailers = r.fields[:0], r.trailers[:0]
	r.stage = r.stage[:0] // out may hold earlier responses, see complete
	c.current.res, c.current.gen = r, gen
	c.setWriter(bd, gen)
}

// invalidate invalidates the handler's writer. It is called when the handler
// returns.
func (r *response) invalidate() { r.gen.Add(1) }

var errWriteLate = errors.New("engine: write after the handler returned")

// writeHeader implements WriteHeader.
func (r *response) writeHeader(code int) {
	if code < 101 || code > 199 {
		r.noContinue(code > 199)
	}
	if code >= 100 && code <= 199 && code != http.StatusSwitchingProtocols {
		r.informational(code)
		return
	}
	r.wroteHeader = true
	r.status = code
	if r.calledHeader && !r.snapshot {
		r.takeSnapshot()
	}
	if v := r.header["Content-Length"]; len(v) > 0 && v[0] != "" {
		n, err := strconv.ParseInt(v[0], 10, 64)
		if err == nil && n >= 0 {
			r.contentLength = n
		} else {
			r.conn.server.logf("http: invalid Content-Length of %q", v[0])
			r.header.Del("Content-Length")
		}
	}
}

// informational writes an informational (1xx) response.
func (r *response) informational(code int) {
	r.appendStatusLine(code)
	r.takeSnapshot()
	for i := range r.fields {
		if k := r.fields[i].Key; k != "Content-Length" && k != "Transfer-Encoding" {
			r.appendField(&r.fields[i])
		}
	}
	r.fields, r.snapshot = r.fields[:0], false
	r.out = append(r.out, "\r\n"...)
	r.flushOut()
}

// noContinue prevents reads of the request's body from sending 100 Continue. If
// the final response has begun, the client may never send the body.
func (r *response) noContinue(final bool) {
	b := r.ctx.body
	if b == nil || !b.continuePending.Load() {
		return
	}
	b.continuePending.Store(false)
	if final && refusesBodies {
		r.closeAfter = true
		b.refused.Store(true)
	}
}

// flush implements Flush.
func (r *response) flush() error {
	if !r.wroteHeader {
		r.writeHeader(http.StatusOK)
	}
	err := r.flushStage()
	if !r.sentHead {
		r.sendHead(nil)
	}
	if err2 := r.flushOut(); err == nil {
		err = err2
	}
	return err
}

// complete completes the response after the handler has returned. It reports
// whether the connection can serve another request.
//
// If more is true, the response to another request follows at once, so this one
// stays in out, see hasNext. So responses to pipelined requests are written
// together: with the last one, or by the watcher if the next handler runs long.
func (r *response) complete(more bool) (keep bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	if !r.wroteHeader {
		r.writeHeader(http.StatusOK)
	}
	r.flushStage()
	if !r.sentHead {
		r.sendHead(nil)
	}
	if r.chunking {
		r.out = append(r.out, "0\r\n"...)
		r.appendTrailers()
		r.out = append(r.out, "\r\n"...)
	}
	if !more {
		r.flushOut() // before waiting for the rest of the request's body
	}
	b := r.ctx.body
	if b != nil {
		r.conn.abortBodyRead(b)
		b.close()
	}
	switch {
	case r.closeAfter, r.werr != nil:
	case !r.isHEAD && r.contentLength != -1 && request.BodyAllowed(r.status) && r.contentLength != r.written: // the client expects more
	case b != nil && (b.closedUnread.Load() || !b.consumed.Load()):
	default:
		return true
	}
	r.flushOut()
	return false
}

// lockFor locks the response if it still belongs to the request with this
// generation. Otherwise it reports false and locks nothing. It then doesn't wait
// either: the lock may be held for long by a write of another connection.
func (r *response) lockFor(gen uint64) bool {
	if r.gen.Load() != gen {
		return false
	}
	r.mu.Lock()
	if r.gen.Load() == gen {
		return true
	}
	r.mu.Unlock()
	return false
}

// flushPending writes the earlier responses that are still in out. It reports
// whether it succeeded.
func (r *response) flushPending() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.out) == 0 || r.flushOut() == nil
}

// flushLate writes earlier responses while the handler of x still runs.
func (x *requestContext) flushLate() {
	r := x.res
	if !r.lockFor(x.gen) {
		return
	}
	defer r.mu.Unlock()
	if !r.hijacked {
		r.flushOut()
	}
}

// reset drops all references of the last response.
func (r *response) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cap(r.out) > 4*outputSize || cap(r.fields) > 4*maxFields {
		r.out, r.fields = nil, nil // an unusually large head
	}
	r.out = r.out[:0]
	clear(r.fields[:cap(r.fields)])
	clear(r.trailers[:cap(r.trailers)])
	r.responseState = responseState{}
}
