package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

func TestAllow(t *testing.T) {
	routings{
		{"GET /x", exchanges{
			{"POST /x", "405 GET, HEAD, OPTIONS"}, {"BREW /x", "405 GET, HEAD, OPTIONS"}, {"get /x", "405 GET, HEAD, OPTIONS"},
			{"OPTIONS /x", "204 GET, HEAD, OPTIONS"}, {"OPTIONS /y", "404"}, {"POST /y", "404"},
		}},
		// The order doesn't depend on that of the registrations.
		{"OPTIONS /x|QUERY /x|TRACE /x|CONNECT /x|DELETE /x|PATCH /x|PUT /x|POST /x|HEAD /x|GET /x|Handle WHEN,BREW /x", exchanges{
			{"PROPFIND /x", "405 GET, HEAD, POST, PUT, PATCH, DELETE, CONNECT, TRACE, QUERY, BREW, WHEN, OPTIONS"},
		}},
		{"OPTIONS /x", exchanges{{"OPTIONS /x", "OPTIONS /x"}}},
		{"BREW /x|ABC /x", exchanges{{"/x", "405 ABC, BREW, OPTIONS"}}},
		// The methods of every route that fits, not of the first.
		{"GET /users/:id|POST /users/list", exchanges{
			{"PUT /users/list", "405 GET, HEAD, POST, OPTIONS"}, {"/users/list", "GET /users/:id"}, {"PUT /users/1", "405 GET, HEAD, OPTIONS"},
		}},
		{"Handle GET /a/*rest|Handle PUT /a/{id:[0-9]+}|Handle PATCH /a/v{x}|Handle DELETE /a/:b", exchanges{
			{"TRACE /a/1", "405 GET, HEAD, PUT, DELETE, OPTIONS"}, {"TRACE /a/v1", "405 GET, HEAD, PATCH, DELETE, OPTIONS"},
			{"TRACE /a/v1/", "405 GET, HEAD, OPTIONS"},
		}},
		// What would be redirected counts, as in net/http.
		{"Handle GET /tree/", exchanges{{"POST /tree", "405 GET, HEAD, OPTIONS"}}},
		// Encoded and odd.
		{"GET /a%2Fb", exchanges{{"POST /a%2fb", "405 GET, HEAD, OPTIONS"}}},
		{"GET /{x}", exchanges{{"POST /%FF", "405 GET, HEAD, OPTIONS"}, {"OPTIONS /a%2Fb", "204 GET, HEAD, OPTIONS"}}},
	}.test(t)
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
		if c[1] == "/x" {
			want.Header().Set("Allow", "GET, HEAD, OPTIONS")
		}
		if got.Code != want.Code || got.Body.String() != want.Body.String() || fmt.Sprint(got.Header()) != fmt.Sprint(want.Header()) {
			t.Errorf("%s %s: got %d %v %q, want %d %v %q", c[0], c[1], got.Code, got.Header(), got.Body, want.Code, want.Header(), want.Body)
		}
	}
	if w := record(m, request(t, "OPTIONS", "/x")); w.Code != 204 || w.Body.Len() > 0 || fmt.Sprint(w.Header()) != "map[Allow:[GET, HEAD, OPTIONS]]" {
		t.Errorf("OPTIONS: %d %v %q", w.Code, w.Header(), w.Body)
	}
}

// Handlers can modify header values, because responses don't share them.
func TestFallbackHeadersAreNotShared(t *testing.T) {
	for name, m := range map[string]*muxmaster.Mux{"own handlers": tagged("m"), "default": muxmaster.New()} {
		add(m, "GET /x")
		for range 2 {
			for _, c := range [][2]string{{"POST", "/x"}, {"GET", "/none"}, {"OPTIONS", "/x"}} {
				w := record(m, request(t, c[0], c[1]))
				for k, v := range w.Header() {
					if strings.Contains(v[0], "changed") {
						t.Errorf("%s, %v: %s: %q", name, c, k, v)
					}
					w.Header()[k][0] = "changed"
					w.Header()[k] = append(w.Header()[k], "changed")
				}
			}
		}
	}
}

