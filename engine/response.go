package engine

import (
	"net/http"
	"strconv"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A response builds the response to a request.
//
// Body bytes go from write to stage, then to out, then to the connection. The
// stage holds them until it is full or the length of the body is known. The
// head precedes them in out.
type response struct {
	request.Response
	responseState // reset for each request

	// Reused storage.
	stage []byte
	out   []byte
}

// A responseState is the part of a response that belongs to one request.
type responseState struct {
	conn   *conn
	ctx    *requestContext
	header http.Header // the handler's

	http10     bool
	keepAlive  bool // an HTTP/1.0 request has Connection: keep-alive
	wantsClose bool // the request has Connection: close
	fullDuplex bool
	chunking   bool
	closeAfter bool  // close the connection after this response
	werr       error // the first write error of the connection
}

// begin starts the response to the request of bd, whose head is h.
func (r *response) begin(c *conn, bd *bundle, h *head) {
	r.Lock()
	defer r.Unlock()
	gen := r.Begin(h.method == "HEAD")
	r.responseState = responseState{
		conn:       c,
		ctx:        c.current,
		header:     bd.ResponseHeader,
		http10:     h.http10,
		keepAlive:  h.http10 && h.keepAlive,
		wantsClose: h.close,
	}
	r.stage = r.stage[:0] // out may hold earlier responses, see complete
	c.current.res, c.current.gen = r, gen
	c.setWriter(bd, gen)
}

// writeHeader implements WriteHeader.
func (r *response) writeHeader(code int) {
	if code < 101 || code > 199 {
		r.noContinue(code > 199)
	}
	if code >= 100 && code <= 199 && code != http.StatusSwitchingProtocols {
		r.informational(code)
		return
	}
	r.SetStatus(code, r.header)
	if v := r.header["Content-Length"]; len(v) > 0 && v[0] != "" {
		n, err := strconv.ParseInt(v[0], 10, 64)
		if err == nil && n >= 0 {
			r.Length = n
		} else {
			r.logf("http: invalid Content-Length of %q", v[0])
			r.header.Del("Content-Length")
		}
	}
}

// informational writes an informational (1xx) response, unless the client uses
// HTTP/1.0, which has none (RFC 9110 section 15.2).
func (r *response) informational(code int) {
	if r.http10 {
		return
	}
	r.appendStatusLine(code)
	r.TakeSnapshot(r.header)
	for i := range r.Fields {
		if k := r.Fields[i].Key; k != "Content-Length" && k != "Transfer-Encoding" {
			r.appendField(&r.Fields[i])
		}
	}
	r.Fields, r.Snapshot = r.Fields[:0], false
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

// Flush implements Flush of [http.ResponseController].
func (r *response) Flush() error {
	if r.Hijacked {
		return http.ErrHijacked
	}
	if !r.WroteHeader {
		r.writeHeader(http.StatusOK)
	}
	err := r.flushStage()
	if !r.SentHead {
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
	r.Lock()
	defer r.Unlock()
	r.Done = true
	b := r.ctx.body
	if b != nil { // a goroutine that reads it would delay the response
		r.conn.abortBodyRead(b)
	}
	if !r.WroteHeader {
		r.writeHeader(http.StatusOK)
	}
	r.flushStage()
	if !r.SentHead {
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
	if b != nil {
		b.close()
	}
	switch {
	case r.closeAfter, r.werr != nil:
	case r.WrongLength(): // the client expects more
	case b != nil && (b.closedUnread.Load() || !b.consumed.Load()):
	default:
		return true
	}
	r.flushOut()
	return false
}

// flushPending writes the earlier responses that are still in out. It reports
// whether it succeeded.
func (r *response) flushPending() bool {
	r.Lock()
	defer r.Unlock()
	return len(r.out) == 0 || r.flushOut() == nil
}

// flushLate writes earlier responses while the handler of x still runs. It reports
// false if it must be called again later, because the handler is writing, or
// waits for the client.
func (x *requestContext) flushLate() bool {
	r := x.res
	if !r.TryLock() {
		return !r.Is(x.gen)
	}
	go func() {
		defer r.Unlock()
		if r.Is(x.gen) && !r.Hijacked {
			r.flushOut()
		}
	}()
	return true
}

// reset drops all references of the last response.
func (r *response) reset() {
	r.Lock()
	defer r.Unlock()
	if cap(r.out) > 4*outputSize || cap(r.Fields) > 4*maxFields {
		r.out, r.Fields = nil, nil // an unusually large head
	}
	r.out = r.out[:0]
	r.Clear()
	r.responseState = responseState{}
}
