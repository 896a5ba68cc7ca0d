package trie

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// addPattern adds a pattern like Handle.
func addPattern[P any](t *testing.T, b *Builder[P], text string, payload P, flags Flags) error {
	t.Helper()
	p, err := pattern.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return b.Add(p, payload, flags)
}

func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		first, second string
		conflict      bool
	}{
		{"GET /x", "GET /x", true},
		{"GET /x", "POST /x", false},
		{"GET /x", "/x", false},
		{"/x", "/x", true},
		{"GET,POST /x", "PUT,POST /x", true},
		{"/x/{$}", "/x/", false},
		{"/x/{$}", "/x", false},
		{"/{a}", "/{b}", true},
		{"/{a}", "/:b", true},
		{"/{a}/x", "/{b}/y", false},
		{"/{a:[0-9]+}", "/{b:[0-9]+}", true},
		{"/{a:[0-9]+}", "/{b:[0-9]*}", false},
		{"/{a:[0-9]+}", "/{b}", false},
		{"/v{a}", "/v{b}", true},
		{"/v{a}", "/w{b}", false},
		{"/x/*rest", "/x/{r...}", true},
		{"/x/*rest", "/x/", true},
		{"/%61", "/a", true}, // the same path in two spellings
		{"/a%2Fb", "/a/b", false},
		{"/a%2Fb", "/a%2fb", true},
		{"a.com/x", "b.com/x", false},
		{"a.com/x", "A.com./x", true},
		{"{h}.com/x", "{i}.com/x", true},
		{"{h}.com/x", "{h...}.com/x", false},
		{"{h}.com/x", "/x", false},
	} {
		for _, freeze := range []bool{false, true} {
			var b Builder[int]
			if err := addPattern(t, &b, c.first, 1, 0); err != nil {
				t.Fatal(err)
			}
			b.Commit()
			if freeze {
				b.Freeze()
			}
			err := addPattern(t, &b, c.second, 2, 0)
			if (err != nil) != c.conflict {
				t.Errorf("%q and %q: %v, want a conflict: %v", c.first, c.second, err, c.conflict)
			}
			var conflict *Conflict[int]
			if err == nil {
				continue
			}
			if !errors.As(err, &conflict) || conflict.With.Pattern != c.first || conflict.With.Payload != 1 || !strings.Contains(err.Error(), fmt.Sprintf("conflicts with pattern %q", c.first)) {
				t.Errorf("%q and %q: %v", c.first, c.second, err)
			}
		}
	}
}

// TestUndo checks that later Tables contain nothing that was undone, including
// custom methods.
func TestUndo(t *testing.T) {
	added := []string{
		"/a", "/a/", "/a/{$}", "/%61", "GET /a/{x}/b", "GET /{y}/z", "/a/{x:[0-9]+}", "/a-literal-of-more-than-16/{x}", "BREW /a", "/a/{rest...}",
		"host.com/a", "{h}.com/{x}", "/b%2Fc", "/v{x}.{y}", "/one/{a}/{b}/{c}/{d}/{e}",
	}
	existing := []string{"GET /a", "POST /a/{x}/b", "/a/{x}/{y}", "PUT /a/{rest...}", "GET host.com/b", "/z/{$}"}
	show := func(b *Builder[int]) string {
		var text strings.Builder
		table := b.Freeze()
		for _, rt := range table.Routes() {
			fmt.Fprintln(&text, rt.Pattern, table.MethodName(rt.Method))
		}
		for _, method := range []string{"GET", "POST", "BREW"} {
			for _, path := range []string{"/a", "/a/", "/a/1", "/a/1/b", "/q/z", "/a%2Fb", "/b%2Fc", "/v1.2", "/z", "/z/", "/one/1/2/3/4/5", "/a-literal-of-more-than-16/1"} {
				fmt.Fprintln(&text, method, path, get(table, method, "", path), get(table, method, "host.com", path), get(table, method, "x.com", path))
			}
		}
		return text.String()
	}
	for _, freeze := range []bool{false, true} {
		for _, text := range added {
			var with, without Builder[int]
			for _, old := range existing {
				with.register(old)
				without.register(old)
			}
			if freeze {
				with.Freeze()
			}
			for range 3 {
				addPattern(t, &with, text, 0, 0)
				addPattern(t, &with, "WHEN /a/behind/{x}", 0, 0)
				with.Undo()
			}
			if got, want := show(&with), show(&without); got != want {
				t.Errorf("%s, frozen before %v: undone, there is\n%s\nwant\n%s", text, freeze, got, want)
			}
			if got := with.Freeze(); len(got.custom) != 0 {
				t.Errorf("%s: custom methods %v", text, got.custom)
			}
		}
	}
}

