package muxmaster_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		method, pattern, target, want string
	}{
		// Cleaning, whatever is registered.
		{"GET", "/x", "//", "307 /"},
		{"GET", "/x", "//x", "307 /x"},
		{"GET", "/x", "///x", "307 /x"},
		{"GET", "/x", "/./x", "307 /x"},
		{"GET", "/x", "/y/../x", "307 /x"},
		{"GET", "/x", "/../x", "307 /x"},
		{"GET", "/x", "/../../..", "307 /"},
		{"GET", "/x", "/x/.", "307 /x"},
		{"GET", "/x", "/x/./", "307 /x"}, // and without the slash at once
		{"GET", "/x", "/y//z/", "307 /y/z/"},
		{"GET", "/x", "/y/./z/..//", "307 /y/"},
		{"GET", "/x", "/%2e/x", "307 /x"},
		{"GET", "/x", "/y/%2E%2e/x", "307 /x"},
		{"GET", "/x", "/y/.%2e/x", "307 /x"},
		{"GET", "/x", "/y/%2e./x", "307 /x"},
		{"GET", "/:a", "/%2e%2e", "307 /"},
		{"GET", "/*a", "/a/%2e%2e/%2e%2e/etc/passwd", "307 /etc/passwd"},
		{"GET", "/*a", "/a//b", "307 /a/b"},
		{"GET", "/{a...}", "/a/../b", "307 /b"},
		{"POST", "/x", "//x", "307 /x"},
		{"BREW", "/x", "//x", "307 /x"},
		{"OPTIONS", "/x", "//x", "307 /x"},
		// The escaping and the query are kept.
		{"GET", "/x", "/a%2Fb//c?d=/../e", "307 /a%2Fb/c?d=/../e"},
		{"GET", "/x", "/a%3Fb//c", "307 /a%3Fb/c"},
		{"GET", "/x", "/a//c?d#e#", "307 /a/c?d%23e%23"},
		{"GET", "/x", "/a%25b//c", "307 /a%25b/c"},
		{"GET", "/x", "/a%252e%252e//c", "307 /a%252e%252e/c"},
		{"GET", "/x", "/%252e%252e//c", "307 /%252e%252e/c"},
		{"GET", "/x", "/a%0d%0aX:y//c", "307 /a%0d%0aX:y/c"},
		{"GET", "/x", "/%C3%BC//c", "307 /%C3%BC/c"},
		{"GET", "/x", "/ü//c", "307 /%C3%BC/c"},
		{"GET", "/x", "/a%20b//c?q=a%20b&r=%0a", "307 /a%20b/c?q=a%20b&r=%0a"},
		{"GET", "/x", "/a;b=c//d", "307 /a;b=c/d"},
		{"GET", "/x", "/a//b?", "307 /a/b"},
		// No other host, whatever the path says.
		{"GET", "/x", "//evil.com", "307 /evil.com"},
		{"GET", "/x", "//evil.com/", "307 /evil.com/"},
		{"GET", "/x", "///evil.com/..", "307 /"},
		{"GET", "/x", "//evil.com//", "307 /evil.com/"},
		{"GET", "/x", "/x//evil.com", "307 /x/evil.com"},
		{"GET", "/x", "/./evil.com", "307 /evil.com"},
		{"GET", "/x", "/.//evil.com", "307 /evil.com"},
		{"GET", "/x", "/%2e//evil.com/", "307 /evil.com/"},
		{"GET", "/x", "/%2F/./evil.com", "307 /%2F/evil.com"},
		{"GET", "/x", "/%2F%2Fevil.com//", "307 /%2F%2Fevil.com/"},
		{"GET", "/:a/", "/%2F%2Fevil.com", "307 /%2F%2Fevil.com/"},
		{"GET", "/:a", "/%5Cevil.com/", "307 /%5Cevil.com"},
		{"GET", "/:a/", "/\\evil.com", "307 /%5Cevil.com/"},
		{"GET", "/x", "/\\evil.com//", "307 /%5Cevil.com/"},
		{"GET", "/x", "http://evil.com//y", "307 /y"},
		{"GET", "/x", "http://evil.com/y//z?q", "307 /y/z?q"},
		{"GET", "/:a", "http://evil.com/y/", "307 /y"},
		{"GET", "/x", "http://evil.com", "307 /"},
		// Slashes of verb routes, both ways, only for the route's method.
		{"GET", "/x/", "/x", "307 /x/"},
		{"GET", "/x", "/x/", "307 /x"},
		{"GET", "/x", "/x/?q=1", "307 /x?q=1"},
		{"GET", "/:a/y", "/1%2F2/y/", "307 /1%2F2/y"},
		{"GET", "/:a/y/", "/1%3F2/y", "307 /1%3F2/y/"},
		{"GET", "/{a:[0-9]+}", "/12/", "307 /12"},
		{"GET", "/{a:[0-9]+}", "/x/", "404"},
		{"GET", "/v{a}", "/v1/", "307 /v1"},
		{"GET", "/x/*rest", "/x", "307 /x/"},
		{"GET", "/x/{rest...}", "/x", "307 /x/"},
		{"GET", "/x/{$}", "/x", "307 /x/"},
		{"HEAD", "/x", "/x/", "307 /x"},
		{"GET", "/x", "/", "404"},
		{"GET", "/{$}", "/", ""},
		{"GET", "/x", "/x/y/", "404"},
		{"POST", "/x", "/x/", "404"},
		{"POST", "/x/", "/x", "404"},
		{"OPTIONS", "/x", "/x/", "404"},
	} {
		m := muxmaster.New()
		m.GET(c.pattern, tell(""))
		if got := get(t, m, c.method, c.target); got != c.want {
			t.Errorf("GET %q, %s %s: got %s, want %s", c.pattern, c.method, c.target, got, c.want)
		}
	}
}