// A nil function in one of the fields is no handler.
func TestNilFunctionsInFields(t *testing.T) {
	for _, h := range []http.Handler{http.HandlerFunc(nil), (*muxmaster.Mux)(nil)} {
		m := muxmaster.New()
		m.NotFound, m.MethodNotAllowed = tell("outer 404"), tell("outer 405")
		g := m.Group("/g")
		g.NotFound, g.MethodNotAllowed = h, h
		add(g, "GET /x")
		wants(t, m, exchanges{{"POST /g/none", "outer 404"}, {"POST /g/x", "outer 405"}}, fmt.Sprintf("%T", h))
	}
}

// A Mux whose NotFound is itself, or a Mux that it is mounted on, responds with a
// plain 404.
func TestFieldsThatLoop(t *testing.T) {
	for name, loop := range map[string]func(root, api *muxmaster.Mux){
		"NotFound":         func(root, _ *muxmaster.Mux) { root.NotFound = root },
		"MethodNotAllowed": func(root, _ *muxmaster.Mux) { root.MethodNotAllowed = root },
		"a Group":          func(root, _ *muxmaster.Mux) { root.NotFound = root.Group("/g") },
		"of a Group":       func(root, _ *muxmaster.Mux) { root.Group("/g").NotFound = root },
		"of a mounted Mux": func(root, api *muxmaster.Mux) { api.NotFound = root },
	} {
		root, api := muxmaster.New(), muxmaster.New()
		root.Mount("/api", api)
		loop(root, api)
		api.GET("/x", tell("x"))
		wants(t, root, exchanges{{"/api/none", "404"}, {"POST /api/x", "405 GET, HEAD, OPTIONS"}, {"/none", "404"}, {"/g/none", "404"}}, name)
	}
	root, api := muxmaster.New(), muxmaster.New()
	api.NotFound = root
	root.GET("/x", tell("root's x"))
	wants(t, api, exchanges{{"/x", "root's x"}})
}

// A request can be served any number of times, one after the other, as in a
// benchmark.
func TestNotFoundAgain(t *testing.T) {
	for name, build := range map[string]func(m *muxmaster.Mux){
		"NotFound": func(m *muxmaster.Mux) { m.NotFound, m.MethodNotAllowed = tell("none"), tell("no") },
		"Use":      func(m *muxmaster.Mux) { m.Use(trace("use")) },
		"Group":    func(m *muxmaster.Mux) { m.Group("/none").NotFound = tell("none") },
		"Mux":      func(m *muxmaster.Mux) { m.NotFound = muxmaster.New() },
	} {
		m := muxmaster.New()
		build(m)
		m.POST("/x", tell("x"))
		for _, target := range []string{"/none/y", "/x", "/x/", "//x"} {
			r := request(t, "GET", target)
			first := ask(m, r)
			for i := range 1000 {
				if got := ask(m, r); got != first {
					t.Errorf("%s: %s: response %d: got %v, want %v", name, target, i, got, first)
					break
				}
			}
		}
	}
}

