package inspect

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCompareKinds(t *testing.T) {
	text := func(status int, body string) Response {
		return Response{Status: status, ContentType: "text/plain", Body: []byte(body), Size: int64(len(body))}
	}
	to := func(status int, location string) Response { return Response{Status: status, Location: location} }
	with := func(status int, name string, values ...string) Response {
		return Response{Status: status, Header: http.Header{name: values}}
	}
	csp := func(values ...string) Response { return with(200, "Content-Security-Policy", values...) }
	typed := func(contentType string) Response { return Response{Status: 200, ContentType: contentType} }
	by := func(pattern string) Response { return Response{Status: 200, Pattern: pattern} }
	same := Kind(-1)
	for _, tt := range []struct {
		old, now Response
		want     Kind
	}{
		{text(200, "a"), text(200, "a"), same},
		{text(401, "no"), text(200, "secret"), LostLogin},
		{text(403, "no"), text(204, ""), LostLogin},
		{to(302, "/login?next=/x"), text(200, "secret"), LostLogin},
		{to(303, "https://sso.example.com/auth"), text(200, "secret"), LostLogin},
		{text(401, "no"), text(500, "error"), LostLogin}, // the handler ran
		{text(401, "no"), text(400, "bad"), LostLogin},
		{text(401, "no"), to(303, "/done"), LostLogin},
		{text(401, "no"), Response{Panic: "nil map"}, LostLogin},
		{text(401, "no"), text(401, "nosecret"), LostLogin},
		{text(401, "no"), text(401, "No"), OtherError},
		{text(401, "no"), text(403, "no"), OtherStatus},
		{text(401, "no"), text(404, "none"), OtherStatus},
		{text(401, "no"), to(307, "/x"), OtherStatus},
		{text(401, "no"), to(302, "/login"), OtherStatus},
		{to(302, "/home"), text(200, "home"), OtherStatus},
		{Response{Status: 301, Location: "/a", respelled: true, refused: 401}, text(200, "secret"), LostLogin},
		{Response{Status: 301, Location: "/a", respelled: true, refused: 401}, text(401, "no"), OtherStatus},
		{Response{Status: 301, Location: "/a", respelled: true, refused: 403}, text(404, "none"), OtherStatus},
		{text(404, "none"), Response{Status: 307, Location: "/login", respelled: true}, OtherStatus},
		{Response{Status: 301, Location: "/login", respelled: true}, Response{Status: 307, Location: "/login", respelled: true}, OtherStatus},
		{text(200, "a"), text(500, "error"), Crash},
		{text(200, "a"), Response{Panic: "nil map"}, Crash},
		{text(404, ""), text(503, ""), Crash},
		{text(500, ""), Response{Panic: "nil map"}, OtherStatus},
		{text(200, "a"), text(401, "no"), NewLogin},
		{text(404, "a"), text(403, "no"), NewLogin},
		{text(200, "a"), text(404, "none"), LostRoute},
		{text(200, "a"), text(405, ""), LostRoute},
		{text(404, "none"), text(200, "a"), NewRoute},
		{text(405, ""), text(204, ""), NewRoute},
		{text(404, ""), text(405, ""), OtherStatus},
		{text(200, ""), text(201, ""), OtherStatus},
		{to(301, "/a"), to(307, "/a"), OtherStatus},
		{text(200, "a"), to(307, "/a"), OtherStatus},
		{to(307, "/a"), to(307, "/b"), OtherTarget},
		{text(200, "a"), text(200, "b"), OtherBody},
		{text(200, "a"), text(200, "ab"), OtherBody},
		{text(200, "a"), Response{Status: 200, ContentType: "text/html", Body: []byte("a"), Size: 1}, OtherHeader},
		{text(200, "a"), Response{Status: 200, ContentType: "text/plain; charset=utf-8", Body: []byte("a"), Size: 1}, same},
		{Response{Status: 405, Allow: "GET, HEAD"}, Response{Status: 405, Allow: "HEAD,GET"}, same},
		{Response{Status: 405, Allow: "GET, HEAD"}, Response{Status: 405, Allow: "GET"}, OtherHeader},
		{text(404, "none"), text(404, "404"), OtherError},
		{with(200, "X-Frame-Options", "DENY"), with(200, "X", ""), LostProtection},
		{with(204, "Content-Security-Policy", "default-src 'nonce-1'"), with(204, "X", ""), LostProtection},
		{with(200, "Cache-Control", "no-store"), with(200, "Cache-Control", "public"), LostProtection},
		{with(200, "Vary", "Origin, Accept"), with(200, "Vary", "accept", "origin"), same},
		{with(200, "Access-Control-Allow-Origin", "https://a.example"), with(200, "Access-Control-Allow-Origin", "*"), LostProtection},
		{with(200, "X", "1"), Response{Status: 200, Header: http.Header{"X": {"1"}, "Access-Control-Allow-Origin": {"*"}}}, LostProtection},
		{with(200, "X", "1"), Response{Status: 200, Header: http.Header{"X": {"1"}, "Y": {"1"}}}, same},
		{with(200, "Set-Cookie", "session=1"), with(200, "Set-Cookie", "session=2"), same},
		{with(200, "X-Request-Id", "1"), with(200, "X-Request-Id", "2"), same},
		{with(200, "Date", "now"), with(200, "Server", "x"), same},
		{with(302, "Strict-Transport-Security", "max-age=9"), with(302, "X", ""), LostProtection},
		{with(401, "Www-Authenticate", "Basic"), with(401, "X", ""), OtherHeader},
		{with(404, "X-Content-Type-Options", "nosniff"), with(404, "X", ""), OtherError},
		{typed("text/html; charset=utf-8"), typed("text/html; charset=ISO-2022-JP"), LostProtection},
		{typed("text/html; charset=utf-8"), typed("text/html"), LostProtection},
		{typed("text/html"), typed("text/html;charset=UTF-8"), same},
		{typed("application/json; charset=utf-8"), typed("application/json"), same},
		{typed("text/html; charset=utf-8"), typed("text/plain"), OtherHeader},
		{with(200, "Set-Cookie", "s=1; Secure; HttpOnly; SameSite=Lax; Path=/"), with(200, "Set-Cookie", "s=2; path=/; samesite=lax; httponly; secure"), same},
		{with(200, "Set-Cookie", "s=1; Secure; HttpOnly; SameSite=Lax"), with(200, "Set-Cookie", "s=1"), LostProtection},
		{with(200, "Set-Cookie", "s=1; Secure"), with(201, "Set-Cookie", "s=1"), LostProtection},
		{with(303, "Set-Cookie", "s=1; HttpOnly"), with(303, "Set-Cookie", "s=1"), LostProtection},
		{with(200, "Set-Cookie", "s=1; SameSite=Lax"), with(200, "Set-Cookie", "s=1; SameSite=None; Secure"), LostProtection},
		{with(200, "Set-Cookie", "s=1; Secure; Partitioned"), with(200, "Set-Cookie", "s=1; Secure"), LostProtection},
		{with(200, "Set-Cookie", "s=1"), with(200, "Set-Cookie", "s=1; Domain=example.com"), LostProtection},
		{with(200, "Set-Cookie", "s=1; Path=/admin"), with(200, "Set-Cookie", "s=1; Path=/"), LostProtection},
		{with(200, "Set-Cookie", "s=1"), with(200, "Set-Cookie", "s=1; Secure"), OtherHeader},
		{with(200, "Set-Cookie", "s=1", "t=1"), with(200, "Set-Cookie", "t=1"), OtherHeader},
		{with(200, "Set-Cookie", "t=1"), with(200, "Set-Cookie", "t=1", "s=1"), OtherHeader},
		{with(200, "X", "1"), Response{Status: 200, Header: http.Header{"X": {"1"}, "Set-Cookie": {"s=1"}}}, OtherHeader},
		{with(200, "Set-Cookie", "s=1", "t=1"), with(200, "Set-Cookie", "t=2", "s=2"), same},
		{with(200, "Set-Cookie", "s=1; Max-Age=60"), with(200, "Set-Cookie", "s=1; Max-Age=6000"), OtherHeader},
		{with(200, "Set-Cookie", "s=1; Expires=Wed, 01 Jan 3025 00:00:00 GMT"), with(200, "Set-Cookie", "s=1; Expires=Wed, 01 Jan 3025 00:00:09 GMT"), same},
		{with(200, "Set-Cookie", "s=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT"), with(200, "Set-Cookie", "s=1; Expires=Wed, 01 Jan 3025 00:00:09 GMT"), OtherHeader},
		{with(200, "Set-Cookie", "one"), with(200, "Set-Cookie", "two"), same}, // no cookies
		{with(200, "Set-Cookie", "s=1; Priority=1"), with(200, "Set-Cookie", "s=1; Priority=2"), same},
		{with(404, "Set-Cookie", "s=1; Secure"), with(404, "Set-Cookie", "s=1"), OtherError},
		{csp("default-src 'none'"), csp("default-src *"), LostProtection},
		{csp("default-src *"), csp("default-src 'none'"), OtherHeader},
		{csp("default-src 'none'; img-src 'self'"), csp("img-src  'self' ;default-src 'none';"), same},
		{csp("script-src 'nonce-abc' 'self'"), csp("script-src 'nonce-def' 'self'"), same},
		{csp("script-src 'nonce-abc'"), csp("script-src 'unsafe-inline'"), LostProtection},
		{csp("default-src 'self'"), csp("default-src 'self'; script-src *"), LostProtection},
		{csp("default-src 'self'"), csp("default-src 'self'; script-src 'self'; base-uri 'none'"), OtherHeader},
		{csp("default-src 'self'; frame-ancestors 'none'"), csp("default-src 'self'"), LostProtection},
		{csp("default-src 'self'; img-src 'self' data:"), csp("default-src 'self'"), OtherHeader},
		{csp("default-src *; img-src 'self'"), csp("default-src *"), LostProtection},
		{csp("default-src 'self'", "img-src *"), csp("default-src 'self'"), LostProtection},
		{with(200, "Content-Disposition", "attachment; filename=1"), with(200, "Content-Disposition", "inline"), LostProtection},
		{with(200, "Content-Disposition", "inline; filename=1"), with(200, "Content-Disposition", "attachment"), OtherHeader},
		{with(200, "Cache-Control", "public, max-age=60"), with(200, "Cache-Control", "max-age=60"), OtherHeader},
		{with(200, "Cross-Origin-Resource-Policy", "same-origin"), with(200, "Cross-Origin-Resource-Policy", "cross-origin"), LostProtection},
		{with(200, "Access-Control-Allow-Methods", "GET"), with(200, "Access-Control-Allow-Methods", "GET, PUT"), LostProtection},
		{with(200, "Access-Control-Allow-Methods", "GET, PUT"), with(200, "Access-Control-Allow-Methods", "GET"), OtherHeader},
		{Response{Status: 201, Location: "/a", Body: []byte("a"), Size: 1}, Response{Status: 201, Location: "/a", Body: []byte("b"), Size: 1}, OtherBody},
		{Response{Status: 200, rest: 1}, Response{Status: 200, rest: 2}, OtherBody},
		{by("GET /a/{id}"), by("GET /a/:name"), same},
		{by("GET /a/{id}"), by("/a/{id}"), same},
		{by("GET /a/{id}"), by("GET /a/{id...}"), OtherRoute},
		{by("GET /a/{id}"), by(""), same},
	} {
		got, differs := compare(tt.old, tt.now)
		if !differs {
			got = same
		}
		if got != tt.want {
			t.Errorf("%+v, now %+v: %v, want %v", tt.old, tt.now, got, tt.want)
		}
	}
}