// The slash redirect applies only if the other form of the path has a route.
func TestSlashRedirectGivesWay(t *testing.T) {
	for _, c := range []struct {
		routes         string // separated by |
		method, target string
		want           string
	}{
		{"GET /x|GET /x/", "GET", "/x", "GET /x"},
		{"GET /x|GET /x/", "GET", "/x/", "GET /x/"},
		{"GET /x/|GET /*all", "GET", "/x", "GET /*all"},
		{"GET /x/|GET /:a", "GET", "/x", "GET /:a"},
		{"GET /x|GET /:a/", "GET", "/x/", "GET /:a/"},
		{"GET /x|POST /x/", "GET", "/x/", "307 /x"},
		{"GET /x|POST /x/", "POST", "/x", "307 /x/"},
		{"GET /x|POST /x/", "PUT", "/x", "405 GET, HEAD, OPTIONS"},
		{"GET /x|POST /x/", "PUT", "/x/", "405 POST, OPTIONS"},
		{"GET /x|ANY /x/", "GET", "/x/", "ANY /x/"},
		{"ANY /x|POST /x/", "GET", "/x/", "307 /x"},
		{"ANY /x/", "BREW", "/x", "307 /x/"},
		{"POST /x/|GET /x", "HEAD", "/x/", "307 /x"},
	} {
		m := muxmaster.New()
		for _, rt := range strings.Split(c.routes, "|") {
			method, path, _ := strings.Cut(rt, " ")
			map[string]func(string, http.HandlerFunc){"GET": m.GET, "POST": m.POST, "ANY": m.ANY}[method](path, tell(rt))
		}
		if got := get(t, m, c.method, c.target); got != c.want {
			t.Errorf("%s, %s %s: got %s, want %s", c.routes, c.method, c.target, got, c.want)
		}
	}
}

// Routes of Handle redirect independent of RedirectTrailingSlash, and never
// remove a slash.
func TestSlashRedirectOfHandle(t *testing.T) {
	for _, on := range []bool{true, false} {
		m := muxmaster.New()
		m.RedirectTrailingSlash = on
		m.Handle("/tree/", tell("tree"))
		m.Handle("/leaf", tell("leaf"))
		m.HandleFast("/fast/", fastValues)
		m.GET("/verb", tell("verb"))
		m.GET("/slashed/", tell("slashed"))
		verb, slashed := "404", "404"
		if on {
			verb, slashed = "307 /verb", "307 /slashed/"
		}
		for _, c := range [][2]string{
			{"/tree", "307 /tree/"}, {"/fast", "307 /fast/"}, {"/leaf/", "404"}, {"/verb/", verb}, {"/slashed", slashed},
		} {
			if got := get(t, m, "GET", c[0]); got != c[1] {
				t.Errorf("RedirectTrailingSlash %v, %s: got %s, want %s", on, c[0], got, c[1])
			}
		}
	}
}

// CONNECT, whose path is not cleaned, is not redirected to another host either.
func TestRedirectOfCONNECT(t *testing.T) {
	m := muxmaster.New()
	m.Handle("//evil.com/", tell(""))
	m.CONNECT("/d/:x/", tell(""))
	for _, target := range []string{"//evil.com", "/d/x", "/d/.."} {
		r := request(t, "CONNECT", target)
		a := ask(m, r)
		if a.status == 307 {
			if wrong := checkLocation(r, a.location); wrong != "" {
				t.Errorf("CONNECT %s: Location %q %s", target, a.location, wrong)
			}
		} else if target == "/d/x" {
			t.Errorf("CONNECT %s: %s", target, a.brief())
		}
	}
}

