package trie

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// tableOf returns a Table of patterns in the syntax of Handle.
func tableOf(patterns ...string) *Table[int] {
	var b routes[int]
	for _, p := range patterns {
		b.register(p)
	}
	return b.Build()
}

// get returns the pattern and the values that Find finds for a path, or the
// Allow header.
func get(table *Table[int], method, host, path string) string {
	var s Search[int]
	s.SetPath(wirepath.Decode(path), path, method == "CONNECT")
	s.Method = table.MethodOf(method)
	s.Fit(table)
	rt := table.Find(&s, host)
	if rt == nil {
		return "no route, " + table.Allow(&s)
	}
	return describe(rt, Values{Vals: s.vals(), N: s.n})
}

// getFast is like get, but uses FindStatic and MatchFast with room for the
// given number of values. It returns "" if they give up.
func getFast(table *Table[int], method, path string, room int) string {
	rt, v := findFast(&table.Base, path, table.MethodOf(method), room)
	if rt == nil {
		return ""
	}
	return describe(rt, v)
}

// findFast finds a route with FindStatic or MatchFast, like the router.
func findFast[P any](tree *Tree[P], path string, m Method, room int) (*Route[P], Values) {
	if tree.MayBeStatic(path) {
		_, all := tree.FindStatic(path)
		if rt := tree.Pick(all, m); rt != nil {
			return rt, Values{}
		}
	}
	v := Values{Vals: make([]string, room)}
	rt := tree.MatchFast(path, &v, m)
	return rt, v
}

func describe(rt *Route[int], v Values) string {
	return strings.TrimSpace(rt.Path() + " " + strings.Join(v.Vals[:v.N], " "))
}

