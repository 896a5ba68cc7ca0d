package bench

import (
	"runtime"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Heap measures the bytes that the contender's router retains after registering
// these routes and serving one request.
func Heap(c contender.Contender, rs []routes.Route) (bytes float64, err error) {
	defer Recover(&err)
	return measure.Heap(func() any { return LoadAndServe(c, rs) }), nil
}

// Registration measures the time to register all routes and serve one request,
// in nanoseconds per route. It returns the given number of samples, or fewer if
// they take longer than limit.
func Registration(c contender.Contender, rs []routes.Route, samples int, limit time.Duration) (ns []float64, err error) {
	defer Recover(&err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for began := time.Now(); len(ns) < samples && (ns == nil || time.Since(began) < limit); {
		runtime.GC()
		start := time.Now()
		LoadAndServe(c, rs)
		ns = append(ns, float64(time.Since(start).Nanoseconds())/float64(len(rs)))
	}
	return ns, nil
}

// LoadAndServe builds a router and serves a request, because some routers do
// part of their work only then.
func LoadAndServe(c contender.Contender, rs []routes.Route) any {
	first := Request{Method: rs[0].Method, Path: rs[0].NamedPath()}
	h := c.Load(contender.Spec{Routes: rs})
	runner(h, false)(1, []Request{first})
	return h
}
