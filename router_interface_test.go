package muxmaster_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// Mux and Group implement Router.
var (
	_ muxmaster.Router = (*muxmaster.Mux)(nil)
	_ muxmaster.Router = (*muxmaster.Group)(nil)
)

// Mux and Group implement the interfaces that generators and libraries require.
type (
	// oapiServeMux is ServeMux of the std-http servers that oapi-codegen
	// generates.
	oapiServeMux interface {
		HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
		ServeHTTP(w http.ResponseWriter, r *http.Request)
	}
	// humagoMux is Mux of huma's adapter humago.
	humagoMux interface {
		HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
		ServeHTTP(http.ResponseWriter, *http.Request)
	}
	// registrar is all of an http.ServeMux that a library could ask for.
	registrar interface {
		http.Handler
		Handle(pattern string, handler http.Handler)
		HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
	}
	// wholeServeMux is what *http.ServeMux has.
	wholeServeMux interface {
		registrar
		Handler(r *http.Request) (h http.Handler, pattern string)
	}
)

var (
	_ = []oapiServeMux{(*muxmaster.Mux)(nil), (*muxmaster.Group)(nil), (*http.ServeMux)(nil)}
	_ = []humagoMux{(*muxmaster.Mux)(nil), (*muxmaster.Group)(nil), (*http.ServeMux)(nil)}
	_ = []registrar{(*muxmaster.Mux)(nil), (*muxmaster.Group)(nil), (*http.ServeMux)(nil)}
	_ = []wholeServeMux{(*muxmaster.Mux)(nil), (*http.ServeMux)(nil)}
)

// everything registers with every method of Router but those of fast routes.
func everything(r muxmaster.Router, fsys fs.FS) {
	r.Use(trace("use"))
	r.GET("/get", tell("GET"))
	r.HEAD("/head", tell("HEAD"))
	r.POST("/post", tell("POST"))
	r.PUT("/put", tell("PUT"))
	r.PATCH("/patch", tell("PATCH"))
	r.DELETE("/delete", tell("DELETE"))
	r.OPTIONS("/options", tell("OPTIONS"))
	r.CONNECT("/connect", tell("CONNECT"))
	r.TRACE("/trace", tell("TRACE"))
	r.QUERY("/query", tell("QUERY"))
	r.ANY("/any", tell("ANY"))
	r.Method("GET,POST", "/method", tell("Method"))
	r.Handle("GET /handle", tell("Handle"))
	r.HandleFunc("/handlefunc/", tell("HandleFunc"))
	if err := r.TryHandle("/tryhandle", tell("TryHandle")); err != nil {
		panic(err)
	}
	r.With(trace("with")).GET("/with", tell("With"))
	g := r.Group("/group")
	g.Use(trace("group"))
	g.GET("/x", tell("Group"))
	r.Route("/route", func(g *muxmaster.Group) { g.GET("/x", tell("Route")) })
	r.Mount("/mount", tell("Mount"))
	r.ServeFiles("/files/*path", fsys)
	r.ServeSPA("/spa", fsys)
}

// fastEverything is like everything for fast routes, which can't be in a scope
// with Use.
func fastEverything(r muxmaster.Router) {
	r.UseFast(traceFast("fast"))
	r.GETFast("/get/:x", fastValues)
	r.HEADFast("/head/:x", fastValues)
	r.POSTFast("/post/:x", fastValues)
	r.PUTFast("/put/:x", fastValues)
	r.PATCHFast("/patch/:x", fastValues)
	r.DELETEFast("/delete/:x", fastValues)
	r.OPTIONSFast("/options/:x", fastValues)
	r.CONNECTFast("/connect/:x", fastValues)
	r.TRACEFast("/trace/:x", fastValues)
	r.QUERYFast("/query/:x", fastValues)
	r.ANYFast("/any/:x", fastValues)
	r.HandleFast("GET /handle/:x", fastValues)
}

