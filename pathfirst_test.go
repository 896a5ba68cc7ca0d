package muxmaster_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// The path is compared before the method: among the routes that serve the
// request's method, the most specific path wins; at one and the same path the
// exact method, then GET for HEAD, then any method.
var pathFirstCases = []struct {
	routes               string // see add
	method, target, want string
}{
	// A catch-all for GET takes nothing from what is more specific.
	{"GET /*path|Handle /api/", "GET", "/api/x", "Handle /api/"},
	{"GET /*path|Handle /api/", "HEAD", "/api/x", "Handle /api/"},
	{"GET /*path|Handle /api/", "POST", "/api/x", "Handle /api/"},
	{"GET /*path|Handle /api/", "OPTIONS", "/api/x", "Handle /api/"},
	{"GET /*path|Handle /api/", "GET", "/api/", "Handle /api/"},
	{"GET /*path|Handle /api/", "GET", "/api", "307 /api/"},
	{"GET /*path|Handle /api/", "GET", "/apix", "GET /*path"},
	{"GET /*path|Handle /api/", "GET", "/", "GET /*path"},
	{"GET /*path|Handle /api/", "POST", "/x", "405 GET, HEAD, OPTIONS"},
	{"Handle GET /{path...}|Handle /api/", "GET", "/api/x", "Handle /api/"},
	{"Handle GET /|Handle /api/", "GET", "/api/x", "Handle /api/"},
	{"GET /*path|ANY /api/*rest", "GET", "/api/x", "ANY /api/*rest"},
	{"GET /*path|ANY /api/:x", "GET", "/api/x", "ANY /api/:x"},
	{"GET /*path|ANY /api/:x", "GET", "/api/x/y", "GET /*path"},
	{"GET /*path|ANY /api/x", "GET", "/api/x", "ANY /api/x"},
	{"GET /*path|Mount /debug/pprof/", "GET", "/debug/pprof/", "Mount /debug/pprof/"},
	{"GET /*path|Mount /debug/pprof/", "GET", "/debug/pprof/heap?debug=1", "Mount /debug/pprof/"},
	{"GET /*path|Mount /debug/pprof/", "GET", "/debug/pprof", "Mount /debug/pprof/"},
	{"GET /*path|Mount /debug/pprof/", "HEAD", "/debug/pprof/heap", "Mount /debug/pprof/"},
	{"GET /*path|Mount /debug/pprof/", "GET", "/debug", "GET /*path"},
	{"GET /*path|Mount /m|GET /m/own", "GET", "/m/own", "GET /m/own"},
	{"GET /*path|Mount /m|GET /m/own", "POST", "/m/own", "Mount /m"},
	{"GET /*path|Mount /m|GET /m/:x/y", "GET", "/m/1/z", "Mount /m"},
	// Each kind of segment before the next one, whatever the methods.
	{"GET /:x|ANY /a", "GET", "/a", "ANY /a"},
	{"GET /:x|ANY /a", "GET", "/b", "GET /:x"},
	{"GET /:x|ANY /a", "POST", "/b", "405 GET, HEAD, OPTIONS"},
	{"Handle GET /{x}|Handle /a", "GET", "/a", "Handle /a"}, // http.ServeMux refuses the pair
	{"GET /v{x}|ANY /v1", "GET", "/v1", "ANY /v1"},
	{"GET /{x:[0-9]+}|ANY /1{y}", "GET", "/12", "ANY /1{y}"},
	{"GET /{x:[0-9]+}|ANY /1{y}", "GET", "/22", "GET /{x:[0-9]+}"},
	{"GET /:x|ANY /{x:[0-9]+}", "GET", "/1", "ANY /{x:[0-9]+}"},
	{"GET /:x|ANY /{x:[0-9]+}", "GET", "/a", "GET /:x"},
	{"GET /x/*r|ANY /x/:y", "GET", "/x/1", "ANY /x/:y"},
	{"GET /x/*r|ANY /x/{$}", "GET", "/x/", "ANY /x/{$}"},
	{"GET /x/*r|ANY /x/{$}", "GET", "/x/y", "GET /x/*r"},
	{"GET /:a/b|ANY /a/:b", "GET", "/a/b", "ANY /a/:b"},
	{"GET /:a/:b/:c|ANY /:a/:b/c|POST /:a/b/:c", "GET", "/a/b/c", "ANY /:a/:b/c"},
	{"GET /:a/:b/:c|ANY /:a/:b/c|POST /:a/b/:c", "POST", "/a/b/c", "POST /:a/b/:c"},
	// What doesn't serve the method is no obstacle.
	{"POST /a/b|GET /a/:x", "GET", "/a/b", "GET /a/:x"},
	{"POST /a/b|GET /:x/b", "GET", "/a/b", "GET /:x/b"},
	{"POST /a/b|GET /*r", "GET", "/a/b", "GET /*r"},
	{"POST /a/b|GET /*r", "HEAD", "/a/b", "GET /*r"},
	{"POST /a/b|GET /*r", "PUT", "/a/b", "405 GET, HEAD, POST, OPTIONS"},
	{"POST /a/{x:[0-9]+}/c|PUT /a/1/c|GET /a/:x/c", "GET", "/a/1/c", "GET /a/:x/c"},
	{"POST /a/{x:[0-9]+}/c|PUT /a/1/c|GET /a/:x/c", "BREW", "/a/1/c", "405 GET, HEAD, POST, PUT, OPTIONS"},
	{"Handle POST /a/|GET /*r", "GET", "/a/b", "GET /*r"},
	{"Handle POST /a/|GET /*r", "GET", "/a", "GET /*r"},
	{"Handle POST /a/|GET /*r", "POST", "/a", "307 /a/"},
	// At one and the same path: the method, GET for HEAD, any method.
	{"GET /:x|ANY /:y", "GET", "/1", "GET /:x"},
	{"GET /:x|ANY /:y", "HEAD", "/1", "GET /:x"},
	{"GET /:x|ANY /:y", "POST", "/1", "ANY /:y"},
	{"GET /:x|ANY /:y|HEAD /:z", "HEAD", "/1", "HEAD /:z"},
	{"GET /a|ANY /a|HEAD /a", "HEAD", "/a", "HEAD /a"},
	{"GET /a|ANY /a", "HEAD", "/a", "GET /a"},
	{"GET /a|ANY /a", "BREW", "/a", "ANY /a"},
	{"Handle GET /x/{r...}|Handle /x/", "GET", "/x/y", "Handle GET /x/{r...}"},
	{"Handle GET /x/{r...}|Handle /x/", "PUT", "/x/y", "Handle /x/"},
	{"Handle BREW /x|ANY /x", "BREW", "/x", "Handle BREW /x"},
	{"GET /a/:x/c|ANY /a/:y/c|GET /a/:z/d", "GET", "/a/1/c", "GET /a/:x/c"},
	{"GET /v{a}|ANY /v{b}", "HEAD", "/v1", "GET /v{a}"},
	{"GET /{a:[0-9]+}|ANY /{b:[0-9]+}", "HEAD", "/1", "GET /{a:[0-9]+}"},
	// HEAD: a path that GET serves comes before a less specific one of its own.
	{"HEAD /*r|GET /a", "HEAD", "/a", "GET /a"},
	{"HEAD /*r|GET /a", "HEAD", "/b", "HEAD /*r"},
	{"HEAD /:x/s|GET /f/s", "HEAD", "/f/s", "GET /f/s"},
	{"HEAD /:x|ANY /a", "HEAD", "/a", "ANY /a"},
	{"HEAD /a/*r|GET /a/:x|ANY /a/{n:[0-9]+}", "HEAD", "/a/1", "ANY /a/{n:[0-9]+}"},
	{"HEAD /a/*r|GET /a/:x|ANY /a/{n:[0-9]+}", "HEAD", "/a/b", "GET /a/:x"},
	{"HEAD /a/*r|GET /a/:x|ANY /a/{n:[0-9]+}", "HEAD", "/a/b/c", "HEAD /a/*r"},
	{"HEAD /a|GET /a/", "GET", "/a", "307 /a/"},
	{"HEAD /a|GET /a/", "HEAD", "/a", "HEAD /a"},
	{"HEAD /a", "GET", "/a", "405 HEAD, OPTIONS"},
	// OPTIONS and custom methods are methods like others.
	{"OPTIONS /*r|GET /a", "OPTIONS", "/a", "OPTIONS /*r"},
	{"OPTIONS /*r|ANY /a", "OPTIONS", "/a", "ANY /a"},
	{"OPTIONS /a|ANY /a", "OPTIONS", "/a", "OPTIONS /a"},
	{"GET /*r|POST /a", "OPTIONS", "/a", "204 GET, HEAD, POST, OPTIONS"},
	{"Handle PURGE /{r...}|ANY /a", "PURGE", "/a", "ANY /a"},
	{"Handle PURGE /{r...}|GET /a", "PURGE", "/a", "Handle PURGE /{r...}"},
	{"Handle PURGE /{r...}|Handle BREW /a", "GET", "/a", "405 BREW, PURGE, OPTIONS"},
	{"Handle PURGE,BREW /{r...}|Handle BREW /a", "BREW", "/a", "Handle BREW /a"},
	// The host still comes first, before the path.
	{"Handle GET example.com/{r...}|ANY /a", "GET", "/a", "Handle GET example.com/{r...}"},
	{"Handle GET example.com/{r...}|ANY /a", "POST", "/a", "ANY /a"},
	{"Handle example.com/{r...}|GET /a", "GET", "/a", "Handle example.com/{r...}"},
	{"Handle GET example.com/{x}|Handle example.com/a|GET /a", "GET", "/a", "Handle example.com/a"},
	{"Handle POST example.com/a|GET /a", "PUT", "/a", "405 GET, HEAD, POST, OPTIONS"},
	{"Handle other.org/a|GET /{x}", "GET", "/a", "GET /{x}"},
	// Redirects of the verb methods' slash lead to a route for the method.
	{"GET /a/|ANY /:x", "GET", "/a", "ANY /:x"},
	{"GET /a/|POST /:x", "GET", "/a", "307 /a/"},
	{"GET /a|ANY /:x/", "GET", "/a/", "ANY /:x/"},
	{"POST /a/|GET /a", "POST", "/a", "307 /a/"},
	{"POST /a/|GET /a", "PUT", "/a", "405 GET, HEAD, OPTIONS"},
	// One look through several methods and ways back.
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d|ANY /*r", "GET", "/a/b/c/d", "GET /a/:x/c/d"},
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d|ANY /*r", "HEAD", "/a/b/c/d", "GET /a/:x/c/d"},
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d|ANY /*r", "PUT", "/a/b/c/d", "PUT /:z/b/c/d"},
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d|ANY /*r", "POST", "/a/b/c/d", "POST /a/b/:y/d"},
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d|ANY /*r", "BREW", "/a/b/c/d", "ANY /*r"},
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d", "BREW", "/a/b/c/d", "405 GET, HEAD, POST, PUT, OPTIONS"},
	{"GET /a/:x/c/d|POST /a/b/:y/d|PUT /:z/b/c/d", "OPTIONS", "/a/b/c/d", "204 GET, HEAD, POST, PUT, OPTIONS"},
}

func TestPathBeforeMethod(t *testing.T) {
	for _, c := range pathFirstCases {
		for i, order := range shuffled(c.routes) {
			m := newMux(i%2 == 1)
			add(m, order)
			if got := get(t, m, c.method, c.target); got != c.want {
				t.Errorf("%s, %s %s: got %s, want %s", order, c.method, c.target, got, c.want)
			}
			agrees(t, m, "example.com", c.method, c.target)
		}
	}
}

// Escaped paths take another code path in the router and match the same routes.
func TestPathBeforeMethodEncoded(t *testing.T) {
	for _, c := range pathFirstCases {
		// The last byte of the path, written as %XX.
		path, query, _ := strings.Cut(c.target, "?")
		if strings.HasSuffix(path, "/") || strings.HasPrefix(c.want, "307") {
			continue
		}
		target := fmt.Sprintf("%s%%%02X", path[:len(path)-1], path[len(path)-1])
		if query != "" {
			target += "?" + query
		}
		m := muxmaster.New()
		add(m, c.routes)
		if got := get(t, m, c.method, target); got != c.want {
			t.Errorf("%s, %s %s: got %s, want %s", c.routes, c.method, target, got, c.want)
		}
	}
}

// The values are those of the route that wins, not of one that was tried
// before.
func TestPathBeforeMethodValues(t *testing.T) {
	for _, c := range []struct{ routes, method, target, want string }{
		{"GET /{a}/x|PUT /z/{b}|/{c}/{d}", "PUT", "/z/9", `b="9"`},
		{"GET /{a}/x|PUT /z/{b}|/{c}/{d}", "GET", "/z/9", `c="z" d="9"`},
		{"GET /{a}/x|PUT /z/{b}|/{c}/{d}", "HEAD", "/z/x", `a="z"`},
		{"POST /a/{b}/c/{d}|GET /a/{x:[a-z]}/c/{y...}|/{p}/{q...}", "GET", "/a/b/c/d", `x="b" y="d"`},
		{"POST /a/{b}/c/{d}|GET /a/{x:[a-z]}/c/{y...}|/{p}/{q...}", "BREW", "/a/b/c/d", `p="a" q="b/c/d"`},
		{"POST /v{a}.{b}/x|GET /v{c}/x|/{d}/x", "GET", "/v1.2/x", `c="1.2"`},
		{"POST /v{a}.{b}/x|GET /v{c}/x|/{d}/x", "PATCH", "/v1.2/x", `d="v1.2"`},
	} {
		for _, mode := range modes {
			m, fast := newMux(mode.pooled), newMux(mode.pooled)
			for _, p := range strings.Split(c.routes, "|") {
				m.HandleFunc(p, values)
				fast.HandleFast(p, fastValues)
			}
			for name, h := range map[string]http.Handler{"Handle": m, "HandleFast": fast} {
				if got := get(t, h, c.method, c.target); got != c.want {
					t.Errorf("%s, %s of %s: %s %s: got %s, want %s", mode.name, name, c.routes, c.method, c.target, got, c.want)
				}
			}
		}
	}
}
