package inspect

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

func logRequests(next http.Handler) http.Handler { return next }

// TestTree checks the rows of the page: a line for each, indented below the one
// around it.
func TestTree(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {}
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
		}, `GET /
/a/b 3 routes
  GET /a/b/c
  GET /a/b/d/
  POST /a/b/d/`},
		"a route with others below": {func(m *muxmaster.Mux) { m.GET("/a", h); m.GET("/a/:id", h); m.ANY("/a/:id/x", h) }, `/a 3 routes
  GET /a
  /:id 2 routes
    GET /a/:id
    any /a/:id/x`},
		"a slash in braces doesn't separate": {func(m *muxmaster.Mux) { m.GET("/a/{b:x|[^/]}.c", h); m.GET("/a/c/{$}", h) }, `/a 2 routes
  GET /a/c/{$}
  GET /a/{b:x|[^/]}.c`},
		"hosts": {func(m *muxmaster.Mux) { m.Handle("GET a.example/x", http.HandlerFunc(h)); m.GET("/x", h) }, `GET /x
GET a.example/x`},
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
		}, `any /any/… mount
/g group + inspect.requireLogin 1 route
  GET /g requireLogin
/r route 1 route
  GET /r/x/y
/sub mount + inspect.logRequests 1 route
  GET /sub/z
GET /with + inspect.logRequests`},
		"warnings": {func(m *muxmaster.Mux) {
			g := m.Group("/g")
			g.With(requireLogin).GET("/a", h)
			g.With(requireLogin).GET("/b", h)
			g.GET("/c", h)
		}, `/g group 3 routes 1 warning
  GET /g/a requireLogin + inspect.requireLogin
  GET /g/b requireLogin + inspect.requireLogin
  GET /g/c no authentication: most routes next to /c use inspect.requireLogin`},
		"names are text": {func(m *muxmaster.Mux) { m.GET(`/<b>&"'/x`, h); m.GET(`/<b>&"'/{x:[<>]}`, h) }, `/<b>&"' 2 routes
  GET /<b>&"'/x
  GET /<b>&"'/{x:[<>]}`},
	} {
		m := muxmaster.New()
		tt.register(m)
		if got := strings.Join(textOfRows(pageOf(t, m)), "\n"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

func noFlush() error { return nil }

// pageOf returns the page of m, from its tree on.
func pageOf(t *testing.T, m *muxmaster.Mux) string {
	t.Helper()
	var b strings.Builder
	if err := Handler(m).(*routesPage).page(&b, noFlush); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(b.String(), `<div id="tree"`)
	return text
}

var tags = regexp.MustCompile(`</?(\w+)[^>]*>|[^<]+`)

// textOfRows returns the text of each row, without the function and the file.
func textOfRows(page string) (rows []string) {
	depth, row, skip := -1, "", false
	for _, m := range tags.FindAllStringSubmatch(page, -1) {
		switch text := m[0]; {
		case text == "<ul>":
			depth++
		case text == "</ul>":
			depth--
		case text == "<summary>":
			row = ""
		case text == "</summary>":
			rows = append(rows, strings.Repeat("  ", depth)+strings.TrimSpace(row))
		case m[1] == "wbr" || strings.Contains(text, `class="dim"`) || strings.Contains(text, `class="param"`):
		case m[1] == "span":
			skip = strings.Contains(text, `class="handler"`) || strings.Contains(text, `class="file"`)
			if text != "</span>" && !strings.HasSuffix(row, " ") {
				row += " "
			}
		case m[1] == "" && !skip:
			row += html.UnescapeString(text)
		}
	}
	return rows
}

// TestTreeOpens checks which rows are shown at first, and that the others follow.
func TestTreeOpens(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {}
	for _, tt := range []struct{ folders, routes, open int }{
		{3, 10, 3}, {10, 24, 10}, {10, 25, 0}, {200, 3, 0}, {0, 300, 0},
	} {
		m := muxmaster.New()
		for i := range max(tt.folders, 1) {
			g := m.Group("")
			if tt.folders > 0 {
				g = m.Group(fmt.Sprintf("/f%d", i))
			}
			for j := range tt.routes {
				g.GET(fmt.Sprintf("/r%d", j), h)
			}
		}
		text := pageOf(t, m)
		tree, later, _ := strings.Cut(text, `<div id="later">`)
		all := max(tt.folders, 1) * tt.routes
		if n := strings.Count(text, `class="route"`); n != all {
			t.Errorf("%+v: %d rows of routes, want %d", tt, n, all)
		}
		if n := strings.Count(tree, `class="folder" open`); n != tt.open {
			t.Errorf("%+v: %d folders are open", tt, n)
		}
		closed := strings.Count(tree, `class="folder later"`)
		if n := strings.Count(later, `class="folder"`); n != closed || closed != tt.folders-tt.open {
			t.Errorf("%+v: %d folders are closed, and %d follow", tt, closed, n)
		}
	}
}

func TestParameterRanges(t *testing.T) {
	for text, want := range map[string]string{
		"/users/:id": ":id", "/{id:[0-9]+}:archive": "{id:[0-9]+}", "/user_:name/x": ":name", "/{a}.{b:x{2}}": "{a} {b:x{2}}", "/static/*path": "*path",
		"/a/{x...}": "{x...}", "h.example:8080/x": "", "/{id}:cancel/:of": "{id} :of", "/*": "*", "/*a/b": "", "/:": "", "/:a-b": "", "/": "", "": "", "/{": "", "/x}:a": "",
	} {
		var got []string
		for from, to := range parameterRanges(text) {
			got = append(got, text[from:to])
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "less than a minute ago", 59 * time.Second: "less than a minute ago", time.Minute: "1 minute ago", 3*time.Hour - 1: "2 hours ago",
		24 * time.Hour: "1 day ago", 5000 * 24 * time.Hour: "5,000 days ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}
