package trie

import "math/bits"

// static finds whole paths with one look into a hash table, where walking the
// trie would take a step for each segment. It holds the index of routes that
// are in Tree.routes. Without it, with all routes in the trie, the same routes
// would be found more slowly.
type static struct {
	slots []slot // a power of two; at most three quarters are taken
	// lengths has a bit for each length of a path in the table, modulo 64. It
	// spares most paths with parameters the look.
	lengths uint64
	// whole says that the hash takes all bytes of a path. Sets of routes whose
	// lengths, beginnings and ends alone don't tell them apart need it.
	whole bool
}

// A slot is a place in the table, empty if ref is 0.
type slot struct {
	tag uint32 // the part of the hash that did not choose the place
	ref routeRef
}

// MayBeStatic reports false only if no route without parameters has a path of
// this length.
func (t *Tree[P]) MayBeStatic(path string) bool { return t.static.lengths>>(len(path)&63)&1 != 0 }

// FindStatic returns the route for exactly this path and a standard method. It
// returns nil also for some paths that have one; see [Table.Find].
//
// It calls nothing on its fast path, so that what it needs stays in registers.
func (t *Tree[P]) FindStatic(path string, m Method) *Route[P] {
	st := &t.static
	n := len(path)
	if n < 8 || st.whole {
		return t.findStaticSlow(path, m)
	}
	first, last := load8(path), load8(path[n-8:])
	h := mixEnds(first, last, n)
	i := uint(h)
	s := st.slots[i&uint(len(st.slots)-1)]
	for s.tag != uint32(h>>32) {
		if s.ref == 0 {
			return nil
		}
		i++
		s = st.slots[i&uint(len(st.slots)-1)]
	}
	at := uint(s.ref) - 1
	if at >= uint(len(t.routes)) {
		return nil // an empty slot whose tag equals the hash's
	}
	rt := &t.routes[at]
	text := rt.Pattern // and then rt.Path(), in a form that saves some steps
	if int(rt.path) >= len(text) || len(text)-int(rt.path) != n {
		return t.findStaticSlow(path, m)
	}
	text = text[rt.path:]
	if load8(text) != first || load8(text[len(text)-8:]) != last {
		return t.findStaticSlow(path, m)
	}
	for rest := path; len(text) > 16 && len(rest) > 16; {
		text, rest = text[8:], rest[8:]
		if load8(text) != load8(rest) {
			return t.findStaticSlow(path, m)
		}
	}
	if rt.methodMask>>(m&15)&1 != 0 {
		return rt
	}
	return t.findStaticSlow(path, m)
}

// findStaticSlow is FindStatic for any path and method. It is not inlined, so that
// FindStatic saves no registers for it.
//
//go:noinline
func (t *Tree[P]) findStaticSlow(path string, m Method) *Route[P] {
	return t.pick(t.findStatic(path), m)
}

// findStatic returns the routes for exactly this path.
func (t *Tree[P]) findStatic(path string) routeRef {
	if !t.MayBeStatic(path) {
		return 0
	}
	st := &t.static
	h := st.hash(path)
	for i := uint(h); ; i++ {
		s := st.slots[i&uint(len(st.slots)-1)]
		if s.ref == 0 {
			return 0
		}
		if s.tag == uint32(h>>32) && t.routes[s.ref-1].Path() == path {
			return s.ref
		}
	}
}

// newStatic returns a table with the paths of the routes at refs.
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

// maxProbes is how many slots beyond the first a path may need on average before
// the table hashes whole paths. A good hash needs about one.
const maxProbes = 4

// fillStatic returns how many slots beyond the first the paths needed in all.
func fillStatic[P any](st *static, routes []Route[P], refs []routeRef) (probes int) {
	size := uint(1) << bits.Len(uint(len(refs)+len(refs)/3))
	st.slots = make([]slot, size)
	for _, ref := range refs {
		path := routes[ref-1].Path()
		st.lengths |= 1 << (len(path) & 63)
		h := st.hash(path)
		i := uint(h) & (size - 1)
		for st.slots[i].ref != 0 {
			i = (i + 1) & (size - 1)
			if probes++; probes > maxProbes*len(refs) && !st.whole {
				return probes
			}
		}
		st.slots[i] = slot{uint32(h >> 32), ref}
	}
	return probes
}

func (st *static) hash(path string) uint64 {
	if st.whole {
		return hashWhole(path)
	}
	return hashEnds(path)
}

// hashEnds mixes the length of a path, its first eight and its last eight bytes.
func hashEnds(path string) uint64 {
	first, last := ends(path)
	return mixEnds(first, last, len(path))
}

func mixEnds(w0, w1 uint64, n int) uint64 {
	hi, lo := bits.Mul64(w0^0x9E3779B97F4A7C15, w1^uint64(n)*0xD6E8FEB86659FD93)
	return hi ^ lo
}

// hashWhole mixes all bytes of a path.
func hashWhole(path string) uint64 {
	h := uint64(len(path))
	for i := 0; i < len(path); i += 8 {
		hi, lo := bits.Mul64(h^load(path, i)^0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
		h = hi ^ lo
	}
	return h
}
