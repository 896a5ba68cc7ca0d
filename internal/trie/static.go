package trie

import "math/bits"

// static is a hash table of the paths without parameters. It finds a route with
// one lookup, where the trie would take a step for each segment. It is only an
// optimization: the trie could hold these routes as well.
type static struct {
	slots []slot // the length is a power of two; at most half of them are in use
	// Bit n of lengths is set if the table has a path whose length modulo 64 is
	// n. Most paths with parameters need no lookup because of it.
	lengths uint64
	// whole means that the hash covers all bytes of a path. Otherwise it covers
	// the length and the first and last eight bytes, which is faster, but too
	// many paths may share them. FindStatic finds nothing if whole is set.
	whole bool
	shift uint8 // the upper 64-shift bits of a hash are the index of a slot
}

// A slot of the hash table is empty if ref is 0.
type slot struct {
	tag uint32 // other bits of the hash
	ref routeRef
}

// MayBeStatic reports whether the path can be in the table of static paths,
// judging by its length.
func (t *Tree[P]) MayBeStatic(path string) bool { return t.static.lengths>>(len(path)&63)&1 != 0 }

// FindStatic returns the first of the routes without parameters for a path; see
// PickStatic. It may return nil although there is one; [Table.Find] finds it
// then. The caller must check MayBeStatic first.
//
// Its fast path contains no calls, so that its variables stay in registers.
func (t *Tree[P]) FindStatic(path string) *Route[P] {
	st := &t.static
	n := len(path)
	if n < 8 {
		return t.findStaticSlow(path)
	}
	first, last := load8(path), load8(path[n-8:])
	h := mixEnds(first, last, n)
	i := h >> (st.shift & 63)
	s := st.slots[i]
	for s.tag != tag(h) {
		if s.ref == 0 {
			return nil
		}
		i++
		s = st.slots[i&uint64(len(st.slots)-1)]
	}
	at := uint(s.ref) - 1
	if at >= uint(len(t.routes)) {
		return nil // an empty slot; the path's tag is 0
	}
	rt := &t.routes[at]
	text := rt.Pattern // becomes rt.Path() below, with fewer bounds checks
	if int(rt.path) >= len(text) || len(text)-int(rt.path) != n {
		return t.findStaticSlow(path)
	}
	text = text[rt.path:]
	if load8(text) != first || load8(text[len(text)-8:]) != last {
		return t.findStaticSlow(path)
	}
	if len(text) > 16 {
		if load8(text[8:]) != load8(path[8:]) {
			return t.findStaticSlow(path)
		}
		for rest := path; len(text) > 24 && len(rest) > 24; {
			text, rest = text[8:], rest[8:]
			if load8(text[8:]) != load8(rest[8:]) {
				return t.findStaticSlow(path)
			}
		}
	}
	return rt
}

// findStaticSlow is FindStatic for all paths. It is not inlined,
// which would make FindStatic spill registers.
//
//go:noinline
func (t *Tree[P]) findStaticSlow(path string) *Route[P] {
	ref := t.findStatic(path)
	if ref == 0 {
		return nil
	}
	return &t.routes[ref-1]
}

// PickStatic returns the route for a method among those of the place of first, a
// result of FindStatic of the base tree. It returns nil if there is none or the
// method is a custom one.
//
//go:noinline
func (t *Table[P]) PickStatic(first *Route[P], method string) *Route[P] {
	if m := t.MethodOf(method); !m.Custom() {
		return t.Base.pickStatic(first, m)
	}
	return nil
}

func (t *Tree[P]) pickStatic(first *Route[P], m Method) *Route[P] {
	if first.Accepts(m) {
		return first
	}
	return t.pick(t.findStatic(first.Path()), m)
}

// Static returns the route without a host and parameters for a path and method.
// It may return nil although there is one, as FindStatic.
func (t *Table[P]) Static(path, method string) *Route[P] {
	if t.Base.MayBeStatic(path) {
		if rt := t.Base.FindStatic(path); rt != nil {
			return t.PickStatic(rt, method)
		}
	}
	return nil
}

// findStatic returns the routes without parameters for a path.
func (t *Tree[P]) findStatic(path string) routeRef {
	if !t.MayBeStatic(path) {
		return 0
	}
	st := &t.static
	h := st.hash(path)
	for i := h >> st.shift; ; i++ {
		s := st.slots[i&uint64(len(st.slots)-1)]
		if s.ref == 0 {
			return 0
		}
		if s.tag == tag(h) && t.routes[s.ref-1].Path() == path {
			return s.ref
		}
	}
}

// newStatic returns a hash table of the paths of the routes at refs.
func newStatic[P any](routes []Route[P], refs []routeRef) (st static) {
	if len(refs) == 0 {
		return st
	}
	if probes := fillStatic(&st, routes, refs); probes > maxProbes*len(refs) {
		st.whole = true
		fillStatic(&st, routes, refs)
	}
	return st
}

// maxProbes is the limit for the average number of probes beyond the first
// slot. If filling the table exceeds it, the table hashes whole paths instead.
// A good hash needs less than one.
const maxProbes = 4

// fillStatic fills the hash table and returns the total number of probes beyond
// the first slot. It stops early if there are too many.
func fillStatic[P any](st *static, routes []Route[P], refs []routeRef) (probes int) {
	log := bits.Len(uint(len(refs)-1)) + 1
	size := uint64(1) << log
	st.slots, st.shift = make([]slot, size), uint8(64-log)
	for _, ref := range refs {
		path := routes[ref-1].Path()
		st.lengths |= 1 << (len(path) & 63)
		h := st.hash(path)
		i := h >> st.shift
		for st.slots[i].ref != 0 {
			i = (i + 1) & (size - 1)
			if probes++; probes > maxProbes*len(refs) && !st.whole {
				return probes
			}
		}
		st.slots[i] = slot{tag(h), ref}
	}
	return probes
}

func (st *static) hash(path string) uint64 {
	if st.whole {
		return hashWhole(path)
	}
	return hashEnds(path)
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

// tag returns the part of a hash that a slot holds.
func tag(h uint64) uint32 { return uint32(h >> 16) }

// hashWhole hashes all bytes of a path.
func hashWhole(path string) uint64 {
	h := uint64(len(path))
	for i := 0; i < len(path); i += 8 {
		hi, lo := bits.Mul64(h^load(path, i)^mixer, mixer2)
		h = hi ^ lo
	}
	return h
}
