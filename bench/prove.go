package bench

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

const (
	wholeProof = 1000
	proofTime  = 2 * time.Second
)

// Prove checks that the contender routes the scenario correctly. It registers
// the scenario's routes with handlers that report the route and values, and
// returns an error for the first request with a wrong route, value or status.
// It repeats each matched request with different values. If there are more than
// wholeProof requests, it checks as many as proofTime allows. It uses
// contender.Seen and must not run concurrently.
func Prove(c contender.Contender, s Scenario) error {
	if c.In(contender.Floor) {
		if s.Status != http.StatusOK {
			return fmt.Errorf("there is no router that could reject a request")
		}
		return nil
	}
	return prove(c.Load, s)
}

func prove(load func(contender.Spec) http.Handler, s Scenario) (err error) {
	defer Recover(&err)
	spec := s.Spec
	spec.Work = contender.Report
	h := load(spec)
	serve := func(r Request) int {
		w := measure.NewWriter()
		h.ServeHTTP(w, measure.NewRequest(r.Method, r.Path))
		return w.Status
	}
	began := time.Now()
	for i, r := range s.Requests {
		if i > 20 && len(s.Requests) > wholeProof && time.Since(began) > proofTime {
			return nil
		}
		if err := proveOne(serve, r, s.Status); err != nil {
			return err
		}
		if r.Route < 0 || len(r.Values) == 0 {
			continue
		}
		other := r
		other.Values = nil
		for i := range r.Values {
			other.Values = append(other.Values, fmt.Sprintf("v%d", i))
		}
		route := spec.Routes[r.Route]
		if route.CatchAll() {
			other.Values[len(other.Values)-1] += "/rest.txt"
		}
		other.Path = route.Path(other.Values...)
		if err := proveOne(serve, other, s.Status); err != nil {
			return err
		}
	}
	return nil
}

func proveOne(serve func(Request) int, r Request, status int) error {
	contender.Seen.Route, contender.Seen.Values = -1, nil
	got := serve(r)
	seen := contender.Seen
	switch {
	case got != status:
		return fmt.Errorf("%s %s: status %d, want %d", r.Method, r.Path, got, status)
	case seen.Route != r.Route:
		return fmt.Errorf("%s %s: reached route %d, want %d", r.Method, r.Path, seen.Route, r.Route)
	case !slices.Equal(seen.Values, r.Values):
		return fmt.Errorf("%s %s: values %q, want %q", r.Method, r.Path, seen.Values, r.Values)
	}
	return nil
}
