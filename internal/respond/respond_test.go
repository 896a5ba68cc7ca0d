package respond

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// TestRedirect compares Redirect with http.Redirect for clean locations.
func TestRedirect(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST"} {
		for _, location := range []string{"/", "/a/b?c=d&e", "/%22%3Cb%3E"} {
			for _, contentType := range []string{"", "text/x"} {
				r := httptest.NewRequest(method, "/x", nil)
				got, want := httptest.NewRecorder(), httptest.NewRecorder()
				for _, w := range []http.ResponseWriter{got, want} {
					if contentType != "" {
						w.Header().Set("Content-Type", contentType)
					}
				}
				Redirect(got, r, location)
				http.Redirect(want, r, location, http.StatusTemporaryRedirect)
				if got.Code != want.Code || got.Body.String() != want.Body.String() || !reflect.DeepEqual(got.Header(), want.Header()) {
					t.Errorf("%s to %s: got %d %v %q, http.Redirect %d %v %q", method, location, got.Code, got.Header(), got.Body, want.Code, want.Header(), want.Body)
				}
			}
		}
	}
	w := httptest.NewRecorder()
	Redirect(w, httptest.NewRequest("GET", "/x", nil), `/"><script>`)
	if strings.Contains(w.Body.String(), "<script") {
		t.Errorf("the location is HTML: %s", w.Body)
	}
}

// TestError compares Error with http.Error.
func TestError(t *testing.T) {
	for _, allow := range []string{"", "GET, OPTIONS"} {
		r := httptest.NewRequest("GET", "/x", nil)
		got, want := httptest.NewRecorder(), httptest.NewRecorder()
		got.Header().Set("Content-Length", "99") // of a body that isn't sent
		Error(got, r, "no\n", 405, allow)
		if allow != "" {
			want.Header().Set("Allow", allow)
		}
		http.Error(want, "no", 405)
		if got.Code != want.Code || got.Body.String() != want.Body.String() || !reflect.DeepEqual(got.Header(), want.Header()) {
			t.Errorf("got %d %v %q, http.Error %d %v %q", got.Code, got.Header(), got.Body, want.Code, want.Header(), want.Body)
		}
		// Appending to the values of one header must not change another.
		for name, values := range got.Header() {
			if cap(values) != 1 {
				t.Errorf("%s has room for %d values", name, cap(values))
			}
		}
	}
}

// TestErrorIsAProblem checks that the problem.Handler in the context writes the
// response of Error.
func TestErrorIsAProblem(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/x", nil)
	r = r.WithContext(problem.NewContext(r.Context(), problem.JSON))
	Error(w, r, "no\n", 405, "GET")
	if w.Code != 405 || w.Header().Get("Allow") != "GET" || w.Header().Get("Content-Type") != "application/problem+json" || !strings.Contains(w.Body.String(), `"status":405`) {
		t.Errorf("got %d %v %q", w.Code, w.Header(), w.Body)
	}
}

func TestBodies(t *testing.T) {
	for _, c := range []struct {
		code    int
		header  http.Header // before the call
		want    http.Header
		hasBody bool
	}{
		{200, http.Header{}, http.Header{"Content-Type": {"text/x"}, "Content-Length": {"4"}}, true},
		{500, http.Header{"Content-Type": {"text/mine"}}, http.Header{"Content-Type": {"text/mine"}, "Content-Length": {"4"}}, true},
		{200, http.Header{"Content-Type": nil}, http.Header{"Content-Type": nil, "Content-Length": {"4"}}, true},
		// A compressed body has another length.
		{200, http.Header{"Content-Encoding": {"gzip"}}, http.Header{"Content-Type": {"text/x"}, "Content-Encoding": {"gzip"}}, true},
		{204, http.Header{}, http.Header{}, false},
		{304, http.Header{}, http.Header{}, false},
	} {
		for name, write := range map[string]func(w http.ResponseWriter) error{
			"Text":  func(w http.ResponseWriter) error { return Text(w, c.code, "text/x", "body") },
			"Bytes": func(w http.ResponseWriter) error { return Bytes(w, c.code, "text/x", []byte("body")) },
		} {
			w := httptest.NewRecorder()
			for key, values := range c.header {
				w.Header()[key] = values
			}
			err := write(w)
			if err != nil || w.Code != c.code || (w.Body.String() == "body") != c.hasBody || !reflect.DeepEqual(w.Header(), c.want) {
				t.Errorf("%s(%d): %v, got %d %v %q, want %v", name, c.code, err, w.Code, w.Header(), w.Body, c.want)
			}
		}
	}
}

// A broken is a closed connection.
type broken struct{ *httptest.ResponseRecorder }

var errGone = errors.New("gone")

func (broken) Write([]byte) (int, error)       { return 0, errGone }
func (broken) WriteString(string) (int, error) { return 0, errGone }

func TestWriteErrors(t *testing.T) {
	w := broken{httptest.NewRecorder()}
	if a, b := Text(w, 200, "text/x", "x"), Bytes(w, 200, "text/x", []byte("x")); a != errGone || b != errGone {
		t.Errorf("got %v and %v, want %v", a, b, errGone)
	}
}
