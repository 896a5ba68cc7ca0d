package muxmaster_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/steps"
)

// The route that serves a request doesn't depend on the order of registration.
var precedenceCases = []struct {
	routes string // of Handle, separated by |
	want   exchanges
}{
	{"/users/list|/users/search|/users/:id", exchanges{
		{"/users/list", "/users/list"}, {"/users/lisa", "/users/:id"}, {"/users/searches", "/users/:id"}, {"/users/%6cist", "/users/list"},
	}},
	{"/a/b/c|/a/:x/d|/:y/b/e|/*rest", exchanges{
		{"/a/b/c", "/a/b/c"}, {"/a/b/d", "/a/:x/d"}, {"/a/b/e", "/:y/b/e"}, {"/a/b/f", "/*rest"}, {"/a/b/c/d", "/*rest"},
	}},
	{"/{x}/a|/b/{y}", exchanges{
		// from the left
		{"/b/a", "/b/{y}"},
	}},
	{"/a/*r|/:x/b", exchanges{{"/a/b", "/a/*r"}}},
	{"/a/*r|/a/:x|/a/{x:[0-9]+}|/a/v{x}|/a/v1", exchanges{
		{"/a/v1", "/a/v1"}, {"/a/v2", "/a/v{x}"}, {"/a/2", "/a/{x:[0-9]+}"}, {"/a/x", "/a/:x"}, {"/a/v", "/a/:x"}, {"/a/v1/x", "/a/*r"},
	}},
	{"/{x}.json|/{x}.tar.gz|/{x}.gz|/{x}", exchanges{{"/a.tar.gz", "/{x}.tar.gz"}, {"/a.gz", "/{x}.gz"}, {"/.gz", "/{x}"}}},
	{"/a{x}|/{x}bcd", exchanges{
		// more text
		{"/abcd", "/{x}bcd"},
	}},
	{"/a{x:[0-9]+}|/a{x}", exchanges{{"/a1", "/a{x:[0-9]+}"}, {"/ab", "/a{x}"}}},
	{"/{x}:cancel/a|/{x}/b", exchanges{{"/5:cancel/b", "/{x}/b"}}},
	{"/u/{id:[0-9]+}/posts|/u/{id:[0-9]+}/comments|/u/{name}/posts", exchanges{
		{"/u/1/comments", "/u/{id:[0-9]+}/comments"}, {"/u/1/posts", "/u/{id:[0-9]+}/posts"},
	}},
	{"/u/{id:[0-9]+}/posts|/u/{name}/*rest", exchanges{{"/u/1/x", "/u/{name}/*rest"}}},
	{"/x/{$}|/x/{r...}|/x/:a", exchanges{{"/x/", "/x/{$}"}, {"/x/1", "/x/:a"}, {"/x/1/", "/x/{r...}"}}},
	{"/|/a/|/a/b/|/a/b/c", exchanges{{"/a/b/c/d", "/a/b/"}, {"/a/x", "/a/"}, {"/x", "/"}}},
	// Path before method, host before path; see TestPathBeforeMethod.
	{"GET /:x|/a", exchanges{{"/a", "/a"}, {"POST /a", "/a"}}},
	{"GET /*r|/a", exchanges{{"/a", "/a"}}},
	{"GET /:x|/:y", exchanges{{"HEAD /a", "GET /:x"}}},
	{"HEAD /*r|GET /a", exchanges{{"HEAD /a", "GET /a"}}},
	{"h/*r|GET /a", exchanges{{"h/a", "h/*r"}, {"g/a", "GET /a"}}},
	{"POST h/a|/a", exchanges{{"h/a", "/a"}}},
	{"GET h/:x|h/a|GET /a", exchanges{{"h/a", "h/a"}}},
	// Long ways back.
	{"/a/:b/c/:d/e|/:a/b/:c/d/f|/a/b/c/d/*rest", exchanges{{"/a/b/c/d/e", "/a/b/c/d/*rest"}}},
	{"/a/:b/c/:d/e|/:a/b/:c/d/f|/a/b/c/d/g", exchanges{{"/a/b/c/d/e", "/a/:b/c/:d/e"}, {"/a/b/c/d/f", "/:a/b/:c/d/f"}}},
	{"/a/b/:x/*r|/a/:y/c|/*all", exchanges{{"/a/b/c", "/a/:y/c"}, {"/a/b/c/", "/a/b/:x/*r"}, {"/a/b", "/*all"}}},
}

