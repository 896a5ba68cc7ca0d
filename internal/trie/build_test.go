package trie

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// routes is a Builder that refuses conflicting routes.
type routes[P any] struct {
	Builder[P]
	shapes map[string]*pattern.Pattern // by method and shape
}

// add adds a route for each method of p, or none if there is an error.
func (b *routes[P]) add(p *pattern.Pattern, payload P, flags Flags) error {
	methods := p.Methods
	if methods == nil {
		methods = []string{""}
	}
	for _, m := range methods {
		if other := b.shapes[m+" "+p.Shape()]; other != nil && flags&Implied == 0 {
			return fmt.Errorf("conflicts with pattern %q", other.Text)
		}
	}
	if b.shapes == nil {
		b.shapes = map[string]*pattern.Pattern{}
	}
	for _, m := range methods {
		if flags&Implied == 0 {
			b.shapes[m+" "+p.Shape()] = p
		}
		b.Add(p, m, p.Text, payload, flags)
	}
	return nil
}

// addPattern adds a pattern like Handle.
func addPattern[P any](t *testing.T, b *routes[P], text string, payload P, flags Flags) error {
	t.Helper()
	p, err := pattern.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return b.add(p, payload, flags)
}

// TestImpliedRoutesGiveWay checks that any other route for the same path and
// method replaces an implied one, and that one implied by a slash replaces one
// implied by a catch-all, in any order.
func TestImpliedRoutesGiveWay(t *testing.T) {
	all, err := pattern.Parse("/x/")
	if err != nil {
		t.Fatal(err)
	}
	slash, err := pattern.Parse("/x/{$}")
	if err != nil {
		t.Fatal(err)
	}
	flags := []Flags{0, ImpliedBy(slash), ImpliedBy(all)} // the first one wins
	for best := range flags {
		for i := range flags[best:] {
			for k := range flags[best:] {
				var b routes[int]
				for _, n := range []int{best + i, best + k, best} {
					if err := addPattern(t, &b, "GET /x", n, flags[n]); err != nil && flags[n] != 0 {
						t.Fatalf("%d: %v", n, err)
					}
				}
				tree := b.Build().Base
				if rt, _ := tree.FindStatic("/x"); rt == nil || rt.Payload != best {
					t.Errorf("of %d, %d and %d: %v", best+i, best+k, best, rt)
				}
			}
		}
	}
	var b routes[int]
	for range 2 {
		if err := addPattern(t, &b, "GET /x", 1, ImpliedBy(all)); err != nil {
			t.Errorf("two implied routes: %v", err)
		}
	}
}

// TestBuildSorts checks that a Table finds each of its routes, if their shapes
// have bytes that sort before and after those that separate segments.
func TestBuildSorts(t *testing.T) {
	patterns := []string{"/{x...}/b"}
	for _, seg := range []string{"a", "a!", "a-b", "a0", "a%00", "a%00b", "a%01", "%00", "%01", "%01%01", "%01@", "%2A", "%7B%7D", "%2F", "!", "~", "a%C3%BF"} {
		patterns = append(patterns, "/"+seg, "/"+seg+"/", "/"+seg+"/b", "/"+seg+"/{x}/c", "/"+seg+"/{x:[0-9\x01]+}/c", "/"+seg+"/{x...}/d")
	}
	for _, p := range slices.Clone(patterns) {
		patterns = append(patterns, "h.com"+p, "h.com\x00a"+p, "{h}.com"+p)
	}
	for range 2 {
		table := tableOf(patterns...)
		for _, p := range patterns {
			host, path, _ := strings.Cut(p, "/")
			path = strings.NewReplacer("{x}", "x", "{x:[0-9\x01]+}", "1", "{x...}", "x/y").Replace("/" + path)
			s := Search[int]{Method: GET}
			s.Fit(table)
			s.SetPath(wirepath.Decode(path), path, false)
			if rt := table.Find(&s, strings.Replace(host, "{h}", "h2", 1)); rt == nil || rt.Pattern != p {
				t.Errorf("%q %q: got %+v, want %q", host, path, rt, p)
			}
		}
		slices.Reverse(patterns)
	}
}
