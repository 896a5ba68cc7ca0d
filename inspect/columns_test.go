package inspect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestColumns checks that the script of the page gets what routes.json has.
func TestColumns(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {}
	m := muxmaster.New()
	coverage := NewCoverage(m)
	m.Use(coverage.Handler)
	m.GET("/", h)
	m.Handle("{tenant}.example.com/", http.HandlerFunc(h))
	g := m.Group("/admin/")
	g.Use(requireLogin)
	g.Method("GET,POST", "/users/{id:[0-9]+}", http.HandlerFunc(h))
	g.With(requireLogin).GET("/users/{id:1|z}", h)
	m.Route("/api", func(g *muxmaster.Group) { g.GET("/", h) })
	page := coverage.Page()
	m.Mount("/debug/routes", page)
	m.ServeHTTP(&responseWriter{header: http.Header{}}, newRequest("GET", "/"))

	var list []map[string]any
	get(t, page, "/debug/routes/routes.json", func(body string) string { return body }, &list)
	var columns map[string]struct {
		Values []any
		Index  []int
	}
	get(t, page, "/debug/routes", func(body string) string {
		_, data, _ := strings.Cut(body, `id="routes">`)
		data, _, _ = strings.Cut(data, "</script>")
		return data
	}, &columns)
	rows := columns["Pattern"].Index
	if len(rows) != len(list)-1 { // without the bare prefix of the page
		t.Fatalf("%d rows for %d routes", len(rows), len(list))
	}
	for i := range rows {
		field := func(name string) any { return columns[name].Values[columns[name].Index[i]] }
		at := slices.IndexFunc(list, func(r map[string]any) bool {
			return r["Method"] == field("Method") && r["Host"] == field("Host") && r["Pattern"] == field("Pattern")
		})
		if at < 0 {
			t.Fatalf("%v %v%v is no route", field("Method"), field("Host"), field("Pattern"))
		}
		for name := range columns {
			want := list[at][name]
			if want == nil { // omitted
				want = map[any]any{"": "", false: false}[field(name)]
			}
			if name == "Last" && list[at]["Hits"] == 0.0 {
				continue // the zero time
			}
			if !reflect.DeepEqual(field(name), want) {
				t.Errorf("%s of %v: got %v, want %v", name, field("Pattern"), field(name), want)
			}
		}
		for name := range list[at] {
			if _, ok := columns[name]; !ok && name != "Name" {
				t.Errorf("%s is missing", name)
			}
		}
	}
	if n := len(columns["Host"].Values); n != 2 {
		t.Errorf("%d hosts, want 2", n)
	}
}

// get decodes the JSON that part returns of the response to a local client.
func get(t *testing.T, h http.Handler, target string, part func(body string) string, v any) {
	t.Helper()
	r := newRequest("GET", target)
	r.RemoteAddr, r.Host, r.ProtoMajor, r.ProtoMinor = "127.0.0.1:1", "localhost", 1, 1
	w := &responseWriter{header: http.Header{}}
	h.ServeHTTP(w, r)
	if err := json.Unmarshal([]byte(part(w.body.String())), v); err != nil {
		t.Fatalf("%s: %v: %.2000s", target, err, &w.body)
	}
}

// BenchmarkPage measures what the page of 5,000 routes asks of the server.
func BenchmarkPage(b *testing.B) {
	m := muxmaster.New()
	page := Handler(m).(*routesPage)
	h := func(http.ResponseWriter, *http.Request) {}
	for i := range 1250 {
		g := m.Group(fmt.Sprintf("/service%d/resource%d", i%50, i))
		g.Use(requireLogin)
		g.Method("GET,POST", "/", http.HandlerFunc(h))
		g.Method("GET,DELETE", "/{id:[0-9]+}", http.HandlerFunc(h))
	}
	m.ServeHTTP(&responseWriter{header: http.Header{}}, newRequest("GET", "/")) // compiles the routes
	for b.Loop() {
		var n size
		if err := page.page(&n, func() error { return nil }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(n), "bytes")
	}
}

// size counts the bytes that are written to it.
type size int

func (c *size) Write(p []byte) (int, error) { *c += size(len(p)); return len(p), nil }
