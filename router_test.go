package muxmaster_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// Mux and Group implement Router.
var (
	_ muxmaster.Router = (*muxmaster.Mux)(nil)
	_ muxmaster.Router = (*muxmaster.Group)(nil)
)

// Mux and Group implement the interfaces that generators and libraries require:
// what the std-http servers of oapi-codegen and huma's adapter humago ask of an
// http.ServeMux, and all that one has.
type (
	oapiServeMux interface {
		http.Handler
		HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
	}
	registrar interface {
		oapiServeMux
		Handle(pattern string, handler http.Handler)
	}
	wholeServeMux interface {
		registrar
		Handler(r *http.Request) (h http.Handler, pattern string)
	}
)

var (
	_ = []registrar{(*muxmaster.Mux)(nil), (*muxmaster.Group)(nil), (*http.ServeMux)(nil)}
	_ = []wholeServeMux{(*muxmaster.Mux)(nil), (*http.ServeMux)(nil)}
)

// verbs are the verb methods, in the order of the Allow header except for
// OPTIONS.
var verbs = []struct {
	name string
	add  func(r muxmaster.Router, path string, h http.HandlerFunc)
	fast func(r muxmaster.Router, path string, h muxmaster.FastHandler)
}{
	{"GET", muxmaster.Router.GET, muxmaster.Router.GETFast},
	{"HEAD", muxmaster.Router.HEAD, muxmaster.Router.HEADFast},
	{"POST", muxmaster.Router.POST, muxmaster.Router.POSTFast},
	{"PUT", muxmaster.Router.PUT, muxmaster.Router.PUTFast},
	{"PATCH", muxmaster.Router.PATCH, muxmaster.Router.PATCHFast},
	{"DELETE", muxmaster.Router.DELETE, muxmaster.Router.DELETEFast},
	{"CONNECT", muxmaster.Router.CONNECT, muxmaster.Router.CONNECTFast},
	{"TRACE", muxmaster.Router.TRACE, muxmaster.Router.TRACEFast},
	{"QUERY", muxmaster.Router.QUERY, muxmaster.Router.QUERYFast},
	{"OPTIONS", muxmaster.Router.OPTIONS, muxmaster.Router.OPTIONSFast},
}

// everything registers with every method of Router but those of fast routes.
func everything(r muxmaster.Router, fsys fs.FS) {
	r.Use(trace("use"))
	for _, v := range verbs {
		v.add(r, "/verbs/"+v.name, tell(v.name))
	}
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
	for _, v := range verbs {
		v.fast(r, "/verbs/"+v.name+"/:x", fastValues)
	}
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
		for _, row := range [][3]string{
			{"BREW ", "/any", "use ANY"},
			{"POST ", "/method", "use Method"}, {"", "/handle", "use Handle"}, {"PUT ", "/handlefunc/x", "use HandleFunc"}, {"", "/tryhandle", "use TryHandle"},
			{"", "/with", "use with With"}, {"", "/group/x", "use group Group"}, {"", "/route/x", "use Route"}, {"", "/mount/x", "use Mount"},
			{"", "/files/a.txt", "use text of a"}, {"", "/spa/a.txt", "use text of a"},
		} {
			wants(t, m, exchanges{{row[0] + prefix + row[1], row[2]}}, name)
		}
		for _, v := range verbs {
			wants(t, m, exchanges{{v.name + " " + prefix + "/verbs/" + v.name, "use " + v.name}}, name)
		}
		host := r.Host("{t}.h.com")
		host.UseRoute(func(route muxmaster.Route, next http.Handler) http.Handler {
			return trace(route.Method + route.Pattern)(next)
		})
		host.GET("/host", tell("Host"))
		r.Name("a.name").Annotate("key", "value").GET("/named", tell("named"))
		wants(t, m, exchanges{{"a.h.com" + prefix + "/host", "use GET" + prefix + "/host Host"}, {prefix + "/named", "use named"}}, name)
		fm := muxmaster.New()
		r, prefix = at(fm)
		fastEverything(r)
		wants(t, fm, exchanges{{"BREW " + prefix + "/any/5", `fast x="5"`}, {prefix + "/handle/5", `fast x="5"`}}, name)
		for _, v := range verbs {
			wants(t, fm, exchanges{{v.name + " " + prefix + "/verbs/" + v.name + "/5", `fast x="5"`}}, name)
		}
	}
}

