package middleware_test

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

func ExampleCleanPath() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /files/{name}", func(w http.ResponseWriter, r *http.Request) { fmt.Print(r.PathValue("name")) })
	h := middleware.CleanPath(mux) // around the router, because it changes the path
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/files//drafts/../report", nil))
	// Output: report
}

// seen returns the URL that a handler wrapped in m gets.
func seen(m mw, r *http.Request) (u *url.URL) {
	serve(m(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { u = r.URL })), r)
	return u
}

func TestCleanPath(t *testing.T) {
	spellings{
		{"/", "/", "/"},
		{"/a/b", "/a/b", "/a/b"},
		{"/a/b/", "/a/b/", "/a/b/"},
		{"/a//b", "/a/b", "/a/b"},
		{"//a", "/a", "/a"},
		{"//evil.com/x", "/evil.com/x", "/evil.com/x"},
		{"///", "/", "/"},
		{"/a/./b", "/a/b", "/a/b"},
		{"/a/../b", "/b", "/b"},
		{"/../../a", "/a", "/a"},
		{"/a/..", "/", "/"},
		{"/a/b/..", "/a", "/a"},
		{"/a/b/../", "/a/", "/a/"},
		{"/a/.", "/a", "/a"},
		{"/.a/..b/...", "/.a/..b/...", "/.a/..b/..."},
		{"/a/%2e%2e/b", "/b", "/b"},
		{"/a/%2E./b", "/b", "/b"},
		{"/a/.%2e/b", "/b", "/b"},
		{"/a/%2e/b", "/a/b", "/a/b"},
		{"/a/%2e%2e%2e/b", "/a/.../b", "/a/%2e%2e%2e/b"},
		{"/a%2Fb//c", "/a/b/c", "/a%2Fb/c"},
		{"/a%2Fb/../c", "/c", "/c"},
		{"/a%2F../../c", "/c", "/c"},
		{"/a%2F..b/c", "/a/..b/c", "/a%2F..b/c"},
		{"/a%2F", "/a/", "/a%2F"},
		{"/a%20b//c", "/a b/c", "/a%20b/c"},
		{"/%41//b", "/A/b", "/%41/b"},
		{"/a%25//b", "/a%/b", "/a%25/b"},
		{"/a%252e%252e//b", "/a%2e%2e/b", "/a%252e%252e/b"},
		{"/a/%252e%252e//b", "/a/%2e%2e/b", "/a/%252e%252e/b"},
		{"/a%3Fb//c?q=//x/..", "/a?b/c", "/a%3Fb/c"},
		{"/\\evil.com//x", "/\\evil.com/x", "/%5Cevil.com/x"},
		{"/a%0d%0ab//c", "/a\r\nb/c", "/a%0d%0ab/c"},
		{"/a;x=1//b", "/a;x=1/b", "/a;x=1/b"},
		{"http://example.com//a/../b", "/b", "/b"},
		{"http://example.com", "", ""},
		{"*", "*", "*"},
	}.test(t, middleware.CleanPath)
}

// spellings are request targets with the path that a handler gets, and its escaped
// form.
type spellings []struct{ target, path, escaped string }

// test checks that the middleware changes nothing else.
func (list spellings) test(t *testing.T, m mw) {
	t.Helper()
	for _, tt := range list {
		r := withURL(t, tt.target)
		u, before := r.URL, *r.URL
		got := seen(m, r)
		if got.Path != tt.path || got.EscapedPath() != tt.escaped || got.RawQuery != before.RawQuery || got.Host != before.Host {
			t.Errorf("%s: %q escaped as %q (%v), want %q, %q", tt.target, got.Path, got.EscapedPath(), got, tt.path, tt.escaped)
		}
		if got != u || r.RequestURI != "/" {
			t.Errorf("%s: another URL, %v, or RequestURI, %s", tt.target, got, r.RequestURI)
		}
	}
}

