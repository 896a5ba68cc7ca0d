package middleware

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/httprate"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
)

// TestOtherMiddleware checks that the libraries that docs/middleware.md
// recommends work together with this project's middleware.
func TestOtherMiddleware(t *testing.T) {
	compress, err := gzhttp.NewWrapper(gzhttp.ExceptContentTypes([]string{"text/event-stream"}))
	if err != nil {
		t.Fatal(err)
	}
	crossOrigin := cors.New(cors.Options{AllowedOrigins: []string{"https://example.com"}}).Handler
	noForgery := http.NewCrossOriginProtection().Handler
	rate := httprate.LimitByIP(2, time.Minute)
	sessions := scs.New()
	traced := otelhttp.NewMiddleware("shop")

	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if middleware.GetRequestID(r.Context()) == "" {
			t.Errorf("%s %s: no request id", r.Method, r.URL)
		}
		io.WriteString(w, strings.Repeat("text ", 1000))
	})
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sessions.Put(r.Context(), "visits", sessions.GetInt(r.Context(), "visits")+1)
		page(w, r)
	})
	request := func(method, origin, encoding string) *http.Request {
		r := httptest.NewRequest(method, "https://shop.example/", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Accept-Encoding", encoding)
		return r
	}
	for _, tt := range []struct {
		name   string
		plug   func(http.Handler) http.Handler
		h      http.Handler
		r      *http.Request
		times  int
		code   int
		header string
		want   string
	}{
		{"compression", func(h http.Handler) http.Handler { return compress(h) }, page, request("GET", "", "gzip"), 1, 200, "Content-Encoding", "gzip"},
		{"CORS", crossOrigin, page, request("GET", "https://example.com", ""), 1, 200, "Access-Control-Allow-Origin", "https://example.com"},
		{"CORS, another origin", crossOrigin, page, request("GET", "https://evil.example", ""), 1, 200, "Access-Control-Allow-Origin", ""},
		{"forgery", noForgery, page, request("POST", "https://evil.example", ""), 1, 403, "", ""},
		{"no forgery", noForgery, page, request("POST", "https://shop.example", ""), 1, 200, "", ""},
		{"rate", rate, page, request("GET", "", ""), 3, 429, "X-Ratelimit-Limit", "2"},
		{"session", sessions.LoadAndSave, counted, request("GET", "", ""), 1, 200, "Cache-Control", `no-cache="Set-Cookie"`},
		{"trace", traced, page, request("GET", "", ""), 1, 200, "", ""},
	} {
		h := stack(ourLogger, middleware.Recoverer, middleware.RealIP, middleware.RequestID, tt.plug, middleware.Timeout(time.Minute))(tt.h)
		var w *httptest.ResponseRecorder
		for range tt.times {
			w = httptest.NewRecorder()
			h.ServeHTTP(w, tt.r)
		}
		if w.Code != tt.code || w.Header().Get(tt.header) != tt.want {
			t.Errorf("%s: %d, %s %q; want %d, %q", tt.name, w.Code, tt.header, w.Header().Get(tt.header), tt.code, tt.want)
		}
	}
}

// TestOtherMiddlewareIsDocumented checks that this file contains the code in
// the table of docs/middleware.md.
func TestOtherMiddlewareIsDocumented(t *testing.T) {
	source, err := os.ReadFile("other_test.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## What is not here\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.Contains(line, "`") {
			continue
		}
		rows++
		for i, code := range strings.Split(cells[2]+cells[3], "`") {
			if i%2 == 1 && !strings.Contains(string(source), code) {
				t.Errorf("the document's %q isn't tested", code)
			}
		}
	}
	if rows != 6 {
		t.Errorf("%d rows found in the document, want 6", rows)
	}
}
