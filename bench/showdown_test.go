package bench

import (
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

var proven = flag.Bool("proven", false, "don't check the routers before the benchmarks")

// scenario returns the scenario with a name.
func scenario(name string) Scenario {
	all := Scenarios()
	return all[slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name })]
}

// each runs benchmarks of all contenders. The command showdown runs them in
// rounds, one scenario after the other.
func each(b *testing.B, contenders []contender.Contender, run func(b *testing.B, c contender.Contender)) {
	for _, c := range contenders {
		b.Run(strings.ReplaceAll(c.Name, "/", "-"), func(b *testing.B) { run(b, c) })
	}
}

// serve measures a contender in a scenario.
func serve(b *testing.B, c contender.Contender, s Scenario, name string, task func(Loaded) measure.Task) {
	var loaded measure.Task // once, for all numbers of operations
	b.Run(name, func(b *testing.B) {
		if loaded.Run == nil {
			if !*proven {
				if err := Prove(c, s); err != nil {
					b.Skip(err)
				}
			}
			l, err := Load(c, s)
			if err != nil {
				b.Skip(err)
			}
			loaded = task(l)
		}
		measure.Benchmark(b, loaded)
	})
}

// BenchmarkShowdown measures the time of requests:
//
//	go test -bench 'Showdown/.*/GitHub$'
//	go test -bench 'Showdown/muxmaster.*/Param1$'
//	go test -bench 'Showdown/.*/GitHubFresh'
//
// One operation is one request. The Fresh benchmarks reset the request before each
// call, because a server's is new.
func BenchmarkShowdown(b *testing.B) {
	each(b, contender.All(), func(b *testing.B, c contender.Contender) {
		for _, s := range Scenarios() {
			serve(b, c, s, s.Name, Loaded.Task)
			if s.Name == "Param1" || s.Name == "GitHub" {
				serve(b, c, s, s.Name+"Fresh", Loaded.Fresh)
			}
		}
	})
}

// BenchmarkParallel uses one goroutine for each processor.
func BenchmarkParallel(b *testing.B) {
	n := runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	s := scenario("Param1")
	each(b, contender.All(), func(b *testing.B, c contender.Contender) {
		serve(b, c, s, s.Name, func(l Loaded) measure.Task { return l.Spread(n) })
	})
}

// BenchmarkScale measures lookups in generated APIs.
func BenchmarkScale(b *testing.B) {
	var scenarios []Scenario
	for _, n := range Scales {
		scenarios = append(scenarios, ScaleScenario(n))
	}
	each(b, contender.All(), func(b *testing.B, c contender.Contender) {
		for _, s := range scenarios {
			serve(b, c, s, s.Name, Loaded.Task)
		}
	})
}

// BenchmarkRegister measures the time to register all routes of a generated API
// and serve one request. One operation is one route.
func BenchmarkRegister(b *testing.B) {
	each(b, contender.All(), func(b *testing.B, c contender.Contender) {
		for _, n := range Scales {
			b.Run(fmt.Sprint("Scale", n), func(b *testing.B) {
				rs := routes.Scale(n)
				if err := rejects(c, rs); err != nil {
					b.Skip(err)
				}
				measure.Benchmark(b, measure.Task{Ops: n, Run: func(times int) {
					for range times {
						LoadAndServe(c, rs)
					}
				}})
			})
		}
	})
}

func rejects(c contender.Contender, rs []routes.Route) (err error) {
	defer Recover(&err)
	LoadAndServe(c, rs)
	return nil
}

// BenchmarkHeap reports the bytes that a router retains after registering routes
// and serving one request.
func BenchmarkHeap(b *testing.B) {
	each(b, contender.All(), func(b *testing.B, c contender.Contender) {
		for _, set := range []string{"static", "github", "gplus", "parse"} {
			heap := 0.0
			b.Run(set, func(b *testing.B) {
				rs := routes.Load(set)
				if err := rejects(c, rs); err != nil {
					b.Skip(err)
				}
				if heap == 0 {
					heap = measure.Heap(func() any { return LoadAndServe(c, rs) })
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(heap, "heap-bytes")
			})
		}
	})
}

// BenchmarkOurs measures what only our router has, and other methods of the
// GitHub API.
func BenchmarkOurs(b *testing.B) {
	other := map[string]string{http.MethodGet: http.MethodHead, http.MethodPost: http.MethodPost}
	headAndPost := Scenario{Name: "HEADAndPOST", Status: http.StatusOK}
	headAndPost.Spec.Routes = routes.Load("github")
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
	modes := []contender.Contender{contender.Muxmaster("muxmaster", false, false), contender.Muxmaster("muxmaster pooled", true, false)}
	each(b, modes, func(b *testing.B, c contender.Contender) {
		for _, s := range []Scenario{
			headAndPost,
			constraints("Constraint", "/users/{id:[0-9]+}", "/users/12345"),
			constraints("ConstraintTypes", "/a/{id:int}", "/a/12345", "/b/{id:uuid}", "/b/6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
			constraints("ConstraintsMixed", "/users/{id:[0-9]+}", "/users/12345", "/users/{id:[0-9]+}/posts/{post:[0-9]+}", "/users/12345/posts/678",
				"/users/me", "/users/me", "/users/{id}", "/users/gordon", "/users/{id}/posts", "/users/gordon/posts",
				"/users/{id:[0-9]+}.json", "/users/12345.json", "/articles/{id:[a-z-]+}", "/articles/here-we-go"),
		} {
			serve(b, c, s, s.Name, Loaded.Task)
		}
	})
}
