package h2

import "encoding/binary"

// process processes a frame. An error ends the connection.
func (c *Conn) process(f *frame) error {
	if !c.settled && (f.kind != frameSettings || f.has(flagAck)) {
		return connError{protocolError, "first_settings"}
	}
	if err := c.limits.count(c, f); err != nil {
		return err
	}
	switch f.kind {
	case frameData:
		return c.data(f)
	case frameHeaders:
		return c.headers(f)
	case frameContinuation:
		return c.continuation(f)
	case framePriority:
		return c.priority(f)
	case frameReset:
		return c.reset(f)
	case frameSettings:
		return c.settings(f)
	case framePushPromise:
		return connError{protocolError, "push_promise"}
	case framePing:
		return c.ping(f)
	case frameGoAway:
		return c.goAway(f)
	case frameWindowUpdate:
		return c.windowUpdate(f)
	case framePriorityUpdate:
		return c.priorityUpdate(f)
	}
	return nil // RFC 9113 section 5.5
}

// data processes DATA (RFC 9113 section 6.1).
func (c *Conn) data(f *frame) error {
	length := int64(len(f.payload))
	if f.stream == 0 {
		return connError{protocolError, "frame_data_stream_0"}
	}
	if !f.unpad() {
		return connError{protocolError, "frame_data_pad_too_big"}
	}
	c.mu.Lock()
	if c.changeWindow(-length); length > 0 && c.recvWindow < 0 {
		c.mu.Unlock()
		return connError{flowControlError, "data_flow"}
	}
	s := c.unended(f.stream)
	if s == nil || s.recvEnd {
		over, idle := c.isOver(f.stream), c.idle(f.stream)
		c.mu.Unlock()
		switch {
		case idle:
			return connError{protocolError, "data_on_idle"}
		case s == nil && over:
			if err := c.limits.data(c, len(f.payload)); err != nil {
				return err
			}
			return c.giveBack(length)
		}
		if err := c.streamError(f.stream, streamClosed, "closed"); err != nil {
			return err
		}
		return c.giveBack(length)
	}
	s.recvWindow -= length
	s.received += int64(len(f.payload))
	b, padding := s.body, length-int64(len(f.payload))
	code, name := noError, ""
	switch {
	case length > 0 && s.recvWindow < 0: // an empty frame is allowed below 0 (RFC 9113 section 6.9.1)
		code, name = flowControlError, "flow_on_data_length"
	case s.declared >= 0 && (s.received > s.declared || f.has(flagEndStream) && s.received < s.declared):
		code, name = protocolError, "send_too_much" // RFC 9113 section 8.1.1
	case f.has(flagEndStream):
		c.endReceived(s)
	case padding > 0 && s.gone == nil:
		if s.padding += padding; s.padding >= c.server.streamWindow/4 {
			c.widen(s, s.padding)
			s.padding = 0
		}
	}
	c.mu.Unlock()
	if name != "" {
		if err := c.streamError(f.stream, code, name); err != nil {
			return err
		}
		return c.giveBack(length)
	}
	unused := padding
	if !b.append(f.payload) {
		unused = length
	}
	if f.has(flagEndStream) {
		b.complete()
	} else if err := c.limits.data(c, len(f.payload)); err != nil {
		return err
	}
	return c.giveBack(unused)
}

// idle reports whether the client hasn't opened a stream yet. Opening one closes
// those below (RFC 9113 section 5.1.1). The caller holds c.mu.
func (c *Conn) idle(id uint32) bool { return id%2 == 0 || id > c.lastID && !c.stopping.final }

// isOver reports whether the frames of a stream are ignored, because the server
// has reset it or won't serve it. The caller holds c.mu.
func (c *Conn) isOver(id uint32) bool { return id > c.lastID || c.past.wasReset(id) }

// priority processes PRIORITY (RFC 9113 section 6.3).
func (c *Conn) priority(f *frame) error {
	switch {
	case f.stream == 0:
		return connError{protocolError, "frame_priority_zero_stream"}
	case len(f.payload) != 5:
		return c.streamError(f.stream, frameSizeError, "frame_priority_bad_length")
	case binary.BigEndian.Uint32(f.payload)&maxStreamID != f.stream:
		return nil
	}
	c.mu.Lock()
	idle := c.idle(f.stream)
	c.mu.Unlock()
	if idle { // RST_STREAM must not be sent for it (RFC 9113 section 6.4)
		return nil
	}
	return c.streamError(f.stream, protocolError, "priority")
}

// reset processes RST_STREAM (RFC 9113 section 6.4).
func (c *Conn) reset(f *frame) error {
	switch {
	case f.stream == 0:
		return connError{protocolError, "frame_rststream_zero_stream"}
	case len(f.payload) != 4:
		return connError{frameSizeError, "frame_rststream_bad_len"}
	}
	c.mu.Lock()
	s, idle := c.streams[f.stream], c.idle(f.stream)
	var o orphan
	if s != nil {
		o = c.drop(s, errStreamReset)
	} else {
		c.leaveEarly(f.stream)
	}
	c.mu.Unlock()
	if idle {
		return connError{protocolError, "reset_idle_stream"}
	}
	o.cancel()
	c.setState()
	return nil
}