func TestRedirects(t *testing.T) {
	routings{
		// Cleaning, whatever is registered.
		{"GET /x", exchanges{
			{"//", "307 /"}, {"//x", "307 /x"}, {"///x", "307 /x"}, {"/./x", "307 /x"}, {"/y/../x", "307 /x"}, {"/../../..", "307 /"}, {"/x/.", "307 /x"},
			// and without the slash at once
			{"/x/./", "307 /x"}, {"/y/./z/..//", "307 /y/"}, {"/%2e/x", "307 /x"}, {"/y/%2E%2e/x", "307 /x"},
		}},
		{"GET /:a", exchanges{{"/%2e%2e", "307 /"}}},
		{"GET /*a", exchanges{{"/a/%2e%2e/%2e%2e/etc/passwd", "307 /etc/passwd"}}},
		{"GET /{a...}", exchanges{{"/a/../b", "307 /b"}}},
		{"GET /x", exchanges{
			{"POST //x", "307 /x"}, {"OPTIONS //x", "307 /x"},
		}},
		// The escaping and the query are kept.
		{"GET /x", exchanges{
			{"/a%2Fb//c?d=/../e", "307 /a%2Fb/c?d=/../e"}, {"/a%3Fb//c", "307 /a%3Fb/c"}, {"/a//c?d#e#", "307 /a/c?d%23e%23"}, {"/a%25b//c", "307 /a%25b/c"},
			{"/a%252e%252e//c", "307 /a%252e%252e/c"}, {"/%252e%252e//c", "307 /%252e%252e/c"}, {"/a%0d%0aX:y//c", "307 /a%0d%0aX:y/c"},
			{"/ü//c", "307 /%C3%BC/c"}, {"/a%20b//c?q=a%20b&r=%0a", "307 /a%20b/c?q=a%20b&r=%0a"}, {"/a//b?", "307 /a/b"},
		}},
		// No other host, whatever the path says.
		{"GET /x", exchanges{
			{"//evil.com", "307 /evil.com"}, {"///evil.com/..", "307 /"}, {"//evil.com//", "307 /evil.com/"}, {"/.//evil.com", "307 /evil.com"},
			{"/%2e//evil.com/", "307 /evil.com/"}, {"/%2F/./evil.com", "307 /%2F/evil.com"}, {"/%2F%2Fevil.com//", "307 /%2F%2Fevil.com/"},
		}},
		{"GET /:a/", exchanges{{"/%2F%2Fevil.com", "307 /%2F%2Fevil.com/"}}},
		{"GET /:a", exchanges{{"/%5Cevil.com/", "307 /%5Cevil.com"}}},
		{"GET /:a/", exchanges{{"/\\evil.com", "307 /%5Cevil.com/"}}},
		{"GET /x", exchanges{
			{"/\\evil.com//", "307 /%5Cevil.com/"}, {"http://evil.com//y", "307 /y"}, {"http://evil.com/y//z?q", "307 /y/z?q"},
		}},
		{"GET /:a", exchanges{
			{"http://evil.com/y/", "307 /y"},
		}},
		{"GET /x", exchanges{
			{"http://evil.com", "307 /"},
		}},
		// Slashes of verb routes, both ways, only for the route's method.
		{"GET /x", exchanges{{"/x/", "307 /x"}, {"/x/?q=1", "307 /x?q=1"}}},
		{"GET /:a/y/", exchanges{{"/1%3F2/y", "307 /1%3F2/y/"}}},
		{"GET /x", exchanges{{"HEAD /x/", "307 /x"}, {"/", "404"}, {"POST /x/", "404"}}},
		{"", exchanges{{"/", "404"}, {"/x/y", "404"}, {"OPTIONS /", "404"}, {"POST //x", "307 /x"}, {"CONNECT /", "404"}}},
		// CONNECT requests for a host have no path, and the path of others isn't cleaned.
		{"CONNECT /*rest|Handle /", exchanges{{"CONNECT example.com:80", "404"}}},
		{"Handle //evil.com/|CONNECT /d/:x/", exchanges{{"CONNECT //evil.com", "307 /evil.com/"}, {"CONNECT /d/x", "307 /d/x/"}, {"CONNECT /d/..", "404"}}},
		// So a pattern with a segment that cleaning removes serves only CONNECT, and hides none beside it.
		{"ANY //x|ANY /./x|ANY /../x|ANY /a//x|ANY /a/./x|ANY /a/../x|ANY /a//|GET /b/:id|GET /c/:id|GET /d/:id|GET /a/b/:id|GET /a/c/:id|GET /a/d/:id", exchanges{
			{"//x", "307 /x"}, {"/./x", "307 /x"}, {"/../x", "307 /x"}, {"/a//x", "307 /a/x"}, {"/a/./x", "307 /a/x"}, {"/a/../x", "307 /x"}, {"/a//", "307 /a/"},
			{"CONNECT //x", "ANY //x"}, {"CONNECT /./x", "ANY /./x"}, {"CONNECT /../x", "ANY /../x"}, {"CONNECT /a//x", "ANY /a//x"},
			{"CONNECT /a/./x", "ANY /a/./x"}, {"CONNECT /a/../x", "ANY /a/../x"}, {"CONNECT /a//", "ANY /a//"},
			{"/b/1", "GET /b/:id"}, {"/d/1", "GET /d/:id"}, {"/a/b/1", "GET /a/b/:id"}, {"/a/d/1", "GET /a/d/:id"},
		}},
	}.test(t)
}

