package muxmaster_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// buildPathCases are also seeds of FuzzBuildPath. The pairs are separated by
// blanks; want is the path, or error and a part of its text.
var buildPathCases = []struct{ pattern, pairs, want string }{
	{"/", "", "/"},
	{"/users", "", "/users"},
	{"/users/", "", "/users/"},
	{"/users/{$}", "", "/users/"},
	{"/a b/ü", "", "/a%20b/%C3%BC"},
	{"/a%2Fb/c", "", "/a%2Fb/c"},
	{"/users/:id", "id 5", "/users/5"},
	{"/users/{id}", "id 5", "/users/5"},
	{"GET /users/{id}", "id 5", "/users/5"},
	{"GET,POST example.com/users/{id}", "id 5", "/users/5"},
	{"/:a/:b/", "a 1 b 2", "/1/2/"},
	{"/:a/:b", "b 2 a 1", "/1/2"},
	{"/users/:id", "id a/b", "/users/a%2Fb"},
	{"/users/:id", "id %2F", "/users/%252F"},
	{"/users/:id", "id ?#", "/users/%3F%23"},
	{"/users/:id", "id ü", "/users/%C3%BC"},
	{"/users/:id", "id ...", "/users/..."},
	{"/users/:id", "id \x00\xff", "/users/%00%FF"},
	{"/users/{id:[0-9]+}", "id 12", "/users/12"},
	{"/users/{id:[a-z/]+}", "id a/b", "/users/a%2Fb"},
	{"/v{major}.{minor}", "major 1 minor 2", "/v1.2"},
	{"/v{major}.{minor}", "major 1 minor 2.3", "/v1.2.3"},
	{"/{name}.json", "name a", "/a.json"},
	{"/{name}.json", "name a.json", "/a.json.json"},
	{"/user_:name", "name x", "/user_x"},
	{"/static/*filepath", "filepath /a/b", "/static/a/b"},
	{"/static/*filepath", "filepath a/b", "/static/a/b"},
	{"/static/*filepath", "filepath /", "/static/"},
	{"/static/*filepath", "filepath /a/", "/static/a/"},
	{"/static/*filepath", "filepath /a?b/c%d", "/static/a%3Fb/c%25d"},
	{"/static/{filepath...}", "filepath a/b", "/static/a/b"},
	{"/static/{filepath...}", "filepath a/", "/static/a/"},
	{"/v2/{name...}/tags", "name a/b", "/v2/a/b/tags"},
	{"/v2/{name...}/tags", "name a?b/ü", "/v2/a%3Fb/%C3%BC/tags"},
	{"/v2/{name...}/{$}", "name a/b", "/v2/a/b/"},
	{"/{name...}/manifests/{ref}", "name a/manifests/b ref c", "/a/manifests/b/manifests/c"},
	{"/{name...}/manifests/{ref}", "ref a/b name a", "/a/manifests/a%2Fb"},
	{"GET h.com/{name...}/b/{rest...}", "name a rest c/d", "/a/b/c/d"},
	{"/{name...}/b/*rest", "name a rest c/d", "/a/b/c/d"},

	{"/v2/{name...}/tags", "name /a", `error "name"`},
	{"/v2/{name...}/tags", "name a/", `error "name"`},
	{"/v2/{name...}/tags", "name ", `error "name"`},
	{"/v2/{name...}/tags", "name a//b", `error "name"`},
	{"/v2/{name...}/tags", "name a/../b", `error "name"`},
	{"/{name...}/b/{rest...}", "name a rest c/b/d", `error read back as ["a/b/c" "d"]`},
	{"/{name...}/{a}/{rest...}", "name a a b rest c/d", `error read back as`},

	{"/users/:id", "", `error "id"`},
	{"/users/:id", "id", `error "id"`},
	{"/users/:id", "name 5", `error "id"`},
	{"/users/:id", "id 5 name 6", `error "name"`},
	{"/users/:id", "id 5 id 6", `error "id"`},
	{"/users", "id 5", `error "id"`},
	{"/users/:id", "id ", `error "id"`},
	{"/users/:id", "id .", `error "."`},
	{"/users/:id", "id ..", `error ".."`},
	{"/users/{id:[0-9]+}", "id x", `error [0-9]+`},
	{"/users/{id:[0-9]+}", "id 1x", `error [0-9]+`},
	{"/v{major}.{minor}", "major 1.2 minor 3", `error 1.2`},
	{"/v{major}.{minor}", "major  minor 3", `error "major"`},
	{"/v{major}", "major ..", `error "major"`},
	{"/.{x}", "x .", `error`},
	{"/static/*f", "f /a//b", `error "f"`},
	{"/static/*f", "f /a/../b", `error "f"`},
	{"/static/*f", "f //evil.com", `error "f"`},
	{"/*f", "f //evil.com", `error "f"`},
	{"/{f...}", "f /evil.com", `error "f"`},
	{"/static/{f...}", "f ..", `error "f"`},
	{"/static/{f...}", "", `error "f"`},
	{"//0", "", "error"},
	{"/a/../b", "", "error"},
	{"/%2e%2e/b", "", "error"},
	{"/a//:id", "id 5", "error"},
	{"", "", "error"},
	{"users", "", "error"},
	{"/:", "", "error"},
	{"/{id", "id 5", "error"},
}

