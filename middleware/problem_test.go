package middleware_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// TestErrorResponsesUseTheProblemHandler checks that middleware writes error
// responses in the format that the service has chosen, with the headers that
// belong to the status.
func TestErrorResponsesUseTheProblemHandler(t *testing.T) {
	silence(t)
	full := middleware.Throttle(1, 0, 0)
	let := make(chan struct{})
	defer close(let)
	entered := make(chan struct{})
	go serve(full(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { close(entered); <-let })), get("/"))
	<-entered
	for _, tt := range []struct {
		name   string
		h      http.Handler
		body   string
		want   string
		header string // a header that the response must have
	}{
		{"BasicAuth", middleware.BasicAuth("r", func(u, p string) bool { return false })(quiet), "", `{"title":"Unauthorized","status":401}`, "Www-Authenticate"},
		{"BodyLimit", middleware.BodyLimit(1)(quiet), "long", `{"title":"Request Entity Too Large","status":413}`, ""},
		{"Recoverer", middleware.Recoverer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })), "", `{"title":"Internal Server Error","status":500}`, ""},
		{"Throttle", full(quiet), "", `{"title":"Service Unavailable","status":503}`, "Retry-After"},
		{"Timeout", middleware.Timeout(time.Millisecond)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })), "", `{"title":"Service Unavailable","status":503}`, ""},
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(tt.body))
		w := serve(tt.h, r.WithContext(problem.NewContext(r.Context(), problem.JSON)))
		if got := w.Body.String(); got != tt.want+"\n" || w.Header().Get("Content-Type") != "application/problem+json" || tt.header != "" && w.Header().Get(tt.header) == "" {
			t.Errorf("%s: %q %v, want %q", tt.name, got, w.Header(), tt.want)
		}
	}
}

// compresses is a middleware that sets Content-Encoding before the handler
// responds, like gorilla/handlers (Go issue 66343).
var compresses = around(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	w.Header().Set("Content-Encoding", "gzip")
	zip := gzip.NewWriter(w)
	defer zip.Close()
	next.ServeHTTP(gzipWriter{w, zip}, r)
})

type gzipWriter struct {
	http.ResponseWriter
	zip io.Writer
}

func (w gzipWriter) Write(p []byte) (int, error) { return w.zip.Write(p) }

// TestErrorResponsesReplaceContent checks that an error response doesn't have
// the headers that describe the discarded content, and keeps the encoding of a
// middleware that compresses.
func TestErrorResponsesReplaceContent(t *testing.T) {
	silence(t)
	inside := func(then func(r *http.Request)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Encoding", "br") // also if a middleware compresses
			h.Set("Content-Disposition", `attachment; filename="report.csv.gz"`)
			h.Set("Content-Length", "9999")
			h.Set("Content-Type", "text/csv")
			h.Set("Etag", `"x"`)
			h.Set("Cache-Control", "public, max-age=31536000")
			h.Set("Vary", "Accept-Encoding")
			then(r)
		})
	}
	for _, tt := range []struct {
		name string
		h    http.Handler
		want string
	}{
		{"Recoverer", middleware.Recoverer(inside(func(*http.Request) { panic("x") })), "500 Internal Server Error"},
		{"Timeout", middleware.Timeout(time.Millisecond)(inside(func(r *http.Request) { <-r.Context().Done() })), "503 Service Unavailable"},
	} {
		for _, outer := range []struct {
			name string
			m    mw
		}{{"alone", same}, {"in Logger", silent}, {"in a foreign wrapper", foreign}, {"in one without Unwrap", hide}, {"in one that compresses", compresses}} {
			for _, proto := range protos {
				srv, complaints := start(t, proto, outer.m(tt.h))
				resp, body, err := fetch(t, srv.Client(), request(t, srv.URL+"/")) // decompresses gzip if the header requires it
				if got := fmt.Sprintf("%d %s", resp.StatusCode, body); got != tt.want+"\n" || err != nil {
					t.Errorf("%s, %s, %s: %q, %v, want %q", proto, tt.name, outer.name, got, err, tt.want)
				}
				h := resp.Header
				if h.Get("Content-Disposition") != "" || h.Get("Etag") != "" || h.Get("Cache-Control") != "no-store" || h.Get("Vary") == "" ||
					resp.Uncompressed != (outer.name == "in one that compresses") {
					t.Errorf("%s, %s, %s: headers %v", proto, tt.name, outer.name, h)
				}
				if s := complaints.String(); s != "" {
					t.Errorf("%s, %s, %s: net/http says %q", proto, tt.name, outer.name, s)
				}
				srv.Close()
			}
		}
	}
}

func same(h http.Handler) http.Handler { return h }
