package middleware_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleLoggerWith() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{} // differs in each run
		}
		return a
	}}))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Hello, %s!", r.PathValue("name"))
	})
	h := middleware.LoggerWith(logger)(mux)
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/hello/gopher?token=secret", nil))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/nothing", nil))
	// Output:
	// level=INFO msg=request method=GET path=/hello/gopher pattern="GET /hello/{name}" status=200 bytes=14 remote=192.0.2.1:1234
	// level=WARN msg=request method=GET path=/nothing pattern="" status=404 bytes=19 remote=192.0.2.1:1234
}

// recordings are handlers and what Logger and Observe record of them.
var recordings = []struct {
	name   string
	target string
	h      http.HandlerFunc
	level  slog.Level
	status int
	bytes  int64
	path   string
	panic  any
}{
	{"nothing written", "/", quiet, slog.LevelInfo, 200, 0, "/", nil},
	{"body", "/a/b", text("hello"), slog.LevelInfo, 200, 5, "/a/b", nil},
	{"redirect", "/", http.RedirectHandler("/x", 307).ServeHTTP, slog.LevelInfo, 307, 38, "/", nil},
	{"client error", "/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(400) }, slog.LevelWarn, 400, 0, "/", nil},
	{"server error", "/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }, slog.LevelError, 500, 0, "/", nil},
	{"early hints first", "/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); w.WriteHeader(201) }, slog.LevelInfo, 201, 0, "/", nil},
	{"second status", "/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201); w.WriteHeader(500) }, slog.LevelInfo, 201, 0, "/", nil},
	{"no query", "/a?token=secret", quiet, slog.LevelInfo, 200, 0, "/a", nil},
	{"escaped as it came", "/a%2Fb%20c", quiet, slog.LevelInfo, 200, 0, "/a%2Fb%20c", nil},
	{"path changed inside", "/a", func(w http.ResponseWriter, r *http.Request) { r.URL.Path = "/other" }, slog.LevelInfo, 200, 0, "/a", nil},
	{"panic, nothing sent", "/", func(w http.ResponseWriter, r *http.Request) { panic("oops") }, slog.LevelError, 500, 0, "/", "oops"},
	{"panic, started", "/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202); panic("oops") }, slog.LevelError, 202, 0, "/", "oops"},
	{"aborted", "/", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, slog.LevelError, 500, 0, "/", http.ErrAbortHandler},
}

func TestLoggerRecord(t *testing.T) {
	for _, tt := range recordings {
		log := &logBuffer{}
		h := middleware.LoggerWith(log.logger())(tt.h)
		if got := recovering(func() { serve(h, get(tt.target)) }); got != tt.panic {
			t.Errorf("%s: panic %v went on, want %v", tt.name, got, tt.panic)
		}
		r := log.one(t)
		got := fmt.Sprint(r["level"], " ", r["status"], " ", r["bytes"], " ", r["path"])
		if want := fmt.Sprint(tt.level, " ", tt.status, " ", tt.bytes, " ", tt.path); got != want {
			t.Errorf("%s: %s, want %s", tt.name, got, want)
		}
		if r["msg"] != "request" || r["method"] != "GET" || r["pattern"] != "" || r["remote"] != "192.0.2.1:1234" {
			t.Errorf("%s: %v", tt.name, r)
		}
		if d, ok := r["duration"].(float64); !ok || d < 0 || d > float64(time.Minute) {
			t.Errorf("%s: duration %v", tt.name, r["duration"])
		}
		if id, source, panicked := r["request_id"], r["source"], r["panicked"]; id != nil || source != nil || (panicked == true) != (tt.panic != nil) || (panicked == nil) == (tt.panic != nil) {
			t.Errorf("%s: request_id %v, source %v, panicked %v", tt.name, id, source, panicked)
		}
	}
}

// TestLoggerKnowsPatternAndID checks that Logger logs the pattern and the
// request ID even if the router gets a copy of the logger's request.
func TestLoggerKnowsPatternAndID(t *testing.T) {
	type key struct{}
	foreign := around(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, 1)))
	})
	timeout := middleware.Timeout(time.Minute)
	for _, tt := range []struct {
		name        string
		outer       []mw // outside of the logger
		inner       []mw // between the logger and the router
		pattern, id string
	}{
		{"router", nil, nil, "GET /x/{v}", ""},
		{"id inside", nil, []mw{middleware.RequestID}, "GET /x/{v}", "abc"},
		{"id outside", []mw{middleware.RequestID}, nil, "GET /x/{v}", "abc"},
		{"timeout inside", nil, []mw{timeout}, "GET /x/{v}", ""},
		{"id and timeout inside", nil, []mw{middleware.RequestID, timeout}, "GET /x/{v}", "abc"},
		{"timeout and id inside", nil, []mw{timeout, middleware.RequestID}, "GET /x/{v}", "abc"},
		{"all that change the request", nil, []mw{middleware.RealIP, middleware.CleanPath, middleware.StripSlashes, middleware.NoCache, middleware.BodyLimit(1)}, "GET /x/{v}", ""},
		{"id behind a foreign copy", nil, []mw{foreign, middleware.RequestID}, "", "abc"},
	} {
		log := &logBuffer{}
		mux := http.NewServeMux()
		mux.Handle("GET /x/{v}", quiet)
		mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic(1) })
		mws := append(append(tt.outer, middleware.LoggerWith(log.logger())), tt.inner...)
		r := get("/x/1")
		r.Header.Set("X-Request-ID", "abc")
		r.Header.Set("If-Match", "x")
		serve(chain(mux, mws...), r)
		got := log.one(t)
		if id, _ := got["request_id"].(string); got["pattern"] != tt.pattern || id != tt.id {
			t.Errorf("%s: pattern %q, id %q; want %q, %q", tt.name, got["pattern"], id, tt.pattern, tt.id)
		}
		if tt.pattern == "" {
			continue
		}
		if got := r.PathValue("v"); got != "1" {
			t.Errorf("%s: outermost PathValue %q, want 1", tt.name, got)
		}
		recovering(func() { serve(chain(mux, mws...), get("/panic")) })
		if got := log.records(t)[1]["pattern"]; got != "GET /panic" {
			t.Errorf("%s: pattern %q after a panic, want GET /panic", tt.name, got)
		}
	}
}

