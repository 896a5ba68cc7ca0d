package inspect

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestExamineIsLinear examines many routes of a Mux that hasn't served a
// request. If each look at them compiled them, it would take minutes.
func TestExamineIsLinear(t *testing.T) {
	m := muxmaster.New()
	h := func(http.ResponseWriter, *http.Request) {}
	for i := range 1000 {
		g := m.Group(fmt.Sprintf("/service%d/resource%d", i%50, i))
		g.GET("/", h)
		g.POST("/", h)
		g.GET("/{id:[0-9]+}", h)
		g.DELETE("/{id:[0-9]+}", h)
	}
	start := time.Now()
	routes := Examine(m)
	t.Logf("%d routes took %v", len(routes), time.Since(start))
	if len(routes) != 4000 || routes[1].Example == "" {
		t.Errorf("got %d routes, the second is %+v", len(routes), routes[1])
	}
	m.GET("/later", h)
	if _, ok := m.Lookup(newRequest("GET", "/later")); !ok {
		t.Error("Lookup doesn't find a route that was registered after another Lookup")
	}
	m.RedirectTrailingSlash = false
	if e := m.Explain("GET", "/later/"); e.Status != 404 {
		t.Errorf("after a field was changed: %v", e.Status)
	}
}
