package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestConnectionClose checks that responses have Connection: close while the
// server drains and while connections wait for room. The response to an upgrade
// must not have it, because its Connection header is Upgrade.
func TestConnectionClose(t *testing.T) {
	for _, c := range []struct {
		name              string
		draining, waiting bool
		upgrade           string
		want              string
	}{
		{"normal", false, false, "", ""},
		{"draining", true, false, "", "close"},
		{"connections wait", false, true, "", "close"},
		{"upgrade", false, false, "websocket", ""},
		{"upgrade while draining", true, false, "websocket", ""},
		{"upgrade while connections wait", false, true, "websocket", ""},
		{"Java's client while draining", true, false, "h2c", "close"},
	} {
		s := New("", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got := w.Header().Get("Connection"); got != c.want {
				t.Errorf("%s: Connection: %q, want %q", c.name, got, c.want)
			}
		}))
		l := newListener(nil, s)
		s.draining.Store(c.draining)
		l.waiting.Store(c.waiting)
		r := httptest.NewRequest("GET", "/", nil)
		if c.upgrade != "" {
			r.Header.Set("Upgrade", c.upgrade)
		}
		ctx := context.WithValue(r.Context(), connKey{}, &conn{l: l})
		(&front{s: s, ln: l, next: s.HTTP.Handler}).ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
	}
}