// The tests of this file use every method of Router.
func TestRouterMethodsAreTested(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "router_test.go", nil, 0)
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
		wantOutcomes(t, h, exchanges{{"/g/x", "m g GET /x"}, {"/y", "m GET /y"}, {"/none", "m m 404"}, {"/g/none", "m g m 404"}, {"/x", "m m 404"}}, name)
	}
}

// Method works like the verb methods, for any http.Handler and for a list of
// methods.
func TestMethod(t *testing.T) {
	for _, c := range (routings{
		{"GET /x", exchanges{{"/x", "GET /x"}, {"HEAD /x", "GET /x"}, {"POST /x", "405 GET, HEAD, OPTIONS"}, {"OPTIONS /x", "204 GET, HEAD, OPTIONS"}, {"//x", "307 /x"}}},
		{"GET,POST /x", exchanges{{"/x", "GET,POST /x"}, {"POST /x", "GET,POST /x"}, {"PUT /x", "405 GET, HEAD, POST, OPTIONS"}}},
		{"PURGE,BREW /x/:id", exchanges{{"BREW /x/1", "PURGE,BREW /x/:id"}}},
		{"QUERY,TRACE,CONNECT /x", exchanges{{"QUERY /x", "QUERY,TRACE,CONNECT /x"}}},
		{"GET,POST /x|ANY /x", exchanges{{"PUT /x", "ANY /x"}, {"POST /x", "GET,POST /x"}}},
		// The slash rule is that of the verb methods.
		{"GET /x/", exchanges{{"/x/", "GET /x/"}, {"/x/y", "404"}, {"/x", "307 /x/"}}},
		{"GET,POST /x", exchanges{{"POST /x/", "307 /x"}, {"PUT /x/", "404"}}},
	}) {
		m := muxmaster.New()
		add(m, c.routes)
		add(m.Group("/g/:v").With(passOn), c.routes)
		wants(t, m, c.want, c.routes)
		agrees(t, m, c.want, c.routes)
		for _, row := range c.want {
			method, _, target := parts(row[0])
			in := exchanges{{method + " /g/1" + target, strings.Replace(row[1], "307 ", "307 /g/1", 1)}}
			wants(t, m, in, "in a Group", c.routes)
			agrees(t, m, in, "in a Group", c.routes)
		}
	}
}

func TestBadMethods(t *testing.T) {
	list := refusals{{"a conflict", func(m *muxmaster.Mux) { m.GET("/ok", values); m.Method("POST,GET", "/ok", tell("")) }, `"GET /ok"`}}
	for _, c := range [][2]string{
		{"", "/x"}, {"GET,", "/x"}, {",GET", "/x"}, {"GET,,POST", "/x"}, {"GET POST", "/x"}, {"GET|POST", "/x"}, {"*", "/x"}, {"GET,GET", "/x"}, {"G/T", "/x"}, {"GÉT", "/x"},
		{"GET", "x"}, {"GET", ""}, {"GET", "example.com/x"}, {"GET", "POST /x"}, {"GET", "/x/:"},
	} {
		list = append(list, refusals{{c[0] + " " + c[1], func(m *muxmaster.Mux) { m.Method(c[0], c[1], tell("")) }, c[1]}}...)
	}
	list.test(t)
}

var files = fstest.MapFS{
	"a.txt":     {Data: []byte("text of a")},
	"dir/b.txt": {Data: []byte("text of b")},
}

