package muxmaster

import "math/bits"

// static finds whole paths by one look into a hash table, where walking the trie
// would take a step for each segment. Removing it, and putting every route into
// the trie, would change nothing but the time.
type static struct {
	slots []slot // a power of two; at most three quarters are taken
	// lengths has a bit for each length of a path in the table, modulo 64. It spares
	// most paths with parameters the look.
	lengths uint64
	// whole says that the hash takes all bytes of a path. It does so for sets of
	// routes that lengths, beginnings and ends alone don't tell apart.
	whole bool
}

// A slot is a place in the table. A leaf of 0 leaves it empty.
type slot struct {
	tag  uint32 // the part of the hash that did not choose the place
	leaf leaf
}

// mayHold reports false only if no path is as long as this one.
func (st *static) mayHold(path string) bool { return st.lengths>>(len(path)&63)&1 != 0 }

// find returns where the routes of path begin in t.routes, and the first of them.
// Like quick, it calls nothing on its way.
func (st *static) find(t *tree, path string) (leaf, *route) {
	n := len(path)
	if n < 8 || st.whole {
		return st.findAny(t, path)
	}
	first, last := load8(path), load8(path[n-8:])
	h := mixEnds(first, last, n)
	i := uint(h)
	s := st.slots[i&uint(len(st.slots)-1)]
	for s.tag != uint32(h>>32) {
		if s.leaf == 0 {
			return 0, nil
		}
		i++
		s = st.slots[i&uint(len(st.slots)-1)]
	}
	at := uint(s.leaf) - 1
	if at >= uint(len(t.routes)) {
		return 0, nil // an empty slot, whose tag is that of a hash too
	}
	rt := &t.routes[at]
	text := rt.pattern // and then pathText, in a form that saves some steps
	if int(rt.path) >= len(text) || len(text)-int(rt.path) != n {
		return st.findAny(t, path)
	}
	text = text[rt.path:]
	if load8(text) != first || load8(text[len(text)-8:]) != last {
		return st.findAny(t, path)
	}
	for rest := path; len(text) > 16 && len(rest) > 16; {
		text, rest = text[8:], rest[8:]
		if load8(text) != load8(rest) {
			return st.findAny(t, path)
		}
	}
	return s.leaf, rt
}

// findAny is find for any path.
func (st *static) findAny(t *tree, path string) (leaf, *route) {
	if !st.mayHold(path) {
		return 0, nil
	}
	h := st.hash(path)
	for i := uint(h); ; i++ {
		s := st.slots[i&uint(len(st.slots)-1)]
		if s.leaf == 0 {
			return 0, nil
		}
		if rt := &t.routes[s.leaf-1]; s.tag == uint32(h>>32) && rt.pathText() == path {
			return s.leaf, rt
		}
	}
}

// pathText returns the path of the route's pattern.
func (rt *route) pathText() string { return rt.pattern[rt.path:] }

// build fills the table with the paths at which the leaves end.
func (st *static) build(t *tree, leaves []leaf) {
	if len(leaves) == 0 {
		return
	}
	if probes := st.fill(t, leaves); probes > crowded*len(leaves) {
		st.whole = true
		st.fill(t, leaves)
	}
}

// crowded is how many slots beyond the first a path may need on average before
// the table hashes whole paths. A good hash needs about one.
const crowded = 4

// fill returns how many slots beyond the first the paths needed in all.
func (st *static) fill(t *tree, leaves []leaf) (probes int) {
	size := uint(1) << bits.Len(uint(len(leaves)+len(leaves)/3))
	st.slots = make([]slot, size)
	for _, l := range leaves {
		path := t.routes[l-1].pathText()
		st.lengths |= 1 << (len(path) & 63)
		h := st.hash(path)
		i := uint(h) & (size - 1)
		for st.slots[i].leaf != 0 {
			i = (i + 1) & (size - 1)
			if probes++; probes > crowded*len(leaves) && !st.whole {
				return probes
			}
		}
		st.slots[i] = slot{uint32(h >> 32), l}
	}
	return probes
}

func (st *static) hash(path string) uint64 {
	if st.whole {
		return hashWhole(path)
	}
	return hashEnds(path)
}

// hashEnds mixes a path's length, its first eight and its last eight bytes.
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
