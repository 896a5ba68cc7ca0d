package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// store returns a Mux with a part behind a login, changed in one way.
func store(change string) *muxmaster.Mux {
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }
	}
	login := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "log in", http.StatusUnauthorized)
		})
	}
	m := muxmaster.New()
	m.GET("/", says("home"))
	m.GET("/items", says("items"))
	m.GET("/items/:id", says("item"))
	if change == "handler" {
		m.GET("/help/:topic", says("more help"))
	} else {
		m.GET("/help/:topic", says("help"))
	}
	if change != "no files" {
		m.GET("/static/*path", says("file"))
	}
	admin := m.Group("/admin")
	if change != "no login" {
		admin.Use(login)
	}
	admin.GET("/users", says("users"))
	admin.POST("/users", says("create"))
	admin.GET("/users/{id:[0-9]+}", says("user"))
	return m
}

// serveMux returns what store("") returns, of net/http.
func serveMux() http.Handler {
	m := http.NewServeMux()
	for pattern, text := range map[string]string{
		"GET /{$}": "home", "GET /items": "items", "GET /items/{id}": "item", "GET /help/{topic}": "help", "GET /static/{path...}": "file",
	} {
		m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) })
	}
	m.HandleFunc("/admin/", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "log in", http.StatusUnauthorized) })
	return m
}

// summary returns what PrintDifferences writes.
func summary(t *testing.T, list []Difference) string {
	t.Helper()
	var b strings.Builder
	if err := PrintDifferences(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPrintDifferences checks that a change has one line, whatever the number of
// requests in which it shows.
func TestPrintDifferences(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, now http.Handler
		want     string
	}{
		{"same", store(""), store(""), "no difference\n"},
		{"handler", store(""), store("handler"), `
body: 38 requests
  GET /help/1: 200 "help", now 200 "more help" by GET /help/:topic (and 37 like it)
`},
		{"no login", store(""), store("no login"), `
lost login: 24 requests
  GET /admin/users: 401, now 200 by GET /admin/users (and 10 like it)
  GET /admin/users/1: 401, now 200 by GET /admin/users/{id:[0-9]+} (and 12 like it)
status: 112 requests
  GET /admin: 401, now 404 (and 111 like it)
`},
		{"no files", store(""), store("no files"), `
lost route: 30 requests
  GET /static/a: 200 by GET /static/*path, now 404 (and 28 like it)
  OPTIONS /static/a/none-such: 204, now 404
status: 14 requests
  POST /static/a: 405, now 404 (and 12 like it)
  GET /static: 307 to /static/ by GET /static/*path, now 404
`},
		{"another router", serveMux(), store(""), `
lost route: 1 request
  GET /static/a%2F..%2Fb: 200 by GET /static/{path...}, now 404
new route: 15 requests
  OPTIONS /: 405, now 204 (and 12 like it)
  GET /help/%2F: 404, now 200 by GET /help/:topic (and 1 like it)
new login: 6 requests
  GET /x/%2e%2e/admin/users: 404, now 401 (and 5 like it)
status: 48 requests
  GET /admin: 307 to /admin/ (401) by /admin/, now 401 (and 26 like it)
  GET /help/1/: 404, now 307 to /help/1 by GET /help/:topic (and 11 like it)
  GET /x/%2e%2e/: 404, now 307 to / by GET / (and 3 like it)
  GET /help/%2e%2e: 200 by GET /help/{topic}, now 307 to / by GET / (and 3 like it)
  GET /help/%2e: 200 by GET /help/{topic}, now 307 to /help
redirect: 3 requests
  GET /help/1//: 307 to /help/1/, now 307 to /help/1 by GET /help/:topic (and 2 like it)
header: 38 requests
  POST /: 405 with Allow: GET, HEAD, now 405 with Allow: GET, HEAD, OPTIONS (and 37 like it)
route: 20 requests
  GET /admin/users: 401 by /admin/, now 401 by GET /admin/users (and 8 like it)
  GET /admin/users/1: 401 by /admin/, now 401 by GET /admin/users/{id:[0-9]+} (and 10 like it)
`},
	} {
		if got := summary(t, Compare(tt.old, tt.now, Requests(store("")))); got != strings.TrimPrefix(tt.want, "\n") {
			t.Errorf("%s: got\n%s", tt.name, got)
		}
	}
}

// TestPrintDifferencesBeginsWithHandlers checks that a difference between the
// responses of handlers comes before those of redirects and errors, in which
// routers differ everywhere.
func TestPrintDifferencesBeginsWithHandlers(t *testing.T) {
	difference := func(method, path string, old, now int) Difference {
		return Difference{Kind: OtherStatus, Request: serverRequest(method, "", path), Old: Response{Status: old}, Now: Response{Status: now}}
	}
	list := []Difference{difference("HEAD", "/h", 200, 202), difference("POST", "/p", 404, 405), difference("GET", "/g", 200, 203)}
	if got, want := summary(t, list), "status: 3 requests\n  GET /g: 200, now 203\n  POST /p: 404, now 405\n  HEAD /h: 200, now 202\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPrintDifferencesOfValues checks that errors that quote the value of a
// parameter have one line.
func TestPrintDifferencesOfValues(t *testing.T) {
	router := func(format string) *muxmaster.Mux {
		m := muxmaster.New()
		m.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
			text, _ := json.Marshal(fmt.Sprintf(format, r.PathValue("id")))
			http.Error(w, string(text), http.StatusBadRequest)
		})
		return m
	}
	now := router("%q is no number")
	if got := summary(t, Compare(router("bad user %q"), now, Requests(now))); strings.Count(got, "\n") > 4 {
		t.Errorf("too many lines:\n%s", got)
	}
}

