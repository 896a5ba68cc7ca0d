package problem_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

func TestText(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
		body string
	}{
		{problem.Code(404), 404, "404 page not found\n"},
		{problem.Code(405), 405, "Method Not Allowed\n"},
		{problem.Code(413), 413, "Request Entity Too Large\n"},
		{problem.Code(499), 499, "Bad Request\n"},
		{problem.Code(599), 599, "Internal Server Error\n"},
		{coded(503), 503, "Service Unavailable\n"},
		{errors.New("password swordfish"), 500, "Internal Server Error\n"},
		{&problem.Error{Status: 422, Detail: "the name is taken"}, 422, "Unprocessable Entity\n"},
	} {
		w := httptest.NewRecorder()
		problem.Text(w, get(), tt.err)
		if w.Code != tt.code || w.Body.String() != tt.body || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%v: %d %q %v, want %d %q", tt.err, w.Code, w.Body, w.Header(), tt.code, tt.body)
		}
	}
}

func TestJSON(t *testing.T) {
	logs := captureLog(t)
	for _, tt := range []struct {
		err  error
		code int
		body string
	}{
		{problem.Code(404), 404, `{"title":"Not Found","status":404}`},
		{errors.New("password swordfish"), 500, `{"title":"Internal Server Error","status":500}`},
		{(*problem.Error)(nil), 500, `{"title":"Internal Server Error","status":500}`},
		{coded(499), 499, `{"title":"Bad Request","status":499}`},
		{&problem.Error{Status: 422, Detail: "the name \"x\n\" is taken"}, 422,
			`{"title":"Unprocessable Entity","status":422,"detail":"the name \"x\n\" is taken"}`},
		{fmt.Errorf("a: %w", &problem.Error{Status: 403, Members: map[string]any{
			"type": "https://example.com/credit", "title": "Out of credit", "instance": "/a/1", "balance": 30, "accounts": []string{"/a/1"}}}), 403,
			`{"type":"https://example.com/credit","title":"Out of credit","status":403,"instance":"/a/1","accounts":["/a/1"],"balance":30}`},
		{&problem.Error{Status: 400, Members: map[string]any{"status": 200, "detail": "no", "a\",\"b": "</script>", "none": nil, "bad": func() {}}}, 400,
			`{"title":"Bad Request","status":400,"a\",\"b":"\u003c/script\u003e"}`},
		{&problem.Error{Status: 409, Members: map[string]any{"title": math.NaN(), "type": math.NaN(), "n": 1}}, 409,
			`{"title":"Conflict","status":409,"n":1}`},
		{&problem.Error{Status: 502, Err: &problem.Error{Status: 404, Detail: "of the inner one"}}, 502,
			`{"title":"Bad Gateway","status":502,"detail":"of the inner one"}`},
	} {
		w := httptest.NewRecorder()
		problem.JSON(w, get(), tt.err)
		if w.Code != tt.code || w.Body.String() != tt.body+"\n" || w.Header().Get("Content-Type") != "application/problem+json" ||
			w.Header().Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
			t.Errorf("%v: %d %s %v, want %d %s", tt.err, w.Code, w.Body, w.Header(), tt.code, tt.body)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%v: not JSON: %s", tt.err, w.Body)
		}
	}
	if n := strings.Count(logs.String(), "can't be encoded"); n != 3 {
		t.Errorf("%d records about members that can't be encoded, want 3: %s", n, logs)
	}
}

// TestFormatsKeepHeaders checks what a Format that calls Text or JSON has set.
func TestFormatsKeepHeaders(t *testing.T) {
	for name, f := range map[string]problem.Format{"Text": problem.Text, "JSON": problem.JSON} {
		w := httptest.NewRecorder()
		ctx := problem.NewContext(t.Context(), func(w http.ResponseWriter, r *http.Request, err error) {
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Content-Encoding", "x") // of a writer that encodes
			f(w, r, err)
		})
		problem.Write(w, get().WithContext(ctx), problem.Code(404))
		if h := w.Header(); h.Get("Cache-Control") != "max-age=60" || h.Get("Content-Encoding") != "x" || h.Get("Content-Length") != "" {
			t.Errorf("%s: %v", name, h)
		}
	}
}

// TestTextAllocs checks that Text allocates once, in addition to the header.
func TestTextAllocs(t *testing.T) {
	r, w := get(), &reused{header: http.Header{}}
	for _, tt := range []struct {
		code problem.Code
		want float64
	}{{404, 1}, {405, 1}, {500, 1}} {
		var err error = tt.code
		if got := testing.AllocsPerRun(100, func() { problem.Write(w, r, err) }); got > tt.want {
			t.Errorf("%d takes %v allocations, want %v", tt.code, got, tt.want)
		}
	}
}
