package bench

import (
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
	for _, tt := range []struct {
		name  string
		spoil func(*contender.Contender, *Scenario)
	}{
		{"a route is missing", func(_ *contender.Contender, s *Scenario) { s.Spec.Routes = s.Spec.Routes[:12] }},
		{"two routes are exchanged", func(_ *contender.Contender, s *Scenario) {
			s.Spec.Routes[1], s.Spec.Routes[7] = s.Spec.Routes[7], s.Spec.Routes[1]
		}},
		{"handlers report nothing", func(c *contender.Contender, _ *Scenario) {
			r := c.New(0)
			add := r.Add
			r.Add = func(method, path string, _ *contender.Handler) { add(method, path, new(contender.Handler)) }
			c.New = func(int) contender.Router { return r }
		}},
	} {
		c, err := contender.Named("httprouter")
		if err != nil {
			t.Fatal(err)
		}
		s := scenario("GPlus")
		tt.spoil(&c, &s)
		if err := Prove(c, s); err == nil {
			t.Errorf("%s: the proof passed", tt.name)
		}
	}
}
