package trie

import "math/bits"

// static is a hash table of the paths without parameters. It finds a route with
// one lookup, where the trie would take a step for each segment. It is only an
// optimization: the trie could hold these routes as well.
//
// The hash covers the length of a path and its first and last eight bytes.
type static struct {
	// A slot is the tag of a hash XOR the routeRef, or 0 if it is empty. So the
	// XOR of a slot and the tag of another hash is hardly ever a routeRef. The
	// number of slots is a power of two; at most half of them are in use.
	slots []uint32
	shift uint8 // the upper 64-shift bits of a hash are the index of a slot
	// Bit n of lengths is set if the table has a path whose length modulo 64 is
	// n. Most paths with parameters need no lookup because of it.
	lengths uint64
}

// MayBeStatic reports whether the path can be in the table of static paths,
// judging by its length.
func (t *Tree[P]) MayBeStatic(path string) bool { return t.static.lengths>>(len(path)&63)&1 != 0 }

// FindStatic returns the first route without parameters for a path, and all of
// them for Pick. The caller must check MayBeStatic first.
//
// Its fast path contains no calls, so that its variables stay in registers.
func (t *Tree[P]) FindStatic(path string) (*Route[P], routeRef) {
	st := &t.static
	n := len(path)
	if n < 8 {
		return t.findStatic(path)
	}
	first, last := load8(path), load8(path[n-8:])
	h := mixEnds(first, last, n)
	i := h >> (st.shift & 63)
	s := st.slots[i]
	at := uint(s^tag(h)) - 1
	for ; at >= uint(len(t.routes)); at = uint(s^tag(h)) - 1 {
		if s == 0 {
			return nil, 0
		}
		i++
		s = st.slots[i&uint64(len(st.slots)-1)]
	}
	rt := &t.routes[at]
	text := rt.Pattern // becomes rt.Path() below, with fewer bounds checks
	if int(rt.path) >= len(text) || len(text)-int(rt.path) != n {
		return t.findStatic(path)
	}
	text = text[rt.path:][:n]
	if load8(text) != first || load8(text[n-8:]) != last {
		return t.findStatic(path)
	}
	for i := 16; i < n; i += 8 {
		if load8(text[i-8:i]) != load8(path[i-8:i]) {
			return t.findStatic(path)
		}
	}
	return rt, routeRef(at + 1)
}

// findStatic returns the routes without parameters for a path. It is not inlined,
// which would make FindStatic spill registers.
//
//go:noinline
func (t *Tree[P]) findStatic(path string) (*Route[P], routeRef) {
	if !t.MayBeStatic(path) {
		return nil, 0
	}
	st := &t.static
	h := hashEnds(path)
	for i := h >> st.shift; ; i++ {
		s := st.slots[i&uint64(len(st.slots)-1)]
		if s == 0 {
			return nil, 0
		}
		if ref := s ^ tag(h); uint(ref)-1 < uint(len(t.routes)) && t.routes[ref-1].Path() == path {
			return &t.routes[ref-1], routeRef(ref)
		}
	}
}

// maxProbes is the limit for the average number of probes beyond the first
// slot. A good hash needs about one.
const maxProbes = 4

// newStatic returns a hash table of the paths of the routes at refs. It reports
// false if looking them up would take too long, because too many of them have
// the same length, beginning and end.
func newStatic[P any](routes []Route[P], refs []routeRef) (st static, ok bool) {
	if len(refs) == 0 {
		return st, true
	}
	log := bits.Len(uint(len(refs)-1)) + 1
	st.slots, st.shift = make([]uint32, 1<<log), uint8(64-log)
	probes := 0
	for _, ref := range refs {
		path := routes[ref-1].Path()
		st.lengths |= 1 << (len(path) & 63)
		h := hashEnds(path)
		i := h >> st.shift
		for st.slots[i] != 0 {
			i = (i + 1) & uint64(len(st.slots)-1)
			if probes++; probes > maxProbes*len(refs) {
				return static{}, false
			}
		}
		st.slots[i] = tag(h) ^ uint32(ref)
	}
	return st, true
}

// hashEnds hashes the length of a path and its first and last eight bytes.
func hashEnds(path string) uint64 {
	first, last := ends(path)
	return mixEnds(first, last, len(path))
}

// mixEnds hashes two words and a length. The upper bits depend on all of them.
func mixEnds(w0, w1 uint64, n int) uint64 {
	return (w0^uint64(n)<<56)*mixer + w1*mixer2
}

// tag returns bits of a hash. The highest is set, which no routeRef has.
func tag(h uint64) uint32 { return uint32(h>>16) | 1<<31 }
