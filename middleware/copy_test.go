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

// TestHandBackForm checks that outer middleware sees the form that a handler
// has parsed, without a router that sets the pattern.
func TestHandBackForm(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { r.FormValue("a") })
	for name, m := range map[string]mw{"Timeout": middleware.Timeout(time.Hour), "BodyLimit": middleware.BodyLimit(1 << 20)} {
		r := httptest.NewRequest("POST", "/?a=query", strings.NewReader("a=body"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.ContentLength = -1 // so that BodyLimit limits it
		serve(m(h), r)
		if got := fmt.Sprint(r.Form, r.PostForm); got != "map[a:[body query]] map[a:[body]]" {
			t.Errorf("%s: outer middleware sees %s", name, got)
		}
	}
}