// A function that takes a Router works with a Mux, a Group, and the result of
// With.
func TestRouter(t *testing.T) {
	for name, at := range map[string]func(m *muxmaster.Mux) (muxmaster.Router, string){
		"Mux":   func(m *muxmaster.Mux) (muxmaster.Router, string) { return m, "" },
		"Group": func(m *muxmaster.Mux) (muxmaster.Router, string) { return m.Group("/g"), "/g" },
		"With":  func(m *muxmaster.Mux) (muxmaster.Router, string) { return m.With(), "" },
		"deep":  func(m *muxmaster.Mux) (muxmaster.Router, string) { return m.Group("/g").With().Group("/h"), "/g/h" },
	} {
		m := muxmaster.New()
		r, prefix := at(m)
		everything(r, app)
		for _, c := range [][3]string{
			{"GET", "/get", "use GET"}, {"HEAD", "/head", "use HEAD"}, {"POST", "/post", "use POST"}, {"PUT", "/put", "use PUT"},
			{"PATCH", "/patch", "use PATCH"}, {"DELETE", "/delete", "use DELETE"}, {"OPTIONS", "/options", "use OPTIONS"},
			{"CONNECT", "/connect", "use CONNECT"}, {"TRACE", "/trace", "use TRACE"}, {"QUERY", "/query", "use QUERY"}, {"BREW", "/any", "use ANY"},
			{"POST", "/method", "use Method"}, {"GET", "/handle", "use Handle"}, {"PUT", "/handlefunc/x", "use HandleFunc"}, {"GET", "/tryhandle", "use TryHandle"},
			{"GET", "/with", "use with With"}, {"GET", "/group/x", "use group Group"}, {"GET", "/route/x", "use Route"}, {"GET", "/mount/x", "use Mount"},
			{"GET", "/files/a.txt", "use text of a"}, {"GET", "/spa/a.txt", "use text of a"},
		} {
			if got := get(t, m, c[0], prefix+c[1]); got != c[2] {
				t.Errorf("%s: %s %s: got %s, want %s", name, c[0], c[1], got, c[2])
			}
		}
		r.Name("a.name").Annotate("key", "value").GET("/named", tell("named"))
		if got := get(t, m, "GET", prefix+"/named"); got != "use named" {
			t.Errorf("%s: Name and Annotate: got %s", name, got)
		}
		fm := muxmaster.New()
		r, prefix = at(fm)
		fastEverything(r)
		targets := map[string]string{"BREW": "/any/5"}
		for _, v := range verbs {
			targets[v.name] = "/" + strings.ToLower(v.name) + "/5"
		}
		for method, target := range targets {
			if got := get(t, fm, method, prefix+target); got != `fast x="5"` {
				t.Errorf("%s: fast %s %s: got %s", name, method, target, got)
			}
		}
	}
}

// The tests of this file call every method of Router, and the table verbs has
// every verb.
func TestRouterMethodsAreTested(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "router_interface_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			called[sel.Sel.Name] = true
		}
		return true
	})
	for m := range reflect.TypeFor[muxmaster.Router]().Methods() {
		if m.IsExported() && !called[m.Name] && m.Name != "ServeHTTP" { // which get calls
			t.Errorf("neither everything nor fastEverything calls %s", m.Name)
		}
		verb, ok := strings.CutSuffix(m.Name, "Fast")
		if !ok || verb == "ANY" || verb != strings.ToUpper(verb) {
			continue
		}
		if !slices.ContainsFunc(verbs, func(v verbMethods) bool { return v.name == verb }) {
			t.Errorf("the table verbs of fallback_test.go has no row for %s", verb)
		}
	}
}

// A Group's ServeHTTP serves all routes of its Mux.
func TestGroupServeHTTP(t *testing.T) {
	m := tagged("m")
	g := m.Group("/g")
	g.Use(trace("g"))
	add(g, "GET /x")
	add(m, "GET /y")
	for name, h := range map[string]http.Handler{"Group": g, "With": m.With(trace("w")), "in a Group": g.Group("/in")} {
		for _, c := range [][2]string{{"/g/x", "m g GET /x"}, {"/y", "m GET /y"}, {"/none", "m m 404"}, {"/g/none", "m g m 404"}, {"/x", "m m 404"}} {
			if got := outcome(t, h, "h", "GET", c[0]); got != c[1] {
				t.Errorf("%s: %s: got %q, want %q", name, c[0], got, c[1])
			}
		}
	}
}

// Generated registration code works with a Group and its prefix.
func TestGeneratorsRegisterOnAGroup(t *testing.T) {
	handlerWithOptions := func(m oapiServeMux, base string) http.Handler {
		m.HandleFunc("GET "+base+"/pets/{id}", values)
		m.HandleFunc("POST "+base+"/pets", tell("create"))
		return m
	}
	for _, c := range []struct{ base, target string }{{"", "/v1/pets/5"}, {"/base", "/v1/base/pets/5"}} {
		m := muxmaster.New()
		h := handlerWithOptions(m.Group("/v1"), c.base)
		if got := get(t, h, "GET", c.target); got != `id="5"` {
			t.Errorf("base %q, %s: got %s", c.base, c.target, got)
		}
	}
}
