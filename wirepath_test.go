package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// The path is split at its slashes as they came over the wire. url.URL drops
// RawPath from EscapedPath where a byte in it should have been escaped, so
// these tests send such bytes through a server.

// oddBytes are bytes that net/http lets through in a path and EscapedPath
// doesn't.
var oddBytes = []string{"|", `\`, `"`, "^", "{", "}", "<", ">", "`", "\x80", "\xc3\xa9", "\xff", "[", "]"}

// over sends a request line's target to the server as it stands, and returns
// the status with what the answer says.
func over(t *testing.T, srv *httptest.Server, method, target string) string {
	t.Helper()
	status, body, location, err := sendRaw(srv.Listener.Addr().String(), method+" "+target+" HTTP/1.1\r\nHost: example.com\r\n\r\n")
	if err != nil {
		t.Errorf("%s %q: %v", method, target, err)
	}
	switch {
	case location != "":
		return fmt.Sprint(status, " ", location)
	case status == http.StatusOK:
		return body
	}
	return fmt.Sprint(status)
}

func TestEscapedSlashNeverSeparates(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.GET("/api/admin/users/:id", tell("admin"))
		m.GET("/api/admin/*rest", tell("admin rest"))
		m.Handle("/api/tree/", tell("tree"))
		m.GET("/static/page", tell("static page"))
		m.GET("/one/:a", values)
		m.GET("/two/:a/:b", values)
		m.GET("/text/v{a}", values)
		m.GET("/num/{a:[^/]+}", values)
		m.GET("/rest/*rest", values)
		m.GETFast("/fast/:a", fastValues)
		srv := httptest.NewServer(m)
		for _, odd := range oddBytes {
			for _, c := range []struct{ target, want string }{
				{"/api%2Fadmin/users/1" + odd, "404"},
				{"/api%2fadmin/users/1" + odd, "404"},
				{"/api/admin%2Fusers/1" + odd, "404"},
				{"/api/admin/x%2Fusers/1" + odd, "admin rest"},
				{"/api%2Fadmin%2Fusers%2F1" + odd, "404"},
				{"/api%2Fadmin/users/" + odd, "404"},
				{"/" + odd + "/%2E%2E%2Fapi/admin/users/1", "404"},
				{"/api%2Ftree/" + odd, "404"},
				{"/api/tree%2F" + odd, "404"},
				{"/static%2Fpage" + odd, "404"},
				{"/one/a%2Fb" + odd, fmt.Sprintf("a=%q", "a/b"+odd)},
				{"/one/" + odd + "%2F", fmt.Sprintf("a=%q", odd+"/")},
				{"/one/%61%2F%62" + odd, fmt.Sprintf("a=%q", "a/b"+odd)},
				{"/one/%252F" + odd, fmt.Sprintf("a=%q", "%2F"+odd)},
				{"/two/a%2Fb" + odd, "404"},
				{"/two/a%2Fb" + odd + "/c", fmt.Sprintf("a=%q b=\"c\"", "a/b"+odd)},
				{"/two/a/b%2F" + odd, fmt.Sprintf("a=\"a\" b=%q", "b/"+odd)},
				{"/text/va%2F" + odd, fmt.Sprintf("a=%q", "a/"+odd)},
				{"/num/a%2F" + odd, "404"},
				{"/rest/a%2Fb" + odd + "/c", fmt.Sprintf("rest=%q", "/a/b"+odd+"/c")},
				{"/rest/..%2Fb" + odd, "404"},
				{"/rest/" + odd + "%2F..", "404"},
				{"/fast/a%2Fb" + odd, fmt.Sprintf("a=%q", "a/b"+odd)},
				// Without an escaped slash, the bytes are bytes.
				{"/one/" + odd, fmt.Sprintf("a=%q", odd)},
				{"/one/%41" + odd, fmt.Sprintf("a=%q", "A"+odd)},
				{"/rest/" + odd + "/", fmt.Sprintf("rest=%q", "/"+odd+"/")},
			} {
				if got := over(t, srv, "GET", c.target); got != c.want {
					t.Errorf("%s: GET %q: got %s, want %s", mode.name, c.target, got, c.want)
				}
			}
		}
		srv.Close()
	}
}

// Redirects split alike, keep the escaping, and their Location is a URL.
func TestRedirectsOfOddPaths(t *testing.T) {
	m := muxmaster.New()
	m.GET("/one/:a", tell("one"))
	m.GET("/slash/:a/", tell("slash"))
	m.Handle("/tree/{a}/", tell("tree"))
	srv := httptest.NewServer(m)
	defer srv.Close()
	escaped := map[string]string{
		"|": "%7C", `\`: "%5C", `"`: "%22", "^": "%5E", "{": "%7B", "}": "%7D", "<": "%3C", ">": "%3E", "`": "%60", "\x80": "%80", "\xc3\xa9": "%C3%A9", "\xff": "%FF", "[": "%5B", "]": "%5D",
	}
	for _, odd := range oddBytes {
		for _, c := range []struct{ target, want string }{
			{"/x%2Fy" + odd + "//z", "/x%2Fy@/z"},
			{"/x" + odd + "/../y%2Fz", "/y%2Fz"},
			{"/x/%2e%2e/y%2F%2e%2e" + odd, "/y%2F%2e%2e@"},
			{"/one/a%2Fb" + odd + "/", "/one/a%2Fb@"},
			{"/slash/a%2Fb" + odd, "/slash/a%2Fb@/"},
			{"/tree/a%2Fb" + odd, "/tree/a%2Fb@/"},
			{"/tree/a%2F" + odd + "?q=1", "/tree/a%2F@/?q=1"},
			{"//evil.com/" + odd, "/evil.com/@"},
			{"/" + odd + "/evil.com//", "/@/evil.com/"},
			{"/%2F" + odd + "//evil.com", "/%2F@/evil.com"},
		} {
			got := over(t, srv, "GET", c.target)
			raw, want := "307 "+strings.ReplaceAll(c.want, "@", odd), "307 "+strings.ReplaceAll(c.want, "@", escaped[odd])
			if got != want && (got != raw || odd[0] >= 0x80 || strings.ContainsAny(odd, "\\\"<>")) {
				t.Errorf("GET %q: got %q, want %q", c.target, got, want)
			}
			if wrong := foreign(strings.TrimPrefix(got, "307 ")); wrong != "" {
				t.Errorf("GET %q: Location %q %s", c.target, got, wrong)
			}
		}
	}
}

// CleanPath, which runs before the router, sees the same path.
func TestCleanPathOfOddPaths(t *testing.T) {
	m := muxmaster.New()
	m.Pre(middleware.CleanPath)
	m.GET("/api/admin/users/:id", tell("admin"))
	m.GET("/one/:a", values)
	srv := httptest.NewServer(m)
	defer srv.Close()
	for _, odd := range oddBytes {
		for _, target := range []string{"/api%2Fadmin/users/1" + odd, "/x/..%2Fapi/admin/users/1" + odd, "/api%2Fadmin//users/1" + odd} {
			if got := over(t, srv, "GET", target); got == "admin" || strings.Contains(got, "/api/admin") {
				t.Errorf("GET %q: got %q", target, got)
			}
		}
		if got, want := over(t, srv, "GET", "/one/a%2Fb"+odd), fmt.Sprintf("a=%q", "a/b"+odd); got != want {
			t.Errorf("GET /one/a%%2Fb%s: got %s, want %s", odd, got, want)
		}
	}
}

// A mount, a Group and middleware split the path alike.
func TestOddPathsBelowGuards(t *testing.T) {
	guard := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	}
	m, sub := muxmaster.New(), muxmaster.New()
	g := m.Group("/admin")
	g.Use(guard)
	g.GET("/users/:id", tell("admin"))
	sub.Use(guard)
	sub.GET("/x/*rest", tell("sub"))
	m.Mount("/sub", sub)
	m.GET("/*rest", values)
	srv := httptest.NewServer(m)
	defer srv.Close()
	for _, odd := range append(oddBytes, "") {
		for _, c := range []struct{ target, want string }{
			{"/admin/users/1" + odd, "403"},
			{"/%61dmin/users/1" + odd, "403"},
			{"/admin/users/a%2Fb" + odd, "403"},
			{"/sub/x/a%2F" + odd, "403"},
			{"/sub/y%2F" + odd, "403"},
			{"/admin%2Fusers/1" + odd, fmt.Sprintf("rest=%q", "/admin/users/1"+odd)},
			{"/sub%2Fx/1" + odd, fmt.Sprintf("rest=%q", "/sub/x/1"+odd)},
		} {
			if got := over(t, srv, "GET", c.target); got != c.want {
				t.Errorf("GET %q: got %s, want %s", c.target, got, c.want)
			}
		}
	}
}

// ServeFiles answers 404 where the rest, as it came, holds an escaped slash or
// backslash or is no name of a file; it lists no directory.
func TestServeFilesOfOddPaths(t *testing.T) {
	fsys := fstest.MapFS{
		"a.txt":            {Data: []byte("a")},
		"admin/secret.txt": {Data: []byte("secret")},
		"list/one.txt":     {Data: []byte("1")},
		"list/index/x":     {Data: []byte("1")},
		"dir/index.html":   {Data: []byte("index")},
		"a|b.txt":          {Data: []byte("bar")},
		"é.txt":            {Data: []byte("e")},
	}
	for _, path := range []string{"/*filepath", "/{filepath...}"} {
		m := muxmaster.New()
		m.ServeFiles(path, fsys)
		g := m.Group("/admin")
		g.Use(func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) })
		})
		g.GET("/*rest", tell("guarded"))
		srv := httptest.NewServer(m)
		for _, c := range []struct{ target, want string }{
			{"/a.txt", "a"},
			{"/%61.txt", "a"},
			{"/a|b.txt", "bar"},
			{"/a%7Cb.txt", "bar"},
			{"/é.txt", "e"},
			{"/%C3%A9.txt", "e"},
			{"/dir/", "index"},
			{"/admin/secret.txt", "403"},
			{"/%61dmin/secret.txt", "403"},
			{"/admin%2Fsecret.txt", "404"},
			{"/admin%2fsecret.txt", "404"},
			{"/admin%5Csecret.txt", "404"},
			{"/admin%5csecret.txt", "404"},
			{"/admin\\secret.txt", "404"},
			{"/x%2F..%2Fadmin%2Fsecret.txt", "404"},
			{"/.%2Fadmin/secret.txt", "404"},
			{"/admin%2F", "404"},
			{"/%2Fadmin/secret.txt", "404"},
			{"/a.txt%2F", "404"},
			{"/a.txt%00", "404"},
			{"/%00", "404"},
			{"/a%00.txt", "404"},
			{"/%FF", "404"},
			{"/\xff", "404"},
			{"/%C3.txt", "404"},
			{"/%ED%A0%80", "404"},
			{"/dir/%FF/index.html", "404"},
			{"/list/", "404"},
			{"/list", "404"},
			{"/list/index/", "404"},
			{"/", "404"},
			{"/none", "404"},
			{"/none/", "404"},
			{"/a.txt/", "404"},
			{"/a.txt/x", "404"},
			{"/C:/a.txt", "404"},
			{"/" + strings.Repeat("a", 5000), "404"},
		} {
			got := over(t, srv, "GET", c.target)
			if c.target == "/a.txt/" && got == "301 ../a.txt" || c.target == "/list" && got == "301 list/" {
				continue // as the file server of net/http says it
			}
			if got != c.want {
				t.Errorf("%s: GET %q: got %s, want %s", path, c.target, got, c.want)
			}
		}
		srv.Close()
	}
}

// The promises about values hold for CONNECT, whose path isn't cleaned.
func TestCONNECTValues(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.CONNECT("/users/:id", values)
		m.CONNECT("/users/:id/x", values)
		m.CONNECTFast("/fast/:id", fastValues)
		m.CONNECT("/v{a}.{b}/x", values)
		m.CONNECT("/num/{n:[0-9.]+}", values)
		m.Handle("CONNECT /rest/{rest...}", http.HandlerFunc(values))
		m.Handle("/any/:x", http.HandlerFunc(values))
		m.CONNECT("/star/*rest", values)
		srv := httptest.NewServer(m)
		for _, dots := range []string{"..", "%2e%2e", "%2E.", ".%2e", "%2e.", ".%2E", "%2E%2E", ".", "%2e", "%2E"} {
			for _, target := range []string{"/users/@", "/users/@/x", "/fast/@", "/v1.@/x", "/v@.1/x", "/num/@", "/rest/@", "/rest/a/@", "/rest/@/b", "/rest/a%2F@", "/any/@", "/star/@", "/star/a/@/b", "/star/@%2Fb"} {
				target := strings.ReplaceAll(target, "@", dots)
				if got := over(t, srv, "CONNECT", target); got != "404" {
					t.Errorf("%s: CONNECT %s: got %s", mode.name, target, got)
				}
			}
		}
		for _, c := range [][2]string{
			{"/users/", "404"}, {"/users//x", "404"}, {"/fast/", "404"}, {"/any/", "404"}, {"//users/1", "404"}, {"/v.1/x", "404"},
			{"/users/1", `id="1"`}, {"/users/...", `id="..."`}, {"/users/.a", `id=".a"`}, {"/users/a%2F..", `id="a/.."`}, {"/rest/a/.../b", `rest="a/.../b"`}, {"/rest/", `rest=""`},
		} {
			if got := over(t, srv, "CONNECT", c[0]); got != c[1] {
				t.Errorf("%s: CONNECT %s: got %s, want %s", mode.name, c[0], got, c[1])
			}
		}
		srv.Close()
	}
}

// A pattern with a raw byte is that byte and no other.
func TestRawBytesInPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, target, want string }{
		{"/a\xffb", "/a%FFb", "served"},
		{"/a\xffb", "/a\xffb", "served"},
		{"/a\xffb", "/a%2Fb", "404"},
		{"/a\xffb", "/a/b", "404"},
		{"/a\xffb", "/a%00b", "404"},
		{"/a\xffb", "/a%EF%BF%BDb", "404"},
		{"/\xff", "/%2F", "404"},
		{"/\xff/:x", "/%2F/1", "404"},
		{"/\xff/:x", "/%FF/1", "served"},
		{"/a\xff{x}", "/a%2F1", "404"},
		{"/a\xff{x}", "/a%FF1", "served"},
		{"/a%2Fb", "/a%FFb", "404"},
		{"/a%2Fb", "/a\xffb", "404"},
		{"/a%2Fb|", "/a%2Fb|", "served"},
		{"/a%2Fb|", "/a%2Fb%7C", "served"},
		{"/a|b", "/a|b", "served"},
		{"/a|b", "/a%7Cb", "served"},
		{"/a%5Cb", "/a%5Cb", "served"},
		{"/a%5Cb", "/a\\b", "served"},
		{"/a%5Cb", "/a/b", "404"},
		{"/\x80", "/%80", "served"},
		{"/\x80", "/\x80", "served"},
	} {
		for name, m := range map[string]*muxmaster.Mux{"GET": muxmaster.New(), "Handle": muxmaster.New()} {
			if name == "GET" {
				m.GET(c.pattern, tell("served"))
			} else {
				m.Handle(c.pattern, tell("served"))
			}
			srv := httptest.NewServer(m)
			if got := over(t, srv, "GET", c.target); got != c.want {
				t.Errorf("%s(%q): GET %q: got %s, want %s", name, c.pattern, c.target, got, c.want)
			}
			srv.Close()
		}
	}
}

// A redirect keeps the bytes of the query; what a header can't hold is escaped,
// never replaced.
func TestRedirectKeepsTheQuery(t *testing.T) {
	m := muxmaster.New()
	m.GET("/x", tell("x"))
	m.Handle("/tree/", tell("tree"))
	srv := httptest.NewServer(m)
	defer srv.Close()
	for _, c := range []struct{ query, want string }{
		{"q=%80", "q=%80"}, {"q=\x80", "q=%80"}, {"q=\xff\xfe", "q=%FF%FE"}, {"q=\xc3\xa9", "q=%C3%A9"}, {"q=é&r=\xe9", "q=%C3%A9&r=%E9"}, {"a=b%20c+d&&=", "a=b%20c+d&&="}, {"q=%zz", "q=%zz"}, {`q="<>\^` + "`{|}", ""},
	} {
		for _, p := range [][2]string{{"/x/", "/x"}, {"//x", "/x"}, {"/tree", "/tree/"}, {"/./é", "/%C3%A9"}} {
			got := over(t, srv, "GET", p[0]+"?"+c.query)
			if c.want == "" {
				c.want = c.query
			}
			raw := "307 " + p[1] + "?" + c.query
			if want := "307 " + p[1] + "?" + c.want; !strings.EqualFold(got, want) && got != raw {
				t.Errorf("GET %s?%q: got %q, want %q", p[0], c.query, got, want)
			}
			if strings.Contains(got, "\uFFFD") || strings.Contains(got, "%EF%BF%BD") {
				t.Errorf("GET %s?%q: the bytes are lost: %q", p[0], c.query, got)
			}
		}
	}
}
