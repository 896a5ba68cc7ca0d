package muxmaster_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// add registers the routes of a list separated by |, each with a handler that
// writes the route's text:
//
//	GET /x            a verb method, for one method or several: GET,POST /x
//	ANY /x            every method
//	Handle PUT h/x    Handle with the rest as its pattern
//	Mount /x          a plain handler mounted at /x
func add(to muxmaster.Router, list string) {
	for _, text := range strings.Split(list, "|") {
		if text == "" {
			continue
		}
		method, path, _ := strings.Cut(text, " ")
		switch method {
		case "Handle":
			to.Handle(path, tell(text))
		case "Mount":
			to.Mount(path, tell(text))
		case "ANY":
			to.ANY(path, tell(text))
		default:
			to.Method(method, path, tell(text))
		}
	}
}

// shuffled returns the routes of a list in several orders.
func shuffled(list string) (orders []string) {
	routes := strings.Split(list, "|")
	for seed := range uint64(5) {
		order := slices.Clone(routes)
		rand.New(rand.NewPCG(seed, 11)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		orders = append(orders, strings.Join(order, "|"))
	}
	return orders
}

// agrees returns an error if Handler or Explain disagree with the response.
// They run no middleware, so the Mux must have no Pre middleware.
func agrees(t *testing.T, m *muxmaster.Mux, host, method, target string) {
	t.Helper()
	served := requestTo(t, host, method, target)
	got := ask(m, served)
	_, pattern := m.Handler(requestTo(t, host, method, target))
	if got.status == http.StatusOK && pattern != served.Pattern {
		t.Errorf("%s %s%s: Handler says %q, served by %q", method, host, target, pattern, served.Pattern)
	}
	e := m.Explain(method, "http://"+host+target)
	switch {
	case got.status == http.StatusOK && (e.Route == nil || !strings.HasSuffix(served.Pattern, e.Route.Pattern)):
		t.Errorf("%s %s%s: served by %q, but Explain says\n%v", method, host, target, served.Pattern, e)
	case got.status != http.StatusOK && (e.Route != nil || e.Status != got.status || e.Location != got.location || e.Allow != got.allow):
		t.Errorf("%s %s%s: answered %s, but Explain says\n%v", method, host, target, got.brief(), e)
	}
}
