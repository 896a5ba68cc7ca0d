package muxmaster_test

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/steps"
)

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
		{"/{a:[0-9]+}b|/{b:[0-9a-f]+}b", "/12b", "/{a:[0-9]+}b"},
		{"/{b:[0-9a-f]+}b|/{a:[0-9]+}b", "/12b", "/{b:[0-9a-f]+}b"},
	} {
		top, middle, m := muxmaster.New(), muxmaster.New(), muxmaster.New()
		middle.Mount("/m", m)
		top.Mount("/t", middle)
		for _, p := range strings.Split(c.routes, "|") {
			m.GET(p, tell(p))
			get(t, m, "GET", "/") // compiled in between, too
		}
		wants(t, m, exchanges{{c.target, c.want}}, c.routes)
		wants(t, top, exchanges{{"/t/m" + c.target, c.want}}, c.routes)
	}
}

// The path is compared before the method: among the routes that serve the
// request's method, the most specific path wins; at one and the same path the
// exact method, then GET for HEAD, then any method.
var precedenceCases = routings{
	// A catch-all for GET takes nothing from what is more specific.
	{"GET /*path|Handle /api/", exchanges{
		{"/api/x", "Handle /api/"}, {"HEAD /api/x", "Handle /api/"}, {"/api/", "Handle /api/"}, {"/api", "307 /api/"}, {"/apix", "GET /*path"},
		{"/", "GET /*path"}, {"POST /x", "405 GET, HEAD, OPTIONS"},
	}},
	{"GET /*path|Mount /debug/pprof/", exchanges{
		{"/debug/pprof/", "Mount /debug/pprof/"}, {"/debug/pprof/heap?debug=1", "Mount /debug/pprof/"}, {"/debug/pprof", "Mount /debug/pprof/"},
		{"/debug", "GET /*path"},
	}},
	{"GET /*path|Mount /m|GET /m/own", exchanges{{"/m/own", "GET /m/own"}, {"POST /m/own", "Mount /m"}}},
	{"GET /*path|Mount /m|GET /m/:x/y", exchanges{{"/m/1/z", "Mount /m"}}},
	// Each kind of segment before the next one, whatever the methods.
	{"GET /:x|ANY /a", exchanges{{"/a", "ANY /a"}, {"/b", "GET /:x"}, {"POST /b", "405 GET, HEAD, OPTIONS"}}},
	{"GET /:a/:b/:c|ANY /:a/:b/c|POST /:a/b/:c", exchanges{{"/a/b/c", "ANY /:a/:b/c"}, {"POST /a/b/c", "POST /:a/b/:c"}}},
	// What doesn't serve the method is no obstacle.
	{"POST /a/b|GET /*r", exchanges{{"/a/b", "GET /*r"}, {"HEAD /a/b", "GET /*r"}, {"PUT /a/b", "405 GET, HEAD, POST, OPTIONS"}}},
	{"POST /a/{x:[0-9]+}/c|PUT /a/1/c|GET /a/:x/c", exchanges{{"/a/1/c", "GET /a/:x/c"}, {"BREW /a/1/c", "405 GET, HEAD, POST, PUT, OPTIONS"}}},
	{"Handle POST /a/|GET /*r", exchanges{{"/a", "GET /*r"}, {"POST /a", "307 /a/"}}},
	// At one and the same path: the method, GET for HEAD, any method.
	{"GET /:x|ANY /:y", exchanges{{"/1", "GET /:x"}, {"HEAD /1", "GET /:x"}, {"POST /1", "ANY /:y"}}},
	{"GET /a|ANY /a", exchanges{{"HEAD /a", "GET /a"}, {"BREW /a", "ANY /a"}}},
	{"Handle GET /x/{r...}|Handle /x/", exchanges{{"/x/y", "Handle GET /x/{r...}"}, {"PUT /x/y", "Handle /x/"}}},
	// Long ways back.
	{"ANY /a/:b/c/:d/e|ANY /:a/b/:c/d/f|ANY /a/b/c/d/*rest", exchanges{{"/a/b/c/d/e", "ANY /a/b/c/d/*rest"}}},
	{"ANY /u/{id:[0-9]+}/x|ANY /u/{id:[0-9]+}/y|ANY /u/{name}/x|ANY /u/{name}/*r", exchanges{
		{"/u/1/y", "ANY /u/{id:[0-9]+}/y"}, {"/u/1/x", "ANY /u/{id:[0-9]+}/x"}, {"/u/a/x", "ANY /u/{name}/x"}, {"/u/1/z", "ANY /u/{name}/*r"},
	}},
	// More literal text, wherever it stands.
	{"ANY /{x}.json|ANY /{x}.tar.gz|ANY /{x}.gz|ANY /{x}", exchanges{{"/a.tar.gz", "ANY /{x}.tar.gz"}, {"/a.gz", "ANY /{x}.gz"}, {"/.gz", "ANY /{x}"}}},
	// A catch-all inside a path: the longest value, then what follows it. It
	// ranks after a parameter, and before a catch-all that ends the path.
	{"GET /v2/{name...}/manifests/{ref}|GET /v2/{name...}/blobs/{digest}", exchanges{
		{"/v2/a/blobs/uploads/manifests/1", "GET /v2/{name...}/manifests/{ref}"}, {"/v2/a/manifests/blobs/x", "GET /v2/{name...}/blobs/{digest}"},
		{"POST /v2/a/manifests/1", "405 GET, HEAD, OPTIONS"}, {"/v2/a", "404"}, {"/v2/a/x/../blobs/1?q=/../", "307 /v2/a/blobs/1?q=/../"},
	}},
	{"ANY /{x...}/{a}/e|ANY /{x...}/y/e|ANY /{x...}/{a:[0-9]+}/e", exchanges{{"/1/y/e", "ANY /{x...}/y/e"}, {"/1/2/e", "ANY /{x...}/{a:[0-9]+}/e"}}},
	{"ANY /{x...}/b|ANY /{p}/b|ANY /{rest...}", exchanges{{"/c/b", "ANY /{p}/b"}, {"/c/c/b", "ANY /{x...}/b"}, {"/c/c", "ANY /{rest...}"}}},
	{"GET /{x...}/{a}|POST /{x...}/{a}/b", exchanges{
		{"/1/2/b", "GET /{x...}/{a}"}, {"POST /1/2/b", "POST /{x...}/{a}/b"}, {"PUT /1/2/b", "405 GET, HEAD, POST, OPTIONS"},
	}},
	{"Handle /{x...}/b/", exchanges{{"/a/b", "307 /a/b/"}, {"/a/b/c", "Handle /{x...}/b/"}, {"/a/c", "404"}}},
	{"Handle /{x...}/b/{rest...}", exchanges{{"CONNECT /a/b//c", "Handle /{x...}/b/{rest...}"}, {"CONNECT /a//b/c", "404"}, {"CONNECT /a/b/../c", "404"}}},
	// HEAD: a path that GET serves comes before a less specific one of its own.
	{"HEAD /*r|GET /a", exchanges{{"HEAD /a", "GET /a"}, {"HEAD /b", "HEAD /*r"}}},
	{"HEAD /a/*r|GET /a/:x|ANY /a/{n:[0-9]+}", exchanges{{"HEAD /a/1", "ANY /a/{n:[0-9]+}"}, {"HEAD /a/b", "GET /a/:x"}, {"HEAD /a/b/c", "HEAD /a/*r"}}},
	{"HEAD /a|GET /a/", exchanges{{"/a", "307 /a/"}, {"HEAD /a", "HEAD /a"}}},
	{"HEAD /a", exchanges{{"/a", "405 HEAD, OPTIONS"}}},
	// OPTIONS and custom methods are methods like others.
	{"OPTIONS /*r|GET /a", exchanges{{"OPTIONS /a", "OPTIONS /*r"}}},
	{"GET /*r|POST /a", exchanges{{"OPTIONS /a", "204 GET, HEAD, POST, OPTIONS"}}},
	{"Handle PURGE /{r...}|GET /a", exchanges{{"PURGE /a", "Handle PURGE /{r...}"}}},
	{"Handle PURGE /{r...}|Handle BREW /a", exchanges{{"/a", "405 BREW, PURGE, OPTIONS"}}},
	// The host still comes first, before the path.
	{"Handle GET example.com/{r...}|ANY /a", exchanges{{"/a", "Handle GET example.com/{r...}"}, {"POST /a", "ANY /a"}}},
	{"Handle example.com/{r...}|GET /a", exchanges{{"/a", "Handle example.com/{r...}"}}},
	{"Handle POST example.com/a|GET /a", exchanges{{"PUT /a", "405 GET, HEAD, POST, OPTIONS"}}},
	{"Handle {t}.example.com/x|Handle api.example.com/x|Handle {s...}.example.com/x|Handle {a}.api.example.com/x|Handle /x", exchanges{
		{"API.example.com.:80/x", "Handle api.example.com/x"}, {"acme.example.com/x", "Handle {t}.example.com/x"}, {"other.org/x", "Handle /x"},
		{"a.b.c.example.com/x", "Handle {s...}.example.com/x"}, {"x.api.example.com/x", "Handle {a}.api.example.com/x"},
	}},
	{"Handle POST api.example.com/x|Handle GET {t}.example.com/x|Handle /x", exchanges{
		{"api.example.com/x", "Handle GET {t}.example.com/x"}, {"PUT api.example.com/x", "Handle /x"}, {"POST api.example.com/x", "Handle POST api.example.com/x"},
	}},
	// Redirects of the verb methods' slash lead to a route for the method.
	{"GET /a/|ANY /:x", exchanges{{"/a", "ANY /:x"}}},
	{"POST /a/|GET /a", exchanges{{"POST /a", "307 /a/"}, {"PUT /a", "405 GET, HEAD, OPTIONS"}}},
	// The slash redirect applies only if the other form of the path has a route.
	{"GET /x|POST /x/", exchanges{{"/x/", "307 /x"}, {"POST /x", "307 /x/"}, {"PUT /x", "405 GET, HEAD, OPTIONS"}}},
	// One look through several methods and ways back.
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d|ANY /*r", exchanges{
		{"/a/b/c/d", "GET /a/:x/c/d"}, {"HEAD /a/b/c/d", "GET /a/:x/c/d"}, {"PUT /a/b/c/d", "PUT /:z/b/c/d"}, {"POST /a/b/c/d", "POST /a/b/:y/d"},
		{"BREW /a/b/c/d", "ANY /*r"},
	}},
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d", exchanges{
		{"BREW /a/b/c/d", "405 GET, HEAD, POST, PUT, OPTIONS"}, {"OPTIONS /a/b/c/d", "204 GET, HEAD, POST, PUT, OPTIONS"},
	}},
}

func TestPrecedence(t *testing.T) { precedenceCases.test(t) }

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
	{"{tenant}.Example.COM/x", [][2]string{{"acme.example.com", `tenant="acme"`}}},
	{"{Tenant}.example.com/x", [][2]string{{"acme.example.com", `Tenant="acme"`}}},
	{"{tenant}.example.com./x", [][2]string{{"acme.example.com", `tenant="acme"`}}},
	{"{tenant}.example.com/x", [][2]string{
		{"acme.example.com..", "404"}, {"acme.example.com:8080", `tenant="acme"`}, {"acme.example.com.:8080", `tenant="acme"`},
		{"[acme.example.com]", "any"}, {"[::1]:80", "404"}, {"xn--bcher-kva.example.com", `tenant="xn--bcher-kva"`},
		{strings.Repeat("a", 63) + ".example.com", `tenant="` + strings.Repeat("a", 63) + `"`},
	}},
	// Several labels.
	{"{a}.{b}.example.com/x", [][2]string{{"one.two.example.com", `a="one" b="two"`}, {"one..example.com", "404"}}},
	{"api.example.{tld}/x", [][2]string{{"api.example.", "404"}, {"api.example.ORG:443", `tld="org"`}}},
	// Any depth.
	{"{sub...}.example.com/x", [][2]string{
		{"a.example.com", `sub="a"`}, {"a.b.c.example.com", `sub="a.b.c"`}, {"example.com", "404"}, {".example.com", "404"}, {"a..example.com", "404"},
		{"aexample.com", "404"}, {"A.B.EXAMPLE.com.:80", `sub="a.b"`}, {"example.com.example.com", `sub="example.com"`},
		{strings.Repeat("a.", 100) + "example.com", `sub="` + strings.Repeat("a.", 99) + `a"`},
	}},
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

// A request is matched and answered by one snapshot of the routes of a Mux.
// Middleware that registers routes while the request is on its way shows it without
// a race: the request still gets a 404, and no 405, the next one the route.
func TestOneRequestOneSnapshot(t *testing.T) {
	for name, guard := range guarded {
		if name == "Pre" || name == "Pre of a mounted Mux" || name == "around a mount" {
			continue // before the match
		}
		for _, method := range []string{"GET", "OPTIONS", "BREW"} {
			for path, target := range map[string]string{"ANY /late": "/late", "ANY /late/:id|POST /late/1": "/late/1", "ANY /late/*rest|GET /late/x/": "/late/x"} {
				m := muxmaster.New()
				var once sync.Once
				var scope muxmaster.Router
				var prefix string
				scope, prefix = guard(m, wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					once.Do(func() { add(scope, path) })
					next.ServeHTTP(w, r)
				}))
				first, second := get(t, m, method, prefix+target), get(t, m, method, prefix+target)
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

// The cost of a registration or response grows at most with the size of its
// input, and that of registering, mounting and listing routes with their
// number. The statements of package regexp count, too.
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
