package h2

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// defaultUrgency is the urgency of a request without the Priority header.
const defaultUrgency = 3

// setPriority sets the priority of a stream from a Priority header or a
// PRIORITY_UPDATE frame (RFC 9218 section 4). Without one, streams take turns.
func (s *stream) setPriority(value string) {
	s.urgency, s.sequential = defaultUrgency, false
	if value == "" || s.conn.server.NoPriority {
		return
	}
	s.sequential = true
	for member := range strings.SplitSeq(value, ",") {
		switch member = strings.Trim(member, " \t"); {
		case len(member) == 3 && strings.HasPrefix(member, "u=") && '0' <= member[2] && member[2] <= '7':
			s.urgency = member[2] - '0'
		case member == "i" || member == "i=?1":
			s.sequential = false
		}
	}
}

// priorityUpdate processes PRIORITY_UPDATE (RFC 9218 section 7.1).
func (c *Conn) priorityUpdate(f *frame) error {
	switch {
	case f.stream != 0:
		return connError{protocolError, "priority_update_on_stream"}
	case len(f.payload) < 4:
		return connError{frameSizeError, "priority_update_short"}
	}
	id := binary.BigEndian.Uint32(f.payload) & maxStreamID
	if id%2 == 0 { // the server pushes nothing, so each pushed stream is idle
		return connError{protocolError, "priority_update_zero_stream"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[id]; s != nil && len(f.payload) < 256 {
		s.setPriority(string(f.payload[4:]))
		slices.SortStableFunc(c.waiting, func(a, b *stream) int { return cmp.Compare(a.urgency, b.urgency) })
	}
	return nil
}
