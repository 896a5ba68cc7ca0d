package inspect

import (
	"fmt"
	"iter"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// everyKind returns a Mux with every kind of route.
func everyKind() *muxmaster.Mux {
	h := func(w http.ResponseWriter, r *http.Request) {}
	m, sub := muxmaster.New(), muxmaster.New()
	m.GET("/", h)
	m.GET("/users/:id", h)
	m.POST("/users/:id", h)
	m.Method("PURGE", "/cache/{key}", http.HandlerFunc(h))
	m.GET("/n/{id:[0-9]+}", h)
	m.GET("/sums/{sum:[0-9a-f]{128}}", h)
	m.GET("/n/{id:[0-9]+}:archive", h)
	m.GET("/v{major}.{minor}/x", h)
	m.GET("/files/*path", h)
	m.GET("/rest/{path...}", h)
	m.GET("/v2/{name...}/tags", h)
	m.Group("/v2/{name...}/blobs").GET("/{digest}", h)
	m.Handle("/tree/", http.HandlerFunc(h))
	m.ANY("/any", h)
	m.Handle("GET {tenant}.example.com/x", http.HandlerFunc(h))
	m.GET("/a%2Fb/é", h)
	g := m.Group("/group/:team")
	g.GET("/", h)
	g.DELETE("/x", h)
	sub.GET("/y", h)
	m.Mount("/mount", sub)
	return m
}

// TestRequestsReachEveryRoute checks that each route of a Mux serves a request,
// that none comes twice, and that Requests ends when it is told to.
func TestRequestsReachEveryRoute(t *testing.T) {
	m := everyKind()
	reached, seen := map[key]bool{}, map[string]bool{}
	statuses := map[int]int{}
	for r := range Requests(m) {
		text := fmt.Sprint(r.Method, " ", r.Host, r.RequestURI, r.Header)
		if seen[text] {
			t.Errorf("%s comes twice", text)
		}
		seen[text] = true
		if found, ok := m.Lookup(r); ok {
			reached[keyOf(found)] = true
		}
		statuses[ask(m, r).Status]++
	}
	for r := range m.Routes() {
		if !reached[keyOf(r)] {
			t.Errorf("no request reaches %v", r)
		}
	}
	for _, status := range []int{200, 204, 307, 404, 405} {
		if statuses[status] == 0 {
			t.Errorf("no request has the response %d: %v", status, statuses)
		}
	}
	n := 0
	for range Requests(m) {
		if n++; n == 5 {
			break
		}
	}
}

// TestRequests checks that the surroundings of a route are among the requests.
func TestRequests(t *testing.T) {
	m := muxmaster.New()
	m.Group("/api").GET("/users/:id", func(http.ResponseWriter, *http.Request) {})
	var got []string
	for r := range Requests(m) {
		got = append(got, r.Method+" "+r.RequestURI)
	}
	for _, want := range []string{
		"GET /api/users/1", "GET /api/users/a", "HEAD /api/users/1", "OPTIONS /api/users/1", "DELETE /api/users/1", "PROPFIND /api/users/1",
		"GET /api/users/1/", "GET /api/users/1/?q=1", "GET /api/users/1?q=1&r=%2F", "GET /api/users//1", "GET //api/users/1", "GET /API/USERS/1", "GET /Api/users/1",
		"GET /api/users/a%2Fb", "GET /api/users/%2e%2e", "GET /%2e%2e/api/users/1", "GET /x/../api/users/1", "GET /%61pi/users/1", "GET /api/users/a%00b",
		"GET /api/users/none-such", "GET /api/users/1/none-such", "GET /api", "GET /api/", "GET /api/none-such", "POST /api/none-such", "GET /none-such", "GET /apix",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if len(got) > 150 {
		t.Errorf("%d requests for one route", len(got))
	}
}

// TestRequestsOfPage checks that the page of Handler gets one request, also of a
// routes.json and behind a login, whose loss is then found.
func TestRequestsOfPage(t *testing.T) {
	login := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	}
	page := func(mw ...func(http.Handler) http.Handler) *muxmaster.Mux {
		m := muxmaster.New()
		m.With(mw...).Mount("/debug/routes", HandlerFor(m, netip.MustParsePrefix("0.0.0.0/0")))
		return m
	}
	m := page()
	for name, requests := range map[string]iter.Seq[*http.Request]{"Requests": Requests(m), "RequestsOf": RequestsOf(Examine(m))} {
		var got []string
		for r := range requests {
			if strings.HasPrefix(r.URL.Path, "/debug") {
				got = append(got, r.Method+" "+r.RequestURI)
			}
		}
		if want := []string{"GET /debug/routes"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if list := Compare(page(login), m, Requests(m)); len(list) != 1 || list[0].Kind != LostLogin {
		t.Errorf("the page without its login: %v", list)
	}
}

func TestRequestsFor(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{"GET /users/{id}", "GET /users/1"},
		{"/users/:id", "PUT /users/1"},
		{"PUT,PATCH /x", "PATCH /x"},
		{"GET /files/*", "GET /files/a/b"},
		{"/files/{path:.*}", "GET /files/a/b"},
		{"/files/{path:.+}", "GET /files/a%2Fb"},
	} {
		requests, err := RequestsFor(tt.pattern)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		found := false
		for r := range requests {
			found = found || r.Method+" "+r.RequestURI == tt.want
		}
		if !found {
			t.Errorf("%s: %s is missing", tt.pattern, tt.want)
		}
	}
	if _, err := RequestsFor("GET users"); err == nil || !strings.HasPrefix(err.Error(), `inspect: pattern "GET users": `) {
		t.Errorf("a bad pattern: %v", err)
	}
}
