package middleware_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleNoCache() {
	h := middleware.NoCache(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "your balance")
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Header().Get("Cache-Control"))
	// Output: no-cache, no-store, no-transform, must-revalidate, private, max-age=0
}

func TestNoCacheResponse(t *testing.T) {
	h := serve(middleware.NoCache(text("x")), get("/")).Header()
	if got, ok := h["Pragma"]; ok { // RFC 9111, section 5.4: it is a request header
		t.Errorf("Pragma is %q", got)
	}
	for name, want := range map[string]string{
		"Cache-Control":   "no-cache, no-store, no-transform, must-revalidate, private, max-age=0",
		"Expires":         time.Unix(0, 0).UTC().Format(http.TimeFormat),
		"X-Accel-Expires": "0",
	} {
		if got := h[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestNoCacheRequest(t *testing.T) {
	sent := http.Header{"If-Match": {"a"}, "If-None-Match": {"*"}, "If-Modified-Since": {"b"}, "If-Unmodified-Since": {"c"}, "If-Range": {"d"}, "Accept": {"e"}}
	for _, tt := range []struct {
		method string
		keeps  int
	}{{"GET", 4}, {"HEAD", 4}, {"PUT", 6}, {"PATCH", 6}, {"DELETE", 6}, {"POST", 6}} {
		r := httptest.NewRequest(tt.method, "/", nil)
		r.Header = sent.Clone()
		mine := r.Header
		var seen http.Header
		serve(middleware.NoCache(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen = r.Header })), r)
		if len(seen) != tt.keeps || seen.Get("If-Match") != "a" || seen.Get("If-Unmodified-Since") != "c" || seen.Get("If-Range") != "d" || seen.Get("Accept") != "e" {
			t.Errorf("%s: the handler saw %v, want %d headers", tt.method, slices.Sorted(maps.Keys(seen)), tt.keeps)
		}
		if len(mine) != len(sent) {
			t.Errorf("%s: the caller's map was changed to %v", tt.method, mine)
		}
	}
}
