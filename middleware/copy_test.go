package middleware_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// every is all middleware of this module, with arguments that let requests pass.
var every = map[string]mw{
	"Logger": middleware.Logger, "Observe": middleware.Observe(func(*http.Request, int, int64, time.Duration) {}),
	"Recoverer": middleware.Recoverer, "RealIP": middleware.RealIP, "RealIPFrom": middleware.RealIPFrom(netip.MustParsePrefix("192.0.2.0/24")),
	"RequestID": middleware.RequestID, "Timeout": middleware.Timeout(time.Hour), "BodyLimit": middleware.BodyLimit(1 << 20),
	"Throttle":  middleware.Throttle(10, 0, 0),
	"BasicAuth": middleware.BasicAuth("r", func(string, string) bool { return true }),
	"SetHeader": middleware.SetHeader("X-A", "b"), "NoCache": middleware.NoCache, "problem.With": problem.With(problem.JSON),
	"IdempotencyKey": middleware.IdempotencyKey(middleware.Idempotency{Store: middleware.NewMemoryStore(1 << 20), Scope: func(r *http.Request) string { return r.Host }}),
}

// TestHandBackClearsPooledCopies checks that a request that a handler retains
// has no path values of later requests, even if a middleware made a copy of the
// request for the handler. In default mode, it keeps its own values.
func TestHandBackClearsPooledCopies(t *testing.T) {
	silence(t)
	for _, pooled := range []bool{true, false} {
		for name, m := range every {
			for _, panics := range []bool{false, true} {
				mux := muxmaster.New()
				mux.PoolRequestBundle = pooled
				mux.Pre(middleware.Recoverer)
				mux.Use(m)
				var kept []*http.Request
				mux.POST("/users/:id/:name", func(w http.ResponseWriter, r *http.Request) {
					kept = append(kept, r)
					if panics && len(kept)%100 == 0 {
						panic("x")
					}
				})
				const n = 1500 // more values than a ring has slots
				for i := range n {
					r := httptest.NewRequest("POST", fmt.Sprintf("/users/%d/n%d", i, i), strings.NewReader("x"))
					r.ContentLength = -1 // so that BodyLimit limits it
					r.SetBasicAuth("u", "p")
					r.Header.Set("Idempotency-Key", fmt.Sprintf("%t-%t-%d", pooled, panics, i))
					serve(mux, r)
				}
				if len(kept) != n {
					t.Fatalf("%s: %d requests were served, want %d", name, len(kept), n)
				}
				for i, r := range kept {
					own := fmt.Sprint(i)
					got := r.PathValue("id")
					if got != own && (!pooled || got != "") {
						t.Errorf("%s, pooled %v, panics %v: the request of user %d has the user %q afterwards", name, pooled, panics, i, got)
						break
					}
				}
			}
		}
	}
}

// TestHandBack checks that outer middleware sees what a handler has changed in a
// copy of the request, each alone.
func TestHandBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(r *http.Request)
		want   string
	}{
		{"form", func(r *http.Request) { r.FormValue("a") }, " 192.0.2.1:1234 map[a:[body query]] map[a:[body]]"},
		{"pattern", func(r *http.Request) { r.Pattern = "/p" }, "/p 192.0.2.1:1234 map[] map[]"},
		{"address", func(r *http.Request) { r.RemoteAddr = "198.51.100.7:0" }, " 198.51.100.7:0 map[] map[]"},
	} {
		for name, m := range map[string]mw{"Timeout": middleware.Timeout(time.Hour), "BodyLimit": middleware.BodyLimit(1 << 20)} {
			r := httptest.NewRequest("POST", "/?a=query", strings.NewReader("a=body"))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.ContentLength = -1 // so that BodyLimit limits it
			ctx, body := r.Context(), r.Body
			serve(m(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.change(r) })), r)
			if got := fmt.Sprint(r.Pattern, " ", r.RemoteAddr, " ", r.Form, " ", r.PostForm); got != tt.want || r.Context() != ctx || r.Body != body {
				t.Errorf("%s, %s: outer middleware sees %s, want %s; its own context: %v", name, tt.name, got, tt.want, r.Context() == ctx)
			}
		}
	}
}