func TestPrecedence(t *testing.T) {
	for _, c := range precedenceCases {
		for _, order := range shuffled(c.routes) {
			m := muxmaster.New()
			for p := range strings.SplitSeq(order, "|") {
				m.Handle(p, tell(p))
			}
			wants(t, m, c.want, order)
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
	for _, routes := range [][2]string{
		{"/{a:[0-9]+}", "/{b:[0-9a-f]+}"}, {"/{b:[0-9a-f]+}", "/{a:[0-9]+}"},
		{"/{a:[0-9]+}b", "/{b:[0-9a-f]+}b"}, {"/{b:[0-9a-f]+}b", "/{a:[0-9]+}b"},
	} {
		top, middle, sub, failed, other := muxmaster.New(), muxmaster.New(), muxmaster.New(), muxmaster.New(), muxmaster.New()
		middle.Mount("/m", sub)
		top.Mount("/t", middle)
		add(other, "GET "+routes[1]+"|GET /conflict")
		add(failed, "GET /m/conflict")
		if panics(func() { failed.Mount("/m", other) }) == "" {
			t.Error("no conflict")
		}
		for _, p := range routes {
			sub.GET(p, tell(p))
			failed.GET("/m"+p, tell(p))
		}
		for _, target := range []string{"/12", "/12b"} {
			want := get(t, sub, "GET", target)
			wants(t, top, exchanges{{"/t/m" + target, want}}, routes)
			wants(t, failed, exchanges{{"/m" + target, want}}, "after a failed mount", routes)
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

// The path is compared before the method: among the routes that serve the
// request's method, the most specific path wins; at one and the same path the
// exact method, then GET for HEAD, then any method.
var pathFirstCases = []struct {
	routes string // see add
	want   exchanges
}{
	// A catch-all for GET takes nothing from what is more specific.
	{"GET /*path|Handle /api/", exchanges{
		{"/api/x", "Handle /api/"}, {"HEAD /api/x", "Handle /api/"}, {"/api/", "Handle /api/"}, {"/api", "307 /api/"}, {"/apix", "GET /*path"},
		{"/", "GET /*path"}, {"POST /x", "405 GET, HEAD, OPTIONS"},
	}},
	{"GET /*path|ANY /api/:x", exchanges{{"/api/x", "ANY /api/:x"}, {"/api/x/y", "GET /*path"}}},
	{"GET /*path|Mount /debug/pprof/", exchanges{
		{"/debug/pprof/", "Mount /debug/pprof/"}, {"/debug/pprof/heap?debug=1", "Mount /debug/pprof/"}, {"/debug/pprof", "Mount /debug/pprof/"},
		{"/debug", "GET /*path"},
	}},
	{"GET /*path|Mount /m|GET /m/own", exchanges{{"/m/own", "GET /m/own"}, {"POST /m/own", "Mount /m"}}},
	{"GET /*path|Mount /m|GET /m/:x/y", exchanges{{"/m/1/z", "Mount /m"}}},
	// Each kind of segment before the next one, whatever the methods.
	{"GET /:x|ANY /a", exchanges{{"/a", "ANY /a"}, {"/b", "GET /:x"}, {"POST /b", "405 GET, HEAD, OPTIONS"}}},
	{"Handle GET /{x}|Handle /a", exchanges{
		// http.ServeMux refuses the pair
		{"/a", "Handle /a"},
	}},
	{"GET /v{x}|ANY /v1", exchanges{{"/v1", "ANY /v1"}}},
	{"GET /{x:[0-9]+}|ANY /1{y}", exchanges{{"/12", "ANY /1{y}"}, {"/22", "GET /{x:[0-9]+}"}}},
	{"GET /:x|ANY /{x:[0-9]+}", exchanges{{"/1", "ANY /{x:[0-9]+}"}, {"/a", "GET /:x"}}},
	{"GET /x/*r|ANY /x/{$}", exchanges{{"/x/", "ANY /x/{$}"}, {"/x/y", "GET /x/*r"}}},
	{"GET /:a/:b/:c|ANY /:a/:b/c|POST /:a/b/:c", exchanges{{"/a/b/c", "ANY /:a/:b/c"}, {"POST /a/b/c", "POST /:a/b/:c"}}},
	// What doesn't serve the method is no obstacle.
	{"POST /a/b|GET /a/:x", exchanges{{"/a/b", "GET /a/:x"}}},
	{"POST /a/b|GET /:x/b", exchanges{{"/a/b", "GET /:x/b"}}},
	{"POST /a/b|GET /*r", exchanges{{"/a/b", "GET /*r"}, {"HEAD /a/b", "GET /*r"}, {"PUT /a/b", "405 GET, HEAD, POST, OPTIONS"}}},
	{"POST /a/{x:[0-9]+}/c|PUT /a/1/c|GET /a/:x/c", exchanges{{"/a/1/c", "GET /a/:x/c"}, {"BREW /a/1/c", "405 GET, HEAD, POST, PUT, OPTIONS"}}},
	{"Handle POST /a/|GET /*r", exchanges{{"/a", "GET /*r"}, {"POST /a", "307 /a/"}}},
	// At one and the same path: the method, GET for HEAD, any method.
	{"GET /:x|ANY /:y", exchanges{{"/1", "GET /:x"}, {"HEAD /1", "GET /:x"}, {"POST /1", "ANY /:y"}}},
	{"GET /:x|ANY /:y|HEAD /:z", exchanges{{"HEAD /1", "HEAD /:z"}}},
	{"GET /a|ANY /a|HEAD /a", exchanges{{"HEAD /a", "HEAD /a"}}},
	{"GET /a|ANY /a", exchanges{{"HEAD /a", "GET /a"}, {"BREW /a", "ANY /a"}}},
	{"Handle GET /x/{r...}|Handle /x/", exchanges{{"/x/y", "Handle GET /x/{r...}"}, {"PUT /x/y", "Handle /x/"}}},
	{"GET /v{a}|ANY /v{b}", exchanges{{"HEAD /v1", "GET /v{a}"}}},
	{"GET /{a:[0-9]+}|ANY /{b:[0-9]+}", exchanges{{"HEAD /1", "GET /{a:[0-9]+}"}}},
	// HEAD: a path that GET serves comes before a less specific one of its own.
	{"HEAD /*r|GET /a", exchanges{{"HEAD /a", "GET /a"}, {"HEAD /b", "HEAD /*r"}}},
	{"HEAD /:x/s|GET /f/s", exchanges{{"HEAD /f/s", "GET /f/s"}}},
	{"HEAD /:x|ANY /a", exchanges{{"HEAD /a", "ANY /a"}}},
	{"HEAD /a/*r|GET /a/:x|ANY /a/{n:[0-9]+}", exchanges{{"HEAD /a/1", "ANY /a/{n:[0-9]+}"}, {"HEAD /a/b", "GET /a/:x"}, {"HEAD /a/b/c", "HEAD /a/*r"}}},
	{"HEAD /a|GET /a/", exchanges{{"/a", "307 /a/"}, {"HEAD /a", "HEAD /a"}}},
	{"HEAD /a", exchanges{{"/a", "405 HEAD, OPTIONS"}}},
	// OPTIONS and custom methods are methods like others.
	{"OPTIONS /*r|GET /a", exchanges{{"OPTIONS /a", "OPTIONS /*r"}}},
	{"OPTIONS /*r|ANY /a", exchanges{{"OPTIONS /a", "ANY /a"}}},
	{"GET /*r|POST /a", exchanges{{"OPTIONS /a", "204 GET, HEAD, POST, OPTIONS"}}},
	{"Handle PURGE /{r...}|ANY /a", exchanges{{"PURGE /a", "ANY /a"}}},
	{"Handle PURGE /{r...}|GET /a", exchanges{{"PURGE /a", "Handle PURGE /{r...}"}}},
	{"Handle PURGE /{r...}|Handle BREW /a", exchanges{{"/a", "405 BREW, PURGE, OPTIONS"}}},
	// The host still comes first, before the path.
	{"Handle GET example.com/{r...}|ANY /a", exchanges{{"/a", "Handle GET example.com/{r...}"}, {"POST /a", "ANY /a"}}},
	{"Handle example.com/{r...}|GET /a", exchanges{{"/a", "Handle example.com/{r...}"}}},
	{"Handle GET example.com/{x}|Handle example.com/a|GET /a", exchanges{{"/a", "Handle example.com/a"}}},
	{"Handle POST example.com/a|GET /a", exchanges{{"PUT /a", "405 GET, HEAD, POST, OPTIONS"}}},
	{"Handle other.org/a|GET /{x}", exchanges{{"/a", "GET /{x}"}}},
	// Redirects of the verb methods' slash lead to a route for the method.
	{"GET /a/|ANY /:x", exchanges{{"/a", "ANY /:x"}}},
	{"GET /a/|POST /:x", exchanges{{"/a", "307 /a/"}}},
	{"POST /a/|GET /a", exchanges{{"POST /a", "307 /a/"}, {"PUT /a", "405 GET, HEAD, OPTIONS"}}},
	// The slash redirect applies only if the other form of the path has a route.
	{"GET /x|GET /x/", exchanges{{"/x", "GET /x"}}},
	{"GET /x/|GET /*all", exchanges{{"/x", "GET /*all"}}},
	{"GET /x|GET /:a/", exchanges{{"/x/", "GET /:a/"}}},
	{"GET /x|POST /x/", exchanges{{"/x/", "307 /x"}, {"POST /x", "307 /x/"}, {"PUT /x", "405 GET, HEAD, OPTIONS"}}},
	{"GET /x|ANY /x/", exchanges{{"/x/", "ANY /x/"}}},
	{"ANY /x/", exchanges{{"BREW /x", "307 /x/"}}},
	{"POST /x/|GET /x", exchanges{{"HEAD /x/", "307 /x"}}},
	// One look through several methods and ways back.
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d|ANY /*r", exchanges{
		{"/a/b/c/d", "GET /a/:x/c/d"}, {"HEAD /a/b/c/d", "GET /a/:x/c/d"}, {"PUT /a/b/c/d", "PUT /:z/b/c/d"}, {"POST /a/b/c/d", "POST /a/b/:y/d"},
		{"BREW /a/b/c/d", "ANY /*r"},
	}},
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d", exchanges{
		{"BREW /a/b/c/d", "405 GET, HEAD, POST, PUT, OPTIONS"}, {"OPTIONS /a/b/c/d", "204 GET, HEAD, POST, PUT, OPTIONS"},
	}},
}

func TestPathBeforeMethod(t *testing.T) {
	for _, c := range pathFirstCases {
		for i, order := range shuffled(c.routes) {
			m := newMux(i%2 == 1)
			add(m, order)
			wants(t, m, c.want, order)
			agrees(t, m, c.want, order)
		}
	}
}

// The values are those of the route that wins, not of one that was tried
// before, also for another method or host.
func TestValuesOfTheWinner(t *testing.T) {
	for _, c := range []struct {
		routes string
		want   exchanges
	}{
		{"GET /{a}/x|PUT /z/{b}|/{c}/{d}", exchanges{{"PUT /z/9", `b="9"`}, {"/z/9", `c="z" d="9"`}, {"HEAD /z/x", `a="z"`}}},
		{"POST /a/{b}/c/{d}|GET /a/{x:[a-z]}/c/{y...}|/{p}/{q...}", exchanges{{"/a/b/c/d", `x="b" y="d"`}, {"BREW /a/b/c/d", `p="a" q="b/c/d"`}}},
		{"POST /v{a}.{b}/x|GET /v{c}/x|/{d}/x", exchanges{{"/v1.2/x", `c="1.2"`}, {"PATCH /v1.2/x", `d="v1.2"`}}},
		{"POST /{a}/x|/z/{b}", exchanges{{"POST /z/9", `b="9"`}}},
		{"HEAD /{a}/x|GET /z/{b}", exchanges{{"HEAD /z/9", `b="9"`}}},
		{"example.com/{a}/x|/z/{b}", exchanges{{"/z/9", `b="9"`}}},
		{"GET example.com/{a}/{b}/x|example.com/z/{c}/y|/z/8/{d}", exchanges{{"/z/8/7", `d="7"`}}},
		{"GET /v{a}/x|/v1/{b}", exchanges{{"/v1/2", `b="2"`}}},
		{"GET /{a:[0-9]+}/{b}/x|/1/2/{c...}", exchanges{{"/1/2/3/4", `c="3/4"`}}},
	} {
		for _, mode := range modes {
			m, fast := newMux(mode.pooled), newMux(mode.pooled)
			for _, p := range strings.Split(c.routes, "|") {
				m.HandleFunc(p, values)
				fast.HandleFast(p, fastValues)
			}
			wants(t, m, c.want, "Handle", mode.name, c.routes)
			wants(t, fast, c.want, "HandleFast", mode.name, c.routes)
		}
	}
}

// Which values a host is matched with, alone in a router; "404" if it is not.
var hostParamCases = []struct {
	pattern string
	want    [][2]string // by host
}{
	{"{tenant}.example.com/x", [][2]string{
		{"acme.example.com", `tenant="acme"`}, {"example.com", "404"}, {".example.com", "404"}, {"a.b.example.com", "404"}, {"acme.example.org", "404"},
		{"acmeexample.com", "404"}, {"acme.example.com.evil.org", "404"}, {"acme.xexample.com", "404"}, {"acme.example.comx", "404"}, {"", "404"},
		{".", "404"},
	}},
	// Case, trailing dot, port.
	{"{tenant}.example.com/x", [][2]string{{"ACME.Example.COM", `tenant="acme"`}}},
	{"{tenant}.Example.COM/x", [][2]string{{"acme.example.com", `tenant="acme"`}}},
	{"{Tenant}.example.com/x", [][2]string{{"acme.example.com", `Tenant="acme"`}}},
	{"{tenant}.example.com/x", [][2]string{{"acme.example.com.", `tenant="acme"`}}},
	{"{tenant}.example.com./x", [][2]string{{"acme.example.com", `tenant="acme"`}}},
	{"{tenant}.example.com/x", [][2]string{
		{"acme.example.com..", "404"}, {"acme.example.com:8080", `tenant="acme"`}, {"acme.example.com.:8080", `tenant="acme"`},
		{"[acme.example.com]", "any"}, {"[::1]:80", "404"}, {"xn--bcher-kva.example.com", `tenant="xn--bcher-kva"`},
		{strings.Repeat("a", 63) + ".example.com", `tenant="` + strings.Repeat("a", 63) + `"`},
	}},
	// Several labels.
	{"{a}.{b}.example.com/x", [][2]string{
		{"one.two.example.com", `a="one" b="two"`}, {"two.example.com", "404"}, {"x.one.two.example.com", "404"}, {"one..example.com", "404"},
	}},
	{"api.{b}.com/x", [][2]string{{"api.two.com", `b="two"`}}},
	{"api.example.{tld}/x", [][2]string{
		{"api.example.org", `tld="org"`}, {"api.example.", "404"}, {"api.example.co.uk", "404"}, {"api.example.ORG:443", `tld="org"`},
	}},
	// Any depth.
	{"{sub...}.example.com/x", [][2]string{
		{"a.example.com", `sub="a"`}, {"a.b.c.example.com", `sub="a.b.c"`}, {"example.com", "404"}, {".example.com", "404"}, {"a..example.com", "404"},
		{"aexample.com", "404"}, {"A.B.EXAMPLE.com.:80", `sub="a.b"`}, {"example.com.example.com", `sub="example.com"`},
		{strings.Repeat("a.", 100) + "example.com", `sub="` + strings.Repeat("a.", 99) + `a"`},
	}},
	// The path's values come behind the host's.
	{"{tenant}.example.com/{id}", [][2]string{{"acme.example.com", `tenant="acme" id="x"`}}},
	{"{tenant}.example.com/{rest...}", [][2]string{{"acme.example.com", `tenant="acme" rest="x"`}}},
	{"{tenant}.example.com/*rest", [][2]string{{"acme.example.com", `tenant="acme" rest="/x"`}}},
	{"{tenant}.example.com/{id:[a-z]+}", [][2]string{{"acme.example.com", `tenant="acme" id="x"`}}},
	{"{tenant}.example.com/", [][2]string{{"acme.example.com", `tenant="acme"`}}},
	// Hosts are compared as bytes but for the case of ASCII letters.
	{"bücher.example/x", [][2]string{{"bücher.example", ``}, {"BüCHER.example", ``}, {"BÜCHER.example", "404"}}},
	{"{t}.bücher.example/x", [][2]string{{"ü.bücher.example", `t="ü"`}}},
	{"{t}.example.com/x", [][2]string{{"\xff.example.com", `t="\xff"`}}},
	{"k.example.com/x", [][2]string{
		{"K.example.com", ``},
		// KELVIN SIGN, whose lower case is k
		{"\u212a.example.com", "404"},
	}},
	{"K.example.com/x", [][2]string{{"\u212a.example.com", "404"}}},
	{"\u212a.example.com/x", [][2]string{{"k.example.com", "404"}, {"\u212a.example.com", ``}}},
	{"{t}.\u212a.com/x", [][2]string{{"a.k.com", "404"}}},
}

func TestHostParameters(t *testing.T) {
	for _, c := range hostParamCases {
		for _, mode := range modes {
			m, fast := newMux(mode.pooled), newMux(mode.pooled)
			m.HandleFunc("GET "+c.pattern, values)
			m.HandleFunc("POST other.org/", values)
			fast.HandleFast(c.pattern, fastValues)
			for _, row := range c.want {
				for name, h := range map[string]http.Handler{"Handle": m, "HandleFast": fast} {
					r := request(t, "GET", "/x")
					r.Host = row[0]
					if got := ask(h, r).brief(); got != row[1] && row[1] != "any" {
						t.Errorf("%s, %s %s, host %q: got %s, want %s", mode.name, name, c.pattern, row[0], got, row[1])
					}
				}
			}
		}
	}
}

// Exact hosts first, then those with more literal labels, then none; in
// whatever order they were registered.
func TestHostPrecedence(t *testing.T) {
	const (
		tenants = "Handle {tenant}.example.com/x|Handle api.example.com/x|Handle /x|Handle {sub...}.example.com/x|Handle {a}.{b}.example.com/x"
		depth   = "Handle {a}.api.example.com/x|Handle {a}.{b}.example.com/x|Handle {sub...}.com/x|Handle {sub...}.example.com/x"
		methods = "Handle POST api.example.com/x|Handle GET {t}.example.com/x|Handle /x"
		paths   = "Handle api.example.com/only|Handle {t}.example.com/{rest...}|Handle GET /x"
	)
	for _, c := range []struct {
		routes string
		want   exchanges
	}{
		{tenants, exchanges{
			{"api.example.com/x", "Handle api.example.com/x"}, {"API.example.com.:80/x", "Handle api.example.com/x"},
			{"acme.example.com/x", "Handle {tenant}.example.com/x"}, {"example.com/x", "Handle /x"}, {"a.b.c.example.com/x", "Handle {sub...}.example.com/x"},
			{"other.org/x", "Handle /x"},
		}},
		{depth, exchanges{
			{"x.api.example.com/x", "Handle {a}.api.example.com/x"}, {"x.api.example.org/x", "404"}, {"a.example.com/x", "Handle {sub...}.example.com/x"},
			{"a.b.c.d.example.com/x", "Handle {sub...}.example.com/x"}, {"a.b.com/x", "Handle {sub...}.com/x"}, {"example.com/x", "Handle {sub...}.com/x"},
		}},
		// A host that doesn't serve the method, or the path, is no obstacle.
		{methods, exchanges{
			{"POST api.example.com/x", "Handle POST api.example.com/x"}, {"api.example.com/x", "Handle GET {t}.example.com/x"},
			{"PUT api.example.com/x", "Handle /x"}, {"HEAD api.example.com/x", "Handle GET {t}.example.com/x"},
		}},
		{paths, exchanges{
			{"api.example.com/x", "Handle {t}.example.com/{rest...}"}, {"example.com/x", "Handle GET /x"}, {"POST example.com/x", "405 GET, HEAD, OPTIONS"},
		}},
	} {
		for i, order := range shuffled(c.routes) {
			m := newMux(i%2 == 0)
			add(m, order)
			wants(t, m, c.want, order)
			agrees(t, m, c.want, order)
		}
	}
}

// Allow, OPTIONS and redirects know the routes of every host that matches.
func TestHostFallbacks(t *testing.T) {
	m := muxmaster.New()
	add(m, "Handle GET {t}.example.com/x|Handle PUT api.example.com/x|Handle POST {s...}.com/x|Handle DELETE /x|Handle {t}.example.com/tree/|Handle GET {t}.example.com/y/{id}/")
	wants(t, m, exchanges{
		{"BREW api.example.com/x", "405 GET, HEAD, POST, PUT, DELETE, OPTIONS"},
		{"BREW acme.example.com/x", "405 GET, HEAD, POST, DELETE, OPTIONS"},
		{"OPTIONS acme.example.com/x", "204 GET, HEAD, POST, DELETE, OPTIONS"},
		{"BREW other.com/x", "405 POST, DELETE, OPTIONS"},
		{"BREW other.org/x", "405 DELETE, OPTIONS"},
		{"acme.example.com/tree", "307 /tree/"},
		{"acme.example.com:8080/tree?q", "307 /tree/?q"},
		{"other.org/tree", "404"},
		{"acme.example.com/y/1", "307 /y/1/"},
		{"POST acme.example.com/y/1", "405 GET, HEAD, OPTIONS"},
		{"acme.example.com//evil.com/", "307 /evil.com/"},
		{"acme.example.com/none", "404"},
	})
}

// All variants of Handle accept them; Groups and mounts put the prefix
// between host and path.
func TestHostParametersEverywhere(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	m.HandleFunc("{t}.example.com/f", values)
	must(m.TryHandle("GET {t}.example.com/try", http.HandlerFunc(values)))
	m.HandleFast("GET,POST {t}.example.com/fast/{x}", fastValues)
	m.Group("/g/:v").HandleFunc("{t}.example.com/x", values)
	m.Group("/g/:v").HandleFunc("{t}.example.com/{$}", values)
	sub.HandleFunc("{t}.example.com/x/{id}", values)
	sub.HandleFunc("GET {s...}.example.org/{$}", values)
	sub.GET("/x/:id", tell("any host"))
	m.Mount("/m/:v", sub)
	wants(t, m, exchanges{
		{"a.example.com/f", `t="a"`},
		{"a.example.com/try", `t="a"`},
		{"a.example.com/fast/5", `t="a" x="5"`},
		{"a.example.com/g/1/x", `t="a" v="1"`},
		{"a.example.com/g/1", `t="a" v="1"`},
		{"a.example.com/g/1/", `t="a" v="1"`},
		{"a.example.com/m/1/x/2", `t="a" v="1" id="2"`},
		{"b.example.net/m/1/x/2", `any host`},
		{"a.b.example.org/m/1/", `s="a.b" v="1"`},
		{"a.b.example.org/m/1", `s="a.b" v="1"`},
		{"example.org/m/1", `404`},
	})
}

func TestBadHostPatterns(t *testing.T) {
	var list refusals
	for _, p := range []string{
		"{}.example.com/x", "{tenant.example.com/x", "tenant}.example.com/x", "{a}{b}.example.com/x", "{a.b}.example.com/x", "{...}.example.com/x",
		"a.{sub...}.com/x", "example.{sub...}/x", "{a...}.{b...}.com/x", "{$}.example.com/x", "{1}.example.com/x", "{a b}.example.com/x",
		"{id}.example.com/{id}", "{id}.{id}.example.com/x", "{id}.example.com/{id...}", "*.example.com/x", ":sub.example.com/x",
	} {
		quoted := fmt.Sprintf("%q", p)
		list = append(list, refusals{
			{p, func(m *muxmaster.Mux) { m.Handle(p, tell("")) }, quoted},
			{"GET " + p, func(m *muxmaster.Mux) { m.Handle("GET "+p, tell("")) }, quoted[1:]},
		}...)
	}
	for _, c := range [][2]string{
		{"{a}.example.com/ok", "{b}.example.com/ok"},
		{"{a...}.example.com/ok/{y}", "{b...}.Example.com./ok/{z}"},
		{"GET,POST {a}.example.com/ok", "POST {a}.example.com/ok"},
	} {
		list = append(list, refusals{{c[1], func(m *muxmaster.Mux) { m.Handle(c[0], tell("")); m.Handle(c[1], tell("")) }, c[0]}}...)
	}
	list.test(t)
	m := muxmaster.New()
	add(m, "Handle {a}.example.com/x|Handle {a...}.example.com/x|Handle {a}.{b}.com/x|Handle a.example.com/x|Handle POST {b}.example.com/x|Handle {b}.example.com/{x}|Handle /x")
}

// A host in the request line, which no server checks, is compared as bytes,
// too.
func TestHostOfTheRequestLine(t *testing.T) {
	m := muxmaster.New()
	m.HandleFunc("k.example.com/x", tell("k"))
	m.HandleFunc("{t}.tenants.example/x", values)
	m.HandleFunc("/x", tell("none"))
	srv := httptest.NewServer(m)
	defer srv.Close()
	for _, c := range [][2]string{
		{"http://k.example.com/x", "200 k"},
		{"http://K.Example.com.:80/x", "200 k"},
		{"http://%E2%84%AA.example.com/x", "200 none"},
		{"http://\u212a.example.com/x", "200 none"},
		{"http://acme.tenants.example/x", `200 t="acme"`},
		{"http://a%2Eb.tenants.example/x", ""},
		{"http://user@acme.tenants.example/x", `200 t="acme"`},
		{"http://a%2Fb.tenants.example/x", ""},
	} {
		status, body, _, err := sendRaw(srv.Listener.Addr().String(), "GET "+c[0]+" HTTP/1.1\r\nHost: h\r\n\r\n")
		if got := fmt.Sprint(status, " ", body); err != nil || c[1] != "" && got != c[1] {
			t.Errorf("%s: got %s (%v), want %s", c[0], got, err, c[1])
		}
	}
}

// This file tests catch-alls inside a path beside other routes. See also
// patternCases, TestConflicts and buildPathCases, and the reference in
// internal/trietest.

// TestCatchAllInside tests which of several routes serves a request.
func TestCatchAllInside(t *testing.T) {
	for _, c := range []struct {
		routes string // patterns of Handle, or verb METHOD path; separated by commas
		tests  string // METHOD target => response; the target may begin with a host
	}{
		{"GET /v2/{name...}/manifests/{ref}, GET /v2/{name...}/blobs/{digest}, GET /v2/{name...}/blobs/uploads/{id}, GET /v2/{name...}/tags/list", `
			GET /v2/a/b/manifests/1               => /v2/{name...}/manifests/{ref} name="a/b" ref="1"
			GET /v2/a/blobs/uploads/manifests/1   => /v2/{name...}/manifests/{ref} name="a/blobs/uploads" ref="1"
			GET /v2/a/manifests/blobs/uploads     => /v2/{name...}/blobs/{digest} name="a/manifests" digest="uploads"
			POST /v2/a/manifests/1                => 405 GET, HEAD, OPTIONS
			OPTIONS /v2/a/manifests/1             => 204 GET, HEAD, OPTIONS
			GET /v2/a                             => 404
			GET /v2/a/x/../manifests/1?q=/../     => 307 /v2/a/manifests/1?q=/../`},
		// The longest value wins, then the precedence of what follows.
		{"/{x...}/{a}, /{x...}/{a}/{b}, /{x...}/y/{a}", `
			GET /1/2/3 => /{x...}/{a} x="1/2" a="3"
			GET /1/y/3 => /{x...}/{a} x="1/y" a="3"`},
		{"/{x...}/{a}/e, /{x...}/y/e, /{x...}/{a:[0-9]+}/e", `
			GET /1/y/e => /{x...}/y/e x="1"
			GET /1/2/e => /{x...}/{a:[0-9]+}/e x="1" a="2"`},
		// It ranks after a parameter, and before a catch-all that ends the path.
		{"/{x...}/b, /{p}/b, /a/b, /{rest...}", `
			GET /a/b   => /a/b
			GET /c/b   => /{p}/b p="c"
			GET /c/c/b => /{x...}/b x="c/c"
			GET /c/c   => /{rest...} rest="c/c"`},
		{"/{p}/b/c, /{x...}/c, /a/{rest...}", `
			GET /a/b/c => /a/{rest...} rest="b/c"
			GET /d/b/c => /{p}/b/c p="d"
			GET /d/e/c => /{x...}/c x="d/e"
			GET /d/e/f => 404`},
		// The method decides last, as everywhere.
		{"GET /{x...}/{a}, POST /{x...}/{a}/b", `
			GET /1/2/b  => /{x...}/{a} x="1/2" a="b"
			POST /1/2/b => /{x...}/{a}/b x="1" a="2"
			PUT /1/2/b  => 405 GET, HEAD, POST, OPTIONS`},
		{"GET /{x...}/b, /{x...}/b", `
			GET /a/b => /{x...}/b x="a"
			PUT /a/b => /{x...}/b x="a"`},
		{"BREW /{x...}/b, /{rest...}", `
			BREW /a/b => /{x...}/b x="a"`},
		// Trailing slashes
		{"/{x...}/b/", `
			GET /a/b    => 307 /a/b/
			GET /a/b/   => /{x...}/b/ x="a"
			GET /a/b/c  => /{x...}/b/ x="a"
			GET /a/c    => 404`},
		{"/{x...}/", `
			GET /a    => 307 /a/
			GET /a/b  => 307 /a/b/
			GET /a/b/ => /{x...}/ x="a/b"`},
		{"verb GET /{x...}/b/{rest...}", `
			GET /a/b   => 307 /a/b/
			GET /a/b/b => /{x...}/b/{rest...} x="a" rest="b"
			GET /a/c   => 404`},
		{"verb GET /{x...}/{rest...}", `
			GET /a/b/c => /{x...}/{rest...} x="a/b" rest="c"`},
		{"verb GET /{x...}/b", `
			GET /a/c/b/  => 307 /a/c/b
			GET /a/c/b   => /{x...}/b x="a/c"
			POST /a/c/b/ => 404`},
		{"verb GET /{x...}/", `
			GET /a/b  => 307 /a/b/
			GET /a/b/ => /{x...}/ x="a/b"`},
		// Hosts
		{"{h}.com/{x...}/b, GET a.com/{y...}/{z}", `
			GET a.com/1/2/b  => /{y...}/{z} y="1/2" z="b"
			POST a.com/1/2/b => /{x...}/b h="a" x="1/2"
			GET b.com/1/2/b  => /{x...}/b h="b" x="1/2"
			GET b.com/1/2    => 404`},
		// CONNECT paths are not cleaned. No value has an empty or dot segment.
		{"/{x...}/b", `
			CONNECT /a/c/b    => /{x...}/b x="a/c"
			CONNECT /a//b     => 404
			CONNECT /a/../b   => 404
			CONNECT //b       => 404
			CONNECT /a/b//c/b => 404`},
		{"/{x...}/b/{rest...}", `
			CONNECT /a/b//c   => /{x...}/b/{rest...} x="a" rest="/c"
			CONNECT /a/b/../c => 404`},
	} {
		for _, pooled := range []bool{false, true} {
			m := newMux(pooled)
			for text := range strings.SplitSeq(c.routes, ", ") {
				h := tellRoute(text[strings.IndexByte(text, '/'):])
				if verb, ok := strings.CutPrefix(text, "verb "); ok {
					method, path, _ := strings.Cut(verb, " ")
					m.Method(method, path, h)
				} else {
					m.Handle(text, h)
				}
			}
			for line := range strings.SplitSeq(strings.TrimSpace(c.tests), "\n") {
				asked, want, _ := strings.Cut(line, "=>")
				method, target, _ := strings.Cut(strings.TrimSpace(asked), " ")
				i := strings.IndexByte(target, '/')
				if got := ask(m, requestTo(t, target[:i], method, target[i:])).brief(); got != strings.TrimSpace(want) {
					t.Errorf("%s: %s %s: got %s, want%s", c.routes, method, target, got, want)
				}
			}
		}
	}
}

// tellRoute writes the path of its pattern and the path values.
func tellRoute(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if got := muxmaster.RoutePattern(r); got != path {
			panic(got)
		}
		fmt.Fprint(w, path)
		for _, p := range muxmaster.PathParams(r) {
			fmt.Fprintf(w, " %s=%q", p.Key, p.Value)
		}
	}
}

// The prefix of a Group, and of a mounted handler, can have a catch-all.
func TestGroupWithCatchAll(t *testing.T) {
	m := tagged("mux")
	g := m.Group("/v2/{name...}/manifests")
	g.Use(trace("login"))
	g.GET("/{ref}", values)
	g.GET("/", values)
	m.Mount("/{x...}/files", http.HandlerFunc(values))
	wantOutcomes(t, m, exchanges{
		{"/v2/a/b/manifests/1", `mux login name="a/b" ref="1"`},
		{"/v2/a/b/manifests", `mux login name="a/b"`},
		{"/v2/a/b/manifests/", `mux login name="a/b"`},
		{"/v2/a/b/manifests/1/2", "mux login mux 404"},
		{"PUT /v2/a/b/manifests/1", "mux login mux 405 GET, HEAD, OPTIONS"},
		{"/v2/a/b/tags", "mux mux 404"},
		{"/v2/manifests/1", "mux mux 404"},
		{"/a/b/files", `mux x="a/b"`},
		{"/a/b/files/c", `mux x="a/b"`},
		{"/a/files/b/files", `mux x="a/files/b"`},
		{"/files", "mux mux 404"},
	})
}

// TestExplainCatchAllInside checks that Explain gives the value and the reasons.
func TestExplainCatchAllInside(t *testing.T) {
	m := muxmaster.New()
	add(m, "GET /{name...}/manifests/{ref}|GET /{name...}/tags/list|GET /{rest...}")
	e := m.Explain("GET", "/a/b/manifests/1")
	if e.Route == nil || e.Route.Pattern != "/{name...}/manifests/{ref}" || e.Values.Get("name") != "a/b" {
		t.Errorf("got %v with %v", e.Route, e.Values)
	}
	for pattern, want := range map[string]string{"/{name...}/tags/list": "no value of {name...} matches in /a/b/manifests/1", "/{rest...}": "matches too"} {
		i := slices.IndexFunc(e.Candidates, func(c muxmaster.Candidate) bool { return c.Pattern == pattern })
		if got := e.Candidates[i].Reason; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// A request is matched and answered by one snapshot of the routes. Middleware
// that registers routes while the request is on its way shows it without a race:
// the request still gets a 404, and no 405, the next one the route.
func TestOneRequestOneSnapshot(t *testing.T) {
	for name, guard := range guarded {
		if name == "Pre" {
			continue // before the match
		}
		for _, method := range []string{"GET", "OPTIONS", "BREW"} {
			for path, target := range map[string]string{"ANY /late": "/late", "ANY /late/:id|POST /late/1": "/late/1", "ANY /late/*rest|GET /late/x/": "/late/x"} {
				m, other := muxmaster.New(), muxmaster.New()
				var once sync.Once
				scope, prefix := guard(m, wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					once.Do(func() { add(other, path) })
					next.ServeHTTP(w, r)
				}))
				scope.Mount("/in", other)
				first, second := get(t, m, method, prefix+"/in"+target), get(t, m, method, prefix+"/in"+target)
				if want, _, _ := strings.Cut(path, "|"); first != "404" || second != want && !strings.HasPrefix(second, "307") {
					t.Errorf("%s, %s %s: got %s, then %s, want 404, then %s", name, method, path, first, second, want)
				}
			}
		}
	}
}

// Middleware of Use that changes the path runs behind the match, so what it
// leads to is a 404: never a 405 that allows the request's own method. Pre is the
// place to do it.
func TestUseThatChangesThePath(t *testing.T) {
	for name, strip := range map[string]wrapper{
		"StripPrefix": func(next http.Handler) http.Handler { return http.StripPrefix("/g", next) },
		"in place": wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.URL.Path = strings.TrimPrefix(r.URL.Path, "/g")
			next.ServeHTTP(w, r)
		}),
	} {
		for where, guard := range guarded {
			m := muxmaster.New()
			guard(m, strip)
			add(m, "GET /x|GET /y/:id|ANY /any|GET /slash/")
			for _, target := range []string{"/g/x", "/g/y/1", "/g/any"} {
				if got := get(t, m, "GET", target); (got != "404") != (where == "Pre") {
					t.Errorf("%s, %s: %s: got %s", name, where, target, got)
				}
			}
		}
	}
	m := muxmaster.New()
	m.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { r.Method = "PUT"; next.ServeHTTP(w, r) })
	})
	add(m, "PUT /x")
	if a := ask(m, request(t, "POST", "/x")); strings.Contains(a.allow, "PUT") && a.status == 405 {
		t.Errorf("a changed method: got %d, Allow %q", a.status, a.allow)
	}
}

// limiter returns middleware that lets one request through at a time, whichever
// of the handlers around which it stands.
func limiter() func(http.Handler) http.Handler {
	room := make(chan struct{}, 1)
	return wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
			next.ServeHTTP(w, r)
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
}

// State created outside of the call is shared by all routes and responses of
// the scope, as the limiters of most packages do it.
func TestMiddlewareShares(t *testing.T) {
	for name, guard := range guarded {
		m := muxmaster.New()
		scope, prefix := guard(m, limiter())
		entered, leave := make(chan bool), make(chan bool)
		scope.GET("/block", func(http.ResponseWriter, *http.Request) { entered <- true; <-leave })
		add(scope, "GET /static|GET /param/:id|Handle POST /tree/|Mount /mount")
		add(scope.Group("/deep").With(passOn), "GET /x")
		targets := []string{"GET /static", "HEAD /static", "GET /param/1", "POST /tree/x", "GET /deep/x", "GET /mount/x", "GET /late"}
		if name != "inner Group" && name != "around a mount" { // of With, which covers routes alone
			targets = append(targets, "GET /none", "PUT /static", "OPTIONS /static", "GET /static/", "POST /tree", "GET //x", "GET /deep/none")
		}
		ask(m, request(t, "GET", prefix+"/none")) // and a route after the first request
		add(scope, "GET /late")
		done := make(chan bool)
		go func() {
			m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", prefix+"/block", nil))
			close(done)
		}()
		check := func(blocked bool) {
			for _, request := range targets {
				method, path, _ := strings.Cut(request, " ")
				if got := get(t, m, method, prefix+path); (got == "503") != blocked {
					t.Errorf("%s: %s: got %s, while another request has the only place: %v", name, request, got, blocked)
				}
			}
		}
		<-entered
		check(true)
		close(leave)
		<-done
		check(false)
	}
}

// Middleware sees each request's own pattern and values, and ends in the
// request's own handler, also in requests within requests, and with a copy of
// the request.
func TestSharedMiddlewareKeepsRequestsApart(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.Use(wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			fmt.Fprintf(w, "<%s %s", muxmaster.RoutePattern(r), r.PathValue("id"))
			if r.Header.Get("Inner") == "" {
				again := httptest.NewRequest("GET", "/g/in/9", nil)
				again.Header.Set("Inner", "1")
				m.ServeHTTP(w, again)
			}
			next.ServeHTTP(w, r.WithContext(r.Context()))
			fmt.Fprint(w, ">")
		}))
		g := m.Group("/g")
		g.Use(trace("g"))
		inner := g.Group("/in")
		inner.GET("/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "in ", r.PathValue("id")) })
		m.GET("/a/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a ", r.PathValue("id")) })
		m.GET("/b", tell("b"))
		const in = "</g/in/:id 9g in 9>"
		for _, c := range [][2]string{
			{"/a/1", "</a/:id 1" + in + "a 1>"},
			{"/b", "</b " + in + "b>"},
			{"/g/in/2", "</g/in/:id 2" + in + "g in 2>"},
			{"/g/none", "< " + in + "g >"}, // the response has started, so the 404 adds nothing,
		} {
			if got := ask(m, request(t, "GET", c[0])).body; got != c[1] {
				t.Errorf("%s: %s: got %q, want %q", mode.name, c[0], got, c[1])
			}
		}
	}
}

// The cost of a registration or response grows at most with the size of its
// input, and that of registering, mounting and listing routes with their number. The statements of package regexp count, too.
func TestSteps(t *testing.T) {
	cases := map[string]steps.Case{
		"405, many methods with an expression": {Small: 20, Prepare: manyMethods("/x/{a:"+costly+"}", "/x/%s")},
		"405, many methods with two":           {Small: 20, Prepare: manyMethods("/x/{a:"+costly+"}/{b:"+costly+"}", "/x/%s/%[1]s")},
		"405, many methods with one in a text": {Small: 20, Prepare: manyMethods("/x/v{a:"+costly+"}.x", "/x/v%s.x")},
		"a host of many labels":                {Grows: true, Small: 250, Prepare: manyLabels},
		"a pattern of many parameters":         {Grows: true, Small: 100, Prepare: manyParameters},
	}
	for name, path := range unclean {
		cases["redirect, "+name] = steps.Case{Grows: true, Small: 1000, Prepare: asked(path)}
	}
	for name, path := range map[string]func(n int) string{
		"not found":        func(n int) string { return "/none" + strings.Repeat("/a", n/2) },
		"not found, long":  func(n int) string { return "/none/" + strings.Repeat("a", n) },
		"found":            func(n int) string { return "/one/" + strings.Repeat("a", n) },
		"rest":             func(n int) string { return "/other/1" + strings.Repeat("/a", n/2) },
		"escaped rest":     func(n int) string { return "/other/1" + strings.Repeat("/a%2Fb", n/6) },
		"dots in the rest": func(n int) string { return "/other/1" + strings.Repeat("/..%2F", n/6) },
	} {
		cases[name] = steps.Case{Grows: true, Small: 1000, Prepare: asked(path)}
	}
	maps.Copy(cases, registrationSteps(t))
	steps.Test(t, ".,./internal/...,regexp", cases)
}

// asked returns a case: requests for a path, with methods that are answered in
// different ways.
func asked(path func(n int) string) func(n int) func() {
	return func(n int) func() {
		m := costMux()
		var requests []*http.Request
		for _, method := range []string{"GET", "POST", "CONNECT"} {
			r, err := readRequest("example.com", method, path(n))
			if err != nil {
				panic(err)
			}
			requests = append(requests, r)
		}
		return func() {
			for _, r := range requests {
				m.ServeHTTP(&discard{http.Header{}}, r)
			}
		}
	}
}

// costly is an expression that reads its whole segment, however long it is.
const costly = "[a-z0-9]*[^/]*q"

// manyMethods returns a case: n methods with routes of one pattern, and a
// request that none of them serves. Each expression runs once, not once for
// each method, so that the steps hardly grow with n.
func manyMethods(pattern, target string) func(n int) func() {
	return func(n int) func() {
		m := muxmaster.New()
		for i := range n {
			m.Handle(fmt.Sprintf("M%d %s", i, pattern), tell(""))
		}
		return func() {
			for _, method := range []string{"GET", "BREW", "OPTIONS"} {
				r, err := readRequest("example.com", method, fmt.Sprintf(target, strings.Repeat("a", 4000)+"q"))
				if err != nil {
					panic(err)
				}
				want := http.StatusMethodNotAllowed
				if method == "OPTIONS" {
					want = http.StatusNoContent
				}
				if a := ask(m, r); a.status != want || strings.Count(a.allow, ",") != n {
					panic(fmt.Sprintf("%s %s: %d, Allow: %s", method, pattern, a.status, a.allow))
				}
			}
		}
	}
}

// manyLabels asks for a host of n labels, where many hosts have parameters.
func manyLabels(n int) func() {
	m := muxmaster.New()
	m.Handle("{s...}.example.com/x", tell(""))
	m.Handle("{s...}.a.example.com/x", tell(""))
	m.Handle("{a}.{b}.{c}.example.com/x", tell(""))
	for i := range 100 {
		m.Handle(fmt.Sprintf("{t}.h%d.example.com/x", i), tell(""))
	}
	r, err := readRequest(strings.Repeat("a.", n)+"example.com", "GET", "/x")
	if err != nil {
		panic(err)
	}
	return func() { m.ServeHTTP(&discard{http.Header{}}, r) }
}

// manyParameters registers a pattern of n parameters.
func manyParameters(n int) func() {
	var pattern strings.Builder
	for i := range n {
		fmt.Fprintf(&pattern, "/{parameter%d}", i)
	}
	return func() { muxmaster.New().GET(pattern.String(), tell("")) }
}

// unclean returns paths of about n bytes that are redirected.
var unclean = map[string]func(n int) string{
	"slashes":        func(n int) string { return strings.Repeat("/", n) },
	"segments":       func(n int) string { return strings.Repeat("/a", n/2) + "//b" },
	"double slashes": func(n int) string { return strings.Repeat("//a", n/3) },
	"dots":           func(n int) string { return strings.Repeat("/.", n/2) + "/a" },
	"dot dots":       func(n int) string { return strings.Repeat("/..", n/3) },
	"ups and downs":  func(n int) string { return strings.Repeat("/a/..", n/5) + "/b" },
	"down, then up":  func(n int) string { return strings.Repeat("/a", n/5) + strings.Repeat("/..", n/5) },
	"escaped dots":   func(n int) string { return strings.Repeat("/%2e", n/4) + "/b" },
	"escaped slash":  func(n int) string { return strings.Repeat("/a%2Fb", n/6) + "//c" },
	"odd bytes":      func(n int) string { return strings.Repeat("/a|", n/3) + "//%2Fc" },
	"one segment":    func(n int) string { return "//" + strings.Repeat("a", n) },
	"trailing slash": func(n int) string { return "/one/" + strings.Repeat("a", n) + "/" },
	"to the tree":    func(n int) string { return "/tree/" + strings.Repeat("a", n) },
}

func costMux() *muxmaster.Mux {
	m := muxmaster.New()
	m.GET("/one/:a", tell(""))
	m.Handle("/tree/{a}/", tell(""))
	m.GET("/other/:a/*rest", tell(""))
	return m
}

// A redirect allocates memory proportional to the length of its path.
func TestRedirectAllocations(t *testing.T) {
	const n = 60_000
	m := costMux()
	for name, path := range unclean {
		r := request(t, "HEAD", path(n)) // a GET's answer has the path in its body, too
		a := ask(m, r)
		if a.status != 307 {
			t.Fatalf("%s: %s", name, a.brief())
		}
		var before, after runtime.MemStats
		const rounds = 20
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range rounds {
			m.ServeHTTP(&discard{http.Header{}}, r)
		}
		runtime.ReadMemStats(&after)
		bytes := float64(after.TotalAlloc-before.TotalAlloc) / rounds / float64(max(len(r.RequestURI), len(a.location)))
		if bytes > 6 {
			t.Errorf("%s: %.1f bytes allocated for each byte of the path", name, bytes)
		}
	}
}