// redirectTargets are seeds of FuzzLocation.
var redirectTargets = []string{
	"//evil.com", "/\\evil.com/", "/%5cevil.com/", "/%2f%2fevil.com", "/%2f/evil.com//", "/.//evil.com", "/..//evil.com/..;/", "/x/%0d%0aSet-Cookie:a=b/",
	"//%0d%0aLocation:http:%2f%2fevil.com", "/a/..//%2fevil.com/", "http://evil.com//", "http://evil.com/x/", "/x?//evil.com", "/%", "/%zz/", "/\x00/", "/\xff//", "/%00//", "/;//", "/http://evil.com/", "/:@evil.com//", "/.?#%",
}

func redirectingMux() *muxmaster.Mux {
	m := muxmaster.New()
	m.GET("/:a", tell("a"))
	m.GET("/:a/:b/", tell("b"))
	m.GET("/{a:[a-z.]+}/y{b}/", tell("c"))
	m.Handle("/t/{x}/", tell("d"))
	m.POST("/p/*rest", tell("e"))
	m.CONNECT("/c/:x", tell("f"))
	m.CONNECT("/d/:x/", tell("g"))
	return m
}

// Requests created by programs may contain bytes that parsers reject.
func TestLocationOfHandMadeRequests(t *testing.T) {
	m := redirectingMux()
	for _, u := range []url.URL{
		{Path: "//evil.com"},
		{Path: "/\\evil.com//"},
		{Path: "/a\r\nSet-Cookie: x/"},
		{Path: "/a/", RawQuery: "x\r\nSet-Cookie: y"},
		{Path: "/a//b", RawPath: "/a//%62"},
		{Path: "/a//b", RawPath: "//evil.com"}, // RawPath that is not Path's
		{Path: "x//y"},
		{Path: "evil.com//"},
		{Path: ""},
		{Opaque: "//evil.com/x/"},
		{Path: "//", Host: "evil.com", Scheme: "http"},
		{Path: "/./", User: url.User("evil.com")},
		{Path: "/\x7f//"},
		{Path: "/%2F//"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL, r.RequestURI = &u, ""
		if a := ask(m, r); a.status == 307 {
			if wrong := wrongLocation(u.EscapedPath(), a.location); wrong != "" {
				t.Errorf("%#v: Location %q %s", u, a.location, wrong)
			}
		}
	}
}

// The rule of Handle holds whatever RedirectTrailingSlash says, also where a route
// of a verb method serves the path with the slash. No 405 allows a method that is
// then refused.
func TestSlashOfVerbMethodsAndHandle(t *testing.T) {
	for redirect, want := range map[bool]exchanges{
		true: {
			{"/7", "307 /7/"}, {"/7/", "GET /{n:[0-9]+}/"}, {"/x", "307 /x/"}, {"PUT /7", "405 GET, HEAD, OPTIONS"}, {"/only/7", "307 /only/7/"},
			{"/a/leaf/", "404"}, {"/a/verb/", "307 /a/verb"},
		},
		false: {
			{"/7", "307 /7/"}, {"/x", "307 /x/"}, {"PUT /7", "405 GET, HEAD, OPTIONS"}, {"/only/7", "404"},
			{"/a/tree", "307 /a/tree/"}, {"/a/fast", "307 /a/fast/"}, {"/a/verb/", "404"},
		},
	} {
		m := muxmaster.New()
		m.RedirectTrailingSlash = redirect
		add(m, "GET /{n:[0-9]+}/|GET /only/:x/|Handle GET /{any}/{$}|Handle /a/tree/|Handle /a/leaf|GET /a/verb")
		m.HandleFast("/a/fast/", fastValues)
		wants(t, m, want, "RedirectTrailingSlash", redirect)
	}
}

// NotFound, MethodNotAllowed and middleware can pass the request to another
// Mux, to an http.ServeMux, or to the same Mux with another path.
func TestAnswersThatRouteOn(t *testing.T) {
	needsNesting(t)
	for _, mode := range modes {
		for name, mw := range map[string]wrapper{
			"plain": passOn,
			"copy": wrap(func(w http.ResponseWriter, r *http.Request, h http.Handler) {
				h.ServeHTTP(w, r.WithContext(r.Context()))
			}),
			"SetPathValue": wrap(func(w http.ResponseWriter, r *http.Request, h http.Handler) {
				r.SetPathValue("set", "by middleware")
				h.ServeHTTP(w, r)
			}),
		} {
			other, std, m, sub := newMux(mode.pooled), http.NewServeMux(), newMux(mode.pooled), newMux(mode.pooled)
			other.GET("/other/:a/:b", values)
			std.HandleFunc("/std/{a}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Pattern, " ", r.PathValue("a")) })
			m.Use(mw)
			m.GET("/own/:x", values)
			m.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/back":
					r.URL.Path = "/own/back"
					m.ServeHTTP(w, r)
				case strings.HasPrefix(r.URL.Path, "/std"):
					std.ServeHTTP(w, r)
				default:
					other.ServeHTTP(w, r)
				}
			})
			m.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Method = "GET"
				m.ServeHTTP(w, r)
			})
			m.Group("/g/:g").NotFound = http.StripPrefix("/g/1", other)
			sub.NotFound = http.StripPrefix("/s/2", other)
			m.Mount("/s/:s", sub)
			wants(t, m, exchanges{
				{"POST /own/1", `x="1"`}, {"/back", `x="back"`}, {"/other/a%2Fb/2", `a="a/b" b="2"`}, {"/std/1", "/std/{a} 1"}, {"/nowhere", "404"},
			}, mode.name, name)
			// The prefix's values are there, too, but not in a copy of the request.
			for target, prefixed := range map[string]string{"/g/1/other/3/4": ` g="1"`, "/s/2/other/3/4": ` s="2"`} {
				const own = `a="3" b="4"`
				if got := get(t, m, "GET", target); got != own+prefixed && got != own {
					t.Errorf("%s, %s: %s: got %s", mode.name, name, target, got)
				}
			}
		}
	}
}