// TestCompareCopies checks that handlers can't change the requests of each
// other, and that both get the whole body, whether it can be read again or not.
func TestCompareCopies(t *testing.T) {
	again := serverRequest("POST", "", "/x")
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("sent")), nil }
	broken := serverRequest("POST", "", "/x")
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader("se"), brokenBody{io.ErrUnexpectedEOF}))
	unavailable := serverRequest("POST", "", "/x")
	unavailable.GetBody = func() (io.ReadCloser, error) { return nil, io.ErrClosedPipe }
	for _, tt := range []struct {
		r    *http.Request
		want string
	}{
		{again, "/xsent<nil>"},
		{httptest.NewRequest("POST", "/x", strings.NewReader("sent")), "/xsent<nil>"},
		{broken, "/xseunexpected EOF"},
		{unavailable, "/xio: read/write on closed pipe"},
		{serverRequest("POST", "", "/x"), "/x<nil>"},
	} {
		seen := []string{}
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			seen = append(seen, r.URL.Path+r.Header.Get("A")+r.Pattern+string(body)+fmt.Sprint(err))
			r.URL.Path, r.Pattern = "/changed", "/changed"
			r.Header.Set("A", "changed")
		})
		if list := Compare(h, h, slices.Values([]*http.Request{tt.r, tt.r})); len(list) > 0 {
			t.Errorf("a handler differs from itself: %v", list)
		}
		if !slices.Equal(seen, slices.Repeat([]string{tt.want}, 4)) {
			t.Errorf("the handler got %q, want %q", seen, tt.want)
		}
	}
}

