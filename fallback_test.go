package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// verbMethods are the registration methods for an HTTP method.
type verbMethods struct {
	name string
	add  func(m *muxmaster.Mux, path string, h http.HandlerFunc)
	fast func(m *muxmaster.Mux, path string, h muxmaster.FastHandler)
}

// verbs are the verb methods, in the order of the Allow header except for
// OPTIONS.
var verbs = []verbMethods{
	{"GET", (*muxmaster.Mux).GET, (*muxmaster.Mux).GETFast},
	{"HEAD", (*muxmaster.Mux).HEAD, (*muxmaster.Mux).HEADFast},
	{"POST", (*muxmaster.Mux).POST, (*muxmaster.Mux).POSTFast},
	{"PUT", (*muxmaster.Mux).PUT, (*muxmaster.Mux).PUTFast},
	{"PATCH", (*muxmaster.Mux).PATCH, (*muxmaster.Mux).PATCHFast},
	{"DELETE", (*muxmaster.Mux).DELETE, (*muxmaster.Mux).DELETEFast},
	{"CONNECT", (*muxmaster.Mux).CONNECT, (*muxmaster.Mux).CONNECTFast},
	{"TRACE", (*muxmaster.Mux).TRACE, (*muxmaster.Mux).TRACEFast},
	{"QUERY", (*muxmaster.Mux).QUERY, (*muxmaster.Mux).QUERYFast},
	{"OPTIONS", (*muxmaster.Mux).OPTIONS, (*muxmaster.Mux).OPTIONSFast},
}

// Each verb method serves its method and no other; on a static path, one with a
// parameter, and as a fast route; also of a Group.
func TestVerbs(t *testing.T) {
	for _, v := range verbs {
		m := muxmaster.New()
		show := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method, " ", r.Pattern) }
		v.add(m, "/s", show)
		v.add(m, "/p/:id", show)
		v.fast(m, "/f/:id", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { show(w, r) })
		for target, pattern := range map[string]string{"/s": "/s", "/p/1": "/p/:id", "/f/1": "/f/:id"} {
			for _, u := range append(verbs, verbs[0]) {
				want := fmt.Sprintf("405 %s, OPTIONS", v.name)
				switch {
				case u.name == v.name, u.name == "HEAD" && v.name == "GET":
					want = u.name + " " + v.name + " " + pattern
				case v.name == "GET":
					want = "405 GET, HEAD, OPTIONS"
				case v.name == "OPTIONS":
					want = "405 OPTIONS"
				}
				if u.name == "OPTIONS" && v.name != "OPTIONS" {
					want = "204" + strings.TrimPrefix(want, "405")
				}
				if got := get(t, m, u.name, target); got != want {
					t.Errorf("route %s %s, request %s: got %s, want %s", v.name, pattern, u.name, got, want)
				}
			}
		}
	}
}

func TestANY(t *testing.T) {
	m := muxmaster.New()
	m.ANY("/any", tell("any"))
	m.ANY("/both/:x", tell("any"))
	m.POST("/both/:x", tell("post"))
	m.GET("/both/:x", tell("get"))
	m.ANYFast("/fast/:x", fastValues)
	m.PUT("/fast/:x", tell("put"))
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/any", "any"}, {"HEAD", "/any", "any"}, {"OPTIONS", "/any", "any"}, {"CONNECT", "/any", "any"}, {"BREW", "/any", "any"}, {"get", "/any", "any"},
		{"GET", "/both/1", "get"}, {"HEAD", "/both/1", "get"}, {"POST", "/both/1", "post"}, {"PUT", "/both/1", "any"}, {"BREW", "/both/1", "any"}, {"OPTIONS", "/both/1", "any"},
		{"GET", "/fast/1", `x="1"`}, {"PUT", "/fast/1", "put"}, {"WHEN", "/fast/1", `x="1"`},
		{"PUT", "/any/", "307 /any"}, {"PUT", "/none", "404"}, {"OPTIONS", "/none", "404"},
	} {
		if got := get(t, m, c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.target, got, c.want)
		}
	}
}

