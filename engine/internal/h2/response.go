package h2

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// stageSize is how much of a response waits for its end, as in net/http. A
// shorter response gets a Content-Length, and is sent with its fields.
const stageSize = 4 << 10

var stages = sync.Pool{New: func() any { return new([stageSize]byte) }}

// giveBackStage gives b back if it is of the pool.
func giveBackStage(b []byte) {
	if cap(b) == stageSize {
		stages.Put((*[stageSize]byte)(b[:stageSize]))
	}
}

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
	r.gen.Add(1)
	if !r.stream.conn.server.Recycle {
		r.stream.w.header = r.stream.ResponseHeader
	}
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
	giveBackStage(r.stage)
	r.stage = nil
}

// header returns the handler's header.
func (r *response) header() http.Header {
	if r.stream.ResponseHeader == nil {
		r.stream.ResponseHeader = make(http.Header)
	}
	return r.stream.ResponseHeader
}

// bodyAllowed reports whether a response with this status may have a body.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
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
	if !bodyAllowed(r.status) {
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
		r.stage = stages.Get().(*[stageSize]byte)[:0]
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

// plan decides what to add to the header, before its first use. p is the first
// part of the body.
func (r *response) plan(p []byte) {
	if r.sentHead {
		return
	}
	hasType, hasEncoding, hasLength := false, false, false
	if !r.snapshot && r.calledHeader {
		r.takeSnapshot()
	}
	for i := range r.fields {
		f := &r.fields[i]
		switch f.Key {
		case "Content-Type":
			hasType = true
		case "Content-Encoding":
			hasEncoding = hasEncoding || f.Value != ""
		case "Content-Length":
			hasLength = hasLength || f.Value == "" // or none
		case "Date":
			r.noDate = true
		case "Trailer":
			r.declareTrailers(f.Value)
		case "Connection":
			if f.Value == "close" {
				r.stream.conn.Shutdown()
			}
		}
	}
	allowed := bodyAllowed(r.status)
	r.setLength = r.done && r.length < 0 && !hasLength && allowed && (len(p) > 0 || !r.isHEAD)
	if allowed && !hasType && !hasEncoding && len(p) > 0 {
		r.setType = http.DetectContentType(p)
	}
}

// sendFields sends the fields of the response. n is the length of the body, if
// setLength is true. The caller holds c.mu.
func (r *response) sendFields(n int, end bool) {
	s := r.stream
	c := s.conn
	start := c.beginFields()
	c.out = c.encoder.AppendStatus(c.out, r.status)
	lengthSent := false
	for i := range r.fields {
		f := &r.fields[i]
		if f.Key == "Content-Length" {
			if lengthSent || r.length < 0 {
				continue // invalid, or a second one
			}
			lengthSent = true
		}
		r.appendField(f)
	}
	if r.setType != "" {
		c.out = c.encoder.AppendField(c.out, "Content-Type", r.setType, true)
	}
	if r.setLength {
		c.out = hpack.AppendContentLength(c.out, n)
	}
	if !r.noDate {
		c.out = c.encoder.AppendField(c.out, "Date", syntax.Date(), true)
	}
	flags := uint8(0)
	if end {
		flags = flagEndStream
		s.sendEnd = true
	}
	c.endFields(start, s.id, flags)
}

// appendField appends a field of the handler. Like net/http, it omits invalid
// ones, and those that HTTP/2 doesn't allow.
func (r *response) appendField(f *request.Field) {
	if f.None || !syntax.ValidName(f.Key) || !syntax.ValidString(f.Value) || forbidden(f.Key, f.Value) {
		return
	}
	c := r.stream.conn
	c.out = c.encoder.AppendField(c.out, f.Key, f.Value, often(f.Key))
}

// declareTrailers records the names in a Trailer header (RFC 9110 section
// 6.6.2).
func (r *response) declareTrailers(list string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.Trim(name, " \t\r\n"); name != "" {
			r.declareTrailer(name)
		}
	}
}

func (r *response) declareTrailer(name string) {
	name = http.CanonicalHeaderKey(name)
	if !syntax.ValidTrailer(name) {
		r.stream.conn.server.Logf("ignoring invalid trailer %q", name)
	} else if !slices.Contains(r.trailers, name) {
		r.trailers = append(r.trailers, name)
	}
}

// collectTrailers declares the trailers that were set with http.TrailerPrefix,
// after the handler has returned, and looks whether any trailer is set.
func (r *response) collectTrailers() {
	h := r.stream.ResponseHeader
	for k, v := range h {
		if name, ok := strings.CutPrefix(k, http.TrailerPrefix); ok {
			r.declareTrailer(name)
			h[http.CanonicalHeaderKey(name)] = v
		}
	}
	slices.Sort(r.trailers)
	for _, name := range r.trailers {
		if _, ok := h[name]; ok && !r.isHEAD {
			r.hasTrailers = true
		}
	}
}

// sendTrailers sends the trailers, which end the stream. The caller holds c.mu.
func (r *response) sendTrailers() {
	s := r.stream
	c := s.conn
	start := c.beginFields()
	for _, name := range r.trailers {
		for _, v := range s.ResponseHeader[name] {
			r.appendField(&request.Field{Key: name, Value: v})
		}
	}
	c.endFields(start, s.id, flagEndStream)
	s.sendEnd = true
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
	wrong := r.length >= 0 && (r.written < r.length || r.tooLong) && !r.isHEAD && bodyAllowed(r.status)
	r.sendLocked(r.stage, !wrong)
	return !wrong
}
