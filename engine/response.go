package engine

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// Buffer sizes of net/http. They determine whether a response is chunked and
// where its chunks end, so the engine's responses are byte for byte the same.
const (
	stageSize  = 2 << 10
	outputSize = 4 << 10
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
	fields   []headerField
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

// bodyAllowed reports whether a response with this status may have a body.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

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
		if k := r.fields[i].key; k != "Content-Length" && k != "Transfer-Encoding" {
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

// write implements Write and WriteString: either p or s is empty.
func (r *response) write(p []byte, s string) (int, error) {
	length := len(p) + len(s)
	r.noContinue(true)
	if !r.wroteHeader {
		r.writeHeader(http.StatusOK)
	}
	if length == 0 {
		return 0, nil
	}
	if !bodyAllowed(r.status) {
		return 0, http.ErrBodyNotAllowed
	}
	r.written += int64(length)
	if r.contentLength != -1 && r.written > r.contentLength {
		return 0, http.ErrContentLength
	}
	if r.werr != nil {
		return 0, r.werr
	}
	if len(s) > 0 {
		return r.stageString(s)
	}
	return r.stageBytes(p)
}

// stageBytes appends p to the stage, like bufio.Writer.Write with a buffer of
// stageSize.
func (r *response) stageBytes(p []byte) (total int, err error) {
	if r.stage == nil {
		r.stage = make([]byte, 0, stageSize)
	}
	for len(p) > stageSize-len(r.stage) {
		var n int
		if len(r.stage) == 0 {
			n, err = r.chunk(p)
		} else {
			n = stageSize - len(r.stage)
			r.stage = append(r.stage, p[:n]...)
			err = r.flushStage()
		}
		total += n
		p = p[n:]
		if err != nil {
			return total, err
		}
	}
	r.stage = append(r.stage, p...)
	return total + len(p), nil
}

// stageString appends s to the stage, like bufio.Writer.WriteString.
func (r *response) stageString(s string) (total int, err error) {
	if r.stage == nil {
		r.stage = make([]byte, 0, stageSize)
	}
	for len(s) > stageSize-len(r.stage) {
		n := stageSize - len(r.stage)
		r.stage = append(r.stage, s[:n]...)
		total += n
		s = s[n:]
		if err := r.flushStage(); err != nil {
			return total, err
		}
	}
	r.stage = append(r.stage, s...)
	return total + len(s), nil
}

func (r *response) flushStage() error {
	if len(r.stage) == 0 {
		return nil
	}
	_, err := r.chunk(r.stage)
	r.stage = r.stage[:0]
	return err
}

// chunk writes a part of the body, after the head if that isn't written yet.
func (r *response) chunk(p []byte) (int, error) {
	if !r.sentHead {
		r.sendHead(p)
	}
	if r.isHEAD {
		return len(p), nil
	}
	if r.chunking {
		r.out = strconv.AppendUint(r.out, uint64(len(p)), 16)
		r.out = append(r.out, "\r\n"...)
	}
	n, err := r.output(p)
	if r.chunking && err == nil {
		r.out = append(r.out, "\r\n"...)
	}
	if err != nil {
		r.conn.nc.Close()
	}
	return n, err
}

// output appends p to out, or writes both to the connection if p doesn't fit.
func (r *response) output(p []byte) (int, error) {
	if r.werr != nil {
		return 0, r.werr
	}
	if len(r.out)+len(p) <= outputSize {
		r.out = append(r.out, p...)
		return len(p), nil
	}
	if err := r.flushOut(); err != nil {
		return 0, err
	}
	if len(p) <= outputSize/2 {
		r.out = append(r.out, p...)
		return len(p), nil
	}
	n, err := r.conn.write(p)
	r.failed(err)
	return n, err
}

// flushOut writes out to the connection, and empties it even after an error.
func (r *response) flushOut() error {
	if r.werr != nil || len(r.out) == 0 {
		r.out = r.out[:0]
		return r.werr
	}
	_, err := r.conn.write(r.out)
	r.out = r.out[:0]
	r.failed(err)
	return err
}

// failed records the first write error. The client can't receive a response any
// more, so failed also cancels the context.
func (r *response) failed(err error) {
	if err != nil && r.werr == nil {
		r.werr = err
		r.ctx.ClientLeft()
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
	case !r.isHEAD && r.contentLength != -1 && bodyAllowed(r.status) && r.contentLength != r.written: // the client expects more
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
