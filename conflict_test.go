package muxmaster_test

import (
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		a, b     string // patterns of Handle, or verb:METHOD path
		conflict bool
	}{
		{"/x", "/x", true},
		{"GET /x", "GET /x", true},
		{"GET /x", "/x", false},
		{"GET /x", "HEAD /x", false},
		{"GET,POST /x", "POST /x", true},
		{"GET,POST /x", "PUT,DELETE /x", false},
		{"GET,POST /x", "/x", false},
		{"BREW /x", "BREW /x", true},
		{"BREW /x", "brew /x", false},
		{"/:a", "/{b}", true},
		{"/:a", "/{b:[0-9]+}", false},
		{"/{a:[0-9]+}", "/{b:[0-9]+}", true},
		{"/{a:[0-9]+}", "/{b:[0-9]*}", false},
		{"/{a:int}", "/{b:int}", true},
		{"/{a:int}", "/{b:-?[0-9]+}", true},
		{"/{a:int}", "/{b:uuid}", false},
		{"/:a", "/*rest", false},
		{"/*a", "/{b...}", true},
		{"/", "/*b", true},
		{"/", "/{b...}", true},
		{"/", "/{$}", false},
		{"/x/", "/x", false},
		{"/:a/x", "/:b/y", false},
		{"/:a/x", "/{b}/x", true},
		{"/a/:id", "/a/:name/x", false},
		{"/v{a}", "/v{b}", true},
		{"/v{a}", "/v:b", true},
		{"/v{a}", "/w{a}", false},
		{"/{a}v", "/v{a}", false},
		{"/{a}.{b}", "/{c}.{d}", true},
		{"/{a}.{b}", "/{a}-{b}", false},
		{"/{x}/a", "/b/{y}", false},
		{"/{a...}/x", "/{b...}/x", true},
		{"/{a...}/x", "/{b}/x", false},
		{"/{a...}/x", "/{b...}", false},
		{"/{a...}/x", "/{b...}/y", false},
		{"/{a...}/{x}", "/{b...}/{y}", true},
		{"/{a...}/x/", "/{b...}/x/{c...}", true},
		{"/{a...}/", "/{a...}/{$}", false},
		{"/{a...}/x", "/%2A/x", false},
		{"GET /{a...}/x", "POST /{b...}/x", false},
		{"GET,POST h/{a...}/x", "POST h/{b...}/x", true},
		{"h/{a...}/x", "/{b...}/x", false},
		{"verb:GET /{a...}/x/", "GET /{b...}/x/{$}", true},
		{"h/x", "/x", false},
		{"h/x", "g/x", false},
		{"h/x", "H./x", true},
		{"h/x", "h:80/x", false},
		{"h:80/x", "H.:80/x", true},
		{"/a%2Fb", "/a%2fb", true},
		{"/%61", "/a", true},
		{"/a%2Fb", "/a/b", false},
		{"/%7Ba%7D", "/{a}", false},
		{"/%2Aa", "/*a", false},
		{"verb:GET /x", "GET /x", true},
		{"verb:GET /x/", "GET /x/{$}", true},
		{"verb:GET /x/", "GET /x/", false}, // one path, and everything below
		{"verb:ANY /x", "/x", true},
		{"verb:ANY /x", "GET /x", false},
		{"verb:ANY /x/", "verb:ANY /x/{$}", true},
		{"verb:GET /:a/*b", "GET /{c}/", true},
	} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			for _, served := range []bool{false, true} {
				m := muxmaster.New()
				m.GET("/earlier/:x", tell("earlier"))
				add := func(p string) {
					verb, ok := strings.CutPrefix(p, "verb:")
					if !ok {
						m.Handle(p, tell(p))
						return
					}
					method, path, _ := strings.Cut(verb, " ")
					map[string]func(string, http.HandlerFunc){"GET": m.GET, "ANY": m.ANY}[method](path, tell(p))
				}
				add(a)
				if served {
					get(t, m, "GET", "/earlier/1")
				}
				text := panics(func() { add(b) })
				if (text != "") != c.conflict {
					t.Errorf("%q, then %q: panic %q, want a conflict: %v", a, b, text, c.conflict)
					continue
				}
				if got := get(t, m, "GET", "/earlier/1"); got != "earlier" {
					t.Errorf("%q, then %q: an earlier route answers %s", a, b, got)
				}
				if !c.conflict {
					continue
				}
				quoted := func(p string) string {
					return fmt.Sprintf("%q", strings.Replace(strings.Replace(p, "verb:ANY ", "", 1), "verb:", "", 1))
				}
				if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, quoted(a)) || !strings.Contains(text, quoted(b)) {
					t.Errorf("%q, then %q: %q does not quote both", a, b, text)
				}
				if n := len(regexp.MustCompile(`conflict_test\.go:\d+`).FindAllString(text, -1)); n != 2 {
					t.Errorf("%q, then %q: %q names %d places in this file, want 2", a, b, text, n)
				}
			}
		}
	}
}

