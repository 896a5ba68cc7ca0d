package inspect_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

func requireLogin(next http.Handler) http.Handler { return next }

func get(t *testing.T, m *muxmaster.Mux, path string, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr, r.Host = "127.0.0.1:5", "localhost:8080"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	return w
}

func TestHandlerFor(t *testing.T) {
	open := muxmaster.New()
	open.Mount("/r", inspect.HandlerFor(open, netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("::ffff:10.1.0.0/112")))
	for peer, want := range map[string]int{
		"192.0.2.1:5": 200, "[::ffff:192.0.2.1]:5": 200, "192.0.2.1": 200, "[2001:db8::1]:5": 200, "[2001:db8::1%eth0]:5": 200,
		"10.1.2.3:5": 200, "[::ffff:10.1.2.3]:5": 200, "10.2.0.1:5": 403, "192.0.3.1:5": 403, "127.0.0.1:5": 403, "[::1]:5": 403, "@": 403, "": 403,
	} {
		w := get(t, open, "/r", func(r *http.Request) { r.RemoteAddr = peer })
		if w.Code != want || want == 403 && !strings.HasPrefix(w.Body.String(), "inspect: this page is shown only to clients in the networks of HandlerFor") {
			t.Errorf("%q: got %d, want %d: %.100s", peer, w.Code, want, w.Body)
		}
	}
}

func TestHandlerPanics(t *testing.T) {
	for want, f := range map[string]func(){
		"inspect: the Mux is nil":                func() { inspect.Handler(nil) },
		"inspect: HandlerFor: name the networks": func() { inspect.HandlerFor(muxmaster.New()) },
		"muxmaster: ":                            func() { inspect.Handler(new(muxmaster.Mux)) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}()
			f()
		}()
	}
}