func TestServeFiles(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.ServeFiles("/star/*filepath", files)
		m.ServeFiles("/rest/{path...}", files)
		m.Group("/g/:v").ServeFiles("/*f", files)
		for _, prefix := range []string{"/star", "/rest", "/g/1"} {
			wants(t, m, exchanges{
				{prefix + "/a.txt", "text of a"},
				{"HEAD " + prefix + "/a.txt", ""},
				{prefix + "/none", "404"},
				{prefix + "/dir/../a.txt", "307 " + prefix + "/a.txt"},
				{prefix + "/dir/%2e%2e/a.txt", "307 " + prefix + "/a.txt"},
				{prefix + "/dir%2f..%2fa.txt", "404"},
				{prefix + "/..%2f..%2fmount_test.go", "404"},
				{prefix + "/dir%2f..%2f..%2f..%2fgo.mod", "404"},
				{prefix + "/dir%2Fb.txt", "404"},
				{"POST " + prefix + "/a.txt", "405 GET, HEAD, OPTIONS"},
			}, mode.name)
		}
	}
	var list refusals
	for _, path := range []string{"/x", "/x/", "/x/:f", "x/*f"} {
		list = append(list, refusals{{path, func(m *muxmaster.Mux) { m.ServeFiles(path, files) }, path}}...)
	}
	list.test(t)
}

// TestGuardOfFiles checks which ways to write the path of a guarded file reach
// it beside the guard, which is a Group at /admin. None does with ServeFiles, or
// if the guard is around the whole file server. An http.FileServer at / gets the
// paths of the last row, because they aren't below /admin/.
func TestGuardOfFiles(t *testing.T) {
	fsys := fstest.MapFS{"public/a": {Data: []byte("public")}, "admin/x": {Data: []byte("secret")}}
	guard := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) })
	}
	server := http.FileServerFS(fsys)
	muxes := map[string]func(*muxmaster.Mux){
		"ServeFiles":  func(m *muxmaster.Mux) { m.ServeFiles("/*path", fsys) },
		"ServeSPA":    func(m *muxmaster.Mux) { m.ServeSPA("/", fstest.MapFS{"index.html": {}, "admin/x": fsys["admin/x"]}) },
		"Handle":      func(m *muxmaster.Mux) { m.Handle("/", server) },
		"Handle rest": func(m *muxmaster.Mux) { m.Handle("/{path...}", server) },
		"Mount":       func(m *muxmaster.Mux) { m.Mount("/", server) },
		"guarded":     func(m *muxmaster.Mux) { m.Handle("/", guard(server)) },
	}
	for _, c := range []struct {
		targets []string
		served  bool // by an http.FileServer
	}{
		{[]string{"/admin/x", "//admin/x", "/public/../admin/x", "/public/%2e%2e/admin/x", "/admin/./x", "/admin//x", "/%61dmin/x"}, false},
		{[]string{"/public%2F../admin/x", "/public%2F..%2Fadmin/x", "/public/..%2Fadmin/x", "/public%2f%2e%2e%2fadmin%2fx", "/.%2Fadmin/x", "/admin%2F.%2Fx"}, false},
		{[]string{"CONNECT /public/../admin/x", "CONNECT /./admin/x", "CONNECT /public/..%2Fadmin/x", "CONNECT /admin/../admin/x"}, false},
		{[]string{"/admin%2Fx", "/%2Fadmin/x", "CONNECT //admin/x"}, true},
	} {
		for name, register := range muxes {
			m := muxmaster.New()
			register(m)
			g := m.Group("/admin")
			g.Use(guard)
			g.Handle("/", tell("guarded"))
			for _, target := range c.targets {
				got := strings.Contains(send(t, m, target).body, "secret")
				if want := c.served && (name == "Handle" || name == "Handle rest" || name == "Mount"); got != want {
					t.Errorf("%s: %s: served beside the guard: %v, want %v", name, target, got, want)
				}
			}
		}
	}
}

// app is a built single-page application.
var app = fstest.MapFS{
	"index.html":      {Data: []byte("<!doctype html>index"), ModTime: appTime},
	"a.txt":           {Data: []byte("text of a"), ModTime: appTime},
	"assets/logo.svg": {Data: []byte("<svg/>")},
}

var appTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// asset asks for a target with an Accept header.
func asset(t testing.TB, h http.Handler, method, target, accept string) *httptest.ResponseRecorder {
	t.Helper()
	r := request(t, method, target)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	return record(h, r)
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

func TestServeSPA(t *testing.T) {
	for _, prefix := range []string{"/", "/ui", "/ui/", "/t/:tenant"} {
		m := muxmaster.New()
		m.ServeSPA(prefix, app)
		base := strings.TrimSuffix(strings.Replace(prefix, ":tenant", "x", 1), "/")
		for _, c := range []struct{ method, path, accept, want string }{
			{"GET", "/", browser, "<!doctype html>index"},
			{"GET", "/a.txt?v=1", browser, "text of a"},
			{"GET", "/assets/logo.svg", "image/*", "<svg/>"},
			{"GET", "/users/5?tab=x", browser, "<!doctype html>index"},
			{"HEAD", "/users/5", browser, ""},
			{"GET", "/none.png", "image/avif,image/webp,*/*", "404"},
			{"POST", "/users/5", browser, "405 GET, HEAD, OPTIONS"},
			{"GET", "/..%2f..%2fetc%2fpasswd", "*/*", "404"},
		} {
			if got := answerOf(asset(t, m, c.method, base+c.path, c.accept)).brief(); got != c.want {
				t.Errorf("%s: %s %s%s, Accept %q: got %q, want %q", prefix, c.method, base, c.path, c.accept, got, c.want)
			}
		}
		// The bare prefix is the application too, without a redirect, or leads
		// to it.
		if base != "" {
			w := asset(t, m, "GET", base, browser)
			if l := w.Header().Get("Location"); w.Code != 200 && l != base+"/" {
				t.Errorf("%s: got %d %q", prefix, w.Code, l)
			}
		}
	}
}

// Everything more specific wins: routes, mounts, Groups.
func TestServeSPABesideRoutes(t *testing.T) {
	m := tagged("m")
	m.ServeSPA("/", app)
	sub := tagged("s")
	add(sub, "GET /x")
	add(m, "Handle /api/|POST /form|GET /users/:id|Mount /debug/pprof/")
	m.Mount("/v2", sub)
	wantOutcomes(t, m, exchanges{
		{"/api/x", "m Handle /api/"},
		{"/debug/pprof/heap", "m Mount /debug/pprof/"},
		{"/debug/pprof", "m Mount /debug/pprof/"},
		{"/users/5", "m GET /users/:id"},
		{"POST /form", "m POST /form"},
		{"/v2/x", "m s GET /x"},
		{"/v2/none", "m s s 404"},
		{"/v2", "m s s 404"},
		{"POST /v2/x", "m s s 405 GET, HEAD, OPTIONS"},
		{"POST /none", "m m 405 GET, HEAD, OPTIONS"},
		{"/a.txt", "m text of a"},
	})
	if w := asset(t, m, "GET", "/other/page", browser); !strings.HasSuffix(w.Body.String(), "index") {
		t.Errorf("/other/page: got %q", w.Body)
	}
	// A missing asset is the Mux's 404.
	if got := asset(t, m, "GET", "/none.js", "*/*"); got.Code != 200 && !strings.Contains(got.Body.String(), "404") {
		t.Errorf("/none.js: got %d %q", got.Code, got.Body)
	}
}

func TestBadServeSPA(t *testing.T) {
	list := refusals{
		{"no index.html", func(m *muxmaster.Mux) { m.ServeSPA("/none", fstest.MapFS{"a.txt": {}}) }, `"/none"`},
		{"nil", func(m *muxmaster.Mux) { m.ServeSPA("/x", nil) }, `"/x"`},
		{"beside a route", func(m *muxmaster.Mux) { m.GET("/ok", values); m.ServeSPA("/ok", app) }, `"GET /ok" (registered at `},
	}
	for _, path := range []string{"x", "/x/*rest", "/x/{rest...}", "/{$}", "GET /x"} {
		list = append(list, refusals{{path, func(m *muxmaster.Mux) { m.ServeSPA(path, app) }, path}}...)
	}
	list.test(t)
}
