package h2

import (
	"net/http"
	"strconv"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// stageSize is how much of a response waits for its end, as in net/http. A
// shorter response gets a Content-Length, and is sent with its fields.
const stageSize = smallBuffer

// A response builds the response of a stream.
type response struct {
	request.Response
	responseState         // reset for each request
	stream        *stream // always the same
	stage         []byte  // of the pool, or nil
}

// A responseState is the part of a response that belongs to one request.
type responseState struct {
	err error // the first error of sending

	setType   string // Content-Type to add, or ""
	setLength bool   // add the length of the stage as Content-Length
	noDate    bool   // the handler has set Date

	connect  bool            // the request is CONNECT
	trailers []request.Field // behind Fields
}

// begin starts the response of s.
func (r *response) begin(s *stream, method string) {
	r.Lock()
	defer r.Unlock()
	r.responseState = responseState{connect: method == http.MethodConnect}
	*s.w = writer{request.Writer{Response: &r.Response, Conn: s.conn, Gen: r.Begin(method == http.MethodHead)}}
}

// invalidate invalidates the handler's writer, when the handler has returned.
func (r *response) invalidate() {
	if !r.stream.conn.server.Recycle {
		r.stream.w.Kept = r.stream.ResponseHeader
	}
	r.Invalidate()
}

// recycle drops what belongs to the last request.
func (r *response) recycle() {
	if cap(r.Fields) > 256 {
		r.Fields, r.Trailers = nil, nil
	}
	r.Clear()
	r.responseState = responseState{}
}

// reset gives back the stage.
func (r *response) reset() {
	giveBack(r.stage)
	r.stage = nil
}

// Header returns the handler's header.
func (r *response) Header() http.Header {
	if r.stream.ResponseHeader == nil {
		r.stream.ResponseHeader = make(http.Header)
	}
	return r.stream.ResponseHeader
}

// CloseNotify implements [http.CloseNotifier].
func (r *response) CloseNotify() <-chan bool { return r.stream.ctx.CloseNotify() }

// WriteHeader implements WriteHeader of [http.ResponseWriter].
func (r *response) WriteHeader(code int) {
	if !r.WroteHeader {
		request.CheckCode(code)
		r.writeHeader(code)
	}
}

// writeHeader is WriteHeader for the first time, or the next time after
// informational responses.
func (r *response) writeHeader(code int) {
	if code >= 100 && code <= 199 {
		r.informational(code)
		return
	}
	r.SetStatus(code, r.stream.ResponseHeader)
	if v := r.stream.ResponseHeader["Content-Length"]; len(v) > 0 && v[0] != "" {
		if n, err := strconv.ParseUint(v[0], 10, 63); err == nil {
			r.Length = int64(n)
		}
	}
}

// informational sends an informational (1xx) response (RFC 9113 section 8.1).
func (r *response) informational(code int) {
	r.TakeSnapshot(r.stream.ResponseHeader)
	s := r.stream
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.gone == nil && c.waitForRoom(s) == nil {
		s.sentHead = true // no 100 any more, as in net/http
		start := c.beginFields()
		c.out = c.encoder.AppendStatus(c.out, code)
		for i := range r.Fields {
			if f := &r.Fields[i]; f.Key != "Content-Length" {
				r.appendField(f)
			}
		}
		c.endFields(start, s.id, 0)
		c.flush()
	}
	r.Fields, r.Snapshot = r.Fields[:0], false
}

// Flush implements Flush of [http.ResponseController].
func (r *response) Flush() error {
	if !r.WroteHeader {
		r.writeHeader(http.StatusOK)
	}
	stage := r.stage
	r.stage = r.stage[:0]
	r.stream.conn.flushed.Store(true)
	return r.send(stage, false)
}

// Write implements Write and WriteString.
func (r *response) Write(p []byte, s string) (int, error) {
	if !r.WroteHeader {
		r.writeHeader(http.StatusOK)
	}
	if r.err != nil {
		return 0, r.err
	}
	length := len(p) + len(s)
	if err := r.Count(length); err != nil {
		return 0, err
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
	if r.IsHEAD {
		defer r.stream.ctx.ClientLeft() // without c.mu; the fields end the stream
	}
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
	trailers := end && !r.IsHEAD && len(r.trailers) > 0
	if !r.SentHead {
		if err := c.waitForRoom(s); err != nil {
			return err
		}
		r.SentHead, s.sentHead = true, true
		only := r.IsHEAD || end && len(p) == 0 && !trailers
		r.sendFields(len(p), only)
		if only {
			return nil
		}
	}
	if !r.IsHEAD && (len(p) > 0 || end && !trailers) {
		if err := c.sendData(s, p, end && !trailers); err != nil {
			return err
		}
	}
	if trailers {
		if err := c.waitForRoom(s); err != nil {
			return err
		}
		r.sendTrailers()
	}
	return nil
}

// prepare prepares finish, without the connection's mutex, unless the handler has
// panicked, and invalidates the writer. The header isn't used any more.
func (r *response) prepare(panicked bool) {
	defer r.invalidate() // finally, because late calls copy the header
	if panicked {
		return
	}
	r.Done = true
	if !r.WroteHeader {
		r.writeHeader(http.StatusOK)
	}
	r.plan(r.stage)
	if r.CalledHeader {
		r.collectTrailers()
	}
}

// finish completes the response after prepare. It reports false if the body
// isn't as long as declared, so that the stream must be reset. The caller holds
// c.mu.
func (r *response) finish() bool {
	wrong := r.WrongLength()
	r.sendLocked(r.stage, !wrong)
	return !wrong
}
