package bench

import (
	"net/http"
	"slices"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
)

// cannot lists the known errors of Prove. All other contenders must pass all
// scenarios.
var cannot = map[string]string{
	"beego/MethodNotAllowed":              "DELETE /emojis: status 404, want 405",
	"bone/Static":                         "GET /articles/wiki/: reached route 31, want 34",
	"bone/CatchAll":                       `GET /static/css/site/main.css: values [""], want ["css/site/main.css"]`,
	"bone/Scale500":                       `GET /kegica/mago/files/676653/report.pdf: values [""], want ["676653/report.pdf"]`,
	"bunrouter/MethodNotAllowed":          "DELETE /repos/octocat/hello-world/languages: status 404, want 405",
	"bunrouter (compat)/MethodNotAllowed": "DELETE /repos/octocat/hello-world/languages: status 404, want 405",
	"goji v2/MethodNotAllowed":            "DELETE /emojis: status 404, want 405",
	"macaron/MethodNotAllowed":            "DELETE /emojis: status 404, want 405",
	"no router/NotFound":                  "there is no router that could reject a request",
	"no router/MethodNotAllowed":          "there is no router that could reject a request",
}

func TestEveryContenderRoutesCorrectly(t *testing.T) {
	for _, c := range contender.All() {
		for _, s := range append(Scenarios(), ScaleScenario(500)) {
			got := ""
			if err := Prove(c, s); err != nil {
				got = err.Error()
			}
			if want := cannot[c.Name+"/"+s.Name]; got != want {
				t.Errorf("%s, %s: Prove returned %q, want %q", c.Name, s.Name, got, want)
			}
		}
	}
}

func TestProveRejectsWrongRouters(t *testing.T) {
	s := scenario("GPlus")
	httprouter, err := contender.Named("httprouter")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		spoil func(*contender.Spec)
	}{
		{"a route is missing", func(s *contender.Spec) { s.Routes = s.Routes[:12] }},
		{"two routes are exchanged", func(s *contender.Spec) { s.Routes[1], s.Routes[7] = s.Routes[7], s.Routes[1] }},
		{"handlers report nothing", func(s *contender.Spec) { s.Work = contender.Return }},
	} {
		load := func(spec contender.Spec) http.Handler {
			spec.Routes = slices.Clone(spec.Routes)
			tt.spoil(&spec)
			return httprouter.Load(spec)
		}
		if err := prove(load, s); err == nil {
			t.Errorf("%s: the proof passed", tt.name)
		}
	}
}
