package muxmaster_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// Method works like the verb methods, for any http.Handler and for a list of
// methods.
func TestMethod(t *testing.T) {
	for _, c := range []struct{ routes, method, target, want string }{
		{"GET /x", "GET", "/x", "GET /x"},
		{"GET /x", "HEAD", "/x", "GET /x"},
		{"GET /x", "POST", "/x", "405 GET, HEAD, OPTIONS"},
		{"GET,POST /x", "GET", "/x", "GET,POST /x"},
		{"GET,POST /x", "POST", "/x", "GET,POST /x"},
		{"GET,POST /x", "PUT", "/x", "405 GET, HEAD, POST, OPTIONS"},
		{"PURGE /x", "PURGE", "/x", "PURGE /x"},
		{"PURGE,BREW /x/:id", "BREW", "/x/1", "PURGE,BREW /x/:id"},
		{"QUERY,TRACE,CONNECT /x", "QUERY", "/x", "QUERY,TRACE,CONNECT /x"},
		{"GET,POST /x|PUT /x", "PUT", "/x", "PUT /x"},
		{"GET,POST /x|ANY /x", "PUT", "/x", "ANY /x"},
		{"GET,POST /x|ANY /x", "POST", "/x", "GET,POST /x"},
		// The slash rule is that of the verb methods.
		{"GET /x/", "GET", "/x/", "GET /x/"},
		{"GET /x/", "GET", "/x/y", "404"},
		{"GET /x/", "GET", "/x", "307 /x/"},
		{"GET,POST /x", "POST", "/x/", "307 /x"},
		{"GET,POST /x", "PUT", "/x/", "404"},
		{"GET /x/{$}", "GET", "/x/", "GET /x/{$}"},
		{"GET /x/*rest", "GET", "/x/y", "GET /x/*rest"},
		{"GET /{id:[0-9]+}", "GET", "/12", "GET /{id:[0-9]+}"},
	} {
		m, g := muxmaster.New(), muxmaster.New()
		add(m, c.routes)
		add(g.Group("/g/:v").With(func(h http.Handler) http.Handler { return h }), c.routes)
		if got := get(t, m, c.method, c.target); got != c.want {
			t.Errorf("%s, %s %s: got %s, want %s", c.routes, c.method, c.target, got, c.want)
		}
		want := strings.Replace(c.want, "307 ", "307 /g/1", 1)
		if got := get(t, g, c.method, "/g/1"+c.target); got != want {
			t.Errorf("in a Group: %s, %s /g/1%s: got %s, want %s", c.routes, c.method, c.target, got, want)
		}
	}
}

// RedirectTrailingSlash is for Method's routes as for those of the verbs.
func TestMethodSlashRedirectIsAField(t *testing.T) {
	m := muxmaster.New()
	m.RedirectTrailingSlash = false
	add(m, "GET /x|GET /y/")
	for _, target := range []string{"/x/", "/y"} {
		if got := get(t, m, "GET", target); got != "404" {
			t.Errorf("%s: got %s", target, got)
		}
	}
}

// Method takes any handler.
func TestMethodTakesHandlers(t *testing.T) {
	m := muxmaster.New()
	m.Method("GET,POST", "/r", http.RedirectHandler("/to", http.StatusFound))
	m.Group("/g").Method("PUT", "/h", http.NotFoundHandler())
	for _, c := range [][3]string{{"POST", "/r", "302 /to"}, {"PUT", "/g/h", "404"}} {
		if got := get(t, m, c[0], c[1]); got != c[2] {
			t.Errorf("%s %s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// r.Pattern is the pattern as registered, the methods in front.
func TestMethodPattern(t *testing.T) {
	for _, c := range []struct{ methods, path, want string }{
		{"GET", "/x/:id", "GET /x/:id"},
		{"GET,POST", "/x/:id", "GET,POST /x/:id"},
		{"PURGE", "/x/{id}/", "PURGE /x/{id}/"},
	} {
		m := muxmaster.New()
		m.Method(c.methods, c.path, tell(""))
		method, _, _ := strings.Cut(c.methods, ",")
		r := request(t, method, strings.NewReplacer(":id", "1", "{id}", "1").Replace(c.path))
		if ask(m, r); r.Pattern != c.want || muxmaster.RoutePattern(r) != c.path {
			t.Errorf("Method(%q, %q): r.Pattern %q, RoutePattern %q", c.methods, c.path, r.Pattern, muxmaster.RoutePattern(r))
		}
	}
}

func TestBadMethods(t *testing.T) {
	for _, c := range []struct {
		methods, path string
		h             http.Handler
	}{
		{"", "/x", tell("")},
		{"GET,", "/x", tell("")},
		{",GET", "/x", tell("")},
		{"GET,,POST", "/x", tell("")},
		{"GET POST", "/x", tell("")},
		{"GET|POST", "/x", tell("")},
		{"GET,GET", "/x", tell("")},
		{"G/T", "/x", tell("")},
		{"GÉT", "/x", tell("")},
		{"GET", "x", tell("")},
		{"GET", "", tell("")},
		{"GET", "example.com/x", tell("")},
		{"GET", "POST /x", tell("")},
		{"GET", "/x/:", tell("")},
		{"GET", "/x", nil},
		{"GET", "/x", http.HandlerFunc(nil)},
		{"GET", "/x", (*muxmaster.Mux)(nil)},
		{"POST,GET", "/taken", tell("")},
	} {
		m := muxmaster.New()
		m.GET("/taken", tell("taken"))
		if text := panics(func() { m.Method(c.methods, c.path, c.h) }); !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, c.path) {
			t.Errorf("Method(%q, %q): panicked with %q", c.methods, c.path, text)
		}
		if got := get(t, m, "GET", "/taken") + get(t, m, "POST", "/taken") + get(t, m, "GET", "/x"); got != "taken405 GET, HEAD, OPTIONS404" {
			t.Errorf("Method(%q, %q): afterwards: got %s", c.methods, c.path, got)
		}
	}
}
