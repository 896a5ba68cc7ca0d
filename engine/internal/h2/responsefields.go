package h2

import (
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

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
		first := i == 0 || r.fields[i-1].Key != f.Key
		switch f.Key {
		case "Content-Type":
			hasType = true
		case "Content-Encoding":
			hasEncoding = hasEncoding || first && f.Value != ""
		case "Content-Length":
			hasLength = hasLength || first && f.Value == "" // or none
		case "Date":
			r.noDate = true
		case "Trailer":
			r.declareTrailers(f.Value)
		case "Connection":
			if first && f.Value == "close" {
				r.stream.conn.Shutdown()
			}
		}
	}
	allowed := request.BodyAllowed(r.status)
	r.setLength = r.done && r.length < 0 && !hasLength && allowed && (len(p) > 0 || !r.isHEAD)
	if allowed && !hasType && !hasEncoding && len(p) > 0 {
		r.setType = syntax.DetectContentType(p)
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
	if f.None || !syntax.ValidName(f.Key) || !syntax.ValidString(f.Value) || forbidden(f.Key) {
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
		if len(h[name]) > 0 && !r.isHEAD {
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
