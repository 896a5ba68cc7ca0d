// Package side measures one version of the router. Package against copies it,
// and the parts of this module that it needs, once for each version. They use
// only the API that all versions have.
package side

import (
	"fmt"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Row is one line of the comparison.
type Row struct {
	Name string
	Slow bool // one operation takes milliseconds

	contender contender.Contender
	scenario  bench.Scenario
	task      func(bench.Loaded) measure.Task
}

// Rows lists the suite's scenarios in each mode of the router.
func Rows() (rows []Row) {
	for _, mode := range []struct {
		name         string
		pooled, fast bool
	}{
		{"default", false, false},
		{"pooled", true, false},
		{"fast", false, true},
		{"fast pooled", true, true},
	} {
		add := func(s bench.Scenario, suffix string, task func(bench.Loaded) measure.Task) {
			name := mode.name + " " + s.Name + suffix
			rows = append(rows, Row{Name: name, contender: contender.Muxmaster(mode.name, mode.pooled, mode.fast), scenario: s, task: task})
		}
		for _, s := range append(bench.Scenarios(), bench.ScaleScenario(1000)) {
			add(s, "", bench.Loaded.Task)
			if s.Name == "Param1" || s.Name == "GitHub" {
				add(s, ", fresh requests", bench.Loaded.Fresh)
			}
		}
		if !mode.fast {
			add(headAndPost(), "", bench.Loaded.Task)
			for _, s := range constraints() {
				add(s, "", bench.Loaded.Task)
			}
		}
	}
	register := Row{Name: "register 1000, each", Slow: true, contender: contender.Muxmaster("default", false, false), scenario: bench.ScaleScenario(1000)}
	return append(rows, register)
}

// Task returns the task of a row. It checks the router's responses before.
func Task(row string) (measure.Task, error) {
	for _, r := range Rows() {
		if r.Name != row {
			continue
		}
		if r.Slow {
			all := r.scenario.Spec.Routes
			return measure.Task{Ops: len(all), Run: func(times int) {
				for range times {
					bench.LoadAndServe(r.contender, all)
				}
			}}, nil
		}
		if err := bench.Prove(r.contender, r.scenario); err != nil {
			return measure.Task{}, err
		}
		l, err := bench.Load(r.contender, r.scenario)
		return r.task(l), err
	}
	return measure.Task{}, fmt.Errorf("there is no row %q", row)
}

// headAndPost requests the GitHub API with other methods: HEAD for GET routes,
// and POST for POST routes.
func headAndPost() bench.Scenario {
	set := routes.Load("github").Routes
	s := bench.Scenario{Name: "GitHub HEAD and POST", Status: http.StatusOK, Spec: contender.Spec{Routes: set}}
	other := map[string]string{http.MethodGet: http.MethodHead, http.MethodPost: http.MethodPost}
	for id, r := range set {
		if method := other[r.Method]; method != "" {
			s.Requests = append(s.Requests, bench.Request{Method: method, Path: r.NamedPath(), Route: id, Values: r.Names()})
		}
	}
	return s
}

// constraints requests parameters with constraints: alone, and beside literal
// segments, plain parameters and each other.
func constraints() []bench.Scenario {
	scenario := func(name string, patternsAndPaths ...string) bench.Scenario {
		s := bench.Scenario{Name: name, Status: http.StatusOK}
		for i := 0; i < len(patternsAndPaths); i += 2 {
			s.Spec.Routes = append(s.Spec.Routes, routes.Route{Method: http.MethodGet, Pattern: patternsAndPaths[i]})
			s.Requests = append(s.Requests, bench.Request{Method: http.MethodGet, Path: patternsAndPaths[i+1], Route: i / 2})
		}
		return s
	}
	return []bench.Scenario{
		scenario("constraint", "/users/{id:[0-9]+}", "/users/12345"),
		scenario("constraint, long value", "/blobs/{id:[0-9a-f]+}", "/blobs/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
		scenario("constraints, types", "/a/{id:int}", "/a/12345", "/b/{id:uuid}", "/b/6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
		scenario("constraints, mixed",
			"/users/{id:[0-9]+}", "/users/12345",
			"/users/{id:[0-9]+}/posts/{post:[0-9]+}", "/users/12345/posts/678",
			"/users/me", "/users/me",
			"/users/{id}", "/users/gordon",
			"/users/{id}/posts", "/users/gordon/posts",
			"/users/{id:[0-9]+}.json", "/users/12345.json",
			"/articles/{id:[a-z-]+}", "/articles/here-we-go"),
	}
}
