package muxmaster_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// The route that serves a request doesn't depend on the order of registration.
var precedenceCases = []struct {
	routes                string // of Handle, separated by |
	method, host, request string
	want                  string
}{
	{"/users/list|/users/search|/users/:id", "GET", "h", "/users/list", "/users/list"},
	{"/users/list|/users/search|/users/:id", "GET", "h", "/users/lisa", "/users/:id"},
	{"/users/list|/users/search|/users/:id", "GET", "h", "/users/l", "/users/:id"},
	{"/users/list|/users/search|/users/:id", "GET", "h", "/users/searches", "/users/:id"},
	{"/users/list|/users/search|/users/:id", "GET", "h", "/users/%6cist", "/users/list"},
	{"/a/b/c|/a/:x/d|/:y/b/e|/*rest", "GET", "h", "/a/b/c", "/a/b/c"},
	{"/a/b/c|/a/:x/d|/:y/b/e|/*rest", "GET", "h", "/a/b/d", "/a/:x/d"},
	{"/a/b/c|/a/:x/d|/:y/b/e|/*rest", "GET", "h", "/a/b/e", "/:y/b/e"},
	{"/a/b/c|/a/:x/d|/:y/b/e|/*rest", "GET", "h", "/a/b/f", "/*rest"},
	{"/a/b/c|/a/:x/d|/:y/b/e|/*rest", "GET", "h", "/a/b/c/d", "/*rest"},
	{"/{x}/a|/b/{y}", "GET", "h", "/b/a", "/b/{y}"}, // from the left
	{"/a/*r|/:x/b", "GET", "h", "/a/b", "/a/*r"},
	{"/a/*r|/a/:x|/a/{x:[0-9]+}|/a/v{x}|/a/v1", "GET", "h", "/a/v1", "/a/v1"},
	{"/a/*r|/a/:x|/a/{x:[0-9]+}|/a/v{x}|/a/v1", "GET", "h", "/a/v2", "/a/v{x}"},
	{"/a/*r|/a/:x|/a/{x:[0-9]+}|/a/v{x}|/a/v1", "GET", "h", "/a/2", "/a/{x:[0-9]+}"},
	{"/a/*r|/a/:x|/a/{x:[0-9]+}|/a/v{x}|/a/v1", "GET", "h", "/a/x", "/a/:x"},
	{"/a/*r|/a/:x|/a/{x:[0-9]+}|/a/v{x}|/a/v1", "GET", "h", "/a/v", "/a/:x"},
	{"/a/*r|/a/:x|/a/{x:[0-9]+}|/a/v{x}|/a/v1", "GET", "h", "/a/v1/x", "/a/*r"},
	{"/{x}.json|/{x}.tar.gz|/{x}.gz|/{x}", "GET", "h", "/a.tar.gz", "/{x}.tar.gz"},
	{"/{x}.json|/{x}.tar.gz|/{x}.gz|/{x}", "GET", "h", "/a.gz", "/{x}.gz"},
	{"/{x}.json|/{x}.tar.gz|/{x}.gz|/{x}", "GET", "h", "/.gz", "/{x}"},
	{"/ab{x}|/a{x}|/{x}cd", "GET", "h", "/abz", "/ab{x}"},
	{"/ab{x}|/a{x}|/{x}cd", "GET", "h", "/azz", "/a{x}"},
	{"/a{x}|/{x}bcd", "GET", "h", "/abcd", "/{x}bcd"}, // more text
	{"/a{x:[0-9]+}|/a{x}", "GET", "h", "/a1", "/a{x:[0-9]+}"},
	{"/a{x:[0-9]+}|/a{x}", "GET", "h", "/ab", "/a{x}"},
	{"/{x}:cancel|/{x}", "GET", "h", "/5:cancel", "/{x}:cancel"},
	{"/{x}:cancel/a|/{x}/b", "GET", "h", "/5:cancel/b", "/{x}/b"},
	{"/u/{id:[0-9]+}/posts|/u/{id:[0-9]+}/comments|/u/{name}/posts", "GET", "h", "/u/1/comments", "/u/{id:[0-9]+}/comments"},
	{"/u/{id:[0-9]+}/posts|/u/{id:[0-9]+}/comments|/u/{name}/posts", "GET", "h", "/u/1/posts", "/u/{id:[0-9]+}/posts"},
	{"/u/{id:[0-9]+}/posts|/u/{id:[0-9]+}/comments|/u/{name}/posts", "GET", "h", "/u/x/posts", "/u/{name}/posts"},
	{"/u/{id:[0-9]+}/posts|/u/{name}/*rest", "GET", "h", "/u/1/x", "/u/{name}/*rest"},
	{"/x/{$}|/x/{r...}|/x/:a", "GET", "h", "/x/", "/x/{$}"},
	{"/x/{$}|/x/{r...}|/x/:a", "GET", "h", "/x/1", "/x/:a"},
	{"/x/{$}|/x/{r...}|/x/:a", "GET", "h", "/x/1/", "/x/{r...}"},
	{"/|/a/|/a/b/|/a/b/c", "GET", "h", "/a/b/c/d", "/a/b/"},
	{"/|/a/|/a/b/|/a/b/c", "GET", "h", "/a/b/c", "/a/b/c"},
	{"/|/a/|/a/b/|/a/b/c", "GET", "h", "/a/x", "/a/"},
	{"/|/a/|/a/b/|/a/b/c", "GET", "h", "/x", "/"},
	// Path before method, host before path; see TestPathBeforeMethod.
	{"GET /:x|/a", "GET", "h", "/a", "/a"},
	{"GET /:x|/a", "POST", "h", "/a", "/a"},
	{"GET /*r|/a", "GET", "h", "/a", "/a"},
	{"GET /:x|/:y", "HEAD", "h", "/a", "GET /:x"},
	{"HEAD /*r|GET /a", "HEAD", "h", "/a", "GET /a"},
	{"h/*r|GET /a", "GET", "h", "/a", "h/*r"},
	{"h/*r|GET /a", "GET", "g", "/a", "GET /a"},
	{"POST h/a|/a", "GET", "h", "/a", "/a"},
	{"GET h/:x|h/a|GET /a", "GET", "h", "/a", "h/a"},
	// Long ways back.
	{"/a/:b/c/:d/e|/:a/b/:c/d/f|/a/b/c/d/*rest", "GET", "h", "/a/b/c/d/e", "/a/b/c/d/*rest"},
	{"/a/:b/c/:d/e|/:a/b/:c/d/f|/a/b/c/d/g", "GET", "h", "/a/b/c/d/e", "/a/:b/c/:d/e"},
	{"/a/:b/c/:d/e|/:a/b/:c/d/f|/a/b/c/d/g", "GET", "h", "/a/b/c/d/f", "/:a/b/:c/d/f"},
	{"/a/b/:x/*r|/a/:y/c|/*all", "GET", "h", "/a/b/c", "/a/:y/c"},
	{"/a/b/:x/*r|/a/:y/c|/*all", "GET", "h", "/a/b/c/", "/a/b/:x/*r"},
	{"/a/b/:x/*r|/a/:y/c|/*all", "GET", "h", "/a/b", "/*all"},
}

