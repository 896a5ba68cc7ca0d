package inspect

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

func logRequests(next http.Handler) http.Handler { return next }

// TestPrintTree checks the lines of a tree, without handlers and files.
func TestPrintTree(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {}
	place := regexp.MustCompile(` +\S+ +\S+_test\.go:\d+`)
	for name, tt := range map[string]struct {
		register func(m *muxmaster.Mux)
		want     string
	}{
		"none": {func(m *muxmaster.Mux) {}, ""},
		"branches with one child are joined": {func(m *muxmaster.Mux) {
			m.GET("/", h)
			m.GET("/a/b/c", h)
			m.GET("/a/b/d/", h)
			m.POST("/a/b/d/", h)
		}, `
/      GET
/a/b
  /c   GET
  /d/  GET
  /d/  POST
`},
		"a route with others below": {func(m *muxmaster.Mux) { m.GET("/a", h); m.GET("/a/:id", h); m.ANY("/a/:id/x", h) }, `
/a
  /a      GET
  /:id
    /:id  GET
    /x    *
`},
		"a slash in braces doesn't separate": {func(m *muxmaster.Mux) { m.GET("/a/{b:x|[^/]}.c", h); m.GET("/a/c/{$}", h) }, `
/a
  /c/{$}         GET
  /{b:x|[^/]}.c  GET
`},
		"hosts": {func(m *muxmaster.Mux) { m.Handle("GET a.example/x", http.HandlerFunc(h)); m.GET("/x", h) }, `
/x           GET
a.example/x  GET
`},
		"scopes and what they add": {func(m *muxmaster.Mux) {
			g := m.Group("/g")
			g.Use(requireLogin)
			g.GET("/", h)
			m.With(logRequests).Group("").GET("/with", h)
			m.Route("/r", func(g *muxmaster.Group) { g.GET("/x/y", h) })
			sub := muxmaster.New()
			sub.Use(logRequests)
			sub.GET("/z", h)
			m.Mount("/sub", sub)
			m.Mount("/any", http.HandlerFunc(h))
		}, `
/any    *  mount
/g  group + inspect.requireLogin
  /g    GET
/r  route
  /x/y  GET
/sub  mount + inspect.logRequests
  /z    GET
/with   GET  + inspect.logRequests
`},
		"scopes of hosts": {func(m *muxmaster.Mux) {
			host := m.Host("{t}.h.com")
			host.Use(requireLogin)
			host.GET("/a", h)
			host.Group("/g").GET("/b", h)
			in := m.Group("/in").Host("x.org")
			in.Use(logRequests)
			in.GET("/c", h)
		}, `
x.org/in  group  host + inspect.logRequests
  /c    GET
{t}.h.com  host + inspect.requireLogin
  /a    GET
  /g  group
    /b  GET
`},
		"notes of annotations": {func(m *muxmaster.Mux) {
			g := m.Annotate("text", "secret").Annotate("limit", time.Second).Group("")
			g.GET("/a", h)
			g.Annotate("limit", time.Minute).Annotate("panics", (*url.URL)(nil)).GET("/b", h)
			g.Annotate("limit", 1).With(logRequests).GET("/c", h)
		}, `
/a  GET  [1s]
/b  GET  [<nil>, 1m0s]
/c  GET  + inspect.logRequests
`},
		"warnings": {func(m *muxmaster.Mux) {
			g := m.Group("/g")
			g.With(requireLogin).GET("/a", h)
			g.With(requireLogin).GET("/b", h)
			g.GET("/c", h)
		}, `
/g  group
  /a  GET  + inspect.requireLogin
  /b  GET  + inspect.requireLogin
  /c  GET  ! no authentication: most routes next to /c use inspect.requireLogin
`},
		"names are text": {func(m *muxmaster.Mux) { m.GET(`/<b>&"'/x`, h); m.GET(`/<b>&"'/{x:[<>]}`, h) }, `
/<b>&"'
  /x         GET
  /{x:[<>]}  GET
`},
	} {
		m := muxmaster.New()
		tt.register(m)
		var b strings.Builder
		if err := PrintTree(&b, Examine(m)); err != nil {
			t.Fatal(err)
		}
		if got := place.ReplaceAllString(b.String(), ""); got != strings.TrimPrefix(tt.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}
