package h2

import (
	"encoding/binary"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// A fieldBlock is a block of fields whose frames have not all arrived.
type fieldBlock struct {
	stream    uint32 // 0 if there is none
	endStream bool
	onItself  bool // the priority names the stream itself
	frames    int
	b         []byte
}

// headers processes HEADERS (RFC 9113 section 6.2).
func (c *Conn) headers(f *frame) error {
	switch {
	case f.stream == 0:
		return connError{protocolError, "frame_headers_zero_stream"}
	case f.stream%2 == 0:
		return connError{protocolError, "headers_even"}
	case !f.unpad():
		return connError{protocolError, "frame_headers_pad_too_big"}
	}
	h := fieldBlock{stream: f.stream, endStream: f.has(flagEndStream), frames: 1}
	if f.has(flagPriority) {
		if len(f.payload) < 5 {
			return connError{frameSizeError, "frame_headers_prio_short"}
		}
		h.onItself = binary.BigEndian.Uint32(f.payload)&maxStreamID == f.stream
		f.payload = f.payload[5:]
	}
	if f.has(flagEndHeaders) {
		return c.fields(&h, f.payload)
	}
	if err := c.limits.block(c, len(f.payload), 1); err != nil {
		return err
	}
	h.b = append(c.head.b[:0], f.payload...)
	c.head = h
	return nil
}

// continuation processes CONTINUATION (RFC 9113 section 6.10).
func (c *Conn) continuation(f *frame) error {
	h := &c.head
	if h.stream == 0 {
		return connError{protocolError, "continuation_unexpected"}
	}
	h.frames++
	if err := c.limits.block(c, len(h.b)+len(f.payload), h.frames); err != nil {
		return err
	}
	h.b = append(h.b, f.payload...)
	if !f.has(flagEndHeaders) {
		return nil
	}
	block := *h
	*h = fieldBlock{b: h.b[:0]}
	if cap(h.b) > 16<<10 {
		h.b = nil
	}
	return c.fields(&block, block.b)
}

// fields processes a complete block of fields: a request, or the trailers of
// one.
func (c *Conn) fields(h *fieldBlock, block []byte) error {
	if len(block) > c.server.maxList+blockSlack {
		return connError{enhanceYourCalm, "headers_too_large"}
	}
	// A short block that repeats a large entry of the table must not cost time and
	// memory for a megabyte.
	fields, tooLarge, err := c.decoder.Decode(block, min(c.server.maxList, 16*(len(block)+c.server.largestTable)))
	if err != nil {
		return connError{compressionError, "compression"}
	}
	if limit := c.server.MaxFields; limit > 0 && len(fields) > limit {
		tooLarge = true
	}
	if h.stream <= c.lastID {
		return c.laterFields(h, fields, tooLarge)
	}
	r, problem := c.parseRequest(fields, h.endStream, tooLarge, len(block))
	if h.onItself {
		problem = "priority"
	}
	if err := c.open(h, &r, problem); err != nil {
		return err
	}
	if len(c.ready) >= maxReady {
		return c.parsed()
	}
	return nil
}

// laterFields processes fields that don't open a stream.
func (c *Conn) laterFields(h *fieldBlock, fields []hpack.Field, tooLarge bool) error {
	c.mu.Lock()
	s := c.unended(h.stream)
	if s == nil {
		over, opened := c.past.wasReset(h.stream), c.past.wasOpened(h.stream)
		c.mu.Unlock()
		switch {
		case over:
			return c.limits.uselessFrame(c)
		case opened:
			return connError{streamClosed, "headers_closed"}
		}
		return connError{protocolError, "stream_went_down"}
	}
	// When c.mu is unlocked, the stream may end, and then be used for another
	// request. Its body is never used again.
	b := s.body
	code, name := c.checkTrailers(s, h, fields, tooLarge)
	if name == "" {
		c.endReceived(s)
	}
	c.mu.Unlock()
	if name != "" {
		return c.streamError(h.stream, code, name)
	}
	if !tooLarge {
		b.addTrailers(fields)
	}
	b.complete()
	return nil
}

// checkTrailers checks the fields that follow a body (RFC 9113 section 8.1). The
// caller holds c.mu.
func (c *Conn) checkTrailers(s *stream, h *fieldBlock, fields []hpack.Field, tooLarge bool) (code errCode, name string) {
	switch {
	case s.recvEnd:
		return streamClosed, "headers_half_closed"
	case !h.endStream:
		return protocolError, "trailers_not_ended"
	case h.onItself:
		return protocolError, "priority"
	case s.declared >= 0 && s.received != s.declared:
		return protocolError, "send_too_little"
	case tooLarge && c.server.MaxFields > 0:
		return protocolError, "trailers_too_large" // as net/http since Go 1.27
	}
	for i := range fields {
		switch f := &fields[i]; {
		case f.Kind.Pseudo():
			return protocolError, "trailers_pseudo"
		case !f.Valid:
			return protocolError, "header_field_invalid"
		case s.body.declared != nil && !syntax.ValidTrailer(f.Key):
			return protocolError, "trailers_bogus"
		}
	}
	return noError, ""
}

// maxReady is how many handlers wait until all input is parsed.
const maxReady = 64

// register adds a stream that the client has opened. It reports false if the
// stream isn't to be served: because the connection ends, or there are too many
// streams, or a problem with the request.
func (c *Conn) register(s *stream, id uint32, problem string) (bool, error) {
	c.mu.Lock()
	if c.stopping.final {
		c.mu.Unlock()
		return false, c.limits.uselessFrame(c) // the client learns it from GOAWAY
	}
	c.lastID = id
	c.past.open(id)
	code, blame := protocolError, true
	if problem == "" && len(c.streams)-c.closed >= c.server.maxStreams {
		// Before it has our SETTINGS, the client doesn't know the limit.
		code, problem, blame = refusedStream, "over_max_streams", c.acked
	}
	if problem == "" {
		s.recvWindow, s.sendWindow = c.server.streamWindow, 0
		if !c.acked {
			s.recvWindow = max(s.recvWindow, defaultWindow)
		}
		s.setTimes(c)
		c.streams[id] = s
		c.isIdle = false
		first := len(c.streams) == 1
		c.mu.Unlock()
		if first {
			c.setState()
		}
		return true, nil
	}
	c.mu.Unlock()
	if err := c.streamError(id, code, problem); err != nil || blame {
		return false, err
	}
	c.limits.errors--
	return false, c.limits.uselessFrame(c)
}

// streamError resets a stream because of the client's error (RFC 9113 section
// 5.4.2).
func (c *Conn) streamError(id uint32, code errCode, name string) error {
	c.server.count("stream_" + name)
	c.mu.Lock()
	var o orphan
	if s := c.streams[id]; s != nil {
		o = c.drop(s, errStreamReset)
	}
	delete(c.early, id)
	c.past.reset(id)
	c.appendControl(appendReset(nil, id, code))
	c.mu.Unlock()
	o.cancel()
	c.setState()
	return c.limits.clientError()
}