func TestHEAD(t *testing.T) {
	m := muxmaster.New()
	m.GET("/a/:x", tell("get"))
	m.GET("/b/:x", tell("get"))
	m.HEAD("/b/:x", tell("head"))
	m.HEAD("/c", tell("head"))
	m.POST("/d", tell("post"))
	m.Handle("GET /e/", tell("get"))
	m.HEAD("/:any/s", tell("head"))
	m.GET("/f/s", tell("get"))
	for _, c := range []struct{ method, target, want string }{
		{"HEAD", "/a/1", "get"}, {"HEAD", "/b/1", "head"}, {"GET", "/b/1", "get"}, {"HEAD", "/c", "head"}, {"GET", "/c", "405 HEAD, OPTIONS"},
		{"HEAD", "/d", "405 POST, OPTIONS"}, {"HEAD", "/e/x", "get"}, {"HEAD", "/e", "307 /e/"},
		{"HEAD", "/f/s", "get"}, // the path is compared before the method
	} {
		if got := get(t, m, c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.target, got, c.want)
		}
	}
}

func TestAllow(t *testing.T) {
	all := muxmaster.New()
	for i := range verbs {
		v := verbs[len(verbs)-1-i]
		v.add(all, "/all/:x", tell(v.name))
	}
	all.Handle("WHEN,BREW /all/{y}", tell("custom"))
	if got, want := get(t, all, "PROPFIND", "/all/1"), "405 GET, HEAD, POST, PUT, PATCH, DELETE, CONNECT, TRACE, QUERY, BREW, WHEN, OPTIONS"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	for _, c := range []struct{ routes, method, target, want string }{
		{"GET /x", "POST", "/x", "405 GET, HEAD, OPTIONS"},
		{"GET /x", "BREW", "/x", "405 GET, HEAD, OPTIONS"},
		{"GET /x", "get", "/x", "405 GET, HEAD, OPTIONS"},
		{"GET /x", "OPTIONS", "/x", "204 GET, HEAD, OPTIONS"},
		{"GET /x", "OPTIONS", "/y", "404"},
		{"GET /x", "POST", "/y", "404"},
		{"OPTIONS /x", "OPTIONS", "/x", "OPTIONS /x"},
		{"OPTIONS /x|GET /x", "POST", "/x", "405 GET, HEAD, OPTIONS"},
		{"GET,PUT /x", "POST", "/x", "405 GET, HEAD, PUT, OPTIONS"},
		{"BREW /x|ABC /x", "GET", "/x", "405 ABC, BREW, OPTIONS"},
		// The methods of every route that fits, not of the first.
		{"GET /users/:id|POST /users/list", "PUT", "/users/list", "405 GET, HEAD, POST, OPTIONS"},
		{"GET /users/:id|POST /users/list", "GET", "/users/list", "GET /users/:id"},
		{"GET /users/:id|POST /users/list", "PUT", "/users/1", "405 GET, HEAD, OPTIONS"},
		{"GET /a/*rest|PUT /a/{id:[0-9]+}|PATCH /a/v{x}|DELETE /a/:b", "TRACE", "/a/1", "405 GET, HEAD, PUT, DELETE, OPTIONS"},
		{"GET /a/*rest|PUT /a/{id:[0-9]+}|PATCH /a/v{x}|DELETE /a/:b", "TRACE", "/a/v1", "405 GET, HEAD, PATCH, DELETE, OPTIONS"},
		{"GET /a/*rest|PUT /a/{id:[0-9]+}|PATCH /a/v{x}|DELETE /a/:b", "TRACE", "/a/v1/", "405 GET, HEAD, OPTIONS"},
		{"GET h/x|PUT /x", "POST", "/x", "405 PUT, OPTIONS"},
		{"GET example.com/x|PUT /x", "POST", "/x", "405 GET, HEAD, PUT, OPTIONS"},
		{"GET example.com/x", "OPTIONS", "/x", "204 GET, HEAD, OPTIONS"},
		// What would be redirected counts, as in net/http.
		{"GET /tree/", "POST", "/tree", "405 GET, HEAD, OPTIONS"},
		// Encoded and odd.
		{"GET /a%2Fb", "POST", "/a%2fb", "405 GET, HEAD, OPTIONS"},
		{"GET /{x}", "POST", "/%FF", "405 GET, HEAD, OPTIONS"},
		{"GET /{x}", "OPTIONS", "/a%2Fb", "204 GET, HEAD, OPTIONS"},
	} {
		m := muxmaster.New()
		for _, p := range strings.Split(c.routes, "|") {
			m.Handle(p, tell(p))
		}
		if got := get(t, m, c.method, c.target); got != c.want {
			t.Errorf("%s, %s %s: got %s, want %s", c.routes, c.method, c.target, got, c.want)
		}
	}
}

