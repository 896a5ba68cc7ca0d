package h2

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// stageSize is how much of a response waits for its end, as in net/http. A
// shorter response gets a Content-Length, and is sent with its fields.
const stageSize = smallBuffer

// A response builds the response of a stream. The handler has a writer, which
// checks whether the response still belongs to its request.
type response struct {
	mu  sync.Mutex    // guards all but gen; held by the writer's methods
	gen atomic.Uint64 // changes when a response begins and when it ends

	responseState // reset for each request

	// Reused storage.
	fields   []request.Field
	trailers []string
	stage    []byte // of the pool, or nil
}

// A responseState is the part of a response that belongs to one request.
type responseState struct {
	stream *stream

	isHEAD       bool
	wroteHeader  bool // WriteHeader was called
	calledHeader bool // Header was called
	snapshot     bool // fields is the header as of WriteHeader
	sentHead     bool
	done         bool // the handler has returned

	status  int
	length  int64 // Content-Length that the handler declared, or -1
	written int64 // bytes of the body that the handler wrote
	tooLong bool  // it tried to write more than it declared
	err     error // the first error of sending

	setType   string // Content-Type to add, or ""
	setLength bool   // add the length of the stage as Content-Length
	noDate    bool   // the handler has set Date

	hasTrailers bool // some of the trailers are set
}

// begin starts the response of s.
func (r *response) begin(s *stream, isHEAD bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.responseState = responseState{stream: s, isHEAD: isHEAD, length: -1}
	*s.w = writer{stream: s, conn: s.conn, gen: r.gen.Add(1)}
}

// invalidate invalidates the handler's writer, when the handler has returned.
func (r *response) invalidate() {
	if !r.stream.conn.server.Recycle {
		r.stream.w.header = r.stream.ResponseHeader // before late calls read it
	}
	r.gen.Add(1)
}

// recycle drops what belongs to the last request.
func (r *response) recycle() {
	if cap(r.fields) > 256 {
		r.fields, r.trailers = nil, nil
	}
	clear(r.fields[:cap(r.fields)])
	clear(r.trailers[:cap(r.trailers)])
	r.fields, r.trailers = r.fields[:0], r.trailers[:0]
	r.responseState = responseState{}
}

// reset gives back the stage.
func (r *response) reset() {
	giveBack(r.stage)
	r.stage = nil
}

// header returns the handler's header.
func (r *response) header() http.Header {
	if r.stream.ResponseHeader == nil {
		r.stream.ResponseHeader = make(http.Header)
	}
	return r.stream.ResponseHeader
}

func (r *response) takeSnapshot() {
	r.snapshot = true
	r.fields = request.AppendFields(r.fields[:0], r.stream.ResponseHeader)
}

// writeHeader implements WriteHeader.
func (r *response) writeHeader(code int) {
	if code >= 100 && code <= 199 {
		r.informational(code)
		return
	}
	r.wroteHeader = true
	r.status = code
	if r.calledHeader {
		r.takeSnapshot()
	}
	if v := r.stream.ResponseHeader["Content-Length"]; len(v) > 0 && v[0] != "" {
		if n, err := strconv.ParseUint(v[0], 10, 63); err == nil {
			r.length = int64(n)
		}
	}
}

// informational sends an informational (1xx) response (RFC 9113 section 8.1).
func (r *response) informational(code int) {
	r.takeSnapshot()
	s := r.stream
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.gone == nil && c.waitForRoom(s) == nil {
		s.sentHead = true // no 100 any more, as in net/http
		start := c.beginFields()
		c.out = c.encoder.AppendStatus(c.out, code)
		for i := range r.fields {
			if f := &r.fields[i]; f.Key != "Content-Length" {
				r.appendField(f)
			}
		}
		c.endFields(start, s.id, 0)
		c.flush()
	}
	r.fields, r.snapshot = r.fields[:0], false
}

// write implements Write and WriteString: either p or s is empty.
func (r *response) write(p []byte, s string) (int, error) {
	if !r.wroteHeader {
		r.writeHeader(http.StatusOK)
	}
	if !request.BodyAllowed(r.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if r.err != nil {
		return 0, r.err
	}
	length := len(p) + len(s)
	r.written += int64(length)
	if r.length != -1 && r.written > r.length {
		r.tooLong = true
		return 0, http.ErrContentLength
	}
	for len(p)+len(s) > stageSize-len(r.stage) {
		if len(r.stage) == 0 && len(p) > 0 {
			if err := r.send(p, false); err != nil {
				return length - len(p), err
			}
			return length, nil
		}
		r.fill(&p, &s)
		stage := r.stage
		r.stage = r.stage[:0]
		if err := r.send(stage, false); err != nil {
			return length - len(p) - len(s), err
		}
	}
	r.fill(&p, &s)
	return length, nil
}

// fill appends to the stage what fits, and removes it from p or s.
func (r *response) fill(p *[]byte, s *string) {
	if r.stage == nil {
		if len(*p)+len(*s) == 0 {
			return
		}
		r.stage = newSmallBuffer()
	}
	room := stageSize - len(r.stage)
	n := min(room, len(*p))
	r.stage = append(r.stage, (*p)[:n]...)
	*p = (*p)[n:]
	m := min(room-n, len(*s))
	r.stage = append(r.stage, (*s)[:m]...)
	*s = (*s)[m:]
}

// send sends the fields, if that hasn't happened, and p.
func (r *response) send(p []byte, end bool) error {
	r.plan(p)
	c := r.stream.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	r.err = r.sendLocked(p, end)
	c.flush()
	return r.err
}

// sendLocked is send after plan. The caller holds c.mu.
func (r *response) sendLocked(p []byte, end bool) error {
	s := r.stream
	c := s.conn
	if s.gone != nil {
		return s.gone
	}
	if len(c.out) >= maxOut {
		if err := c.waitForRoom(s); err != nil {
			return err
		}
	}
	trailers := end && r.hasTrailers
	if !r.sentHead {
		r.sentHead, s.sentHead = true, true
		only := r.isHEAD || end && len(p) == 0 && !trailers
		r.sendFields(len(p), only)
		if only {
			return nil
		}
	}
	if !r.isHEAD && (len(p) > 0 || end && !trailers) {
		if err := c.sendData(s, p, end && !trailers); err != nil {
			return err
		}
	}
	if trailers {
		r.sendTrailers()
	}
	return nil
}

// prepare prepares finish, without the connection's mutex.
func (r *response) prepare() {
	r.done = true
	if !r.wroteHeader {
		r.writeHeader(http.StatusOK)
	}
	r.plan(r.stage)
	if r.calledHeader {
		r.collectTrailers()
	}
}

// finish completes the response after prepare. It reports false if the body
// isn't as long as declared, so that the stream must be reset. The caller holds
// c.mu.
func (r *response) finish() bool {
	wrong := r.length >= 0 && (r.written < r.length || r.tooLong) && !r.isHEAD && request.BodyAllowed(r.status)
	r.sendLocked(r.stage, !wrong)
	return !wrong
}
