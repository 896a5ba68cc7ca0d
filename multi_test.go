package muxmaster_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

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
			GET /v2/a/manifests/b/blobs/uploads/1 => /v2/{name...}/blobs/uploads/{id} name="a/manifests/b" id="1"
			GET /v2/a/manifests/blobs/uploads     => /v2/{name...}/blobs/{digest} name="a/manifests" digest="uploads"
			GET /v2/a/blobs/blobs/uploads/1       => /v2/{name...}/blobs/uploads/{id} name="a/blobs" id="1"
			GET /v2/a/blobs/blobs/uploads         => /v2/{name...}/blobs/{digest} name="a/blobs" digest="uploads"
			GET /v2/a/tags/list/tags/list         => /v2/{name...}/tags/list name="a/tags/list"
			HEAD /v2/a/manifests/1                => /v2/{name...}/manifests/{ref} name="a" ref="1"
			POST /v2/a/manifests/1                => 405 GET, HEAD, OPTIONS
			OPTIONS /v2/a/manifests/1             => 204 GET, HEAD, OPTIONS
			GET /v2/a/manifests                   => 404
			GET /v2/a                             => 404
			GET /v2/a//b/manifests/1              => 307 /v2/a/b/manifests/1
			GET /v2/a/x/../manifests/1?q=/../     => 307 /v2/a/manifests/1?q=/../`},
		// The longest value wins, then the precedence of what follows.
		{"/{x...}/{a}, /{x...}/{a}/{b}, /{x...}/y/{a}", `
			GET /1/2/3 => /{x...}/{a} x="1/2" a="3"
			GET /1/y/3 => /{x...}/{a} x="1/y" a="3"`},
		{"/{x...}/{a}/e, /{x...}/y/e, /{x...}/{a:[0-9]+}/e", `
			GET /1/y/e => /{x...}/y/e x="1"
			GET /1/2/e => /{x...}/{a:[0-9]+}/e x="1" a="2"
			GET /1/z/e => /{x...}/{a}/e x="1" a="z"
			GET /y/e/e => /{x...}/{a}/e x="y" a="e"`},
		// It ranks after a parameter, and before a catch-all that ends the path.
		{"/{x...}/b, /{p}/b, /a/b, /{rest...}", `
			GET /a/b   => /a/b
			GET /c/b   => /{p}/b p="c"
			GET /c/c/b => /{x...}/b x="c/c"
			GET /c/c   => /{rest...} rest="c/c"
			GET /b     => /{rest...} rest="b"`},
		{"/{p}/b/c, /{x...}/c, /a/{rest...}", `
			GET /a/b/c => /a/{rest...} rest="b/c"
			GET /d/b/c => /{p}/b/c p="d"
			GET /d/e/c => /{x...}/c x="d/e"
			GET /d/e/f => 404`},
		// The method decides last, as everywhere.
		{"GET /{x...}/{a}, POST /{x...}/{a}/b", `
			GET /1/2/b  => /{x...}/{a} x="1/2" a="b"
			POST /1/2/b => /{x...}/{a}/b x="1" a="2"
			PUT /1/2/b  => 405 GET, HEAD, POST, OPTIONS
			PUT /1/b    => 405 GET, HEAD, OPTIONS`},
		{"GET /{x...}/b, /{x...}/b", `
			GET /a/b => /{x...}/b x="a"
			PUT /a/b => /{x...}/b x="a"`},
		{"BREW /{x...}/b, /{rest...}", `
			BREW /a/b => /{x...}/b x="a"
			WHEN /a/b => /{rest...} rest="a/b"`},
		// Trailing slashes
		{"/{x...}/b/", `
			GET /a/b    => 307 /a/b/
			GET /a/b/   => /{x...}/b/ x="a"
			GET /a/b/c  => /{x...}/b/ x="a"
			GET /a/b/b/ => /{x...}/b/ x="a/b"
			GET /a/b/b  => 307 /a/b/b/
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

