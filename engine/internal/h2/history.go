package h2

// historySize is how many stream identifiers a history knows.
const historySize = 1024

// A history knows what happened to the latest streams of a connection that have
// ended. Frames of a stream that the server has reset may still be on their way
// and must be ignored; others are errors of the client (RFC 9113 section 5.1).
type history struct {
	top          uint32 // the largest identifier, halved
	opened, mine [historySize / 64]uint64
}

// open records that the client opened a stream. Its identifier is larger than
// those before.
func (h *history) open(id uint32) {
	i := id / 2
	for j := max(h.top+1, i-min(i, historySize-1)); j < i; j++ {
		h.clear(j)
	}
	h.clear(i)
	h.opened[i%historySize/64] |= 1 << (i % 64)
	h.top = i
}

func (h *history) clear(i uint32) {
	h.opened[i%historySize/64] &^= 1 << (i % 64)
	h.mine[i%historySize/64] &^= 1 << (i % 64)
}

func (h *history) knows(i uint32) bool { return h.top-i < historySize }

// reset records that the server has reset a stream.
func (h *history) reset(id uint32) {
	if i := id / 2; h.knows(i) {
		h.mine[i%historySize/64] |= 1 << (i % 64)
	}
}

// end records that the client has ended a stream that the server has reset.
func (h *history) end(id uint32) {
	if i := id / 2; h.knows(i) {
		h.mine[i%historySize/64] &^= 1 << (i % 64)
	}
}

// wasReset reports whether the server has reset a stream, or may have.
func (h *history) wasReset(id uint32) bool {
	i := id / 2
	return !h.knows(i) || h.mine[i%historySize/64]&(1<<(i%64)) != 0
}

// wasOpened reports whether the client has opened a stream that h knows.
func (h *history) wasOpened(id uint32) bool {
	i := id / 2
	return h.knows(i) && h.opened[i%historySize/64]&(1<<(i%64)) != 0
}
