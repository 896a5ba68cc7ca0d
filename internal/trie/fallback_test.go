package trie

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// addFallback adds a fallback whose payload is the text: its prefix, an
// exclamation mark if it owns the prefix, and the number of its region.
//
//	/a         region 0
//	/a !1      owns its prefix, and begins region 1
//	/a/b 1     in region 1
func addFallback(t *testing.T, b *routes[string], text string) {
	t.Helper()
	prefix, rest, _ := strings.Cut(text, " ")
	region, owns := 0, strings.HasPrefix(rest, "!")
	fmt.Sscan(strings.TrimPrefix(rest, "!"), &region)
	p, err := pattern.ParsePath(prefix)
	if prefix == "" {
		p, err = new(pattern.Pattern), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	b.AddFallback(p, text, owns, region)
}

func TestFallbacks(t *testing.T) {
	const none = "none"
	for _, c := range []struct {
		fallbacks string // separated by commas
		routes    string
		path      string
		want      string // the fallback, and the values of its prefix
		route     string // what Find finds
	}{
		{"/a", "", "/b", none, ""},
		{"/a", "", "/a", "/a", ""},
		{"/a", "", "/a/", "/a", ""},
		{"/a", "", "/a/x/y", "/a", ""},
		{"/a", "", "/ab", none, ""},
		{"/a,/a/b", "", "/a/b/c", "/a/b", ""},
		{"/a,/a/b", "", "/a/c", "/a", ""},
		{",/a", "", "/b", "", ""}, // the root's
		{"/{x}", "", "/1/2", "/{x} 1", ""},
		{"/a/{x}/b/{y}", "", "/a/1/b/2/3", "/a/{x}/b/{y} 1 2", ""},
		{"/a,/{x}/b", "", "/a/b/c", "/{x}/b a", ""}, // the deepest, although the literal has precedence
		{"/a/{x},/{y}/b", "", "/a/b/c", "/a/{x} b", ""},
		{"/{x:[0-9]+},/{y}", "", "/12", "/{x:[0-9]+} 12", ""},
		// A route outside of a prefix serves paths below it, unless a fallback owns
		// it.
		{"/a", "/*rest", "/a/x", "/a", "/*rest"},
		{"/a !1", "/*rest", "/a/x", "/a !1", ""},
		{"/a !1", "/*rest", "/a", "/a !1", ""},
		{"/a !1", "/*rest", "/ab", none, "/*rest"},
		{"/a !1", "/a/x,/*rest", "/a/x", "/a !1", "/a/x"},
		{"/a !1", "/{p}/x", "/a/x", "/a !1", ""},
		{"/{p} !1", "/a/x,/{p}/y", "/a/y", "/{p} !1 a", "/{p}/y"},
		// In a region, only its own fallbacks apply.
		{"/a !1,/a/b", "", "/a/b/c", "/a !1", ""},
		{"/a !1,/a/b 1", "", "/a/b/c", "/a/b 1", ""},
		{"/a !1,/a/b !2", "", "/a/b/c", "/a/b !2", ""},
		{"/a !1,/a/b !2,/a/b/c 1", "", "/a/b/c", "/a/b !2", ""},
		{"/a !1,/a/b !2,/a/b/c 2", "", "/a/b/c", "/a/b/c 2", ""},
		// Of several fallbacks for a prefix, the first that owns it applies, or else
		// the first with the highest region.
		{"/a 1,/a 2", "", "/a", none, ""},
		{"/a,/a", "", "/a", "/a", ""},
		{"/a,/a !1,/a !2", "", "/a", "/a !1", ""},
		{"/a !1,/a 7", "", "/a", "/a !1", ""},
		{"/z !2,/z/a 1,/z/a 2,/z/a 1", "", "/z/a", "/z/a 2", ""},
		{"/z !3,/z/a 3,/z/a !2", "", "/z/a", "/z/a !2", ""},
	} {
		var b routes[string]
		for _, text := range strings.Split(c.fallbacks, ",") {
			addFallback(t, &b, text)
			b.Build() // a Builder can go on
		}
		for _, path := range strings.Split(c.routes, ",") {
			if path == "" {
				continue
			}
			p, err := pattern.ParsePath("GET " + path)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.add(p, path, Verb); err != nil {
				t.Fatal(err)
			}
		}
		table := b.Build()
		s := Search[string]{Method: GET}
		s.Fit(table)
		s.SetPath(c.path, "", false)
		for range 2 { // a Search can be reused
			rt := table.Find(&s, "")
			if rt != nil && rt.Payload != c.route || rt == nil && c.route != "" {
				t.Errorf("%s with %q: %s: found %v, want %q", c.fallbacks, c.routes, c.path, rt, c.route)
			}
			if rt != nil {
				table.FindFallback(&s, "")
			}
			got := none
			if f, vals := s.Fallback(); f != nil {
				got = strings.TrimSpace(f.Payload + " " + strings.Join(vals, " "))
			}
			if got != c.want {
				t.Errorf("%s with %q: %s: fallback %q, want %q", c.fallbacks, c.routes, c.path, got, c.want)
			}
		}
		if fast, _ := findFast(&table.Base, c.path, GET, table.MaxValues); fast != nil && fast.Payload != c.route {
			t.Errorf("%s with %q: %s: fast finds %q, want %q", c.fallbacks, c.routes, c.path, fast.Pattern, c.route)
		}
	}
}