// Responses to unmatched requests are the same as net/http's.
func TestDefaultAnswers(t *testing.T) {
	m, std := muxmaster.New(), http.NewServeMux()
	m.Handle("GET /x", tell("x"))
	std.Handle("GET /x", tell("x"))
	for _, c := range [][2]string{{"GET", "/none"}, {"POST", "/x"}, {"HEAD", "/none"}} {
		got, want := httptest.NewRecorder(), httptest.NewRecorder()
		got.Header().Set("Content-Length", "5")
		want.Header().Set("Content-Length", "5")
		m.ServeHTTP(got, request(t, c[0], c[1]))
		std.ServeHTTP(want, request(t, c[0], c[1]))
		want.Header().Set("Allow", "GET, HEAD, OPTIONS")
		if c[1] == "/none" {
			want.Header().Del("Allow")
		}
		if got.Code != want.Code || got.Body.String() != want.Body.String() || fmt.Sprint(got.Header()) != fmt.Sprint(want.Header()) {
			t.Errorf("%s %s: got %d %v %q, want %d %v %q", c[0], c[1], got.Code, got.Header(), got.Body, want.Code, want.Header(), want.Body)
		}
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, request(t, "OPTIONS", "/x"))
	if w.Code != 204 || w.Body.Len() > 0 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" || len(w.Header()) != 1 {
		t.Errorf("OPTIONS: %d %v %q", w.Code, w.Header(), w.Body)
	}
}

// Handlers can modify header values, because responses don't share them.
func TestFallbackHeadersAreNotShared(t *testing.T) {
	m := muxmaster.New()
	m.GET("/x", tell("x"))
	m.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, w.Header()["Allow"])
		w.Header()["Allow"][0] = "changed"
	})
	plain := muxmaster.New()
	plain.GET("/x", tell("x"))
	for range 2 {
		if got, want := ask(m, request(t, "POST", "/x")).body, "[GET, HEAD, OPTIONS]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for _, c := range [][2]string{{"POST", "/x"}, {"GET", "/none"}, {"OPTIONS", "/x"}} {
			w := httptest.NewRecorder()
			plain.ServeHTTP(w, request(t, c[0], c[1]))
			for k, v := range w.Header() {
				if len(v) > 0 && strings.Contains(v[0], "changed") {
					t.Errorf("%v: %s: %q", c, k, v)
				}
				w.Header()[k][0] = "changed"
				w.Header()[k] = append(w.Header()[k], "changed")
			}
		}
	}
}

func TestNotFoundAndMethodNotAllowed(t *testing.T) {
	m := muxmaster.New()
	say := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s %q allow=%q id=%q", name, r.URL.Path, r.Pattern, w.Header().Get("Allow"), r.PathValue("id"))
		})
	}
	m.NotFound, m.MethodNotAllowed = say("404"), say("405")
	m.GET("/users/:id", tell("get"))
	m.GET("/x/", tell("x"))
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/none", `404 /none "" allow="" id=""`},
		{"GET", "/users/1/2", `404 /users/1/2 "" allow="" id=""`},
		{"POST", "/users/1", `405 /users/1 "" allow="GET, HEAD, OPTIONS" id=""`},
		{"OPTIONS", "/users/1", "204 GET, HEAD, OPTIONS"},
		{"GET", "/users/1/", "307 /users/1"},
		{"GET", "/x", "307 /x/"},
		{"OPTIONS", "/none", `404 /none "" allow="" id=""`},
	} {
		a := ask(m, request(t, c.method, c.target))
		got := a.brief()
		if got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.target, got, c.want)
		}
	}
}