func TestPrecedence(t *testing.T) {
	for _, c := range precedenceCases {
		routes := strings.Split(c.routes, "|")
		for seed := range uint64(6) {
			order := slices.Clone(routes)
			rand.New(rand.NewPCG(seed, 5)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			m := muxmaster.New()
			for _, p := range order {
				m.Handle(p, tell(p))
			}
			if got := ask(m, requestTo(t, c.host, c.method, c.request)).brief(); got != c.want {
				t.Errorf("%q, %s %s%s: got %s, want %s", order, c.method, c.host, c.request, got, c.want)
			}
		}
	}
}

// Two different constraints in the same position are tried in the order of
// registration, with backtracking from the first to the second.
func TestConstraintsInOrder(t *testing.T) {
	for _, c := range []struct{ routes, target, want string }{
		{"/{a:[0-9]+}|/{b:[0-9a-f]+}", "/12", "/{a:[0-9]+}"},
		{"/{b:[0-9a-f]+}|/{a:[0-9]+}", "/12", "/{b:[0-9a-f]+}"},
		{"/{a:[0-9]+}|/{b:[0-9a-f]+}", "/ab", "/{b:[0-9a-f]+}"},
		{"/{a:[0-9]+}/x|/{b:[0-9a-f]+}/y", "/12/y", "/{b:[0-9a-f]+}/y"},
		{"/{b:[0-9a-f]+}/y|/{a:[0-9]+}/x|/{c}/z", "/12/z", "/{c}/z"},
		{"/v{a:[0-9]+}|/v{b:[0-9a-f]+}", "/v12", "/v{a:[0-9]+}"},
		{"/v{b:[0-9a-f]+}|/v{a:[0-9]+}", "/v12", "/v{b:[0-9a-f]+}"},
	} {
		m := muxmaster.New()
		for _, p := range strings.Split(c.routes, "|") {
			m.GET(p, tell(p))
			get(t, m, "GET", "/") // compiled in between, too
		}
		if got := get(t, m, "GET", c.target); got != c.want {
			t.Errorf("%s, %s: got %s, want %s", c.routes, c.target, got, c.want)
		}
	}
}

// In a mounted Mux, they are tried in the order of their registration there, and
// a registration that failed doesn't count.
func TestConstraintsInOrderOfMounts(t *testing.T) {
	for _, routes := range [][]string{
		{"/{a:[0-9]+}", "/{b:[0-9a-f]+}"},
		{"/{b:[0-9a-f]+}", "/{a:[0-9]+}"},
		{"/{a:[0-9]+}b", "/{b:[0-9a-f]+}b"},
		{"/{b:[0-9a-f]+}b", "/{a:[0-9]+}b"},
	} {
		top, middle, sub := muxmaster.New(), muxmaster.New(), muxmaster.New()
		for _, p := range routes {
			sub.GET(p, tell(p))
		}
		middle.Mount("/m", sub)
		top.Mount("/t", middle)
		for _, target := range []string{"/12", "/12b"} {
			if got, want := get(t, top, "GET", "/t/m"+target), get(t, sub, "GET", target); got != want {
				t.Errorf("%q, %s: got %s, without a mount %s", routes, target, got, want)
			}
		}

		failed, other := muxmaster.New(), muxmaster.New()
		other.GET(routes[1], tell("failed"))
		other.GET("/conflict", tell("failed"))
		failed.GET("/m/conflict", tell("conflict"))
		if panics(func() { failed.Mount("/m", other) }) == "" {
			t.Error("no conflict")
		}
		for _, p := range routes {
			failed.GET("/m"+p, tell(p))
		}
		for _, target := range []string{"/12", "/12b"} {
			if got, want := get(t, failed, "GET", "/m"+target), get(t, sub, "GET", target); got != want {
				t.Errorf("%q, %s, after a failed mount: got %s, want %s", routes, target, got, want)
			}
		}
	}
}

// Also for routes whose precedence is not documented, the order of registration
// has no effect.
func TestTiesIgnoreTheOrder(t *testing.T) {
	for _, c := range []struct{ a, b, target string }{
		{"/a{x}", "/{x}b", "/acb"},
		{"/a{x}b", "/{x}cb", "/acb"},
		{"/{x}.{y}", "/{x}-{y}", "/a.b-c"},
		{"/a{x:[a-z]+}", "/{x:[a-z]+}b", "/acb"},
		{"/{x}b{y}", "/{x}c{y}", "/abcd"},
	} {
		var got [2]string
		for i, order := range [][]string{{c.a, c.b}, {c.b, c.a}} {
			m := muxmaster.New()
			for _, p := range order {
				m.GET(p, tell(p))
			}
			got[i] = get(t, m, "GET", c.target)
		}
		if got[0] != got[1] || got[0] != c.a && got[0] != c.b {
			t.Errorf("%s: %s with %s first, %s with %s first", c.target, got[0], c.a, got[1], c.b)
		}
	}
}

// A search doesn't use state of an earlier one for another method or host.
func TestValuesOfTheWinner(t *testing.T) {
	for _, c := range []struct{ routes, method, target, want string }{
		{"POST /{a}/x|/z/{b}", "POST", "/z/9", `b="9"`},
		{"HEAD /{a}/x|GET /z/{b}", "HEAD", "/z/9", `b="9"`},
		{"example.com/{a}/x|/z/{b}", "GET", "/z/9", `b="9"`},
		{"GET example.com/{a}/{b}/x|example.com/z/{c}/y|/z/8/{d}", "GET", "/z/8/7", `d="7"`},
		{"GET /v{a}/x|/v1/{b}", "GET", "/v1/2", `b="2"`},
		{"GET /{a:[0-9]+}/{b}/x|/1/2/{c...}", "GET", "/1/2/3/4", `c="3/4"`},
	} {
		for _, mode := range modes {
			m := newMux(mode.pooled)
			fast := newMux(mode.pooled)
			for _, p := range strings.Split(c.routes, "|") {
				m.HandleFunc(p, values)
				fast.HandleFast(p, fastValues)
			}
			for name, h := range map[string]*muxmaster.Mux{"": m, "fast ": fast} {
				if got := get(t, h, c.method, c.target); got != c.want {
					t.Errorf("%s, %s%s, %s %s: got %s, want %s", mode.name, name, c.routes, c.method, c.target, got, c.want)
				}
			}
		}
	}
}

// adversary is a router in which a path of so many segments a leads down two
// ways at every level, and to the path: one that no route matches; with /end
// behind it one does.
func adversary(depth int) (*muxmaster.Mux, string) {
	m := muxmaster.New()
	for i := range depth {
		m.GET(strings.Repeat("/a", i)+"/:x"+strings.Repeat("/a", depth-i)+"/no", tell(""))
	}
	m.GET("/:x"+strings.Repeat("/a", depth-1)+"/end", tell("end"))
	return m, strings.Repeat("/a", depth)
}

func TestDeepBacktracking(t *testing.T) {
	m, target := adversary(128)
	if got := get(t, m, "GET", target); got != "404" {
		t.Errorf("got %s", got)
	}
	if got := get(t, m, "GET", target+"/end"); got != "end" {
		t.Errorf("got %s", got)
	}
}
