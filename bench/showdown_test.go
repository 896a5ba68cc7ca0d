package bench

import (
	"net/http"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// BenchmarkShowdown runs the suite as a Go benchmark:
//
//	go test -bench 'Showdown/.*/GitHub'
//	go test -bench 'Showdown/muxmaster.*/Param1$'
//	go test -bench 'Showdown/.*/GitHubFresh'
//
// One operation is one request. The Fresh benchmarks use a new request for each
// call, like a server, and don't measure its creation. Here, contenders run one
// after the other; the command showdown interleaves them.
func BenchmarkShowdown(b *testing.B) {
	for _, c := range contender.All() {
		b.Run(c.Name, func(b *testing.B) {
			for _, s := range append(Scenarios(), ScaleScenario(1000), ScaleScenario(10_000)) {
				run(b, c, s, s.Name, Loaded.Task)
				if s.Name == "Param1" || s.Name == "GitHub" {
					run(b, c, s, s.Name+"Fresh", Loaded.Fresh)
				}
			}
		})
	}
}

func run(b *testing.B, c contender.Contender, s Scenario, name string, task func(Loaded) measure.Task) {
	b.Run(name, func(b *testing.B) {
		if err := Prove(c, s); err != nil {
			b.Skip(err)
		}
		l, err := Load(c, s)
		if err != nil {
			b.Skip(err)
		}
		measure.Benchmark(b, task(l))
	})
}

// BenchmarkOurs measures what only our router has, and other methods of the
// GitHub API. The command against runs it, too.
func BenchmarkOurs(b *testing.B) {
	other := map[string]string{http.MethodGet: http.MethodHead, http.MethodPost: http.MethodPost}
	headAndPost := Scenario{Name: "HEADAndPOST", Status: http.StatusOK}
	headAndPost.Spec.Routes = routes.Load("github").Routes
	for id, r := range headAndPost.Spec.Routes {
		if method := other[r.Method]; method != "" {
			headAndPost.Requests = append(headAndPost.Requests, Request{method, r.NamedPath(), id, r.Names()})
		}
	}
	constraints := func(name string, patternsAndPaths ...string) Scenario {
		s := Scenario{Name: name, Status: http.StatusOK}
		for i := 0; i < len(patternsAndPaths); i += 2 {
			s.Spec.Routes = append(s.Spec.Routes, routes.Route{Method: http.MethodGet, Pattern: patternsAndPaths[i]})
			s.Requests = append(s.Requests, Request{Method: http.MethodGet, Path: patternsAndPaths[i+1], Route: i / 2})
		}
		return s
	}
	for _, c := range []contender.Contender{contender.Muxmaster("muxmaster", false, false), contender.Muxmaster("muxmaster pooled", true, false)} {
		b.Run(c.Name, func(b *testing.B) {
			for _, s := range []Scenario{
				headAndPost,
				constraints("Constraint", "/users/{id:[0-9]+}", "/users/12345"),
				constraints("ConstraintTypes", "/a/{id:int}", "/a/12345", "/b/{id:uuid}", "/b/6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
				constraints("ConstraintsMixed", "/users/{id:[0-9]+}", "/users/12345", "/users/{id:[0-9]+}/posts/{post:[0-9]+}", "/users/12345/posts/678",
					"/users/me", "/users/me", "/users/{id}", "/users/gordon", "/users/{id}/posts", "/users/gordon/posts",
					"/users/{id:[0-9]+}.json", "/users/12345.json", "/articles/{id:[a-z-]+}", "/articles/here-we-go"),
			} {
				run(b, c, s, s.Name, Loaded.Task)
			}
			b.Run("Register1000", func(b *testing.B) {
				rs := routes.Scale(1000).Routes
				measure.Benchmark(b, measure.Task{Ops: len(rs), Run: func(times int) {
					for range times {
						LoadAndServe(c, rs)
					}
				}})
			})
		})
	}
}