// TestPrintDifferencesOfLog checks that requests of an access log, which say
// nothing about routes, count as one if their paths differ in numbers.
func TestPrintDifferencesOfLog(t *testing.T) {
	requests, err := ReadLog(strings.NewReader("- \"GET /u/1 HTTP/1.1\" 200\n- \"GET /u/22 HTTP/1.1\" 200\n- \"GET /v/1 HTTP/1.1\" 200\n"))
	if err != nil {
		t.Fatal(err)
	}
	old := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	now := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})
	list := Compare(old, now, slices.Values(requests))
	for i := range 20 { // the worst come first, whatever the order of the list, and all of them
		list = slices.Insert(list, 0, Difference{Kind: OtherStatus, Request: serverRequest("GET", "", "/a"), Old: Response{Status: 200}, Now: Response{Status: 210 + i}})
	}
	want := "lost login: 3 requests\n  GET /u/1: 401, now 200 (and 1 like it)\n  GET /v/1: 401, now 200\nstatus: 20 requests\n  GET /a: 200, now 229\n"
	if got := summary(t, list); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "  GET /a: 200, now 220\n  and 10 more causes, 10 requests\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestPrintDifferencesOfManyLogins checks that every route that lost its login is
// shown.
func TestPrintDifferencesOfManyLogins(t *testing.T) {
	var list []Difference
	for i := range 30 {
		path := "/" + strings.Repeat("x", i)
		list = append(list, Difference{Request: serverRequest("GET", "", path), Old: Response{Status: 401}, Now: Response{Status: 200}})
	}
	if got := summary(t, list); strings.Count(got, "401, now 200\n") != 30 {
		t.Errorf("not all of 30 lost logins are shown:\n%s", got)
	}
}

// TestPrintDifferencesOfHeaders checks that a header that is lost everywhere, and
// methods that a router adds to all Allow headers, are one line each, and that the
// values of a header that differ anyway don't matter.
func TestPrintDifferencesOfHeaders(t *testing.T) {
	n := 0
	version := func(frames bool, methods ...string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if frames {
				n++
				w.Header().Set("X-Request-Token", strconv.Itoa(n))
			}
			if r.Method == "POST" {
				for _, m := range append(methods, strings.ToUpper(r.URL.Path[1:])) {
					w.Header().Add("Allow", m)
				}
				w.WriteHeader(http.StatusMethodNotAllowed)
			}
		})
	}
	var requests []*http.Request
	for _, path := range []string{"/get", "/put", "/patch"} {
		requests = append(requests, serverRequest("GET", "", path), serverRequest("POST", "", path))
	}
	got := summary(t, Compare(version(true), version(false, "HEAD", "OPTIONS"), slices.Values(requests)))
	want := `header: 6 requests
  GET /get: 200 with X-Request-Token: 1, now 200 with X-Request-Token: (none) (and 2 like it)
  POST /get: 405 with Allow: GET, now 405 with Allow: HEAD, OPTIONS, GET (and 2 like it)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