// TestCompareEndsRequests checks that handlers that stream until the client goes
// away don't hold up Compare, and that it doesn't compare how far they came.
func TestCompareEndsRequests(t *testing.T) {
	stream := func(contentType, text string, ends bool) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			io.WriteString(w, text)
			http.NewResponseController(w).Flush()
			if !ends {
				<-r.Context().Done()
			}
		})
	}
	for _, tt := range []struct {
		old, now http.Handler
		took     time.Duration
		differ   int
	}{
		{stream("text/plain", "1", false), stream("text/plain", "1 2", false), 20 * time.Second, 0},
		{stream("text/event-stream; charset=utf-8", "1", false), stream("text/event-stream", "1 2", false), 2 * time.Second, 0},
		{stream("text/event-stream", "1", true), stream("text/event-stream", "1 2", true), 0, 1},
		{stream("text/event-stream", "1", true), stream("text/event-stream", "1 2", false), time.Second, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			list := Compare(tt.old, tt.now, slices.Values([]*http.Request{serverRequest("GET", "", "/")}))
			if took := time.Since(start); len(list) != tt.differ || took != tt.took {
				t.Errorf("got %v after %v, want %d differences after %v", list, took, tt.differ, tt.took)
			}
		})
	}
}

func TestResponseWriter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		method string
		h      http.HandlerFunc
		want   Response
	}{
		{"nothing", "GET", func(w http.ResponseWriter, r *http.Request) {}, Response{Status: 200}},
		{"text", "GET", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<p>") },
			Response{Status: 200, ContentType: "text/html; charset=utf-8", Body: []byte("<p>"), Size: 3}},
		{"HEAD", "HEAD", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<p>") },
			Response{Status: 200, ContentType: "text/html; charset=utf-8"}},
		{"early hints", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(103)
			w.WriteHeader(204)
			w.WriteHeader(500)
		}, Response{Status: 204}},
		{"late header", "GET", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200); w.Header().Set("Location", "/x") }, Response{Status: 200}},
		{"no content", "GET", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304); io.WriteString(w, "x") }, Response{Status: 304}},
		{"panic", "GET", func(w http.ResponseWriter, r *http.Request) { panic("bad") }, Response{Panic: "bad"}},
		{"abort", "GET", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x"); panic(http.ErrAbortHandler) },
			Response{Panic: "net/http: abort Handler", ContentType: "text/plain; charset=utf-8", Body: []byte("x"), Size: 1}},
		{"pattern", "GET", func(w http.ResponseWriter, r *http.Request) { r.Pattern = "/p" }, Response{Status: 200, Pattern: "/p"}},
	} {
		got := ask(tt.h, serverRequest(tt.method, "", "/"))
		d := Difference{Kind: OtherBody}
		if d.text(got) != d.text(tt.want) || got.Pattern != tt.want.Pattern || got.Size != tt.want.Size || got.ContentType != tt.want.ContentType || got.Location != tt.want.Location {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
	large := ask(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			w.Write(make([]byte, 10_000))
		}
	}), serverRequest("GET", "", "/"))
	if len(large.Body) != keptBody || large.Size != 1_000_000 {
		t.Errorf("of a large body, %d bytes are kept, and the size is %d", len(large.Body), large.Size)
	}
	page := func(last string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, strings.Repeat("x", keptBody-1))
			io.WriteString(w, "xx"+last)
		})
	}
	for last, want := range map[string]int{"a": 0, "b": 1} {
		if list := Compare(page("a"), page(last), slices.Values([]*http.Request{serverRequest("GET", "", "/")})); len(list) != want {
			t.Errorf("a body that ends in a, and one in %s: %v", last, list)
		}
	}
}