// TestGroupWithCatchAll checks that the prefix of a Group can have a catch-all.
func TestGroupWithCatchAll(t *testing.T) {
	m := muxmaster.New()
	m.Use(trace("mux"))
	g := m.Group("/v2/{name...}/manifests")
	g.Use(trace("login"))
	g.GET("/{ref}", tellRoute("/v2/{name...}/manifests/{ref}"))
	g.GET("/", tellRoute("/v2/{name...}/manifests"))
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/v2/a/b/manifests/1", `mux login /v2/{name...}/manifests/{ref} name="a/b" ref="1"`},
		{"GET", "/v2/a/b/manifests", `mux login /v2/{name...}/manifests name="a/b"`},
		{"GET", "/v2/a/b/manifests/", `mux login /v2/{name...}/manifests name="a/b"`},
		{"GET", "/v2/a/b/manifests/1/2", "mux login "},
		{"PUT", "/v2/a/b/manifests/1", "mux login "},
		{"GET", "/v2/a/b/tags", "mux "},
		{"GET", "/v2/manifests/1", "mux "},
	} {
		if got := ask(m, request(t, c.method, c.target)).body; got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.target, got, c.want)
		}
	}
}

// TestMountWithCatchAll checks that the prefix of a mounted handler can have a
// catch-all.
func TestMountWithCatchAll(t *testing.T) {
	m := muxmaster.New()
	m.Mount("/{x...}/files", http.HandlerFunc(values))
	for target, want := range map[string]string{
		"/a/b/files":       `x="a/b"`,
		"/a/b/files/":      `x="a/b"`,
		"/a/b/files/c":     `x="a/b"`,
		"/a/files/b/files": `x="a/files/b"`,
		"/files":           "404",
	} {
		if got := get(t, m, "GET", target); got != want {
			t.Errorf("%s: got %s, want %s", target, got, want)
		}
	}
}

// TestPrefixWithCatchAll checks that a prefix that owns its paths can't have a
// catch-all.
func TestPrefixWithCatchAll(t *testing.T) {
	const advice = "cannot have a catch-all; use Group"
	for name, c := range map[string]struct {
		register func(m *muxmaster.Mux)
		want     string
	}{
		"Route":                {func(m *muxmaster.Mux) { m.Route("/{x...}/b", func(*muxmaster.Group) {}) }, advice},
		"Route in a Group":     {func(m *muxmaster.Mux) { m.Group("/{x...}/b").Route("/c", func(*muxmaster.Group) {}) }, advice},
		"Mount":                {func(m *muxmaster.Mux) { m.Mount("/{x...}/b", muxmaster.New()) }, advice},
		"Mount in a Group":     {func(m *muxmaster.Mux) { m.Group("/{x...}/b").Mount("/c", muxmaster.New()) }, advice},
		"a Group that ends so": {func(m *muxmaster.Mux) { m.Group("/b/{x...}") }, "a prefix cannot end in a catch-all"},
		"a second one": {func(m *muxmaster.Mux) {
			m.Group("/{x...}/b").GET("/{y...}/c", func(http.ResponseWriter, *http.Request) {})
		}, "second one"},
	} {
		m := muxmaster.New()
		if got := panics(func() { c.register(m) }); !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	sub := muxmaster.New()
	sub.Group("/{x...}/b").GET("/c", tellRoute("/a/{x...}/b/c"))
	m := muxmaster.New()
	m.Mount("/a", sub)
	if got, want := get(t, m, "GET", "/a/1/2/b/c"), `/a/{x...}/b/c x="1/2"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestExplainCatchAllInside checks that Explain gives the value and the reasons.
func TestExplainCatchAllInside(t *testing.T) {
	m := muxmaster.New()
	m.GET("/{name...}/manifests/{ref}", values)
	m.GET("/{name...}/tags/list", values)
	m.GET("/{rest...}", values)
	e := m.Explain("GET", "/a/b/manifests/1")
	if e.Route == nil || e.Route.Pattern != "/{name...}/manifests/{ref}" || e.Values.Get("name") != "a/b" {
		t.Errorf("got %v with %v", e.Route, e.Values)
	}
	reasons := map[string]string{}
	for _, c := range e.Candidates {
		reasons[c.Pattern] = c.Reason
	}
	if got := reasons["/{name...}/tags/list"]; got != `the segment "manifests" is not tags` {
		t.Errorf("tags: %q", got)
	}
	if got := reasons["/{rest...}"]; !strings.HasPrefix(got, "matches too") {
		t.Errorf("rest: %q", got)
	}
}