func TestLoggerIgnoresInvalidIDs(t *testing.T) {
	log := &logBuffer{}
	h := middleware.LoggerWith(log.logger())(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Request-Id"] = []string{"a\nb"}
	}))
	serve(h, get("/"))
	if id, ok := log.one(t)["request_id"]; ok {
		t.Errorf("request_id %q, want none", id)
	}
}

// rawHandler prints values without quoting them, like a careless slog.Handler.
type rawHandler struct {
	w     io.Writer
	level slog.Level
}

func (h rawHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }
func (h rawHandler) WithAttrs([]slog.Attr) slog.Handler           { return h }
func (h rawHandler) WithGroup(string) slog.Handler                { return h }
func (h rawHandler) Handle(_ context.Context, r slog.Record) error {
	fmt.Fprint(h.w, r.Message)
	r.Attrs(func(a slog.Attr) bool { fmt.Fprint(h.w, " ", a.Key, "=", a.Value); return true })
	fmt.Fprintln(h.w)
	return nil
}

func FuzzLoggerWritesOneLine(f *testing.F) {
	for _, s := range []string{"", "/", "/a\nb", "/a\r\nb", "/\u2028\u2029\u0085", "/\x00\x1b[2J\x7f", "/\xff\xfe", "*", "GET", "\u0406", "@", "127.0.0.1:80", "%0a", "a b"} {
		f.Add(s, s, s, s)
	}
	f.Fuzz(func(t *testing.T, method, path, rawPath, remote string) {
		for _, handler := range []func(io.Writer) slog.Handler{
			func(w io.Writer) slog.Handler { return rawHandler{w: w} },
			func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
			func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		} {
			var out bytes.Buffer
			r := get("/")
			r.Method, r.URL.Path, r.URL.RawPath, r.RemoteAddr = method, path, rawPath, remote
			r.Header["X-Request-Id"] = []string{path}
			serve(chain(quiet, middleware.LoggerWith(slog.New(handler(&out))), middleware.RequestID), r)
			line := strings.TrimSuffix(out.String(), "\n")
			line = strings.Replace(line, "µs", "us", 1) // the duration's unit
			for i := range len(line) {
				if line[i] < ' ' || line[i] > '~' {
					t.Fatalf("the record holds byte %#x: %q", line[i], line)
				}
			}
			if line == "" {
				t.Fatal("no record")
			}
		}
	})
}

func TestLoggerUsesTheCurrentDefault(t *testing.T) {
	h := middleware.Logger(quiet)
	log := &logBuffer{}
	setDefault(t, log.logger())
	serve(h, get("/later"))
	if got := log.one(t)["path"]; got != "/later" {
		t.Errorf("path %v, want /later", got)
	}
}

// discard is a slog.Handler that drops all records.
type discard struct{ level slog.Level }

func (d discard) Enabled(_ context.Context, l slog.Level) bool  { return l >= d.level }
func (d discard) WithAttrs([]slog.Attr) slog.Handler            { return d }
func (d discard) WithGroup(string) slog.Handler                 { return d }
func (d discard) Handle(_ context.Context, r slog.Record) error { return nil }