// NotFound and MethodNotAllowed see the values of the prefix, none of a route, no
// pattern and, if there is a route for another method, the Allow header.
func TestUnmatchedRequestsHaveThePrefixValues(t *testing.T) {
	for _, mode := range modes {
		m, sub := newMux(mode.pooled), newMux(mode.pooled)
		show := func(name string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "%s t=%q y=%q pattern=%q allow=%q", name, r.PathValue("t"), r.PathValue("y"), r.Pattern, w.Header().Get("Allow"))
			})
		}
		m.NotFound, m.MethodNotAllowed = show("outer 404"), show("outer 405")
		m.GET("/x/:y", tell("x"))
		g := m.Group("/g/:t")
		g.NotFound, g.MethodNotAllowed = show("404"), show("405")
		g.GET("/x/:y", tell("x"))
		sub.NotFound, sub.MethodNotAllowed = show("404"), show("405")
		sub.GET("/x/:y", tell("x"))
		sub.GET("/:a/:b/:c/z", tell("z"))
		m.Mount("/m/:t", sub)
		wants(t, m, exchanges{
			{"/none", `outer 404 t="" y="" pattern="" allow=""`}, {"/x/6/7", `outer 404 t="" y="" pattern="" allow=""`}, {"OPTIONS /none", `outer 404 t="" y="" pattern="" allow=""`},
			{"POST /x/6", `outer 405 t="" y="" pattern="" allow="GET, HEAD, OPTIONS"`}, {"OPTIONS /x/6", "204 GET, HEAD, OPTIONS"}, {"/x/6/", "307 /x/6"},
			{"/g/5/none", `404 t="5" y="" pattern="" allow=""`},
			{"/g/a%2Fb/none", `404 t="a/b" y="" pattern="" allow=""`},
			{"POST /g/5/x/6", `405 t="5" y="" pattern="" allow="GET, HEAD, OPTIONS"`},
			{"/m/5/none", `404 t="5" y="" pattern="" allow=""`},
			{"/m/a%2Fb/1/2/3/4", `404 t="a/b" y="" pattern="" allow=""`},
			{"POST /m/5/x/6", `405 t="5" y="" pattern="" allow="GET, HEAD, OPTIONS"`},
			{"/m/5", `404 t="5" y="" pattern="" allow=""`},
		}, mode.name)
	}
}