// TestMatchFast checks segments and values at the limits of MatchFast: many
// literals, similar words, more values than there is room for.
func TestMatchFast(t *testing.T) {
	crowd := func(prefix string, others ...string) (patterns []string) {
		for i := range 300 {
			patterns = append(patterns, fmt.Sprintf("GET %s/literal%d/{x}", prefix, i))
		}
		for _, p := range others {
			patterns = append(patterns, "GET "+prefix+p)
		}
		return patterns
	}
	routes := func(paths ...string) (patterns []string) {
		for _, p := range paths {
			patterns = append(patterns, "GET "+p)
		}
		return patterns
	}
	const (
		eight      = "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}"
		long       = "/x/a-literal-of-more-than-16/{id}"
		fast, slow = true, false
		none       = "no route, "
	)
	for _, c := range []struct {
		patterns []string
		path     string
		want     string
		fast     bool // found without Find, with room for 8 values
	}{
		{routes("/users/me/posts"), "/users/me/posts", "/users/me/posts", fast},
		{routes("/a/b/c/d/e/f/{$}"), "/a/b/c/d/e/f/", "/a/b/c/d/e/f/{$}", fast},
		{routes("/{x}"), "/a", "/{x} a", fast},
		{routes("/{x}/"), "/a/", "/{x}/ a", slow}, // a catch-all must match more than its slash
		{routes("/{x}/{$}"), "/a/", "/{x}/{$} a", fast},
		{routes("/a/c", "/{y}/{z}"), "/a/b", "/{y}/{z} a b", fast},           // /a/c is static, not in the trie
		{routes("/a/{x}/c", "/{y}/{z}/d"), "/a/b/d", "/{y}/{z}/d a b", slow}, // backtracks
		{routes("/x/{id}/edit"), "/x/12345678/edit", "/x/{id}/edit 12345678", fast},
		{routes("/x/{id}/edit"), "/x/123456789abcdef0/edit", "/x/{id}/edit 123456789abcdef0", fast},
		{routes("/x/{id}/edit"), "/x/longer-than-sixteen-bytes/edit", "/x/{id}/edit longer-than-sixteen-bytes", fast},
		{routes("/x/abcdefgh1/{id}"), "/x/abcdefgh1/7", "/x/abcdefgh1/{id} 7", fast},
		{routes("/x/abcdefgh1/{id}"), "/x/abcdefgh9/7", none, slow},
		{routes("/x/abcdefgh1/{id}"), "/x/abcdefgh/7", none, slow},
		{routes("/x/abcdefgh1/{id}", "/x/{y}/{id}"), "/x/abcdefgh9/7", "/x/{y}/{id} abcdefgh9 7", fast},
		{routes("/x/abc/{id}"), "/x/abc\x00/7", none, slow},
		{routes(long, "/x/{y}/{id}"), "/x/a-literal-of-more-than-16/7", long + " 7", slow},
		{routes(long, "/x/{y}/{id}"), "/x/a-literal-of-MORE-than-16/7", "/x/{y}/{id} a-literal-of-MORE-than-16 7", slow},
		{routes(long, "/x/{y}/{id}"), "/x/short/7", "/x/{y}/{id} short 7", fast},
		{crowd("/p", "/{y}/{x}"), "/p/literal0/7", "/p/literal0/{x} 7", fast},
		{crowd("/p", "/{y}/{x}"), "/p/literal171/7", "/p/literal171/{x} 7", fast},
		{crowd("/p", "/{y}/{x}"), "/p/literal299/7", "/p/literal299/{x} 7", fast},
		{crowd("/p", "/{y}/{x}"), "/p/literal300/7", "/p/{y}/{x} literal300 7", fast},
		{crowd("/p", "/{y:[a-z]+}/{x}"), "/p/abc/7", "/p/{y:[a-z]+}/{x} abc 7", fast},
		{crowd("/p", "/*rest"), "/p/abc/7", "/p/*rest /abc/7", fast},
		{routes(eight, eight+"/{i}"), "/1/2/3/4/5/6/7/8", eight + " 1 2 3 4 5 6 7 8", fast},
		{routes(eight + "/{i}"), "/1/2/3/4/5/6/7/8/9", eight + "/{i} 1 2 3 4 5 6 7 8 9", slow},
		{routes(eight + "/*i"), "/1/2/3/4/5/6/7/8/9", eight + "/*i 1 2 3 4 5 6 7 8 /9", slow},
		{routes(eight + "/{i:[0-9]}"), "/1/2/3/4/5/6/7/8/9", eight + "/{i:[0-9]} 1 2 3 4 5 6 7 8 9", slow},
		{crowd(eight, "/{i}/{j}"), "/1/2/3/4/5/6/7/8/x/y", eight + "/{i}/{j} 1 2 3 4 5 6 7 8 x y", slow},
		{crowd(eight, "/*i"), "/1/2/3/4/5/6/7/8/x/y", eight + "/*i 1 2 3 4 5 6 7 8 /x/y", slow},
		{crowd(eight, "/{i:[a-z]}/{j}"), "/1/2/3/4/5/6/7/8/x/y", eight + "/{i:[a-z]}/{j} 1 2 3 4 5 6 7 8 x y", slow},
		{routes(eight[:len("/{a}/{b}/{c}/{d}/{e}/{f}/{g}")]+"/{h}.{i}", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}b"), "/1/2/3/4/5/6/7/8.b", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}.{i} 1 2 3 4 5 6 7 8 b", slow},
		{routes("/u/{y:[0-9]+}-{m:[0-9]+}/z"), "/u/2024-05/z", "/u/{y:[0-9]+}-{m:[0-9]+}/z 2024 05", fast},
		{routes("/u/{y}-{m}/z"), "/u/a-b/z", "/u/{y}-{m}/z a b", fast},
		{routes("/u/v{x}"), "/u/va", "/u/v{x} a", fast},
		{routes("/u/{x:[0-9]+}", "/u/*rest"), "/u/12", "/u/{x:[0-9]+} 12", fast},
		{routes("/u/{x:[0-9]+}", "/u/*rest"), "/u/ab", "/u/*rest /ab", slow},
		{routes("/u/{x}"), "/u/...", "/u/{x} ...", fast},
		{routes("/u/{x}/y"), "/u/.a/y", "/u/{x}/y .a", fast},
		{routes("/u/{x}/y"), "/u/a./y", "/u/{x}/y a.", fast},
		{routes("/u/.{x}"), "/u/.a", "/u/.{x} a", fast},
		{routes("/u/{x...}"), "/u/a/b/", "/u/{x...} a/b/", fast},
		{routes("/u/"), "/u/a/b", "/u/", fast},
	} {
		table := tableOf(c.patterns...)
		last := c.patterns[len(c.patterns)-1]
		if got := get(table, "GET", "", c.path); got != c.want {
			t.Errorf("%d routes, the last %s: %s: got %s, want %s", len(c.patterns), last, c.path, got, c.want)
		}
		want := ""
		if c.fast {
			want = c.want
		}
		if got := getFast(table, "GET", c.path, 8); got != want {
			t.Errorf("%d routes, the last %s: %s: fast got %q, want %q", len(c.patterns), last, c.path, got, want)
		}
	}
}