// TestCompareFollowsSpellings checks that a login counts for the spellings of its
// path that redirect to it, and that a redirect to another spelling of /login is
// none to a login.
func TestCompareFollowsSpellings(t *testing.T) {
	old := http.NewServeMux()
	old.HandleFunc("/a/{x}", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) })
	for _, path := range []string{"/a/1/", "/a//1", "/A/1"} {
		old.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a/1", 301) })
	}
	old.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a/1", 301) })
	old.HandleFunc("/loop/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop/", 301) })
	old.HandleFunc("/login/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", 307) })
	now := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	for path, want := range map[string]Kind{
		"/a/1/": LostLogin, "/A/1": LostLogin, "/a/1": LostLogin, "/a/1/?q=1": LostLogin, "/moved": OtherStatus, "/loop/": OtherStatus, "/login/": OtherStatus,
	} {
		list := Compare(old, now, slices.Values([]*http.Request{serverRequest("GET", "", path)}))
		if len(list) != 1 || list[0].Kind != want {
			t.Errorf("%s: got %v, want %v", path, list, want)
		}
		if path == "/a/1/" && list[0].String() != "lost login: GET /a/1/: 301 to /a/1 (401) by /a/1/, now 200" {
			t.Errorf("%s: got %v", path, list[0])
		}
	}
}
