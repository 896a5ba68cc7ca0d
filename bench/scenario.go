// Package bench compares the speed of routers.
//
// A [Scenario] is a route set (package routes) and the work of its handlers.
// [Prove] checks that a contender (package contender) matches the scenario's
// requests with the right routes and values. Then [Load] creates its router,
// and the tasks of [Loaded] run in interleaved rounds (package measure). The
// command showdown and the Go benchmark Showdown use this.
package bench

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Scenario is a set of routes, what their handlers do, and the requests to
// serve.
type Scenario struct {
	Name     string // also part of benchmark names: no spaces
	Title    string
	Spec     contender.Spec
	Requests []Request
	Status   int // of all responses: 200, 404 or 405
}

// Request is a request and its expected routing.
type Request struct {
	Method, Path string
	Route        int      // index in the scenario's routes, -1 for none
	Values       []string // of the route's parameters, for a catch-all without the leading slash
}

// Scenarios returns the scenarios of the showdown, except those for scaling.
func Scenarios() []Scenario {
	const get = http.MethodGet
	twenty := routes.Load("twenty")
	github := routes.Load("github")
	one := routes.Load("param1")
	behind := matched("Middleware5", "1 parameter behind 5 middleware", contender.Return, one, "/user/:name", "gordon")
	behind.Spec.Middleware = 5
	return []Scenario{
		everyRoute("Static", "Static site, 157 routes", routes.Load("static")),
		everyRoute("GitHub", "GitHub API, 203 routes", routes.Load("github")),
		everyRoute("GPlus", "Google+ API, 13 routes", routes.Load("gplus")),
		everyRoute("Parse", "Parse API, 26 routes", routes.Load("parse")),
		matched("Param1", "1 parameter", contender.Return, one, "/user/:name", "gordon"),
		matched("Param5", "5 parameters", contender.Return, routes.Load("param5"), "/:a/:b/:c/:d/:e", "test", "test", "test", "test", "test"),
		matched("Param20", "20 parameters", contender.Return, routes.Load("param20"),
			"/:a/:b/:c/:d/:e/:f/:g/:h/:i/:j/:k/:l/:m/:n/:o/:p/:q/:r/:s/:t", strings.Split("abcdefghijklmnopqrst", "")...),
		matched("ParamRead", "1 parameter, read", contender.Read, one, "/user/:name", "gordon"),
		matched("ParamWrite", "1 parameter, read and written", contender.Write, one, "/user/:name", "gordon"),
		matched("TwentyStatic", "20 routes, static", contender.Return, twenty, "/api/v1/status"),
		matched("TwentyParam1", "20 routes, 1 parameter", contender.Return, twenty, "/users/:id", "12345"),
		matched("TwentyParam2", "20 routes, 2 parameters", contender.Return, twenty, "/users/:id/posts/:post", "12345", "678"),
		matched("TwentyParam3", "20 routes, 3 parameters", contender.Return, twenty, "/orgs/:org/repos/:repo/issues/:issue", "acme", "widgets", "42"),
		matched("CatchAll", "20 routes, catch-all", contender.Return, twenty, "/static/*filepath", "css/site/main.css"),
		unmatched("NotFound", "404 on the GitHub API", http.StatusNotFound, github,
			get, "/nothing/here", get, "/repos/octocat/hello-world/nothing"),
		unmatched("MethodNotAllowed", "405 on the GitHub API", http.StatusMethodNotAllowed, github,
			"DELETE", "/emojis", "DELETE", "/repos/octocat/hello-world/languages"),
		behind,
	}
}

// Scales are the numbers of routes of generated APIs.
var Scales = []int{10, 100, 1000, 10_000}

// ScaleScenario requests every route of a generated API of n routes, in random
// order.
func ScaleScenario(n int) Scenario {
	set := routes.Scale(n)
	s := Scenario{
		Name: fmt.Sprint("Scale", n), Title: fmt.Sprintf("%d routes, random lookups", n),
		Spec: contender.Spec{Routes: set}, Status: http.StatusOK,
	}
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	// All paths are parts of one string, in the order of the requests, like the
	// input that a server has just read.
	var all strings.Builder
	ends := []int{}
	for _, id := range rng.Perm(n) {
		route := set[id]
		var values []string
		for range route.Names() {
			values = append(values, fmt.Sprint(rng.IntN(1_000_000)))
		}
		if route.CatchAll() {
			values[len(values)-1] += "/report.pdf"
		}
		all.WriteString(route.Path(values...))
		ends = append(ends, all.Len())
		s.Requests = append(s.Requests, Request{Method: route.Method, Route: id, Values: values})
	}
	paths, start := all.String(), 0
	for i, end := range ends {
		s.Requests[i].Path, start = paths[start:end], end
	}
	return s
}

// everyRoute requests each route of the set once.
func everyRoute(name, title string, set []routes.Route) Scenario {
	s := Scenario{Name: name, Title: title, Spec: contender.Spec{Routes: set}, Status: http.StatusOK}
	for id, r := range set {
		s.Requests = append(s.Requests, Request{r.Method, r.NamedPath(), id, r.Names()})
	}
	return s
}

// matched requests one path: that of the GET route with the pattern, with the
// values.
func matched(name, title string, work contender.Work, rs []routes.Route, pattern string, values ...string) Scenario {
	id := slices.Index(rs, routes.Route{Method: http.MethodGet, Pattern: pattern})
	return Scenario{
		Name: name, Title: title, Spec: contender.Spec{Routes: rs, Work: work}, Status: http.StatusOK,
		Requests: []Request{{http.MethodGet, rs[id].Path(values...), id, values}},
	}
}

func unmatched(name, title string, status int, rs []routes.Route, methodsAndPaths ...string) Scenario {
	s := Scenario{Name: name, Title: title, Spec: contender.Spec{Routes: rs}, Status: status}
	for i := 0; i < len(methodsAndPaths); i += 2 {
		s.Requests = append(s.Requests, Request{Method: methodsAndPaths[i], Path: methodsAndPaths[i+1], Route: -1})
	}
	return s
}
