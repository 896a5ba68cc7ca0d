package inspect

import (
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

func TestSampleValue(t *testing.T) {
	values := sampler{}
	for _, expr := range []string{
		"", "[0-9]+", "[a-z]{2,5}", "en|de|fr", `\d{4}-\d{2}`, "(?i)abc", "[^/]+", ".+", "v[0-9]+(-rc)?", "[[:xdigit:]]{8}", `\w*x`, "(a|b)*c", "é+", "[^a-zA-Z0-9]+", `\p{Greek}`, "a{200}|b",
	} {
		seen := map[string]bool{}
		for n := range tries {
			value, ok := values.value(expr, n)
			if ok {
				seen[value] = true
			}
		}
		if len(seen) == 0 {
			t.Errorf("no value found for %q", expr)
		}
	}
	if value, _ := values.value(strings.Repeat("(", 60)+strings.Repeat(")*", 60), 2); value != "" { // must not take 3^60 steps
		t.Errorf("nested repetitions: got %q", value)
	}
	for _, expr := range []string{"[^\x00-\U0010ffff]", "(", `a\bb`} {
		if value, ok := values.value(expr, 0); ok {
			t.Errorf("%q should match %q", expr, value)
		}
	}
}

// serves simulates a router: it maps requests to the indexes of routes.
type serves map[string]int

func (s serves) served(_ int, method, target string) int {
	if i, ok := s[method+" "+target]; ok {
		return i
	}
	return -1
}

func TestExamine(t *testing.T) {
	login := []string{"example.com/x.requireLogin"}
	mount := muxmaster.Route{Handler: "*x.Handler", File: "f.go", Line: 3}
	bare, below := mount, mount
	bare.Pattern, below.Pattern, below.Below = "/m", "/m/", true
	tests := []struct {
		name    string
		routes  []muxmaster.Route
		served  serves
		index   int // of the route to check
		example string
		warning string
		mount   bool
	}{
		{"static", []muxmaster.Route{{Method: "GET", Pattern: "/a"}}, serves{"GET /a": 0}, 0, "/a", "", false},
		{"parameter", []muxmaster.Route{{Method: "GET", Pattern: "/a/:id"}}, serves{"GET /a/abc": 0}, 0, "/a/abc", "", false},
		{"host", []muxmaster.Route{{Method: "GET", Host: "{t}.x.org", Pattern: "/"}}, serves{"GET http://a.x.org/": 0}, 0, "http://a.x.org/", "", false},
		{"any method", []muxmaster.Route{{Pattern: "/a"}, {Method: "GET", Pattern: "/a"}}, serves{"GET /a": 1, "POST /a": 0}, 0, "/a", "", false},
		{"hidden", []muxmaster.Route{{Method: "GET", Pattern: "/a"}, {Method: "GET", Pattern: "/*p"}}, serves{"GET /a": 1}, 0, "", "unreachable: /a goes to GET /*p", false},
		{"served without a route", []muxmaster.Route{{Method: "GET", Pattern: "/a"}}, nil, 0, "", "unreachable: /a is served without a route", false},
		{"overlap", []muxmaster.Route{{Method: "GET", Pattern: "/{a:[0-9]+}"}, {Method: "GET", Pattern: "/{b:1|z}"}},
			serves{"GET /1": 0, "GET /z": 1}, 1, "/z", "overlaps: /1 goes to GET /{a:[0-9]+}", false},
		{"by design", []muxmaster.Route{{Method: "GET", Pattern: "/1"}, {Method: "GET", Pattern: "/{b:1|z}"}},
			serves{"GET /1": 0, "GET /z": 1}, 1, "/z", "", false},
		{"mount", []muxmaster.Route{bare, below}, serves{"GET /m": 0, "GET /m/": 1}, 1, "/m/", "", true},
		{"login", []muxmaster.Route{
			{Method: "GET", Pattern: "/api/a", Middleware: login}, {Method: "GET", Pattern: "/api/b/x", Middleware: login},
			{Method: "GET", Pattern: "/api/c"},
		}, serves{"GET /api/c": 2}, 2, "/api/c", "no authentication: most routes next to /c use x.requireLogin", false},
		{"public", []muxmaster.Route{
			{Method: "GET", Pattern: "/api/a", Middleware: login}, {Method: "GET", Pattern: "/api/b", Middleware: login},
			{Method: "GET", Pattern: "/api/health"},
		}, serves{"GET /api/health": 2}, 2, "/api/health", "", false},
		{"method", []muxmaster.Route{{Method: "GET", Pattern: "/a", Middleware: login}, {Method: "POST", Pattern: "/a"}},
			serves{"POST /a": 1}, 1, "/a", "no authentication: GET of this path uses x.requireLogin", false},
		{"two", []muxmaster.Route{{Method: "GET", Pattern: "/a", Middleware: login}, {Method: "POST", Pattern: "/a"}},
			nil, 1, "", "no authentication: GET of this path uses x.requireLogin; unreachable", false},
	}
	for _, tt := range tests {
		var routes []Route
		for _, r := range tt.routes {
			routes = append(routes, Route{Route: r})
		}
		markMounts(routes)
		addGuards(routes)
		addExamples(routes, tt.served.served)
		r := routes[tt.index]
		if r.Example != tt.example || r.Mount != tt.mount || !strings.Contains(r.Warning, tt.warning) || (r.Warning == "") != (tt.warning == "") {
			t.Errorf("%s: example %q, mount %v, warning %q; want %q, %v, %q", tt.name, r.Example, r.Mount, r.Warning, tt.example, tt.mount, tt.warning)
		}
	}
}

func TestPolicyAllowsThePageItself(t *testing.T) {
	var b strings.Builder
	if err := Handler(muxmaster.New()).(*routesPage).page(&b, noFlush); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for open, end := range map[string]string{"<style>": "</style>", "<script>": "</script>"} {
		if strings.Count(text, open) != 1 {
			t.Fatalf("the page has more or less than one %s", open)
		}
		_, rest, _ := strings.Cut(text, open)
		inline, _, _ := strings.Cut(rest, end)
		if !strings.Contains(policy, hash(inline)) {
			t.Errorf("the policy %q lacks the hash of what is in %s", policy, open)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(text, "style=") || strings.Contains(text, "{{") {
		t.Errorf("the page needs an unsafe policy, or lacks a part; the policy is %q", policy)
	}
}