// Each registration method reports the line of its caller.
func TestConflictNamesTheCaller(t *testing.T) {
	for name, add := range map[string]func(m *muxmaster.Mux) int{
		"GET":        func(m *muxmaster.Mux) int { m.GET("/x", tell("")); return line() },
		"GETFast":    func(m *muxmaster.Mux) int { m.GETFast("/x", fastValues); return line() },
		"Handle":     func(m *muxmaster.Mux) int { m.Handle("GET /x", tell("")); return line() },
		"HandleFunc": func(m *muxmaster.Mux) int { m.HandleFunc("GET /x", tell("")); return line() },
		"HandleFast": func(m *muxmaster.Mux) int { m.HandleFast("GET /x", fastValues); return line() },
		"TryHandle": func(m *muxmaster.Mux) int {
			err := m.TryHandle("GET /x", tell(""))
			l := line() - 1
			if err != nil {
				panic(err.Error())
			}
			return l
		},
		"Group":      func(m *muxmaster.Mux) int { m.Group("/").GET("/x", tell("")); return line() },
		"With":       func(m *muxmaster.Mux) int { m.With().GET("/x", tell("")); return line() },
		"ServeFiles": func(m *muxmaster.Mux) int { m.ServeFiles("/x/*f", files); return line() },
	} {
		m := muxmaster.New()
		at := add(m)
		text := panics(func() { add(m) })
		if want := fmt.Sprintf("conflict_test.go:%d)", at); strings.Count(text, want) != 2 {
			t.Errorf("%s: %q, want %s twice", name, text, want)
		}
	}
}

func line() int {
	_, _, l, _ := runtime.Caller(1)
	return l
}

// A list of methods is registered as a whole or not at all.
func TestNothingHalfRegistered(t *testing.T) {
	for _, served := range []bool{false, true} {
		m := muxmaster.New()
		m.POST("/x/:id", tell("post"))
		if served {
			get(t, m, "POST", "/x/1")
		}
		if err := m.TryHandle("GET,BREW,POST,PUT /x/{id}", tell("list")); err == nil {
			t.Fatal("no error")
		}
		if err := m.TryHandle("GET,WHEN /x/{id}/{id}", tell("list")); err == nil {
			t.Fatal("no error")
		}
		for _, c := range [][2]string{{"GET", "405 POST, OPTIONS"}, {"BREW", "405 POST, OPTIONS"}, {"PUT", "405 POST, OPTIONS"}, {"POST", "post"}} {
			if got := get(t, m, c[0], "/x/1"); got != c[1] {
				t.Errorf("%s: got %s, want %s", c[0], got, c[1])
			}
		}
		if err := m.TryHandle("GET,BREW,PUT /x/{id}", tell("list")); err != nil {
			t.Error(err)
		}
		for _, method := range []string{"GET", "BREW", "PUT"} {
			if got := get(t, m, method, "/x/1"); got != "list" {
				t.Errorf("%s: got %s", method, got)
			}
		}
	}
}

