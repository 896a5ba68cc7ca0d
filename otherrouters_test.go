package muxmaster_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// The files in testdata/routers hold cases of other routers' own tests. A block of
// lines is one router with its routes and, indented, its requests:
//
//	/cmd/:tool/:sub           a route for GET
//	POST /x                   a route for POST
//	/files/* => /files/{rest...}
//	                          a route that is written in another way here
//	/src/* => ! needs a name  a route that panics here, and a part of the text
//		/cmd/a/b = /cmd/:tool/:sub tool="a" sub="b"
//	                          a GET request, and the route and values that serve it
//		HEAD /x = 405 POST, OPTIONS | 404
//	                          status and Allow or Location; the other router's own
//	                          answer differs, and follows the bar
//
// Module bench runs the same files on the other routers: go test ./peers.

// A routerCase is a block of such a file.
type routerCase struct {
	routes   []routerRoute
	refused  [][2]string // path, text
	requests []routerRequest
}

type routerRoute struct{ method, path string }

type routerRequest struct{ method, host, target, want string }

var methodFirst = regexp.MustCompile(`^([A-Z]+|\*) (.*)`)

func cutMethod(s string) (method, rest string) {
	if m := methodFirst.FindStringSubmatch(s); m != nil {
		return m[1], m[2]
	}
	return "GET", s
}

func readRouterCases(t *testing.T, file string) (cases []routerCase) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		var c routerCase
		for line := range strings.Lines(block) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if line[0] == '\t' {
				request, want, ok := strings.Cut(line[1:], " = ")
				if !ok {
					t.Fatalf("%s: no answer in %q", file, line)
				}
				r := routerRequest{host: "example.com"}
				r.method, r.target = cutMethod(request)
				if i := strings.IndexByte(r.target, '/'); i > 0 {
					r.host, r.target = r.target[:i], r.target[i:]
				}
				r.want, _, _ = strings.Cut(want, " | ")
				c.requests = append(c.requests, r)
				continue
			}
			old, ours, ok := strings.Cut(line, " => ")
			if text, refused := strings.CutPrefix(ours, "! "); refused {
				c.refused = append(c.refused, [2]string{old, text})
				continue
			}
			if !ok {
				ours = old
			}
			method, path := cutMethod(ours)
			c.routes = append(c.routes, routerRoute{method, path})
		}
		cases = append(cases, c)
	}
	return cases
}

// register registers the routes of c, from the last one if reverse is true. Handlers
// tell their path and values, but not the prefix's.
func (c routerCase) register(to muxmaster.Router, reverse bool) {
	for i := range c.routes {
		if reverse {
			i = len(c.routes) - 1 - i
		}
		route := c.routes[i]
		h := func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, route.path)
			ps := slices.DeleteFunc(muxmaster.PathParams(r), func(p muxmaster.Param) bool { return p.Key == "prefix" })
			if len(ps) > 0 {
				fmt.Fprint(w, " ", format(r, ps))
			}
		}
		switch {
		case route.path[0] != '/':
			to.HandleFunc(route.method+" "+route.path, h)
		case route.method == "ANY":
			to.ANY(route.path, h)
		default:
			to.Method(route.method, route.path, http.HandlerFunc(h))
		}
	}
}

func (c routerCase) mux(reverse, pooled bool) *muxmaster.Mux {
	m := newMux(pooled)
	c.register(m, reverse)
	return m
}

func TestCasesOfOtherRouters(t *testing.T) {
	files, err := filepath.Glob("testdata/routers/*.txt")
	if err != nil || len(files) < 21 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			requests := 0
			for _, c := range readRouterCases(t, file) {
				for _, refused := range c.refused {
					text := panics(func() { muxmaster.New().GET(refused[0], tell("")) })
					if !strings.Contains(text, refused[1]) {
						t.Errorf("%s: panics with %q, want %q", refused[0], text, refused[1])
					}
				}
				for _, mode := range modes {
					m, reversed := c.mux(false, mode.pooled), c.mux(true, mode.pooled)
					for _, r := range c.requests {
						requests++
						got := ask(m, requestTo(t, r.host, r.method, r.target)).brief()
						if got != r.want {
							t.Errorf("%s, %v: %s %s: got %s, want %s", mode.name, c.routes, r.method, r.target, got, r.want)
						}
						again := ask(reversed, requestTo(t, r.host, r.method, r.target)).brief()
						if again != got && !c.ordered() {
							t.Errorf("%s, %v: %s %s: %s, but %s if the last route is registered first", mode.name, c.routes, r.method, r.target, got, again)
						}
						agrees(t, m, r.host, r.method, r.target)
					}
				}
			}
			if requests == 0 {
				t.Error("no requests")
			}
		})
	}
}

// ordered reports whether two constraints make the order of c's routes matter.
func (c routerCase) ordered() bool {
	n := 0
	for _, route := range c.routes {
		if strings.Contains(route.path, ":[") || strings.Contains(route.path, ":^") || strings.Contains(route.path, `:\`) {
			n++
		}
	}
	return n > 1
}

// Below a prefix, in a Group or a mounted Mux, routes serve the same requests, also
// beside a catch-all for everything.
func TestCasesOfOtherRoutersBelowPrefix(t *testing.T) {
	files, err := filepath.Glob("testdata/routers/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, c := range readRouterCases(t, file) {
			if slices.ContainsFunc(c.routes, func(r routerRoute) bool { return r.path[0] != '/' }) {
				continue // of a host
			}
			group, mounted, beside := muxmaster.New(), muxmaster.New(), muxmaster.New()
			c.register(group.Group("/p/{prefix}"), false)
			mounted.Mount("/p/{prefix}", c.mux(false, false))
			beside.GET("/*everything", tell("everything"))
			beside.Mount("/p/{prefix}", c.mux(true, true))
			for _, r := range c.requests {
				if strings.Contains(r.target, "..") || strings.Contains(r.target, "%2e") {
					continue // may leave the prefix
				}
				for name, m := range map[string]*muxmaster.Mux{"Group": group, "Mount": mounted, "beside a catch-all": beside} {
					if name == "beside a catch-all" && c.ordered() {
						continue
					}
					a := ask(m, requestTo(t, r.host, r.method, "/p/a%2Fb"+r.target))
					a.location = strings.TrimPrefix(a.location, "/p/a%2Fb")
					if got := a.brief(); got != r.want {
						t.Errorf("%s, %s: %v: %s %s: got %s, want %s", filepath.Base(file), name, c.routes, r.method, r.target, got, r.want)
					}
				}
			}
		}
	}
}