// TestUndoLeavesNoNodes checks that no nodes are left after Undo.
func TestUndoLeavesNoNodes(t *testing.T) {
	var b Builder[int]
	for _, text := range []string{"/a/{x}/b", "/{y}/z/{rest...}", "/a/{x:[0-9]+}/c", "/v{x}/d"} {
		addPattern(t, &b, text, 0, 0)
	}
	b.Undo()
	if table := b.Freeze(); table.Base.root != nil || len(table.Base.routes) > 0 {
		t.Errorf("%d routes, root %v", len(table.Base.routes), table.Base.root)
	}
	// Hosts and many values would make all requests slower.
	b.register("/kept/{x}")
	addPattern(t, &b, "host.com/a", 0, 0)
	addPattern(t, &b, "{h}.com/{a}/{b}/{c}", 0, 0)
	b.Undo()
	if table := b.Freeze(); table.HasHosts() || table.MaxValues != 1 {
		t.Errorf("hosts: %v, values: %d", table.HasHosts(), table.MaxValues)
	}
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
				var b Builder[int]
				for _, n := range []int{best + i, best + k, best} {
					if err := addPattern(t, &b, "GET /x", n, flags[n]); err != nil && flags[n] != 0 {
						t.Fatalf("%d: %v", n, err)
					}
				}
				if rt := b.Freeze().Static("/x", "GET"); rt == nil || rt.Payload != best {
					t.Errorf("of %d, %d and %d: %v", best+i, best+k, best, rt)
				}
			}
		}
	}
	var b Builder[int]
	for range 2 {
		if err := addPattern(t, &b, "GET /x", 1, ImpliedBy(all)); err != nil {
			t.Errorf("two implied routes: %v", err)
		}
	}
}

// TestTablesStay checks that a Table doesn't change when routes are added
// later.
func TestTablesStay(t *testing.T) {
	var b Builder[int]
	const n = 300
	var tables []*Table[int]
	path := func(i int) string { return fmt.Sprintf("/%d/{x}/a-literal-of-more-than-16-%d", i%7, i) }
	for i := range n {
		b.register("GET " + path(i))
		b.register(fmt.Sprintf("GET /static/%d", i))
		tables = append(tables, b.Freeze())
	}
	for k, table := range tables {
		for i := range n {
			want := "no route, "
			if i <= k {
				want = path(i) + " 1"
			}
			if got := get(table, "GET", "", strings.Replace(path(i), "{x}", "1", 1)); got != want {
				t.Fatalf("Table %d: route %d: got %s, want %s", k, i, got, want)
			}
			if got := table.Base.findStatic(fmt.Sprintf("/static/%d", i)) != 0; got != (i <= k) {
				t.Fatalf("Table %d: static route %d: %v", k, i, got)
			}
		}
	}
}

// TestDeadRoutes checks that replaced routes don't accumulate.
func TestDeadRoutes(t *testing.T) {
	var b Builder[int]
	for i := range 200 {
		b.register(fmt.Sprintf("M%d /x/{y}/z", i)) // each replaces all those before
		b.register(fmt.Sprintf("M%d /static", i))
		table := b.Freeze()
		if got, most := len(table.Base.routes), 3*2*(i+1)+200; got > most {
			t.Fatalf("%d routes are stored for %d, want at most %d", got, 2*(i+1), most)
		}
	}
	table := b.Freeze()
	if got := len(table.All()); got != 400 {
		t.Errorf("%d routes, want 400", got)
	}
	for i := range 200 {
		method := fmt.Sprintf("M%d", i)
		if a, b := get(table, method, "", "/x/1/z"), get(table, method, "", "/static"); a != "/x/{y}/z 1" || b != "/static" {
			t.Errorf("%s: %s, %s", method, a, b)
		}
	}
}

// TestDeadSpecials checks that replaced segments don't accumulate. Adding one
// stores all specials of a node again.
func TestDeadSpecials(t *testing.T) {
	const n = 300
	var b Builder[int]
	b.register("/plain/{x}")
	for i := range n {
		b.register(fmt.Sprintf("/x/{y:a%d}", i))
		table := b.Freeze()
		if got, most := len(table.Base.specials), 6*(i+1)+200; got > most {
			t.Fatalf("%d segments are stored for %d, want at most %d", got, i+1, most)
		}
	}
	table := b.Freeze()
	for i := range n {
		if got, want := get(table, "GET", "", fmt.Sprintf("/x/a%d", i)), fmt.Sprintf("/x/{y:a%d} a%d", i, i); got != want {
			t.Errorf("got %s, want %s", got, want)
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
