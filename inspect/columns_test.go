package inspect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestColumns checks that columns.json has what routes.json has.
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
	decode(t, page, "/debug/routes/routes.json", &list)
	var columns map[string]struct {
		Values []any
		Index  []int
	}
	decode(t, page, "/debug/routes/columns.json", &columns)
	for i, r := range list {
		for name, c := range columns {
			if len(c.Index) != len(list) {
				t.Fatalf("%s: %d values for %d routes", name, len(c.Index), len(list))
			}
			got, want := c.Values[c.Index[i]], r[name]
			if want == nil { // omitted
				want = map[any]any{"": "", false: false}[got]
			}
			if name == "Last" && r["Hits"] == 0.0 {
				continue // the zero time
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %v: got %v, want %v", name, r["Pattern"], got, want)
			}
		}
		for name := range r {
			if _, ok := columns[name]; !ok && name != "Name" {
				t.Errorf("%s is missing", name)
			}
		}
	}
	if n := len(columns["Host"].Values); n != 2 {
		t.Errorf("%d hosts, want 2", n)
	}
}

// decode decodes the response to a request of a local client.
func decode(t *testing.T, h http.Handler, target string, v any) {
	t.Helper()
	r := newRequest("GET", target)
	r.RemoteAddr, r.Host, r.ProtoMajor, r.ProtoMinor = "127.0.0.1:1", "localhost", 1, 1
	w := &responseWriter{header: http.Header{}}
	h.ServeHTTP(w, r)
	if err := json.Unmarshal(w.body.Bytes(), v); err != nil {
		t.Fatalf("%s: %v: %s", target, err, &w.body)
	}
}

// BenchmarkColumns measures what the page of 5,000 routes asks of the server.
func BenchmarkColumns(b *testing.B) {
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
		data, err := json.Marshal(columns(page.routes()))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(data)), "bytes")
	}
}
