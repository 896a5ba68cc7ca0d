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
	find := func(t *Tree[int], path string, m Method) *Route[int] {
		_, all := t.FindStatic(path)
		return t.Pick(all, m)
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
				routes[i].Flags, routes[i].Method = lastOfRun, GET
				refs = append(refs, routeRef(i+1))
			}
			ok := false
			if tr.static, ok = newStatic(routes, refs); !ok {
				t.Errorf("%q: no table", c)
			}
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
			rt := find(want.tree, want.path, GET)
			_, got := want.tree.findStatic(want.path)
			if got != want.ref || (rt != nil) != (got != 0) || rt != nil && rt != &want.tree.routes[got-1] {
				t.Errorf("%d routes of %q: %q: got %d, want %d", len(want.tree.routes), c, want.path, got, want.ref)
			}
			if head, post := find(want.tree, want.path, HEAD), find(want.tree, want.path, POST); head != rt || post != nil {
				t.Errorf("%d routes of %q: %q: HEAD got %v, POST %v, want %v and none", len(want.tree.routes), c, want.path, head, post, rt)
			}
		}
	}
}

// TestStaticCrowd checks that many paths that differ only in the middle are in
// the trie. TestPathsAlikeAtTheirEnds looks for them.
func TestStaticCrowd(t *testing.T) {
	for _, c := range []struct {
		form   string
		n      int
		inTrie bool
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
		if got := table.Base.static.slots == nil; got != c.inTrie || (table.Base.root == nil) == c.inTrie {
			t.Errorf("%d of %s: no static table: %v, want %v", c.n, c.form, got, c.inTrie)
		}
	}
}
