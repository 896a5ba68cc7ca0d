package bench

import (
	"testing"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
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
				run := func(name string, task func(Loaded) measure.Task) {
					b.Run(name, func(b *testing.B) {
						if err := Prove(c, s); err != nil {
							b.Skip(err)
						}
						l, err := Load(c, s)
						if err != nil {
							b.Skip(err)
						}
						Benchmark(b, task(l))
					})
				}
				run(s.Name, Loaded.Task)
				if s.Name == "Param1" || s.Name == "GitHub" {
					run(s.Name+"Fresh", Loaded.Fresh)
				}
			}
		})
	}
}
