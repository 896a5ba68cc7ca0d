package h2

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// plan decides what to add to the header, before its first use. p is the first
// part of the body.
func (r *response) plan(p []byte) {
	if r.SentHead {
		return
	}
	if !r.Snapshot && r.CalledHeader {
		r.TakeSnapshot(r.stream.ResponseHeader)
	}
	sum := r.Summary()
	r.noDate = sum.HasDate
	if sum.HasTrailers {
		r.DeclareTrailers(r.invalidTrailer)
	}
	if sum.Connection == "close" {
		r.stream.conn.Shutdown()
	}
	tunnel := r.connect && r.Status < 300
	if tunnel {
		r.Length = -1 // no Content-Length (RFC 9110 section 9.3.6)
	}
	r.setLength = !tunnel && r.Done && r.Length < 0 && (!sum.HasLength || sum.Length != "") && r.BodyAllowed() && (len(p) > 0 || !r.IsHEAD)
	if r.BodyAllowed() && !sum.HasType && sum.ContentEncoding == "" && len(p) > 0 {
		r.setType = syntax.DetectContentType(p)
	}
}

// sendFields sends the fields of the response. n is the length of the body, if
// setLength is true. The caller holds c.mu.
func (r *response) sendFields(n int, end bool) {
	s := r.stream
	c := s.conn
	start := c.beginFields()
	c.out = c.encoder.AppendStatus(c.out, r.Status)
	lengthSent := false
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Key == "Content-Length" {
			if lengthSent || r.Length < 0 {
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
		c.endSent(s)
	}
	c.endFields(start, s.id, flags)
}

// appendField appends a field of the handler. Like net/http, it omits invalid
// ones, and those that HTTP/2 doesn't allow. It removes spaces around the value,
// which make clients reset the stream (RFC 9113 section 8.2.1).
func (r *response) appendField(f *request.Field) {
	if f.None || !syntax.ValidName(f.Key) || !syntax.ValidString(f.Value) || forbidden(f.Key) {
		return
	}
	c := r.stream.conn
	c.out = c.encoder.AppendField(c.out, f.Key, textproto.TrimString(f.Value), often(f.Key))
}

// invalidTrailer logs a trailer that is omitted.
func (r *response) invalidTrailer(name string) {
	s := r.stream.conn.server
	r.Later(func() { s.Logf("ignoring invalid trailer %q", name) })
}

// collectTrailers declares the trailers that were set with http.TrailerPrefix,
// after the handler has returned, and collects the values of all trailers.
func (r *response) collectTrailers() {
	h := r.stream.ResponseHeader
	for k, v := range h {
		if name, ok := strings.CutPrefix(k, http.TrailerPrefix); ok {
			r.DeclareTrailer(name, r.invalidTrailer)
			h[http.CanonicalHeaderKey(name)] = v
		}
	}
	slices.Sort(r.Trailers)
	r.Trailers = slices.Compact(r.Trailers)
	n := len(r.Fields)
	for _, name := range r.Trailers {
		for _, v := range h[name] {
			r.Fields = append(r.Fields, request.Field{Key: name, Value: v})
		}
	}
	r.Fields, r.trailers = r.Fields[:n], r.Fields[n:]
}

// sendTrailers sends the trailers, which end the stream. The caller holds c.mu.
func (r *response) sendTrailers() {
	s := r.stream
	c := s.conn
	start := c.beginFields()
	for i := range r.trailers {
		r.appendField(&r.trailers[i])
	}
	c.endFields(start, s.id, flagEndStream)
	c.endSent(s)
}

// beginFields begins a block of fields at the end of the output.
func (c *Conn) beginFields() (start int) {
	c.grow(512)
	start = len(c.out)
	c.out = c.encoder.Begin(appendHead(c.out, 0, frameHeaders, 0, 0))
	return start
}

// endFields completes the frame of a block of fields, or its frames if it is
// large.
func (c *Conn) endFields(start int, stream uint32, flags uint8) {
	length := len(c.out) - start - headLen
	if length <= minMaxFrame {
		appendHead(c.out[:start], length, frameHeaders, flags|flagEndHeaders, stream)
		return
	}
	block := slices.Clone(c.out[start+headLen:])
	c.out = c.out[:start]
	kind := uint8(frameHeaders)
	for part := range slices.Chunk(block, minMaxFrame) {
		if block = block[len(part):]; len(block) == 0 {
			flags |= flagEndHeaders
		}
		c.out = append(appendHead(c.out, len(part), kind, flags, stream), part...)
		kind, flags = frameContinuation, 0
	}
}

// often reports whether a response field goes into the table: other responses
// likely have the same.
func often(key string) bool {
	switch key {
	case "Content-Length", "Content-Range", "Etag", "Last-Modified", "Location", "Set-Cookie":
		return false
	}
	return true
}

// forbidden reports whether a field of a response is specific to a connection
// (RFC 9113 section 8.2.2).
func forbidden(key string) bool {
	switch http.CanonicalHeaderKey(key) {
	case "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade":
		return true
	}
	return false
}
