package bench_test

import (
	"testing"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

func BenchmarkReg(b *testing.B) {
	rs := routes.Scale(10000).Routes
	c, _ := contender.Named("muxmaster")
	b.ReportAllocs()
	for b.Loop() {
		bench.LoadAndServe(c, rs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10000, "ns/route")
}