// settings processes SETTINGS (RFC 9113 section 6.5).
func (c *Conn) settings(f *frame) error {
	p := f.payload
	switch {
	case f.stream != 0:
		return connError{protocolError, "frame_settings_has_stream"}
	case f.has(flagAck) && len(p) > 0:
		return connError{frameSizeError, "frame_settings_ack_with_length"}
	case len(p)%6 != 0:
		return connError{frameSizeError, "frame_settings_mod_6"}
	case len(p) > 100*6:
		return connError{enhanceYourCalm, "settings_big_or_dups"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.has(flagAck) {
		if c.acked {
			return connError{protocolError, "ack_mystery"}
		}
		c.acked = true
		// Streams that are older than the acknowledgment began with the
		// default window (RFC 9113 section 6.9.2).
		if change := c.server.streamWindow - defaultWindow; change < 0 {
			for _, s := range c.streams {
				s.recvWindow += change
			}
		}
		return nil
	}
	highest := c.initialWindow
	for ; len(p) > 0; p = p[6:] {
		if err := c.setting(binary.BigEndian.Uint16(p), binary.BigEndian.Uint32(p[2:])); err != nil {
			return err
		}
		highest = max(highest, c.initialWindow)
	}
	// The windows of streams are relative to the initial one, so that a change
	// costs nothing for each stream (CVE-2026-78669).
	if highest+c.widest > maxWindow {
		c.limits.useless += len(c.streams)
		c.widest = 0
		for _, s := range c.streams {
			c.widest = max(c.widest, s.sendWindow)
		}
		if highest+c.widest > maxWindow {
			return connError{flowControlError, "setting_win_size"}
		}
	}
	c.settled = true
	c.appendControl(appendHead(nil, 0, frameSettings, flagAck, 0))
	return nil
}

// setting applies a setting. The caller holds c.mu.
func (c *Conn) setting(id uint16, v uint32) error {
	switch id {
	case settingTableSize:
		c.encoder.Resize(int(min(v, uint32(c.server.encoderTable))))
	case settingEnablePush:
		if v > 1 {
			return connError{protocolError, "setting_push"}
		}
	case settingWindow:
		if v > maxWindow {
			return connError{flowControlError, "frame_settings_window_size_too_big"}
		}
		c.initialWindow = int64(v)
	case settingConnect:
		if v > 1 {
			return connError{protocolError, "setting_connect"}
		}
	case settingPriorities:
		if v > 1 {
			return connError{protocolError, "setting_priorities"}
		}
	case settingMaxFrame:
		if v < minMaxFrame || v > maxMaxFrame {
			return connError{protocolError, "setting_max_frame"}
		}
	}
	return nil
}

// ping processes PING (RFC 9113 section 6.7).
func (c *Conn) ping(f *frame) error {
	switch {
	case f.stream != 0:
		return connError{protocolError, "ping_on_stream"}
	case len(f.payload) != 8:
		return connError{frameSizeError, "frame_ping_length"}
	}
	data := [8]byte(f.payload)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !f.has(flagAck) {
		c.appendControl(appendPing(nil, flagAck, data))
	} else if data == shutdownPing && c.stopping.begun && !c.stopping.final {
		c.setGoodbye(min(c.times.goodbye, c.server.clock.Now()+int64(lateDelay)))
	}
	return nil
}

// goAway processes GOAWAY (RFC 9113 section 6.8).
func (c *Conn) goAway(f *frame) error {
	switch {
	case f.stream != 0:
		return connError{protocolError, "frame_goaway_has_stream"}
	case len(f.payload) < 8:
		return connError{frameSizeError, "frame_goaway_short"}
	}
	if code := binary.BigEndian.Uint32(f.payload[4:]); code != 0 && !c.leaving {
		c.leaving = true
		c.server.Logf("http2: received GOAWAY with error code %d, starting graceful shutdown", code)
	}
	c.Shutdown()
	return nil
}

// windowUpdate processes WINDOW_UPDATE (RFC 9113 section 6.9).
func (c *Conn) windowUpdate(f *frame) error {
	if len(f.payload) != 4 {
		return connError{frameSizeError, "frame_windowupdate_bad_len"}
	}
	n := int64(binary.BigEndian.Uint32(f.payload) & maxWindow)
	c.mu.Lock()
	if f.stream == 0 {
		defer c.mu.Unlock()
		if n == 0 {
			return connError{protocolError, "frame_windowupdate_zero_inc_conn"}
		}
		if c.sendWindow += n; c.sendWindow > maxWindow {
			return connError{flowControlError, "bad_flow"}
		}
		return nil
	}
	s, idle := c.unended(f.stream), c.idle(f.stream)
	code, name := noError, ""
	switch {
	case idle:
		c.mu.Unlock()
		return connError{protocolError, "stream_idle"}
	case n == 0:
		code, name = protocolError, "frame_windowupdate_zero_inc_stream"
	case s == nil:
	case c.window(s)+n > maxWindow:
		code, name = flowControlError, "bad_flow"
	default:
		s.sendWindow += n
		c.widest = max(c.widest, s.sendWindow)
	}
	c.mu.Unlock()
	if name != "" {
		return c.streamError(f.stream, code, name)
	}
	return nil
}
