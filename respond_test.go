package muxmaster_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

type point struct {
	XMLName xml.Name `json:"-" xml:"point"`
	X       int      `json:"x" xml:"x"`
	T       string   `json:"t" xml:"t"`
}

func TestResponses(t *testing.T) {
	p := point{X: 1, T: "<a&b>"}
	for _, c := range []struct {
		name        string
		do          func(w http.ResponseWriter) error
		status      int
		contentType string
		body        string
	}{
		{"JSON", func(w http.ResponseWriter) error { return muxmaster.JSON(w, 200, map[string]int{"a": 1}) }, 200, "application/json", `{"a":1}`},
		{"JSON 201", func(w http.ResponseWriter) error { return muxmaster.JSON(w, 201, p) }, 201, "application/json", `{"x":1,"t":"\u003ca\u0026b\u003e"}`},
		{"JSON nil", func(w http.ResponseWriter) error { return muxmaster.JSON(w, 200, nil) }, 200, "application/json", `null`},
		{"XML", func(w http.ResponseWriter) error { return muxmaster.XML(w, 200, p) }, 200, "application/xml", xml.Header + `<point><x>1</x><t>&lt;a&amp;b&gt;</t></point>`},
		{"Text", func(w http.ResponseWriter) error { return muxmaster.Text(w, 418, "a<b>\n") }, 418, "text/plain", "a<b>\n"},
		{"Text empty", func(w http.ResponseWriter) error { return muxmaster.Text(w, 200, "") }, 200, "text/plain", ""},
		{"NoContent", func(w http.ResponseWriter) error { return muxmaster.NoContent(w) }, 204, "", ""},
		{"JSON 204", func(w http.ResponseWriter) error { return muxmaster.JSON(w, 204, 1) }, 204, "", ""},
		{"Text 204", func(w http.ResponseWriter) error { return muxmaster.Text(w, 204, "x") }, 204, "", ""},
		{"own type", func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", "application/problem+json")
			return muxmaster.JSON(w, 400, 1)
		}, 400, "application/problem+json", "1"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := c.do(w); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}))
		resp, err := http.Get(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.status || !strings.HasPrefix(resp.Header.Get("Content-Type"), c.contentType) || (c.contentType == "") != (resp.Header.Get("Content-Type") == "") || strings.TrimSuffix(string(body), "\n") != strings.TrimSuffix(c.body, "\n") {
			t.Errorf("%s: got %d %q %q", c.name, resp.StatusCode, resp.Header.Get("Content-Type"), body)
		}
		if resp.ContentLength != int64(len(body)) && c.status != 204 {
			t.Errorf("%s: Content-Length %d for %d bytes", c.name, resp.ContentLength, len(body))
		}
		srv.Close()
	}
}

// If encoding fails, the result is an error, and nothing is written.
func TestEncodingErrorsWriteNothing(t *testing.T) {
	for name, do := range map[string]func(w http.ResponseWriter) error{
		"JSON channel": func(w http.ResponseWriter) error { return muxmaster.JSON(w, 200, make(chan int)) },
		"JSON NaN":     func(w http.ResponseWriter) error { return muxmaster.JSON(w, 200, []any{"a", math.NaN()}) },
		"JSON late": func(w http.ResponseWriter) error {
			return muxmaster.JSON(w, 200, []any{strings.Repeat("a", 1<<16), func() {}})
		},
		"XML channel": func(w http.ResponseWriter) error { return muxmaster.XML(w, 200, make(chan int)) },
		"XML map":     func(w http.ResponseWriter) error { return muxmaster.XML(w, 200, map[string]int{"a": 1}) },
	} {
		w := &counting{ResponseRecorder: httptest.NewRecorder()}
		if err := do(w); err == nil || w.writes > 0 || len(w.Header()) > 0 {
			t.Errorf("%s: error %v, %d writes, header %v", name, err, w.writes, w.Header())
		}
	}
	w := &failing{httptest.NewRecorder()}
	for name, err := range map[string]error{"JSON": muxmaster.JSON(w, 200, 1), "XML": muxmaster.XML(w, 200, 1), "Text": muxmaster.Text(w, 200, "x")} {
		if err == nil {
			t.Errorf("%s: no error of a failed write", name)
		}
	}
}

type counting struct {
	*httptest.ResponseRecorder
	writes int
}

func (w *counting) Write(b []byte) (int, error) { w.writes++; return w.ResponseRecorder.Write(b) }
func (w *counting) WriteHeader(code int)        { w.writes++; w.ResponseRecorder.WriteHeader(code) }

type failing struct{ *httptest.ResponseRecorder }

func (w *failing) Write([]byte) (int, error)       { return 0, errors.New("gone") }
func (w *failing) WriteString(string) (int, error) { return 0, errors.New("gone") }

type coded int

func (c coded) Error() string   { return "secret of the program" }
func (c coded) StatusCode() int { return int(c) }

