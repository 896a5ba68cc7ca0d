package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// Which values a host is matched with, alone in a router; "404" if it is not.
var hostParamCases = []struct{ pattern, host, want string }{
	{"{tenant}.example.com/x", "acme.example.com", `tenant="acme"`},
	{"{tenant}.example.com/x", "example.com", "404"},
	{"{tenant}.example.com/x", ".example.com", "404"},
	{"{tenant}.example.com/x", "..example.com", "404"},
	{"{tenant}.example.com/x", "a.b.example.com", "404"},
	{"{tenant}.example.com/x", "acme.example.org", "404"},
	{"{tenant}.example.com/x", "acmeexample.com", "404"},
	{"{tenant}.example.com/x", "acme.example.com.evil.org", "404"},
	{"{tenant}.example.com/x", "evil.org", "404"},
	{"{tenant}.example.com/x", "acme.xexample.com", "404"},
	{"{tenant}.example.com/x", "acme.example.comx", "404"},
	{"{tenant}.example.com/x", "", "404"},
	{"{tenant}.example.com/x", ".", "404"},
	// Case, trailing dot, port.
	{"{tenant}.example.com/x", "ACME.Example.COM", `tenant="acme"`},
	{"{tenant}.Example.COM/x", "acme.example.com", `tenant="acme"`},
	{"{Tenant}.example.com/x", "acme.example.com", `Tenant="acme"`},
	{"{tenant}.example.com/x", "acme.example.com.", `tenant="acme"`},
	{"{tenant}.example.com./x", "acme.example.com", `tenant="acme"`},
	{"{tenant}.example.com/x", "acme.example.com..", "404"},
	{"{tenant}.example.com/x", "acme.example.com:8080", `tenant="acme"`},
	{"{tenant}.example.com/x", "acme.example.com.:8080", `tenant="acme"`},
	{"{tenant}.example.com/x", "acme.example.com:", `tenant="acme"`},
	{"{tenant}.example.com/x", "[acme.example.com]", "any"},
	{"{tenant}.example.com/x", "[::1]:80", "404"},
	{"{tenant}.example.com/x", "xn--bcher-kva.example.com", `tenant="xn--bcher-kva"`},
	{"{tenant}.example.com/x", "a-b_c.example.com", `tenant="a-b_c"`},
	{"{tenant}.example.com/x", strings.Repeat("a", 63) + ".example.com", `tenant="` + strings.Repeat("a", 63) + `"`},
	// Several labels.
	{"{a}.{b}.example.com/x", "one.two.example.com", `a="one" b="two"`},
	{"{a}.{b}.example.com/x", "two.example.com", "404"},
	{"{a}.{b}.example.com/x", "x.one.two.example.com", "404"},
	{"{a}.{b}.example.com/x", ".two.example.com", "404"},
	{"{a}.{b}.example.com/x", "one..example.com", "404"},
	{"{a}.api.{b}.com/x", "one.api.two.com", `a="one" b="two"`},
	{"{a}.api.{b}.com/x", "one.apis.two.com", "404"},
	{"api.{b}.com/x", "api.two.com", `b="two"`},
	{"api.example.{tld}/x", "api.example.org", `tld="org"`},
	{"api.example.{tld}/x", "api.example.org.", `tld="org"`},
	{"api.example.{tld}/x", "api.example.", "404"},
	{"api.example.{tld}/x", "api.example.co.uk", "404"},
	{"api.example.{tld}/x", "api.example.ORG:443", `tld="org"`},
	// Any depth.
	{"{sub...}.example.com/x", "a.example.com", `sub="a"`},
	{"{sub...}.example.com/x", "a.b.c.example.com", `sub="a.b.c"`},
	{"{sub...}.example.com/x", "example.com", "404"},
	{"{sub...}.example.com/x", ".example.com", "404"},
	{"{sub...}.example.com/x", "a..example.com", "404"},
	{"{sub...}.example.com/x", ".a.example.com", "404"},
	{"{sub...}.example.com/x", "aexample.com", "404"},
	{"{sub...}.example.com/x", "A.B.EXAMPLE.com.:80", `sub="a.b"`},
	{"{sub...}.example.com/x", "example.com.example.com", `sub="example.com"`},
	{"{sub...}.example.com/x", strings.Repeat("a.", 100) + "example.com", `sub="` + strings.Repeat("a.", 99) + `a"`},
	// The path's values come behind the host's.
	{"{tenant}.example.com/x/{id}", "acme.example.com", "404"},
	{"{tenant}.example.com/{id}", "acme.example.com", `tenant="acme" id="x"`},
	{"{tenant}.example.com/:id", "acme.example.com", `tenant="acme" id="x"`},
	{"{tenant}.example.com/{rest...}", "acme.example.com", `tenant="acme" rest="x"`},
	{"{tenant}.example.com/*rest", "acme.example.com", `tenant="acme" rest="/x"`},
	{"{tenant}.example.com/{id:[a-z]+}", "acme.example.com", `tenant="acme" id="x"`},
	{"{tenant}.example.com/", "acme.example.com", `tenant="acme"`},
	// Hosts are compared as bytes but for the case of ASCII letters.
	{"bücher.example/x", "bücher.example", ``},
	{"bücher.example/x", "BüCHER.example", ``},
	{"bücher.example/x", "BÜCHER.example", "404"},
	{"{t}.bücher.example/x", "ü.bücher.example", `t="ü"`},
	{"{t}.example.com/x", "\xff.example.com", `t="\xff"`},
	{"k.example.com/x", "K.example.com", ``},
	{"k.example.com/x", "\u212a.example.com", "404"}, // KELVIN SIGN, whose lower case is k
	{"K.example.com/x", "\u212a.example.com", "404"},
	{"\u212a.example.com/x", "k.example.com", "404"},
	{"\u212a.example.com/x", "\u212a.example.com", ``},
	{"s.example.com/x", "\u017f.example.com", "404"},
	{"{t}.\u212a.com/x", "a.k.com", "404"},
	{"{t}.k.com/x", "a.\u212a.com", "404"},
	{"i.example.com/x", "\u0130.example.com", "404"},
}

