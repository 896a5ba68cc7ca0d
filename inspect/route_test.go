package inspect

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestExamineIsLinear examines many routes of a Mux that hasn't served a
// request. If each look at them compiled them, it would take minutes.
func TestExamineIsLinear(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {}
	mux := func(groups int) *muxmaster.Mux {
		m := muxmaster.New()
		for i := range groups {
			g := m.Group(fmt.Sprintf("/service%d/resource%d", i%50, i))
			g.GET("/", h)
			g.POST("/", h)
			g.GET("/{id:[0-9]+}", h)
			g.DELETE("/{id:[0-9]+}", h)
		}
		return m
	}
	allocs := func(groups int) float64 {
		m := mux(groups)
		return testing.AllocsPerRun(1, func() { Examine(m) })
	}
	if small, large := allocs(25), allocs(100); large > 5*small {
		t.Fatalf("%v allocations for 25 Groups, %v for 100", small, large)
	}
	m := mux(1000)
	if routes := Examine(m); len(routes) != 4000 || routes[1].Example == "" {
		t.Errorf("got %d routes, the second is %+v", len(routes), routes[1])
	}
}