func TestPathsThatAreLeftAlone(t *testing.T) {
	for _, u := range []*url.URL{
		{}, {Path: "*"}, {Path: "a//b/"}, {Opaque: "example.com:443"}, {Path: "//", RawPath: "%zz"}, {Path: "/a/", RawPath: "%2Fa%2F"},
	} {
		for name, m := range map[string]mw{"CleanPath": middleware.CleanPath, "StripSlashes": middleware.StripSlashes} {
			r, sent := get("/"), *u
			r.URL = &sent
			if got := seen(m, r); u.Path != "//" && *got != *u {
				t.Errorf("%s: %#v became %#v", name, u, got)
			}
		}
	}
	r := get("/a//b/../")
	r.Method = "CONNECT"
	if got := seen(middleware.StripSlashes, r); got.Path != "/a//b/../" {
		t.Errorf("StripSlashes: CONNECT became %q", got.Path)
	}
}

// TestCleanPathRefusesEscapedSlashes checks that CleanPath rejects a path that a
// file server would clean further.
func TestCleanPathRefusesEscapedSlashes(t *testing.T) {
	for _, target := range []string{
		"/a/..%2fb//c", "/a/%2e%2e%2fb", "/a%2f%2e%2e//b", "/a%2F/", "/a%2F%2Fb", "/%2Fa", "/a/%2Fb", "/a%2F..", "/a%2F.%2Fb", "/a%2F../b", "/..%2Fa",
		"/x|%2F../a", "/proxy/https:%2F%2Fexample.com",
	} {
		r := get(target)
		r = r.WithContext(problem.NewContext(r.Context(), problem.JSON))
		w := serve(middleware.CleanPath(text("served")), r)
		if want := `{"title":"Bad Request","status":400,"detail":"The path has an empty or dot segment next to an escaped slash."}`; w.Code != 400 || strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

// guard is an access check.
var guard = around(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if strings.HasPrefix(r.URL.Path, "/admin/") {
		http.Error(w, "no", 403)
		return
	}
	next.ServeHTTP(w, r)
})

// TestGuardBeforeAFileServer checks that an access check inside CleanPath sees
// the path that a file server uses, for every way to write it.
func TestGuardBeforeAFileServer(t *testing.T) {
	files := http.FileServerFS(fstest.MapFS{"public/a": {Data: []byte("public")}, "admin/x": {Data: []byte("secret")}})
	separators := []string{"/", "%2F", "//", "/%2F", "%2F%2F", "%2f/", "/./", "%2F.%2F", "/.%2f", "/x/../", "%2Fx%2F..%2F", "/x%2F../", "%2Fx/..%2F", "/x/..%2f", "/%2e%2E/", "%2F%2e%2E%2F"}
	for _, mount := range []func(*muxmaster.Mux){
		func(m *muxmaster.Mux) { m.Handle("/", files) },
		func(m *muxmaster.Mux) { m.Mount("/", files) },
		func(m *muxmaster.Mux) { m.Handle("/admin/", http.NotFoundHandler()); m.Handle("/{path...}", files) },
	} {
		mux := muxmaster.New()
		mux.Pre(middleware.CleanPath, guard)
		mount(mux)
		if w := serve(mux, get("/public/a")); w.Body.String() != "public" {
			t.Errorf("/public/a: %d %q", w.Code, w.Body)
		}
		for _, method := range []string{"GET", "POST", "CONNECT"} {
			for _, first := range separators {
				for _, second := range separators {
					for _, odd := range []string{"", "|"} {
						target := "/public" + first + ".." + first + "admin" + second + "x"
						if odd != "" {
							target = "/" + odd + "/.." + target
						}
						r := withURL(t, target)
						r.Method = method
						if w := serve(mux, r); strings.Contains(w.Body.String(), "secret") {
							t.Errorf("%s %s: the guard didn't see it", method, target)
						}
					}
				}
			}
		}
	}
}

// onTheWire returns the path of a URL as it was sent.
func onTheWire(u *url.URL) string {
	if u.RawPath != "" {
		return u.RawPath
	}
	return u.EscapedPath()
}

func FuzzCleanPath(f *testing.F) {
	for _, s := range []string{"/a%2F|//b", "/a%2f\\/../%2e%2e/", "/", "//", "/a/../b", "/%2e%2e/", "/a%2f..//", "*", "/%", "/\x00//", "/\\//", "/a/./", "/%2E%2f%2e", "http://h//a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		r, before := get("/"), *u
		r.URL = u
		got := seen(middleware.CleanPath, r)
		if got == nil { // rejected
			if before.RawPath == "" {
				t.Errorf("%q was rejected, although no slash is escaped", target)
			}
			return
		}
		if strings.HasPrefix(got.Path, "/") && strings.TrimSuffix(got.Path, "/") != strings.TrimSuffix(path.Clean(got.Path), "/") {
			t.Errorf("%q became %q, which isn't clean", target, got.Path)
		}
		if !strings.HasPrefix(before.Path, "/") {
			if *got != before {
				t.Errorf("%q became %q", target, got)
			}
			return
		}
		if want := path.Clean(before.Path); before.RawPath == "" {
			if strings.HasSuffix(before.Path, "/") && want != "/" {
				want += "/"
			}
			if got.Path != want {
				t.Errorf("%q became %q, by package path it is %q", target, got.Path, want)
			}
		}
		escaped := onTheWire(got)
		if decoded, err := url.PathUnescape(escaped); err != nil || decoded != got.Path {
			t.Errorf("%q: path %q, escaped %q", target, got.Path, escaped)
		}
		// The segments are a subsequence of those sent, each decoded once. Only
		// the last may be empty, and none is a dot segment.
		sent := strings.Split(onTheWire(&before), "/")
		segments := strings.Split(escaped, "/")
		for i, s := range segments[1:] {
			decoded, _ := url.PathUnescape(s)
			if decoded == "." || decoded == ".." || s == "" && i != len(segments)-2 {
				t.Errorf("%q: %q has the segment %q", target, escaped, s)
			}
			for s != "" && len(sent) > 0 && sent[0] != s {
				sent = sent[1:]
			}
			if s != "" && len(sent) == 0 {
				t.Errorf("%q: the segment %q of %q wasn't sent", target, s, escaped)
			}
		}
		// The router redirects to the same path, with invalid bytes escaped.
		if wire := onTheWire(&before); wire[0] == '/' {
			if want := wirepath.Clean(wire); wirepath.Clean(onTheWire(got)) != want {
				t.Errorf("%q became %q, the router's clean path is %q", target, onTheWire(got), want)
			}
		}
		once := *got
		if again := seen(middleware.CleanPath, r); *again != once {
			t.Errorf("%q: %q cleaned again is %q", target, once.Path, again)
		}
	})
}

