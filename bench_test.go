package muxmaster

import (
	"net/http"
	"net/http/httptest"
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

func TestDirect(t *testing.T) {
	if !direct {
		t.Error("path values are not delivered directly")
	}
}
