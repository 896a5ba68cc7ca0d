package problem_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// wrapper is the writer of a middleware that changes the response.
type wrapper struct{ http.ResponseWriter }

func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestWriteClearsContentHeaders(t *testing.T) {
	all := http.Header{
		"Content-Length": {"9999"}, "Content-Type": {"application/pdf"}, "Content-Encoding": {"gzip"}, "Content-Language": {"de"},
		"Content-Location": {"/x"}, "Content-Disposition": {"attachment"}, "Etag": {`"x"`}, "Last-Modified": {"x"}, "Expires": {"x"},
		"Cache-Control": {"public, max-age=31536000"},
		"Allow":         {"GET"}, "Www-Authenticate": {"Basic"}, "Retry-After": {"3"}, "Set-Cookie": {"a=b"}, "X-Request-Id": {"1"}, "Content-Range": {"bytes */3"},
	}
	kept := http.Header{
		"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"},
		"Allow": {"GET"}, "Www-Authenticate": {"Basic"}, "Retry-After": {"3"}, "Set-Cookie": {"a=b"}, "X-Request-Id": {"1"}, "Content-Range": {"bytes */3"},
	}
	part := http.Header{"Content-Range": {"bytes 0-1/3"}, "Content-Digest": {"x"}, "Repr-Digest": {"x"}, "Accept-Ranges": {"bytes"}}
	compressed := kept.Clone()
	compressed["Content-Encoding"] = []string{"gzip"}
	for _, tt := range []struct {
		name  string
		wrap  func(http.ResponseWriter) http.ResponseWriter
		given http.Header
		want  http.Header
	}{
		{"all", func(w http.ResponseWriter) http.ResponseWriter { return w }, all, kept},
		{"all, in a writer that may compress", func(w http.ResponseWriter) http.ResponseWriter { return wrapper{w} }, all, compressed},
		{"of a part", func(w http.ResponseWriter) http.ResponseWriter { return w }, part,
			http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Accept-Ranges": {"bytes"}}},
		{"of a part, for caches", func(w http.ResponseWriter) http.ResponseWriter { return w },
			http.Header{"Content-Range": {"bytes 0-1/3"}, "Cdn-Cache-Control": {"max-age=60"}, "Surrogate-Control": {"max-age=60"}, "X-Accel-Expires": {"60"}},
			http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"}, "X-Accel-Expires": {"0"}}},
		{"one", func(w http.ResponseWriter) http.ResponseWriter { return w }, http.Header{"Etag": {`"x"`}},
			http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}},
		{"one beside Allow", func(w http.ResponseWriter) http.ResponseWriter { return w }, http.Header{"Allow": {"GET"}, "Etag": {`"x"`}},
			http.Header{"Allow": {"GET"}, "Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}},
		{"none", func(w http.ResponseWriter) http.ResponseWriter { return w }, nil,
			http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}},
	} {
		rec := httptest.NewRecorder()
		for name, values := range tt.given {
			rec.Header()[name] = values
		}
		problem.Write(tt.wrap(rec), get(), problem.Code(406))
		if got, want := fmt.Sprint(rec.Header()), fmt.Sprint(tt.want); got != want {
			t.Errorf("%s:\n got %v\nwant %v", tt.name, got, want)
		}
	}
	rec := httptest.NewRecorder()
	rec.Header().Set("Content-Type", "application/pdf")
	rec.Header().Set("Etag", `"x"`)
	ctx := problem.NewContext(t.Context(), func(w http.ResponseWriter, _ *http.Request, _ error) {
		if h := w.Header(); len(h) > 0 {
			t.Errorf("the Format gets %v", h)
		}
	})
	problem.Write(rec, get().WithContext(ctx), problem.Code(406))
}