func TestNilHandlers(t *testing.T) {
	for name, do := range map[string]func(m *muxmaster.Mux){
		"GET":              func(m *muxmaster.Mux) { m.GET("/x", nil) },
		"ANY":              func(m *muxmaster.Mux) { m.ANY("/x", nil) },
		"GETFast":          func(m *muxmaster.Mux) { m.GETFast("/x", nil) },
		"Handle":           func(m *muxmaster.Mux) { m.Handle("/x", nil) },
		"Handle func":      func(m *muxmaster.Mux) { m.Handle("/x", http.HandlerFunc(nil)) },
		"Handle Mux":       func(m *muxmaster.Mux) { m.Handle("/x", (*muxmaster.Mux)(nil)) },
		"HandleFunc":       func(m *muxmaster.Mux) { m.HandleFunc("/x", nil) },
		"HandleFast":       func(m *muxmaster.Mux) { m.HandleFast("/x", nil) },
		"Group.GET":        func(m *muxmaster.Mux) { m.Group("/g").GET("/x", nil) },
		"under Use":        func(m *muxmaster.Mux) { m.Use(trace("x")); m.GET("/x", nil) },
		"under UseFast":    func(m *muxmaster.Mux) { m.UseFast(traceFast("x")); m.GETFast("/x", nil) },
		"TryHandle as err": func(m *muxmaster.Mux) { panic(m.TryHandle("/x", nil).Error()) },
	} {
		m := muxmaster.New()
		got := panics(func() { do(m) })
		if !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, "nil") || !strings.Contains(got, "/x\"") {
			t.Errorf("%s: panicked with %q", name, got)
		}
		if got := get(t, m, "BREW", "/x"); name != "under Use" && got != "404" {
			t.Errorf("%s: afterwards got %s", name, got)
		}
	}
}

func TestBadPrefixes(t *testing.T) {
	for _, prefix := range []string{"x", "/*rest", "/{a...}", "/x/{$}", "/{", "/:", "/{a}{b}", "GET /x", "example.com/x"} {
		m := muxmaster.New()
		for name, do := range map[string]func(){
			"Group":       func() { m.Group(prefix) },
			"Route":       func() { m.Route(prefix, func(*muxmaster.Group) {}) },
			"Group.Group": func() { m.Group("/g").Group(prefix) },
		} {
			if got := panics(do); !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, prefix) {
				t.Errorf("%s(%q): panicked with %q", name, prefix, got)
			}
		}
	}
	for got, want := range map[string]string{
		panics(func() { muxmaster.New().Group("//") }):          "empty segment",
		panics(func() { muxmaster.New().Group("/a//") }):        "empty segment",
		panics(func() { muxmaster.New().Group("/a//b") }):       "empty",
		panics(func() { muxmaster.New().Route("/route", nil) }): "Route \"/route\": the function is nil",
	} {
		if !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, want) {
			t.Errorf("panicked with %q, want %q", got, want)
		}
	}
	m := muxmaster.New()
	if got := panics(func() { m.Group("/:a").GET("/:a", values) }); !strings.Contains(got, "twice") {
		t.Errorf("a name twice: panicked with %q", got)
	}
	for _, prefix := range []string{"", "/"} {
		m.Group(prefix).GET("/in"+fmt.Sprint(len(prefix)), tell("in"))
		if got := get(t, m, "GET", "/in"+fmt.Sprint(len(prefix))); got != "in" {
			t.Errorf("Group(%q): got %s", prefix, got)
		}
	}
}

// Too many custom methods are an error, not an overflow.
func TestManyCustomMethods(t *testing.T) {
	m := muxmaster.New()
	n := 0
	for ; n < 1000; n++ {
		if err := m.TryHandle(fmt.Sprintf("M%d /x/{id}", n), tell(fmt.Sprint(n))); err != nil {
			if !strings.HasPrefix(err.Error(), "muxmaster: ") {
				t.Errorf("the error is %q", err)
			}
			break
		}
	}
	if n < 100 {
		t.Errorf("only %d methods", n)
	}
	for i := range n {
		if got := get(t, m, fmt.Sprint("M", i), "/x/1"); got != fmt.Sprint(i) {
			t.Fatalf("M%d: got %s", i, got)
		}
	}
	if got := get(t, m, "GET", "/x/1"); !strings.HasPrefix(got, "405 M0, M1, M10, ") || strings.Count(got, ",") != n {
		t.Errorf("Allow: %s", got)
	}
}