func split(pairs string) []string {
	if pairs == "" {
		return nil
	}
	return strings.Split(pairs, " ")
}

func TestBuildPath(t *testing.T) {
	for _, c := range buildPathCases {
		got, err := muxmaster.BuildPath(c.pattern, split(c.pairs)...)
		part, fails := strings.CutPrefix(c.want, "error")
		if !fails {
			if err != nil || got != c.want {
				t.Errorf("BuildPath(%q, %q) = %q, %v, want %q", c.pattern, c.pairs, got, err, c.want)
			}
			continue
		}
		if err == nil || got != "" || !strings.HasPrefix(err.Error(), "muxmaster: ") || !strings.Contains(err.Error(), strings.TrimSpace(part)) || !strings.Contains(err.Error(), fmt.Sprintf("%q", c.pattern)) {
			t.Errorf("BuildPath(%q, %q) = %q, %v, want an error with %s", c.pattern, c.pairs, got, err, part)
		}
	}
}

// An empty catch-all: {f...} is empty where the path ends with its slash.
func TestBuildPathEmptyRest(t *testing.T) {
	for _, pattern := range []string{"/static/{f...}", "/static/*f"} {
		got, err := muxmaster.BuildPath(pattern, "f", "")
		if err == nil && got != "/static/" {
			t.Errorf("BuildPath(%q) = %q", pattern, got)
		}
	}
}

// roundTrip builds a path and checks that the pattern matches it with the same
// values.
func roundTrip(t *testing.T, pattern string, pairs []string) {
	path, err := muxmaster.BuildPath(pattern, pairs...)
	if err != nil {
		return
	}
	if strings.HasPrefix(path, "//") || !strings.HasPrefix(path, "/") {
		t.Fatalf("BuildPath(%q, %q) = %q, which may name a host", pattern, pairs, path)
	}
	var refused []string
	for name, register := range map[string]func(m *muxmaster.Mux, h http.HandlerFunc){
		"Handle": func(m *muxmaster.Mux, h http.HandlerFunc) { m.Handle(pattern, h) },
		"ANY":    func(m *muxmaster.Mux, h http.HandlerFunc) { m.ANY(pattern, h) },
	} {
		method, host := "GET", "example.com"
		if !strings.HasPrefix(pattern, "/") {
			if name == "ANY" {
				continue
			}
			before, _, _ := strings.Cut(pattern, "/")
			if strings.ContainsAny(before, " \t") {
				i := strings.IndexAny(before, " ,\t")
				method, before = before[:i], before[strings.LastIndexAny(before, " \t")+1:]
			}
			if method == "" {
				method = "GET"
			}
			host = before
			if strings.Contains(host, ":") && method != "CONNECT" { // see TestHosts
				continue
			}
		}
		m := muxmaster.New()
		served := false
		if text := panics(func() {
			register(m, func(w http.ResponseWriter, r *http.Request) {
				served = true
				ps := muxmaster.PathParams(r)
				if len(ps) != len(pairs)/2 {
					t.Errorf("%s %q, %q: got %v, want %q", name, pattern, path, ps, pairs)
				}
				for i := 0; i < len(pairs); i += 2 {
					got, ok := ps.Lookup(pairs[i])
					if !ok || got != pairs[i+1] && got != "/"+pairs[i+1] {
						t.Errorf("%s %q, %q: %s=%q, want %q", name, pattern, path, pairs[i], got, pairs[i+1])
					}
				}
			})
		}); text != "" {
			refused = append(refused, text)
			continue
		}
		r, err := readRequest("example.com", "GET", path)
		if err != nil {
			t.Fatalf("BuildPath(%q, %q) = %q: %v", pattern, pairs, path, err)
		}
		r.Method, r.Host = method, host
		if a := ask(m, r); !served {
			t.Errorf("%s %q does not match %q, which BuildPath made of %q: %s", name, pattern, path, pairs, a.brief())
		}
	}
	if len(refused) == 2 || len(refused) == 1 && !strings.HasPrefix(pattern, "/") {
		t.Errorf("BuildPath(%q, %q) = %q, but the pattern is refused: %s", pattern, pairs, path, refused)
	}
}

func TestBuildPathRoundTrip(t *testing.T) {
	for _, c := range buildPathCases {
		roundTrip(t, c.pattern, split(c.pairs))
	}
}

func FuzzBuildPath(f *testing.F) {
	for _, c := range buildPathCases {
		p := append(split(c.pairs), "", "", "", "")
		f.Add(c.pattern, p[0], p[1], p[2], p[3])
	}
	f.Add("/{a}-{b:[0-9-]+}", "a", "x", "b", "1-2")
	f.Add("/{a:[0-9.]+}.{b}", "a", "1.2", "b", "x")
	f.Fuzz(func(t *testing.T, pattern, n1, v1, n2, v2 string) {
		if len(pattern) > 200 || strings.Contains(pattern, "(?") {
			return
		}
		roundTrip(t, pattern, nil)
		roundTrip(t, pattern, []string{n1, v1})
		roundTrip(t, pattern, []string{n1, v1, n2, v2})
	})
}
