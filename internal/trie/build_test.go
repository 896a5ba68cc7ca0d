package trie

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// routes is a Builder that refuses conflicting routes.
type routes[P any] struct {
	Builder[P]
	shapes Shapes[*pattern.Pattern]
}

// add adds a route for each method of p, or none if there is an error.
func (b *routes[P]) add(p *pattern.Pattern, payload P, flags Flags) error {
	methods := p.Methods
	if methods == nil {
		methods = []string{""}
	}
	for _, m := range methods {
		if other, ok := b.shapes.Find(ShapeKey(p, m)); ok && flags&Implied == 0 {
			return fmt.Errorf("conflicts with pattern %q", other.Text)
		}
	}
	if err := b.shapes.Room(p.Methods); err != nil {
		return err
	}
	for _, m := range methods {
		if flags&Implied == 0 {
			b.shapes.Add(ShapeKey(p, m), m, p)
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
				if rt := b.Build().Base.FindStatic("/x", GET); rt == nil || rt.Payload != best {
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

// TestRoutesAreOrdered checks that Routes orders routes by host, path and
// method.
func TestRoutesAreOrdered(t *testing.T) {
	table := tableOf("POST /b", "GET /b", "/b", "GET /a/{x}", "b.com/a", "{x}.com/a", "a.com/z", "BREW /b", "GET /a")
	var got []string
	for _, rt := range table.Routes() {
		got = append(got, rt.Pattern)
	}
	want := "GET /a,GET /a/{x},/b,GET /b,POST /b,BREW /b,a.com/z,b.com/a,{x}.com/a"
	if strings.Join(got, ",") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ","), want)
	}
}
