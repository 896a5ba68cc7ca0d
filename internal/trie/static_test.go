package trie

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// Paths for which find computes one hash, in twos.
func TestStaticSameHash(t *testing.T) {
	word := func(w uint64) string { return string(binary.LittleEndian.AppendUint64(nil, w)) }
	zero := word(0x9E3779B97F4A7C15)                                      // as the first bytes, it makes any hash 0
	last := func(n uint64) string { return word(n * 0xD6E8FEB86659FD93) } // so do these at the end of n bytes
	for _, c := range [][2]string{
		{"/aaaaaaa" + last(16), "/bbbbbbb" + last(16)},
		{"/aaaaaaa" + last(16), "/aaaaaaa12345678" + last(24)},
		{"/aaaaaaa" + last(16), "/" + last(9)},
		{zero + "/aaaaaaa", zero + "/aaaaaab"},
		{zero + "/aaaaaaa", zero + "/aaaaaaa/aaaaaaa"},
		{"/aaaaaaa12345678/bbbbbbb", "/aaaaaaa12345679/bbbbbbb"},
		{"/aaaaaaa1/bbbbbbb", "/aaaaaaa2/bbbbbbb"},
		{"/aaaaaaa12345678-1/bbbbbbb", "/aaaaaaa12345678-2/bbbbbbb"},
	} {
		if a, b := hashEnds(c[0]), hashEnds(c[1]); a != b {
			t.Fatalf("%q: the hashes differ: %#x, %#x", c, a, b)
		}
		treeOf := func(routes ...Route[int]) *Tree[int] {
			tr := &Tree[int]{routes: routes}
			var refs []routeRef
			for i := range routes {
				routes[i].Flags, routes[i].methodMask = lastOfRun, 1<<GET
				refs = append(refs, routeRef(i+1))
			}
			tr.static = newStatic(routes, refs)
			return tr
		}
		one := treeOf(Route[int]{Pattern: "GET " + c[0], path: 4})
		two := treeOf(Route[int]{Pattern: "GET " + c[0], path: 4}, Route[int]{Pattern: c[1]})
		for _, want := range []struct {
			tree *Tree[int]
			path string
			ref  routeRef
		}{
			{one, c[0], 1}, {one, c[1], 0}, {two, c[0], 1}, {two, c[1], 2}, {two, c[0] + "x", 0},
		} {
			if want.tree.static.whole {
				t.Errorf("%q: the table does not hash ends alone", c)
			}
			got, rt := want.tree.findStatic(want.path), want.tree.FindStatic(want.path)
			if got != want.ref || (rt != nil) != (got != 0) || rt != nil && rt != &want.tree.routes[got-1] {
				t.Errorf("%d routes of %q: %q: got %d, want %d", len(want.tree.routes), c, want.path, got, want.ref)
			}
		}
	}
}

// Paths that only differ in their middle make the table hash whole paths; a few of
// them, or many that differ elsewhere, don't.
func TestStaticCrowd(t *testing.T) {
	for _, c := range []struct {
		form  string
		n     int
		whole bool
	}{
		{"/beginning-%06d-the-end-of-all", 4, false},
		{"/beginning-%06d-the-end-of-all", 100, true},
		{"/beginning-of-all-%06d", 100, false},
		{"/%06d-the-end-of-all", 100, false},
		{"/%d", 1000, false},
	} {
		var b Builder[int]
		for i := range c.n {
			b.register("GET " + fmt.Sprintf(c.form, i))
		}
		table := b.Freeze()
		if got := table.Base.static.whole; got != c.whole || table.AlwaysSlow() != got {
			t.Errorf("%d of %s: hashes whole paths %v, always slow %v, want %v", c.n, c.form, got, table.AlwaysSlow(), c.whole)
		}
		for i := range 2 * c.n {
			path := fmt.Sprintf(c.form, i)
			if rt := table.Base.findStatic(path); (rt != 0) != (i < c.n) {
				t.Errorf("%s: found %v", path, rt)
			}
		}
	}
}
