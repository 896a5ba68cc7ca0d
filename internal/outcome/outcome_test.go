package outcome

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestStart(t *testing.T) {
	for _, c := range []struct {
		o                Outcome
		method           string
		status           int
		written          bool
		allow, body, typ string
	}{
		{Outcome{}, "GET", 404, false, "", "", ""},
		{Outcome{Allow: "GET, OPTIONS"}, "PUT", 405, false, "GET, OPTIONS", "", ""},
		{Outcome{Allow: "GET, OPTIONS"}, "OPTIONS", 204, true, "GET, OPTIONS", "", ""},
		{Outcome{Location: "/a?b=<c>", Pattern: "/a"}, "GET", 307, true, "", "<a href=\"/a?b=&lt;c&gt;\">Temporary Redirect</a>.\n\n", "text/html; charset=utf-8"},
		{Outcome{Location: "/a"}, "POST", 307, true, "", "", ""},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, "/", nil)
		w.Code = 0
		status := c.o.Start(w, r)
		if h := w.Header(); status != c.status || h.Get("Allow") != c.allow || h.Get("Location") != c.o.Location || h.Get("Content-Type") != c.typ || w.Body.String() != c.body || r.Pattern != c.o.Pattern {
			t.Errorf("%s %+v: status %d, headers %v, body %q, pattern %q", c.method, c.o, status, h, w.Body, r.Pattern)
		}
		if want := map[bool]int{true: c.status}[c.written]; w.Code != want {
			t.Errorf("%s %+v: wrote status %d, want %d", c.method, c.o, w.Code, want)
		}
	}
	w := httptest.NewRecorder()
	w.Header()["Content-Type"] = nil // as http.Redirect, which then writes no body
	Outcome{Location: "/a"}.Start(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Body.Len() != 0 || w.Header().Get("Content-Type") != "" {
		t.Errorf("with a Content-Type: %v, body %q", w.Header(), w.Body)
	}
}