// Redirects inside a group or a mounted Mux keep the prefix.
func TestRedirectKeepsPrefix(t *testing.T) {
	inner := muxmaster.New()
	inner.GET("/x/", tell("x"))
	inner.GET("/y", tell("y"))
	inner.Handle("/tree/", tell("tree"))
	m := muxmaster.New()
	m.Mount("/api/:v", inner)
	g := m.Group("/group")
	g.GET("/x/", tell("x"))
	for _, c := range [][2]string{
		{"/api/1/x", "307 /api/1/x/"},
		{"/api/1/y/", "307 /api/1/y"},
		{"/api/1/tree?q", "307 /api/1/tree/?q"},
		{"/api/a%2Fb/x", "307 /api/a%2Fb/x/"},
		{"/api/1//x/", "307 /api/1/x/"},
		{"/group/x", "307 /group/x/"},
	} {
		if got := get(t, m, "GET", c[0]); got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
}

// redirectTargets are also the seeds of FuzzLocation.
var redirectTargets = []string{
	"//evil.com", "/\\evil.com/", "/%5cevil.com/", "/%2f%2fevil.com", "/%2f/evil.com//", "/.//evil.com", "/..//evil.com/..;/", "/x/%0d%0aSet-Cookie:a=b/",
	"//%0d%0aLocation:http:%2f%2fevil.com", "/a/..//%2fevil.com/", "http://evil.com//", "http://evil.com/x/", "/x?//evil.com", "/%", "/%zz/", "/\x00/", "/\xff//", "/%00//", "/;//", "/http://evil.com/", "/:@evil.com//", "/.?#%",
}

// checkLocation returns an error for a redirect that leads to another host or
// to the same path, or contains line breaks.
func checkLocation(r *http.Request, location string) string {
	path, _, _ := strings.Cut(location, "?")
	if strings.ContainsFunc(location, func(c rune) bool { return c < ' ' || c == 0x7F }) || strings.Contains(path, "\\") {
		return "has a control character or backslash"
	}
	if !strings.HasPrefix(location, "/") || strings.HasPrefix(location, "//") {
		return "does not begin with one slash"
	}
	u, err := url.Parse(location)
	if err != nil {
		return err.Error()
	}
	base := &url.URL{Scheme: "http", Host: "good.org", Path: r.URL.Path, RawPath: r.URL.RawPath}
	to := base.ResolveReference(u)
	if to.Host != "good.org" || to.Scheme != "http" || u.User != nil {
		return "leads to " + to.String()
	}
	if to.EscapedPath() == r.URL.EscapedPath() {
		return "leads to itself"
	}
	return ""
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

func FuzzLocation(f *testing.F) {
	m := redirectingMux()
	for _, target := range redirectTargets {
		for _, method := range []string{"GET", "POST", "CONNECT"} {
			f.Add(method, target, "evil.com")
		}
	}
	f.Add("CONNECT", "//evil.com/d/x", "evil.com")
	f.Fuzz(func(t *testing.T, method, target, host string) {
		r, err := readRequest(host, method, target)
		if err != nil {
			return
		}
		r.Header.Set("X-Forwarded-Host", "evil.com")
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		if w.Code >= 300 && w.Code < 400 {
			if w.Code != 307 {
				t.Errorf("%s %q: status %d", method, target, w.Code)
			}
			if wrong := checkLocation(r, w.Header().Get("Location")); wrong != "" {
				t.Errorf("%s %q: Location %q %s", method, target, w.Header().Get("Location"), wrong)
			}
		} else if l := w.Header().Get("Location"); l != "" {
			t.Errorf("%s %q: status %d with Location %q", method, target, w.Code, l)
		}
	})
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
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		if l := w.Header().Get("Location"); w.Code == 307 {
			if wrong := checkLocation(r, l); wrong != "" {
				t.Errorf("%#v: Location %q %s", u, l, wrong)
			}
		}
	}
}

// The rule of Handle holds whatever RedirectTrailingSlash says, also where a route
// of a verb method serves the path with the slash. No 405 allows a method that is
// then refused.
func TestSlashOfVerbMethodsAndHandle(t *testing.T) {
	for _, c := range []struct {
		redirect           bool
		method, path, want string
	}{
		{true, "GET", "/7", "307 /7/"},
		{true, "GET", "/7/", "number"},
		{true, "GET", "/x", "307 /x/"},
		{true, "PUT", "/7", "405 GET, HEAD, OPTIONS"},
		{false, "GET", "/7", "307 /7/"},
		{false, "GET", "/x", "307 /x/"},
		{false, "PUT", "/7", "405 GET, HEAD, OPTIONS"},
		{false, "GET", "/only/7", "404"},
		{true, "GET", "/only/7", "307 /only/7/"},
	} {
		m := muxmaster.New()
		m.RedirectTrailingSlash = c.redirect
		m.GET("/{n:[0-9]+}/", tell("number"))
		m.GET("/only/:x/", tell("only"))
		m.Handle("GET /{any}/{$}", tell("any"))
		if got := get(t, m, c.method, c.path); got != c.want {
			t.Errorf("RedirectTrailingSlash %v: %s %s: got %s, want %s", c.redirect, c.method, c.path, got, c.want)
		}
	}
}