func TestHostParameters(t *testing.T) {
	for _, c := range hostParamCases {
		for _, mode := range modes {
			m, fast := newMux(mode.pooled), newMux(mode.pooled)
			m.HandleFunc("GET "+c.pattern, values)
			m.HandleFunc("POST other.org/", values)
			fast.HandleFast(c.pattern, fastValues)
			for name, h := range map[string]http.Handler{"Handle": m, "HandleFast": fast} {
				r := request(t, "GET", "/x")
				r.Host = c.host
				if got := ask(h, r).brief(); got != c.want && c.want != "any" {
					t.Errorf("%s, %s %s, host %q: got %s, want %s", mode.name, name, c.pattern, c.host, got, c.want)
				}
			}
		}
	}
}

// An encoded path finds the same hosts.
func TestHostParametersWithEncodedPaths(t *testing.T) {
	m := muxmaster.New()
	m.HandleFunc("{tenant}.example.com/a/{id}", values)
	m.HandleFunc("/a/{id}", tell("none"))
	for _, c := range [][3]string{
		{"acme.example.com", "/a/b%2Fc", `tenant="acme" id="b/c"`}, {"acme.example.com", "/%61/b", `tenant="acme" id="b"`}, {"example.com", "/a/b%2Fc", "none"},
		{"acme.example.com", "/a//b", "307 /a/b"}, {"acme.example.com", "/a%2Fb", "404"},
	} {
		if got := ask(m, requestTo(t, c[0], "GET", c[1])).brief(); got != c[2] {
			t.Errorf("%s%s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// Exact hosts first, then those with more literal labels, then none; in
// whatever order they were registered.
func TestHostPrecedence(t *testing.T) {
	const (
		tenants = "Handle {tenant}.example.com/x|Handle api.example.com/x|Handle /x|Handle {sub...}.example.com/x|Handle {a}.{b}.example.com/x"
		depth   = "Handle {a}.api.example.com/x|Handle {a}.{b}.example.com/x|Handle {sub...}.com/x|Handle {sub...}.example.com/x"
		methods = "Handle POST api.example.com/x|Handle GET {t}.example.com/x|Handle /x"
		paths   = "Handle api.example.com/only|Handle {t}.example.com/{rest...}|Handle GET /x"
	)
	for _, c := range []struct{ routes, method, host, want string }{
		{tenants, "GET", "api.example.com", "Handle api.example.com/x"},
		{tenants, "GET", "API.example.com.:80", "Handle api.example.com/x"},
		{tenants, "GET", "acme.example.com", "Handle {tenant}.example.com/x"},
		{tenants, "GET", "example.com", "Handle /x"},
		{tenants, "GET", "a.b.c.example.com", "Handle {sub...}.example.com/x"},
		{tenants, "GET", "other.org", "Handle /x"},
		{depth, "GET", "x.api.example.com", "Handle {a}.api.example.com/x"},
		{depth, "GET", "x.api.example.org", "404"},
		{depth, "GET", "a.example.com", "Handle {sub...}.example.com/x"},
		{depth, "GET", "a.b.c.d.example.com", "Handle {sub...}.example.com/x"},
		{depth, "GET", "a.b.com", "Handle {sub...}.com/x"},
		{depth, "GET", "example.com", "Handle {sub...}.com/x"},
		// A host that doesn't serve the method, or the path, is no obstacle.
		{methods, "POST", "api.example.com", "Handle POST api.example.com/x"},
		{methods, "GET", "api.example.com", "Handle GET {t}.example.com/x"},
		{methods, "PUT", "api.example.com", "Handle /x"},
		{methods, "HEAD", "api.example.com", "Handle GET {t}.example.com/x"},
		{paths, "GET", "api.example.com", "Handle {t}.example.com/{rest...}"},
		{paths, "GET", "example.com", "Handle GET /x"},
		{paths, "POST", "example.com", "405 GET, HEAD, OPTIONS"},
	} {
		for i, order := range shuffled(c.routes) {
			m := newMux(i%2 == 0)
			add(m, order)
			if got := ask(m, requestTo(t, c.host, c.method, "/x")).brief(); got != c.want {
				t.Errorf("%s, %s %s/x: got %s, want %s", order, c.method, c.host, got, c.want)
			}
			agrees(t, m, c.host, c.method, "/x")
		}
	}
}

// Allow, OPTIONS and redirects know the routes of every host that matches.
func TestHostFallbacks(t *testing.T) {
	m := muxmaster.New()
	add(m, "Handle GET {t}.example.com/x|Handle PUT api.example.com/x|Handle POST {s...}.com/x|Handle DELETE /x|Handle {t}.example.com/tree/|Handle GET {t}.example.com/y/{id}/")
	for _, c := range []struct{ host, method, target, want string }{
		{"api.example.com", "BREW", "/x", "405 GET, HEAD, POST, PUT, DELETE, OPTIONS"},
		{"acme.example.com", "BREW", "/x", "405 GET, HEAD, POST, DELETE, OPTIONS"},
		{"acme.example.com", "OPTIONS", "/x", "204 GET, HEAD, POST, DELETE, OPTIONS"},
		{"other.com", "BREW", "/x", "405 POST, DELETE, OPTIONS"},
		{"other.org", "BREW", "/x", "405 DELETE, OPTIONS"},
		{"acme.example.com", "GET", "/tree", "307 /tree/"},
		{"acme.example.com:8080", "GET", "/tree?q", "307 /tree/?q"},
		{"other.org", "GET", "/tree", "404"},
		{"acme.example.com", "GET", "/y/1", "307 /y/1/"},
		{"acme.example.com", "POST", "/y/1", "405 GET, HEAD, OPTIONS"},
		{"acme.example.com", "GET", "//evil.com/", "307 /evil.com/"},
		{"acme.example.com", "GET", "/none", "404"},
	} {
		if got := ask(m, requestTo(t, c.host, c.method, c.target)).brief(); got != c.want {
			t.Errorf("%s %s%s: got %s, want %s", c.method, c.host, c.target, got, c.want)
		}
	}
}

// All variants of Handle accept them; Groups and mounts put the prefix
// between host and path.
func TestHostParametersEverywhere(t *testing.T) {
	m, sub := muxmaster.New(), muxmaster.New()
	m.HandleFunc("{t}.example.com/f", values)
	must(m.TryHandle("GET {t}.example.com/try", http.HandlerFunc(values)))
	m.HandleFast("GET,POST {t}.example.com/fast/{x}", fastValues)
	m.Group("/g/:v").HandleFunc("{t}.example.com/x", values)
	m.Group("/g/:v").HandleFunc("{t}.example.com/{$}", values)
	sub.HandleFunc("{t}.example.com/x/{id}", values)
	sub.HandleFunc("GET {s...}.example.org/{$}", values)
	sub.GET("/x/:id", tell("any host"))
	m.Mount("/m/:v", sub)
	for _, c := range [][3]string{
		{"a.example.com", "/f", `t="a"`},
		{"a.example.com", "/try", `t="a"`},
		{"a.example.com", "/fast/5", `t="a" x="5"`},
		{"a.example.com", "/g/1/x", `t="a" v="1"`},
		{"a.example.com", "/g/1", `t="a" v="1"`},
		{"a.example.com", "/g/1/", `t="a" v="1"`},
		{"a.example.com", "/m/1/x/2", `t="a" v="1" id="2"`},
		{"b.example.net", "/m/1/x/2", `any host`},
		{"a.b.example.org", "/m/1/", `s="a.b" v="1"`},
		{"a.b.example.org", "/m/1", `s="a.b" v="1"`},
		{"example.org", "/m/1", `404`},
	} {
		if got := ask(m, requestTo(t, c[0], "GET", c[1])).brief(); got != c[2] {
			t.Errorf("%s%s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

func TestHostParameterIntrospection(t *testing.T) {
	m := muxmaster.New()
	m.HandleFunc("GET {tenant}.example.com/users/{id}", values)
	m.HandleFunc("api.example.com/users/{id}", values)
	r := requestTo(t, "acme.example.com", "GET", "/users/a%2Fb")
	ask(m, r)
	if got, want := r.Pattern, "GET {tenant}.example.com/users/{id}"; got != want {
		t.Errorf("r.Pattern is %q, want %q", got, want)
	}
	if got := muxmaster.RoutePattern(r); got != "/users/{id}" {
		t.Errorf("RoutePattern is %q", got)
	}
	if got, err := muxmaster.BuildPath(muxmaster.RoutePattern(r), "id", "a/b"); got != "/users/a%2Fb" || err != nil {
		t.Errorf("BuildPath: %q, %v", got, err)
	}
	if got, err := muxmaster.BuildPath(r.Pattern, "id", "a/b"); got != "/users/a%2Fb" || err != nil {
		t.Errorf("BuildPath of the whole pattern: %q, %v", got, err)
	}
	e := m.Explain("GET", "http://acme.example.com/users/5")
	if e.Route == nil || e.Route.Host != "{tenant}.example.com" || e.Route.Pattern != "/users/{id}" {
		t.Errorf("Explain: %v", e)
	}
	e = m.Explain("GET", "http://api.example.com/users/5")
	if e.Route == nil || e.Route.Host != "api.example.com" || len(e.Candidates) != 2 || !strings.HasPrefix(e.Candidates[1].Reason, "matches") {
		t.Errorf("Explain: %v", e)
	}
	e = m.Explain("GET", "http://example.com/users/5")
	if e.Route != nil || e.Status != 404 || !strings.Contains(e.Candidates[0].Reason, "host") {
		t.Errorf("Explain: %v", e)
	}
	var hosts []string
	for rt := range m.Routes() {
		hosts = append(hosts, rt.Host)
	}
	if fmt.Sprint(hosts) != "[api.example.com {tenant}.example.com]" {
		t.Errorf("Routes: hosts %q", hosts)
	}
	if _, p := m.Handler(requestTo(t, "acme.example.com", "GET", "/users/5")); p != "GET {tenant}.example.com/users/{id}" {
		t.Errorf("Handler: %q", p)
	}
}

func TestBadHostPatterns(t *testing.T) {
	for _, p := range []string{
		"{}.example.com/x", "{tenant.example.com/x", "tenant}.example.com/x", "{a}{b}.example.com/x", "{a.b}.example.com/x", "{...}.example.com/x",
		"a.{sub...}.com/x", "example.{sub...}/x", "{a...}.{b...}.com/x", "{$}.example.com/x", "{1}.example.com/x", "{a b}.example.com/x",
		"{id}.example.com/{id}", "{id}.{id}.example.com/x", "{id}.example.com/{id...}", "*.example.com/x", ":sub.example.com/x",
	} {
		m := muxmaster.New()
		err := m.TryHandle(p, tell(""))
		if err == nil || !strings.HasPrefix(err.Error(), "muxmaster: ") || !strings.Contains(err.Error(), fmt.Sprintf("%q", p)) {
			t.Errorf("%q: %v", p, err)
		}
		if text := panics(func() { m.Handle("GET "+p, tell("")) }); !strings.HasPrefix(text, "muxmaster: ") {
			t.Errorf("GET %q: panicked with %q", p, text)
		}
	}
	for _, c := range [][2]string{
		{"{a}.example.com/x", "{b}.example.com/x"},
		{"{a...}.example.com/x/{y}", "{b...}.Example.com./x/{z}"},
		{"GET,POST {a}.example.com/x", "POST {a}.example.com/x"},
	} {
		m := muxmaster.New()
		m.Handle(c[0], tell(""))
		if err := m.TryHandle(c[1], tell("")); err == nil || !strings.Contains(err.Error(), c[0]) || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%q after %q: %v", c[1], c[0], err)
		}
	}
	m := muxmaster.New()
	for _, p := range []string{"{a}.example.com/x", "{a...}.example.com/x", "{a}.{b}.com/x", "a.example.com/x", "POST {b}.example.com/x", "{b}.example.com/{x}", "/x"} {
		if err := m.TryHandle(p, tell("")); err != nil {
			t.Errorf("%q beside the others: %v", p, err)
		}
	}
}

// Verb methods take paths, no hosts.
func TestVerbsTakeNoHosts(t *testing.T) {
	m := muxmaster.New()
	for name, do := range map[string]func(){
		"GET":    func() { m.GET("{t}.example.com/x", tell("")) },
		"Mount":  func() { m.Mount("{t}.example.com/x", tell("")) },
		"Group":  func() { m.Group("{t}.example.com/x") },
		"Method": func() { m.Method("GET", "{t}.example.com/x", tell("")) },
	} {
		if text := panics(do); !strings.HasPrefix(text, "muxmaster: ") {
			t.Errorf("%s: panicked with %q", name, text)
		}
	}
}

// A host in the request line, which no server checks, is compared as bytes,
// too.
func TestHostOfTheRequestLine(t *testing.T) {
	m := muxmaster.New()
	m.HandleFunc("k.example.com/x", tell("k"))
	m.HandleFunc("{t}.tenants.example/x", values)
	m.HandleFunc("/x", tell("none"))
	srv := httptest.NewServer(m)
	defer srv.Close()
	for _, c := range [][2]string{
		{"http://k.example.com/x", "200 k"},
		{"http://K.Example.com.:80/x", "200 k"},
		{"http://%E2%84%AA.example.com/x", "200 none"},
		{"http://\u212a.example.com/x", "200 none"},
		{"http://acme.tenants.example/x", `200 t="acme"`},
		{"http://a%2Eb.tenants.example/x", ""},
		{"http://user@acme.tenants.example/x", `200 t="acme"`},
		{"http://a%2Fb.tenants.example/x", ""},
	} {
		status, body, _, err := sendRaw(srv.Listener.Addr().String(), "GET "+c[0]+" HTTP/1.1\r\nHost: h\r\n\r\n")
		if got := fmt.Sprint(status, " ", body); err != nil || c[1] != "" && got != c[1] {
			t.Errorf("%s: got %s (%v), want %s", c[0], got, err, c[1])
		}
	}
}