// oddBytes are not allowed in paths. If RawPath contains one of them,
// EscapedPath of net/url returns another path, in which %2F is a slash.
var oddBytes = []string{"|", `\`, `"`, "^", "{", "}", "<", ">", "`", "\x80", "\xff", "ä"}

// TestPathsWithOddBytes checks that %2F never separates segments, even next to
// invalid bytes.
func TestPathsWithOddBytes(t *testing.T) {
	for _, odd := range oddBytes {
		for _, tt := range []struct {
			name          string
			m             mw
			target, wants string
		}{
			{"CleanPath", middleware.CleanPath, "/api%2Fadmin//x" + odd, "/api%2Fadmin/x" + odd},
			{"CleanPath", middleware.CleanPath, "/a%2F..c/b" + odd + "/./c", "/a%2F..c/b" + odd + "/c"},
			{"CleanPath", middleware.CleanPath, "/a" + odd + "/%2e%2E/b%2Fc", "/b%2Fc"},
			{"CleanPath", middleware.CleanPath, "/a%2Fb" + odd, "/a%2Fb" + odd},
			{"StripSlashes", middleware.StripSlashes, "/a%2F" + odd + "%2F//", "/a%2F" + odd + "%2F"},
			{"StripSlashes", middleware.StripSlashes, "/a" + odd + "%2F", "/a" + odd + "%2F"},
		} {
			u := seen(tt.m, withURL(t, tt.target))
			if decoded, _ := url.PathUnescape(tt.wants); u.RawPath != tt.wants || u.Path != decoded {
				t.Errorf("%s: %q has become path %q, raw %q, want %q", tt.name, tt.target, u.Path, u.RawPath, tt.wants)
			}
		}
	}
}

// TestCleanPathDropsAStaleRawPath checks that CleanPath removes a RawPath that
// isn't an encoding of Path, because a middleware has set only Path. Otherwise
// the router and access checks could use different paths.
func TestCleanPathDropsAStaleRawPath(t *testing.T) {
	for _, path := range []string{"/public", "//public"} {
		r := get("/")
		r.URL = &url.URL{Path: path, RawPath: "/admin%2Fx"}
		if u := seen(middleware.CleanPath, r); u.Path != "/public" || u.RawPath != "" {
			t.Errorf("%q has become %q, raw %q", path, u.Path, u.RawPath)
		}
	}
}

// TestEscapedSlashesOverTheWire checks that a path that a proxy doesn't
// consider to be below /api/admin doesn't become so with CleanPath,
// StripSlashes or the router.
func TestEscapedSlashesOverTheWire(t *testing.T) {
	for _, mws := range [][]mw{nil, {middleware.CleanPath}, {middleware.StripSlashes}, {middleware.CleanPath, middleware.StripSlashes}} {
		mux := muxmaster.New()
		mux.Pre(mws...)
		mux.GET("/api/admin/users/:id", text("secret"))
		mux.GET("/api/admin/users/:id/", text("secret"))
		srv := httptest.NewServer(mux)
		for _, odd := range append(oddBytes, "", "~") {
			for _, target := range []string{
				"/api%2Fadmin/users/1", "/api%2fadmin/users/1", "/api%2Fadmin%2Fusers/1", "/api%2Fadmin//users/1", "/x/../api%2Fadmin/users/1",
				"/api/%2e%2e/api%2Fadmin/users/./1", "/api%5Cadmin/users/1", "/api%252Fadmin/users/1",
			} {
				for _, end := range []string{odd, odd + "/", odd + "//"} {
					conn, err := net.Dial("tcp", srv.Listener.Addr().String())
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintf(conn, "GET %s%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", target, end)
					response, _ := io.ReadAll(conn)
					conn.Close()
					if strings.Contains(string(response), "secret") || !strings.HasPrefix(string(response), "HTTP/1.1 ") {
						t.Errorf("%d middleware, %s%s: %s", len(mws), target, end, response)
					}
					if _, location, ok := strings.Cut(string(response), "Location: "); ok && strings.HasPrefix(location, "/api/admin") {
						t.Errorf("%d middleware, %s%s redirects to %s", len(mws), target, end, location)
					}
				}
			}
		}
		srv.Close()
	}
}

// TestRunsBeforeRouting checks by which handlers a router can tell that a
// middleware has no effect in Use.
func TestRunsBeforeRouting(t *testing.T) {
	every := maps.Clone(every)
	every["CleanPath"], every["StripSlashes"] = middleware.CleanPath, middleware.StripSlashes
	for name, m := range every {
		_, got := m(quiet).(interface{ RunsBeforeRouting() })
		if want := name == "CleanPath" || name == "StripSlashes"; got != want {
			t.Errorf("%s: RunsBeforeRouting is there: %v, want %v", name, got, want)
		}
	}
}
