package muxmaster

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

type nullWriter struct{ h http.Header }

func (w *nullWriter) Header() http.Header         { return w.h }
func (w *nullWriter) Write(p []byte) (int, error) { return len(p), nil }
func (w *nullWriter) WriteHeader(int)             {}

func BenchmarkServe(b *testing.B) {
	h := func(w http.ResponseWriter, r *http.Request) {}
	for _, mode := range []string{"default", "pooled"} {
		m := New()
		m.PoolRequestBundle = mode == "pooled"
		m.PoolFastParams = mode == "pooled"
		m.GET("/static/path/here", h)
		m.GET("/user/:name", h)
		m.GET("/repos/:owner/:repo/issues/:number", h)
		m.GETFast("/fast/:name", func(w http.ResponseWriter, r *http.Request, ps Params) {})
		for _, path := range []string{"/static/path/here", "/user/gordon", "/repos/julienschmidt/httprouter/issues/42", "/fast/gordon"} {
			b.Run(mode+path, func(b *testing.B) {
				r := httptest.NewRequest("GET", path, nil)
				w := &nullWriter{http.Header{}}
				b.ReportAllocs()
				for b.Loop() {
					m.ServeHTTP(w, r)
				}
			})
		}
	}
}

// BenchmarkGitHub serves each route of a large API in turn.
func BenchmarkGitHub(b *testing.B) {
	data, err := os.ReadFile("bench/routes/github.txt")
	if err != nil {
		b.Fatal(err)
	}
	m := New()
	m.PoolRequestBundle = true
	var rs []*http.Request
	for line := range strings.Lines(string(data)) {
		method, path, ok := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if !ok {
			continue
		}
		m.Handle(method+" "+path, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		rs = append(rs, httptest.NewRequest(method, strings.ReplaceAll(path, ":", ""), nil))
	}
	w := &nullWriter{http.Header{}}
	for b.Loop() {
		for _, r := range rs {
			m.ServeHTTP(w, r)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rs)), "ns/route")
}