// A nil function in one of the fields is no handler.
func TestNilFunctionsInFields(t *testing.T) {
	for name, h := range map[string]http.Handler{"HandlerFunc": http.HandlerFunc(nil), "Mux": (*muxmaster.Mux)(nil)} {
		m := muxmaster.New()
		m.NotFound, m.MethodNotAllowed = tell("outer 404"), tell("outer 405")
		g := m.Group("/g")
		g.NotFound, g.MethodNotAllowed = h, h
		g.GET("/x", tell("x"))
		for target, want := range map[string]string{"/g/none": "outer 404", "/g/x": "outer 405"} {
			if got := get(t, m, "POST", target); got != want {
				t.Errorf("%s: %s: got %s, want %s", name, target, got, want)
			}
		}
	}
}

// Muxes that are their own NotFound, or that of each other, would overflow the
// stack, which ends the program.
func TestFieldsThatLoop(t *testing.T) {
	for name, loop := range map[string]func(root, api *muxmaster.Mux){
		"NotFound":         func(root, _ *muxmaster.Mux) { root.NotFound = root },
		"MethodNotAllowed": func(root, _ *muxmaster.Mux) { root.MethodNotAllowed = root },
		"a Group":          func(root, _ *muxmaster.Mux) { root.NotFound = root.Group("/g") },
		"of a Group":       func(root, _ *muxmaster.Mux) { root.Group("/g").NotFound = root },
		"of a mounted Mux": func(root, api *muxmaster.Mux) { api.NotFound = root },
		"each other":       func(root, api *muxmaster.Mux) { m := muxmaster.New(); m.NotFound, root.NotFound = root, m },
		"in middleware": func(root, api *muxmaster.Mux) {
			m := muxmaster.New()
			m.Use(func(next http.Handler) http.Handler { return next })
			m.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { root.ServeHTTP(w, r.WithContext(r.Context())) })
			root.NotFound = m
		},
	} {
		root, api := muxmaster.New(), muxmaster.New()
		root.Mount("/api", api)
		loop(root, api)
		api.GET("/x", tell("x"))
		for _, target := range []string{"/api/none", "/api/x", "/none", "/g/none"} {
			if got := get(t, root, "POST", target); !strings.HasPrefix(got, "500") && got != "404" && !strings.HasPrefix(got, "405") {
				t.Errorf("%s: %s: got %s", name, target, got)
			}
		}
		if got := get(t, root, "GET", "/api/none"); got != "500" && name != "MethodNotAllowed" && name != "of a Group" {
			t.Errorf("%s: got %s", name, got)
		}
	}
	root, api := muxmaster.New(), muxmaster.New()
	api.NotFound = root
	root.GET("/x", tell("root's x"))
	if got := get(t, api, "GET", "/x"); got != "root's x" {
		t.Errorf("another Mux as NotFound: got %s", got)
	}
}

// The fields are read when the first request arrives.
func TestFieldsAreReadOnce(t *testing.T) {
	m := muxmaster.New()
	m.GET("/x", tell("x"))
	m.NotFound = tell("first")
	if got := get(t, m, "GET", "/none"); got != "first" {
		t.Fatalf("got %s", got)
	}
	m.NotFound = tell("second")
	m.GET("/y", tell("y"))
	if got := get(t, m, "GET", "/none"); got != "first" {
		t.Errorf("got %s, want that of the first request", got)
	}
}

// An empty router responds to requests.
func TestEmptyMux(t *testing.T) {
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/", "404"}, {"GET", "/x/y", "404"}, {"OPTIONS", "/", "404"}, {"POST", "//x", "307 /x"}, {"CONNECT", "/", "404"},
	} {
		if got := get(t, muxmaster.New(), c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.target, got, c.want)
		}
	}
}