// TestRedirectCase tests paths whose letters have another case than those of a
// pattern.
func TestRedirectCase(t *testing.T) {
	m := muxmaster.New()
	m.RedirectCase = true
	addValues(m, "GET /users|GET /users/:id|POST /Users/:id/Posts|GET /Docs/*path|GET /User-{id}.json|GET /{id:[a-z]+}/Show|GET /x{a}Ab{b}")
	addValues(m, "GET /y{a:[ab]+}K{b:[ab]+}|GET /v2/{name...}/Tags/list|GET /A%2Fb/%41|GET /é/k")
	m.Handle("/Tree/", tell("tree"))
	m.GET("/slash/", values)
	m.GET("/Twice", tell("Twice"))
	m.GET("/TWICE", tell("TWICE"))
	m.Group("/Things").GET("/", values)
	addValues(m, "GET /T{x}ngs")
	m.Method("BREW", "/Pot", tell("pot"))
	addValues(m, "ANY /any|Handle {tenant}.example.com/Host/{x}")
	want := exchanges{
		{"/users", ""},
		{"/USERS", "307 /users"},
		{"/USERS?A=/B%2F#", "307 /users?A=/B%2F%23"},
		{"/USERS/Bob", "307 /users/Bob"},
		{"/USERS/B%6Fb%2FX", "307 /users/B%6Fb%2FX"},
		{"POST /users/Bob/posts", "307 /Users/Bob/Posts"},
		{"POST /Users/Bob/Posts", `id="Bob"`},
		{"PUT /users/Bob/posts", "404"},
		{"PUT /USERS", "404"},
		{"/docs/A/b", "307 /Docs/A/b"},
		{"/DOCS", "307 /Docs/"},
		{"/user-Ab.JSON", "307 /User-Ab.json"},
		{"/USER-%7BAb%7D.json", "307 /User-%7BAb%7D.json"},
		{"/abc/SHOW", "307 /abc/Show"},
		{"/ABC/SHOW", "404"}, // the constraint sees ABC
		{"/X1aB2", "307 /x1Ab2"},
		{"/Yaka", "307 /yaKa"},
		{"/YAka", "404"},
		{"/Ya\u212Aa", "404"}, // the Kelvin sign is no k
		{"/V2/A/b/tags/LIST", "307 /v2/A/b/Tags/list"},
		{"/a%2FB/a", "307 /A%2Fb/A"},
		{"/a/b/A", "404"},
		{"/%C3%A9/K", "307 /%C3%A9/k"},
		{"/%C3%89/k", "404"}, // only ASCII letters have a case
		{"/tree/x", "307 /Tree/x"},
		{"/Slash", "307 /slash/"},
		{"/USERS/Bob/", "307 /users/Bob"},
		{"/twice", "307 /Twice"},
		{"/TWICE", "TWICE"},
		{"/tHINGS", "307 /Things"}, // and not /THINgs
		{"BREW /pot", "307 /Pot"},
		{"WHEN /pot", "404"},
		{"WHEN /ANY", "307 /any"},
		{"//USERS", "307 /users"},
		{"//evil.com/USERS", "307 /evil.com/USERS"},
		{"/\\evil/SHOW", "404"},
		{"CONNECT /ANY", "404"},
		{"a.EXAMPLE.com/host/A", "307 /Host/A"},
		{"example.com/host/A", "404"},
		{"/none", "404"},
	}
	wants(t, m, want)
	agrees(t, m, want)
	if _, pattern := m.Handler(request(t, "GET", "/USERS/Bob")); pattern != "GET /users/:id" {
		t.Errorf("Handler returned %q", pattern)
	}
	m = muxmaster.New()
	m.GET("/users", values)
	wants(t, m, exchanges{{"/USERS", "404"}}, "without RedirectCase")
}