func TestHandlerFuncE(t *testing.T) {
	secret := errors.New("secret of the program")
	for _, c := range []struct {
		err    error
		status int
	}{
		{nil, 200},
		{secret, 500},
		{coded(404), 404},
		{coded(418), 418},
		{coded(503), 503},
		{fmt.Errorf("wrapped: %w", coded(409)), 409},
		{errors.Join(secret, coded(422)), 422},
		{coded(0), 500},
		{coded(-1), 500},
		{coded(200), 500},
		{coded(99999), 500},
		{muxmaster.NewHTTPError(404, secret), 404},
		{muxmaster.NewHTTPError(400, nil), 400},
		{muxmaster.Error(402, secret), 402},
		{fmt.Errorf("wrapped: %w", muxmaster.NewHTTPError(403, secret)), 403},
		{muxmaster.HTTPError{Code: 410}, 410},
	} {
		for name, serve := range map[string]func(h muxmaster.HandlerFuncE) http.Handler{
			"in a Mux": func(h muxmaster.HandlerFuncE) http.Handler { m := muxmaster.New(); m.Handle("/x", h); return m },
			"alone":    func(h muxmaster.HandlerFuncE) http.Handler { return h },
			"in a group": func(h muxmaster.HandlerFuncE) http.Handler {
				m := muxmaster.New()
				m.With(func(h http.Handler) http.Handler { return h }).Handle("GET /x", h)
				return m
			},
		} {
			h := serve(func(w http.ResponseWriter, r *http.Request) error { return c.err })
			got := ask(h, request(t, "GET", "/x"))
			if got.status != c.status {
				t.Errorf("%s, %v: status %d, want %d", name, c.err, got.status, c.status)
			}
			if strings.Contains(got.body, "secret") || strings.Contains(got.body, "wrapped") {
				t.Errorf("%s, %v: the body tells %q", name, c.err, got.body)
			}
			if c.err != nil && name != "in a group" && strings.TrimSpace(got.body) == "" {
				t.Errorf("%s, %v: no body", name, c.err)
			}
		}
	}
}

func TestErrorHandler(t *testing.T) {
	secret := errors.New("why")
	m := muxmaster.New()
	m.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
		w.WriteHeader(599)
		fmt.Fprintf(w, "%v %v id=%s", errors.Is(err, secret), err, r.PathValue("id"))
	}
	fails := muxmaster.HandlerFuncE(func(w http.ResponseWriter, r *http.Request) error {
		return muxmaster.NewHTTPError(400, fmt.Errorf("because: %w", secret))
	})
	m.Handle("GET /x/{id}", fails)
	m.Group("/g").Handle("/x/{id}", fails)
	m.Handle("/ok", muxmaster.HandlerFuncE(func(w http.ResponseWriter, r *http.Request) error { return muxmaster.Text(w, 200, "ok") }))
	for _, target := range []string{"/x/1", "/g/x/1"} {
		if got := ask(m, request(t, "GET", target)); got.status != 599 || got.body != "true because: why id=1" {
			t.Errorf("%s: got %+v", target, got)
		}
	}
	if got := get(t, m, "GET", "/ok"); got != "ok" {
		t.Errorf("got %s", got)
	}

	// NotFound and MethodNotAllowed, of a Group too.
	m = muxmaster.New()
	m.NotFound = fails
	m.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) { muxmaster.Text(w, 599, "handled") }
	g := m.Group("/g")
	g.MethodNotAllowed = fails
	g.POST("/x", tell(""))
	sub := muxmaster.New()
	m.Mount("/sub", sub)
	for _, target := range []string{"/none", "/g/x", "/g/none", "/sub/none"} {
		if got := ask(m, request(t, "GET", target)); got.status != 599 || got.body != "handled" {
			t.Errorf("%s: got %+v", target, got)
		}
	}
}

func TestHTTPErrorValues(t *testing.T) {
	base := errors.New("base")
	e := muxmaster.NewHTTPError(404, base)
	if e.StatusCode() != 404 || e.Error() != "base" || !errors.Is(e, base) || e.Code != 404 || e.Err != base {
		t.Errorf("got %#v", e)
	}
	var target muxmaster.HTTPError
	if !errors.As(fmt.Errorf("w: %w", e), &target) || target.Code != 404 {
		t.Errorf("errors.As: %#v", target)
	}
	for _, e := range []muxmaster.HTTPError{muxmaster.NewHTTPError(404, nil), {Code: 404}} {
		if e.Error() != "Not Found" {
			t.Errorf("%#v: text %q", e, e.Error())
		}
	}
	// A value of PathParamAs can be returned as it is.
	m := muxmaster.New()
	m.Handle("/n/{id}", muxmaster.HandlerFuncE(func(w http.ResponseWriter, r *http.Request) error {
		n, err := muxmaster.PathParamAs[int](r, "id")
		if err != nil {
			return err
		}
		return muxmaster.Text(w, 200, fmt.Sprint(n+1))
	}))
	for _, c := range [][2]string{{"/n/41", "42"}, {"/n/x", "400"}} {
		if got := get(t, m, "GET", c[0]); got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
}
