package trie

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// Pairs of paths that have the same hash.
func TestStaticSameHash(t *testing.T) {
	// with returns path and eight bytes more, so that its hash is h.
	with := func(path string, h uint64) string {
		inverse := uint64(mixer2)
		for range 5 {
			inverse *= 2 - mixer2*inverse
		}
		w := (h - mixEnds(load8(path), 0, len(path)+8)) * inverse
		return string(binary.LittleEndian.AppendUint64([]byte(path), w))
	}
	const h = 0x123456789abcdef0
	for _, c := range [][2]string{
		{with("/aaaaaaa", h), with("/bbbbbbb", h)},
		{with("/aaaaaaa", h), with("/aaaaaaa12345678", h)},
		{with("/aaaaaaa", 0), with("/bbbbbbb", 0)}, // an empty slot has the same tag
		{with("/aaaaaaa", 0), with("/bbbbbbb/ccccccc", 0)},
		{"/aaaaaaa12345678/bbbbbbb", "/aaaaaaa12345679/bbbbbbb"},
		{"/aaaaaaa1/bbbbbbb", "/aaaaaaa2/bbbbbbb"},
		{"/aaaaaaa12345678-1/bbbbbbb", "/aaaaaaa12345678-2/bbbbbbb"},
		{"/aaaaaaa123456781234567812345678/bbbbbbb", "/aaaaaaa123456781234567912345678/bbbbbbb"},
		{"/aaaaaaa1234567812345678123456781/bbbbbbb", "/aaaaaaa1234567812345678123456782/bbbbbbb"},
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

// TestStaticCrowd checks that the table hashes whole paths only if there are
// many paths that differ only in the middle.
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
		var b routes[int]
		for i := range c.n {
			b.register("GET " + fmt.Sprintf(c.form, i))
		}
		table := b.Build()
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
