package inspect

import (
	"net/http"
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

// TestExamine checks examples and warnings. Each row is a service. A route's warning
// follows a !, and the routes with a * are behind a login.
func TestExamine(t *testing.T) {
	h := http.NotFoundHandler()
	for _, lines := range [][]string{
		{"GET /a", "GET /:id", "GET /*rest", "/a", "/"},
		{"GET /{id:[0-9]+}", "GET /{name:[a-z]+}", "GET /{rest...}"},
		{"GET /{a:[a-z]+}", "GET /{b:[a-c]+} ! unreachable: /bab goes to GET /{a:[a-z]+}"},
		{"GET /{a:[a-c]+}", "GET /{b:[a-z]+} ! overlaps: /b goes to GET /{a:[a-c]+}, which was registered first"}, // reached, but not by b
		{"GET /{a:..*}", "GET /{b} ! goes to GET /{a:..*}"},
		{"GET /v{a:[0-9]+}", "GET /v{b:[0-9a-f]+} ! overlaps: ", "GET /v{c}"},
		{"GET /{name}.json", "GET /{name}.{ext}", "GET /v{major}.{minor}", "GET /{id}:cancel"},
		{`GET /{id:[0-9a-f]{8}-[0-9a-f]{4}}`, `GET /{day:\d{4}-\d{2}-\d{2}}`, "GET /{lang:en|de|fr}/x"},
		{"GET {tenant}.example.com/x", "GET api.example.com/x", "GET {sub...}.example.com/x", "GET /x"},
		{"GET /x/{$}", "GET /x/", "/x/y/", "POST /x/y"},
		{"GET /a/{x...}", "/a/b", "PUT /a/b", "BREW /a/b", "HEAD /a/b"},
		{"GET /a%2Fb/{x}", "GET /é/{x}", "GET /a%20b"},
		{"GET /1", "GET /{b:1|z}"},
		{"GET /{any:mount}/x ! unreachable: /mount/x is served without a route, by a redirect, a Route or a mounted Mux"},
		{"* GET /api/a", "* GET /api/b/x", "GET /api/c ! no authentication: most routes next to /c use inspect.requireLogin"},
		{"* GET /api/a", "* GET /api/b", "GET /api/health"},
		{"* GET /a", "POST /a ! no authentication: GET of this path uses inspect.requireLogin", "HEAD /a"},
		{"* GET /{a:1}", "* GET /2", "POST /{any:mount}/x ! no authentication: most routes next to /{any:mount} use inspect.requireLogin; unreachable: "},
	} {
		m := muxmaster.New()
		want := map[string]string{}
		for _, line := range lines {
			line, warning, _ := strings.Cut(line, " ! ")
			pattern, login := strings.CutPrefix(line, "* ")
			if want[pattern] = warning; login {
				m.With(requireLogin).Handle(pattern, h)
			} else {
				m.Handle(pattern, h)
			}
		}
		m.Mount("/mount", muxmaster.New())
		for _, r := range Examine(m) {
			warning := want[r.text()]
			if (r.Warning == "") != (warning == "") || !strings.Contains(r.Warning, warning) {
				t.Errorf("%q: %s has the warning %q, want %q", lines, r.text(), r.Warning, warning)
			}
			if (r.Example == "") != strings.Contains(r.Warning, "unreachable") {
				t.Errorf("%q: %s has the example %q", lines, r.text(), r.Example)
			}
		}
	}
	m := muxmaster.New()
	g := m.Group("/a")
	g.Handle("GET /{$}", h)
	g.Handle("GET ", h) // the bare prefix
	if list := Examine(m); list[0].Warning+list[1].Warning != "" || list[0].Example != "/a/" || list[1].Example != "/a" {
		t.Errorf("the root of a Group and its bare prefix: %+v", list)
	}
}

func TestPolicyAllowsThePageItself(t *testing.T) {
	var b strings.Builder
	if err := Handler(muxmaster.New()).(*routesPage).page(&b, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for open, end := range map[string]string{"<style>": "</style>", "<script>": "</script>"} {
		for _, rest := range strings.Split(text, open)[1:] {
			inline, _, _ := strings.Cut(rest, end)
			if !strings.Contains(policy, hash(inline)) {
				t.Errorf("the policy %q lacks the hash of %s%.80s", policy, open, inline)
			}
		}
	}
	if strings.Count(text, "<script>") != 3 || strings.Contains(policy, "unsafe") || strings.Contains(text, "style=") || strings.Contains(text, "{{") {
		t.Errorf("the page needs an unsafe policy, or lacks a part; the policy is %q", policy)
	}
}