// TestRedirectCaseInScopes checks which Mux decides about a redirect to another
// case, and in which middleware it is sent: that of the path that it names.
func TestRedirectCaseInScopes(t *testing.T) {
	// name adds to a header, so that the response stays as it is.
	name := func(text string) wrapper {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Add("X-Trace", text); next.ServeHTTP(w, r) })
		}
	}
	for _, c := range []struct {
		outer, inner bool // RedirectCase
		target, want string
	}{
		{true, false, "/ADMIN/users", "root admin 307 /admin/users"},
		{true, false, "/admin/USERS", "root admin 307 /admin/users"},
		{true, false, "/ADMIN/none", "root 404"},
		{true, false, "/API/users", "root 307 /api/users"}, // there, the mounted Mux responds
		{true, false, "/api/USERS", "root api 404"},
		{false, true, "/api/USERS", "root api 307 /api/users"},
		{false, true, "/API/users", "root 404"},
		{false, true, "/ADMIN/users", "root 404"},
		{true, true, "/API/USERS/", "root 307 /api/USERS/"},
	} {
		m, sub := muxmaster.New(), muxmaster.New()
		m.RedirectCase, sub.RedirectCase = c.outer, c.inner
		m.Use(name("root"))
		admin := m.Group("/admin")
		admin.Use(name("admin"))
		admin.GET("/users", values)
		sub.Use(name("api"))
		sub.GET("/users", values)
		m.Mount("/api", sub)
		w := record(m, request(t, "GET", c.target))
		got := strings.Join(append(w.Header().Values("X-Trace"), answerOf(w).brief()), " ")
		if got != c.want {
			t.Errorf("%s, RedirectCase outside %v, inside %v: got %s, want %s", c.target, c.outer, c.inner, got, c.want)
		}
	}
}

// TestRedirectCaseInUpdate checks that Update can change the field, also for
// inspection before the first request.
func TestRedirectCaseInUpdate(t *testing.T) {
	m := muxmaster.New()
	add(m, "GET /users")
	if e := m.Explain("GET", "/USERS"); e.Status != 404 {
		t.Errorf("before: %d", e.Status)
	}
	m.RedirectCase = true
	if e := m.Explain("GET", "/USERS"); e.Location != "/users" {
		t.Errorf("set: %q", e.Location)
	}
	wants(t, m, exchanges{{"/USERS", "307 /users"}})
	for _, c := range []struct {
		on   bool
		want string
	}{{false, "404"}, {true, "307 /users"}} {
		must(m.Update(func(m *muxmaster.Mux) error { m.RedirectCase = c.on; return nil }))
		wants(t, m, exchanges{{"/USERS", c.want}}, c.on)
	}
}
