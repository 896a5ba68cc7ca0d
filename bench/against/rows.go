package against

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/against/race"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Rows lists the suite's router scenarios in each mode.
func Rows() []race.Row {
	var rows []race.Row
	for _, mode := range []struct {
		name         string
		pooled, fast bool
	}{
		{"default", false, false},
		{"pooled", true, false},
		{"fast", false, true},
		{"fast pooled", true, true},
	} {
		add := func(r race.Row) {
			r.Name = mode.name + " " + r.Name
			r.Spec.Pooled, r.Spec.Fast = mode.pooled, mode.fast
			rows = append(rows, r)
		}
		for _, s := range append(bench.Scenarios(), bench.ScaleScenario(1000)) {
			row := rowOf(s)
			if mode.fast {
				if s.Spec.Middleware > 0 {
					continue
				}
				row = onlyGET(row)
			}
			if len(row.Requests) == 0 {
				continue
			}
			add(row)
			if s.Name == "Param1" || s.Name == "GitHub" {
				row.Name += ", fresh requests"
				row.Fresh = true
				add(row)
			}
		}
		if !mode.fast {
			add(headAndPost())
			for _, row := range constraints() {
				add(row)
			}
		}
	}
	register := race.Row{Name: "register 1000, each", Spec: race.Spec{Routes: routesOf(routes.Scale(1000).Routes)}}
	return append(rows, register)
}

func rowOf(s bench.Scenario) race.Row {
	row := race.Row{
		Name: s.Name, Status: s.Status,
		Spec: race.Spec{Routes: routesOf(s.Spec.Routes), Middleware: s.Spec.Middleware},
	}
	switch s.Spec.Work {
	case contender.Read:
		row.Spec.Work = race.Read
	case contender.Write:
		row.Spec.Work = race.Write
	}
	for _, r := range s.Requests {
		row.Requests = append(row.Requests, race.Request{Method: r.Method, Path: r.Path})
	}
	return row
}

func routesOf(rs []routes.Route) []race.Route {
	var out []race.Route
	for _, r := range rs {
		route := race.Route{Method: r.Method, Pattern: r.Pattern}
		if names := r.Names(); len(names) > 0 {
			route.First = names[0]
		}
		out = append(out, route)
	}
	return out
}

// onlyGET removes other requests than GET, because package race registers fast
// routes only for GET.
func onlyGET(row race.Row) race.Row {
	var requests []race.Request
	for _, r := range row.Requests {
		if r.Method == http.MethodGet || row.Status != http.StatusOK {
			requests = append(requests, r)
		}
	}
	row.Requests = requests
	return row
}

// headAndPost requests the GitHub API with other methods: HEAD for GET routes,
// and POST for POST routes.
func headAndPost() race.Row {
	set := routes.Load("github").Routes
	row := race.Row{Name: "GitHub HEAD and POST", Status: http.StatusOK, Spec: race.Spec{Routes: routesOf(set)}}
	for _, r := range set {
		switch r.Method {
		case http.MethodGet:
			row.Requests = append(row.Requests, race.Request{Method: http.MethodHead, Path: r.NamedPath()})
		case http.MethodPost:
			row.Requests = append(row.Requests, race.Request{Method: http.MethodPost, Path: r.NamedPath()})
		}
	}
	return row
}

// constraints requests parameters with constraints: alone, and beside literal
// segments, plain parameters and each other.
func constraints() []race.Row {
	row := func(name string, patterns, paths []string) race.Row {
		row := race.Row{Name: name, Status: http.StatusOK}
		for _, p := range patterns {
			row.Spec.Routes = append(row.Spec.Routes, race.Route{Method: http.MethodGet, Pattern: p, First: "id"})
		}
		for _, p := range paths {
			row.Requests = append(row.Requests, race.Request{Method: http.MethodGet, Path: p})
		}
		return row
	}
	one := []string{"/users/{id:[0-9]+}"}
	return []race.Row{
		row("constraint", one, []string{"/users/12345"}),
		row("constraint, long value", []string{"/blobs/{id:[0-9a-f]+}"}, []string{"/blobs/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}),
		row("constraints, types", []string{"/a/{id:int}", "/b/{id:uuid}"}, []string{"/a/12345", "/b/6ba7b810-9dad-11d1-80b4-00c04fd430c8"}),
		row("constraints, mixed", append(one, "/users/{id:[0-9]+}/posts/{post:[0-9]+}", "/users/me", "/users/{id}", "/users/{id}/posts", "/users/{id:[0-9]+}.json", "/articles/{id:[a-z-]+}"),
			[]string{"/users/12345", "/users/me", "/users/12345/posts/678", "/users/gordon", "/users/gordon/posts", "/users/12345.json", "/articles/here-we-go"}),
	}
}
