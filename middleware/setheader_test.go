package middleware_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleSetHeader() {
	h := middleware.SetHeader("X-Content-Type-Options", "nosniff")(http.NotFoundHandler())
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Header().Get("X-Content-Type-Options"))
	// Output: nosniff
}

func TestSetHeader(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		h          http.HandlerFunc
		want       string
	}{
		{"x-frame-options", "DENY", quiet, "[DENY]"},
		{"X-Frame-Options", "", quiet, "[]"},
		{"X-Frame-Options", "a\tb ü", quiet, "[a\tb ü]"},
		{"X-Frame-Options", "DENY", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Frame-Options", "SAMEORIGIN") }, "[SAMEORIGIN]"},
		{"X-Frame-Options", "a", func(w http.ResponseWriter, r *http.Request) { w.Header().Add("X-Frame-Options", "b") }, "[a b]"},
	} {
		h := middleware.SetHeader(tt.key, tt.value)(tt.h)
		if got := fmt.Sprint(serve(h, get("/")).Header()["X-Frame-Options"]); got != tt.want {
			t.Errorf("%s: %q: %s, want %s", tt.key, tt.value, got, tt.want)
		}
	}
}

func TestResponsesShareNoHeader(t *testing.T) {
	for name, m := range map[string]mw{"SetHeader": middleware.SetHeader("Pragma", "a"), "NoCache": middleware.NoCache} {
		spoil := true
		h := m(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, values := range w.Header() {
				_ = append(values, "spoilt")
			}
			for key, values := range w.Header() {
				if values[0] == "spoilt" {
					t.Errorf("%s: %s has a value that was added to another header", name, key)
				}
				if spoil {
					values[0] = "spoilt"
				}
			}
		}))
		serve(h, get("/"))
		spoil = false
		for key, values := range serve(h, get("/")).Header() {
			if len(values) != 1 || values[0] == "spoilt" {
				t.Errorf("%s: %s is %q in another response", name, key, values)
			}
		}
	}
}

func TestSetHeaderRefuses(t *testing.T) {
	for _, key := range []string{"", "a b", "a:", "a\r\nb", "ä", "a\x00"} {
		wantPanic(t, fmt.Sprintf("middleware: SetHeader: %q is not a header name; use letters, digits and hyphens", key), func() { middleware.SetHeader(key, "x") })
	}
	for _, value := range []string{"a\r\nb", "a\n", "\x00", "\x7f"} {
		wantPanic(t, fmt.Sprintf("middleware: SetHeader: the value %q of X-A contains a control character; remove it", value), func() { middleware.SetHeader("X-A", value) })
	}
}
