package bench

import (
	"testing"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
)

// BenchmarkShowdown is the suite for those who want Go's own output:
//
//	go test -bench 'Showdown/.*/GitHub'
//	go test -bench 'Showdown/muxmaster.*/Param1$'
//
// One operation is one request. Contenders run one after the other here; the
// command showdown lets them take turns.
func BenchmarkShowdown(b *testing.B) {
	for _, c := range contender.All() {
		b.Run(c.Name, func(b *testing.B) {
			for _, s := range append(Scenarios(), ScaleScenario(1000), ScaleScenario(10_000)) {
				b.Run(s.Name, func(b *testing.B) {
					if err := Prove(c, s); err != nil {
						b.Skip(err)
					}
					l, err := Load(c, s)
					if err != nil {
						b.Skip(err)
					}
					task := l.Task()
					task.Run(1)
					b.ReportAllocs()
					// Whole passes, so that every route has its share.
					passes := (b.N + task.Ops - 1) / task.Ops
					b.ResetTimer()
					task.Run(passes)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(passes*task.Ops), "ns/op")
				})
			}
		})
	}
}