// TestRestWithDots checks that a catch-all doesn't match . or .. segments, even
// next to escaped slashes, whether it has a name or not.
func TestRestWithDots(t *testing.T) {
	const escaped = "/x/a%2F../b"
	for _, c := range []struct {
		patterns, method, path string
		want                   string
	}{
		{"GET /x/{r...}", "GET", "/x/a%2Fb/c", "/x/{r...} a/b/c"},
		{"GET /x/{r...}", "GET", escaped, "no route, "},
		{"GET /x/*r", "GET", escaped, "no route, "},
		{"GET /x/", "GET", escaped, "no route, "},
		{"GET /x/", "GET", "/x/%2e%2F", "no route, "},
		{"GET /x/", "GET", "/x/%2F%2Fb", "/x/"},
		{"GET /x/", "GET", "/x/../b", "no route, "},
		{"GET /x/{r...}|HEAD /x/{s...}", "HEAD", escaped, "no route, "},
		{"GET /x/|HEAD /x/{s...}", "HEAD", escaped, "no route, "},
		{"GET /x/{r...}|POST /x/", "GET", escaped, "no route, "},
		{"/|/x/{r...}", "GET", escaped, "no route, "},
		{"CONNECT /x/{r...}", "CONNECT", "/x/../b", "no route, "},
		{"CONNECT /x/{r...}", "CONNECT", "/x//b", "/x/{r...} /b"},
		{"CONNECT /x/", "CONNECT", "/x/../b", "no route, "},
		{"CONNECT /x/", "CONNECT", "/x//b", "/x/"},
	} {
		table := tableOf(strings.Split(c.patterns, "|")...)
		if got := get(table, c.method, "", c.path); got != c.want {
			t.Errorf("%s: %s %s: got %s, want %s", c.patterns, c.method, c.path, got, c.want)
		}
	}
}

// similarNames returns segments with few different lengths, beginnings and
// ends, to provoke collisions.
func similarNames(n int) []string {
	rng := rand.New(rand.NewPCG(uint64(n), 6))
	seen := map[string]bool{}
	var names []string
	for len(names) < n {
		size := []int{1, 3, 7, 8, 9, 15, 16, 17, 24, 25, 40}[rng.IntN(11)]
		b := []byte(strings.Repeat("a", size))
		for range 1 + rng.IntN(3) {
			b[rng.IntN(size)] = "abcdefghijklmnopqrstuvwxyz0123456789-_~"[rng.IntN(39)]
		}
		if s := string(b); !seen[s] {
			seen[s] = true
			names = append(names, s)
		}
	}
	return names
}

// TestManyRoutes checks that each route is found among many children of one
// node, and among many whole paths, and that other paths aren't.
func TestManyRoutes(t *testing.T) {
	for _, n := range []int{1, 2, 6, 7, 12, 13, 63, 64, 65, 600} {
		names := similarNames(2 * n)
		var b routes[int]
		for _, name := range names[:n] {
			for _, path := range []string{"/" + name, "/x/" + name + "/{id}", "/y/{id}/" + name, "/z/" + name + "/*rest", "/p/" + name + "/{n:[0-9]+}/" + name} {
				b.register("GET " + path)
			}
		}
		b.register("GET /p/{any}/*rest")
		table := b.Build()
		for i, name := range names {
			for _, c := range [][2]string{
				{"/" + name, "/" + name},
				{"/x/" + name + "/7", "/x/" + name + "/{id} 7"},
				{"/y/7/" + name, "/y/{id}/" + name + " 7"},
				{"/z/" + name + "/a/b", "/z/" + name + "/*rest /a/b"},
				{"/p/" + name + "/7/" + name, "/p/" + name + "/{n:[0-9]+}/" + name + " 7"},
			} {
				want := c[1]
				fast := want
				if i >= n {
					want, fast = "no route, ", ""
				}
				if strings.HasPrefix(c[0], "/p/") && i >= n {
					want = fmt.Sprintf("/p/{any}/*rest %s /7/%s", name, name)
					fast = want
				}
				if got := get(table, "GET", "", c[0]); got != want {
					t.Fatalf("%d names: %s: got %s, want %s", n, c[0], got, want)
				}
				mayGiveUp := len(name) > 16 || strings.HasPrefix(c[0], "/p/")
				if got := getFast(table, "GET", c[0], 8); got != fast && (got != "" || !mayGiveUp) {
					t.Fatalf("%d names: %s: fast got %q, want %q", n, c[0], got, fast)
				}
			}
		}
	}
}

// TestPathsAlikeAtTheirEnds checks paths that differ only in the middle.
func TestPathsAlikeAtTheirEnds(t *testing.T) {
	for _, form := range []string{
		"/beginning/%06d/the-end-of-all",
		"/beginning-%06d-the-end-of-all",         // one segment,
		"/beginning-%06d-the-end-of-all/{id}",    // the child of a node
		"/x/beginning-%d-the-end-of-all/{n:..*}", // of different lengths
		"/x/%08d/{id}", "/x/a%07d/*rest", "/%d/{id}",
	} {
		for _, n := range []int{2, 7, 40, 700} {
			var b routes[int]
			for i := range n {
				b.register("GET " + fmt.Sprintf(form, i))
			}
			table := b.Build()
			values := strings.NewReplacer("{id}", "7", "{n:..*}", "77", "*rest", "7")
			for i := range 2 * n {
				pattern := fmt.Sprintf(form, i)
				path := values.Replace(pattern)
				got, _, _ := strings.Cut(get(table, "GET", "", path), " ")
				if i < n && got != pattern || i >= n && got != "no" {
					t.Fatalf("%d routes, %s: got %s", n, path, got)
				}
			}
		}
	}
}