func TestCONNECT(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.CONNECT("/p/:a/q", values)
		m.CONNECTFast("/f/:a", fastValues)
		m.Handle("/t/", tell("tree"))
		m.Handle("CONNECT /r/{rest...}", http.HandlerFunc(values))
		m.CONNECT("/m/v{a}.{b}", values)
		for _, c := range [][2]string{
			{"/p/1/q", `a="1"`},
			{"/p//q", "404"},   // no named parameter is empty
			{"/p/../q", "404"}, // . or ..
			{"/p/./q", "404"},
			{"/p/%2e%2E/q", "404"},
			{"//p/1/q", "404"},
			{"/f/", "404"},
			{"/f/x", `a="x"`},
			{"/t//x/y", "tree"},
			{"/t//x/../y", "404"},
			{"/t", "307 /t/"},
			{"/r/a//b/../c", "404"},
			{"/r/a//b/c", `rest="a//b/c"`},
			{"/r//", `rest="/"`},
			{"/m/v.1", "404"},
			{"/m/v1.", "404"},
			{"/m/v1.2", `a="1" b="2"`},
			{"/none//x", "404"},
		} {
			if got := get(t, m, "CONNECT", c[0]); got != c[1] {
				t.Errorf("%s: CONNECT %s: got %s, want %s", mode.name, c[0], got, c[1])
			}
		}
		// The usual form, CONNECT host:port, has no path.
		r, err := readRequest("example.com:443", "CONNECT", "example.com:443")
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(m, r).brief(); got != "404" {
			t.Errorf("CONNECT example.com:443: got %s", got)
		}
	}
}

func TestHosts(t *testing.T) {
	m := muxmaster.New()
	m.Handle("api.example.com/", http.HandlerFunc(values))
	m.Handle("API2.Example.com./x/{id}", http.HandlerFunc(values))
	m.Handle("example.com:8080/port", tell("port"))
	m.Handle("./dot", tell("dot"))
	m.Handle("[::1]/six", tell("six"))
	m.Handle("host/{a}", tell("host a"))
	m.Handle("/literal", tell("literal"))
	m.Handle("GET host/get", tell("host get"))
	m.Handle("POST /get", tell("post"))
	m.GET("/verb", tell("verb"))
	for _, c := range []struct{ host, method, target, want string }{
		{"api.example.com", "GET", "/x", ""},
		{"API.EXAMPLE.COM", "GET", "/x", ""},
		{"api.example.com.", "GET", "/x", ""},
		{"api.example.com:80", "GET", "/x", ""},
		{"api.example.com.:80", "GET", "/x", ""},
		{"api.example.com.evil.com", "GET", "/x", "404"},
		{"xapi.example.com", "GET", "/x", "404"},
		{"api2.example.com", "GET", "/x/1", `id="1"`},
		{"example.com", "GET", "/port", "404"}, // net/http: a pattern with a port is for CONNECT
		{"example.com:8080", "GET", "/port", "404"},
		{"Example.com.:8080", "CONNECT", "/port", "port"},
		{"example.com:9", "CONNECT", "/port", "404"},
		{"example.com", "GET", "/dot", "404"},
		{".", "GET", "/dot", "dot"},
		{"[::1]", "GET", "/six", "six"},
		{"[::1]:80", "GET", "/six", "six"},
		{"[::2]:80", "GET", "/six", "404"},
		{"host", "GET", "/literal", "host a"}, // a host before none
		{"other", "GET", "/literal", "literal"},
		{"host", "GET", "/get", "host get"},
		{"host", "POST", "/get", "host a"},
		{"host", "GET", "/verb", "host a"},
		{"other", "GET", "/verb", "verb"},
		{"host", "POST", "/a/b", "404"},
		{"other", "PUT", "/get", "405 POST, OPTIONS"},
	} {
		if got := ask(m, requestTo(t, c.host, c.method, c.target)).brief(); got != c.want {
			t.Errorf("%s %s%s: got %s, want %s", c.method, c.host, c.target, got, c.want)
		}
	}
	r := request(t, "GET", "/x")
	r.Host = ""
	if got := ask(m, r).brief(); got != "404" {
		t.Errorf("without a host: got %s", got)
	}
}
