package problem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// coded is an error with a status.
type coded int

func (c coded) StatusCode() int { return int(c) }
func (c coded) Error() string   { return fmt.Sprintf("code %d, password swordfish", int(c)) }

func TestStatus(t *testing.T) {
	plain := errors.New("plain")
	tooLarge := &http.MaxBytesError{Limit: 1}
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"nil", nil, 500},
		{"plain", plain, 500},
		{"code", problem.Code(404), 404},
		{"error", &problem.Error{Status: 422}, 422},
		{"error without status", &problem.Error{}, 500},
		{"wrapped", fmt.Errorf("a: %w", fmt.Errorf("b: %w", coded(409))), 409},
		{"outer one first", &problem.Error{Status: 502, Err: coded(404)}, 502},
		{"outer one says nothing", &problem.Error{Err: coded(404)}, 404},
		{"joined", errors.Join(plain, coded(410), coded(411)), 410},
		{"joined below", fmt.Errorf("%w and %w", errors.Join(plain, coded(200)), coded(412)), 412},
		{"body too large", fmt.Errorf("read: %w", tooLarge), 413},
		{"body too large, joined", errors.Join(tooLarge, coded(410)), 413},
		{"status before body too large", &problem.Error{Status: 400, Err: tooLarge}, 400},
		{"lowest", coded(400), 400},
		{"highest", coded(599), 599},
		{"too low", coded(399), 500},
		{"too high", coded(600), 500},
		{"negative", coded(-404), 500},
		{"a code that is no error", problem.Code(200), 500},
		{"a nil *Error", (*problem.Error)(nil), 500},
	} {
		if got := problem.Status(tt.err); got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.want)
		}
	}
}

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

// TestWriteFindsFormat checks that Write uses the innermost Format in the
// context, or Text.
func TestWriteFindsFormat(t *testing.T) {
	response := func(text string) problem.Format {
		return func(w http.ResponseWriter, r *http.Request, err error) { io.WriteString(w, text) }
	}
	write := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { problem.Write(w, r, problem.Code(403)) })
	for _, tt := range []struct {
		name string
		h    http.Handler
		base problem.Format
		want string
	}{
		{"none", write, nil, "Forbidden\n"},
		{"of the server", write, response("server"), "server"},
		{"middleware", problem.With(response("outer"))(write), response("server"), "outer"},
		{"inner middleware", problem.With(response("outer"))(problem.With(response("inner"))(write)), nil, "inner"},
		{"outside of the middleware, later", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			problem.With(response("inner"))(http.NotFoundHandler()).ServeHTTP(discard{}, r)
			write(w, r)
		}), nil, "inner"},
	} {
		r, w := get(), httptest.NewRecorder()
		if tt.base != nil {
			r = r.WithContext(problem.NewContext(r.Context(), tt.base))
		}
		tt.h.ServeHTTP(w, r)
		if got := w.Body.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if problem.FromContext(context.Background()) != nil {
		t.Error("FromContext finds a Format where there is none")
	}
}

// wrapper is the writer of a middleware that changes the response.
type wrapper struct{ http.ResponseWriter }

func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestWriteClearsContentHeaders(t *testing.T) {
	all := http.Header{
		"Content-Length": {"9999"}, "Content-Type": {"application/pdf"}, "Content-Encoding": {"gzip"}, "Content-Language": {"de"},
		"Content-Location": {"/x"}, "Content-Disposition": {"attachment"}, "Etag": {`"x"`}, "Last-Modified": {"x"}, "Expires": {"x"},
		"Cache-Control": {"public, max-age=31536000"},
		"Allow":         {"GET"}, "Www-Authenticate": {"Basic"}, "Retry-After": {"3"}, "Set-Cookie": {"a=b"}, "X-Request-Id": {"1"}, "Content-Range": {"bytes */3"},
	}
	kept := http.Header{
		"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"},
		"Allow": {"GET"}, "Www-Authenticate": {"Basic"}, "Retry-After": {"3"}, "Set-Cookie": {"a=b"}, "X-Request-Id": {"1"}, "Content-Range": {"bytes */3"},
	}
	part := http.Header{"Content-Range": {"bytes 0-1/3"}, "Content-Digest": {"x"}, "Repr-Digest": {"x"}, "Accept-Ranges": {"bytes"}}
	compressed := kept.Clone()
	compressed["Content-Encoding"] = []string{"gzip"}
	for _, tt := range []struct {
		name  string
		wrap  func(http.ResponseWriter) http.ResponseWriter
		given http.Header
		want  http.Header
	}{
		{"all", func(w http.ResponseWriter) http.ResponseWriter { return w }, all, kept},
		{"all, in a writer that may compress", func(w http.ResponseWriter) http.ResponseWriter { return wrapper{w} }, all, compressed},
		{"of a part", func(w http.ResponseWriter) http.ResponseWriter { return w }, part,
			http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Accept-Ranges": {"bytes"}}},
		{"one", func(w http.ResponseWriter) http.ResponseWriter { return w }, http.Header{"Etag": {`"x"`}},
			http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}},
		{"one beside Allow", func(w http.ResponseWriter) http.ResponseWriter { return w }, http.Header{"Allow": {"GET"}, "Etag": {`"x"`}},
			http.Header{"Allow": {"GET"}, "Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}},
		{"none", func(w http.ResponseWriter) http.ResponseWriter { return w }, nil,
			http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}},
	} {
		rec := httptest.NewRecorder()
		for name, values := range tt.given {
			rec.Header()[name] = values
		}
		problem.Write(tt.wrap(rec), get(), problem.Code(406))
		if got, want := fmt.Sprint(rec.Header()), fmt.Sprint(tt.want); got != want {
			t.Errorf("%s:\n got %v\nwant %v", tt.name, got, want)
		}
	}
	rec := httptest.NewRecorder()
	rec.Header().Set("Content-Type", "application/pdf")
	rec.Header().Set("Etag", `"x"`)
	ctx := problem.NewContext(t.Context(), func(w http.ResponseWriter, _ *http.Request, _ error) {
		if h := w.Header(); len(h) > 0 {
			t.Errorf("the Format gets %v", h)
		}
	})
	problem.Write(rec, get().WithContext(ctx), problem.Code(406))
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

// TestWriteAfterDeadline checks the status of errors of the request's deadline.
func TestWriteAfterDeadline(t *testing.T) {
	passed, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	late := fmt.Errorf("query: %w", context.DeadlineExceeded)
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{"passed", passed, late, 503},
		{"passed, another error", passed, errors.New("disk full"), 500},
		{"passed, the error has a status", passed, fmt.Errorf("%w: %w", coded(504), late), 504},
		{"passed, joined", passed, fmt.Errorf("%w, %w", errors.New("a"), late), 503},
		{"of a part of the request", t.Context(), late, 500},
	} {
		logs, w := captureLog(t), httptest.NewRecorder()
		problem.Write(w, get().WithContext(tt.ctx), tt.err)
		if text := fmt.Sprintf(`"status":%d,"error":"%v"`, tt.want, tt.err); w.Code != tt.want || !strings.Contains(logs.String(), text) {
			t.Errorf("%s: %d, want %d; logged %s", tt.name, w.Code, tt.want, logs)
		}
	}
}

// TestWriteAfterStart checks that Write adds nothing to a response that has
// started, or to a hijacked connection.
func TestWriteAfterStart(t *testing.T) {
	for _, tt := range []struct {
		proto string
		start func(http.ResponseWriter)
	}{
		{"HTTP/1.1", func(w http.ResponseWriter) { io.WriteString(w, "a part") }},
		{"HTTP/2.0", func(w http.ResponseWriter) { io.WriteString(w, "a part") }},
		{"HTTP/1.1", func(w http.ResponseWriter) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na part")
			c.Close()
		}},
	} {
		logs := captureLog(t)
		var complaints bytes.Buffer
		returned := make(chan bool) // Close doesn't wait for the handler of a hijacked connection
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(returned)
			tt.start(w)
			problem.Write(w, r, coded(409))
			problem.Write(w, r, problem.Code(404))
		}))
		srv.EnableHTTP2 = tt.proto == "HTTP/2.0"
		srv.Config.ErrorLog = log.New(&complaints, "", 0)
		srv.StartTLS()
		resp, err := srv.Client().Get(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		<-returned
		srv.Close()
		if resp.Proto != tt.proto || resp.StatusCode != 200 || string(body) != "a part" || complaints.Len() > 0 {
			t.Errorf("%s: got %s %d %q, server says %q", tt.proto, resp.Proto, resp.StatusCode, body, &complaints)
		}
		if got := logs.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, `{"level":"WARN","msg":"request failed after its response had started"`) || !strings.Contains(got, `"status":409`) {
			t.Errorf("%s: logged %s", tt.proto, got)
		}
	}
}

func TestWriteLogs(t *testing.T) {
	hostile := errors.New("x\nlevel=INFO msg=forged \x1b[31m\u2028\xff")
	for _, tt := range []struct {
		name   string
		method string
		id     string
		err    error
		want   string // "" for no record
	}{
		{"plain error", "GET", "", errors.New("disk full"), `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"disk full"}`},
		{"status 503", "POST", "id-1", coded(503), `{"level":"ERROR","msg":"request failed","method":"POST","pattern":"/x/{y}","status":503,"request_id":"id-1","error":"code 503, password swordfish"}`},
		{"status 404", "GET", "", coded(404), ""},
		{"a code", "GET", "", problem.Code(500), ""},
		{"a code that is no error", "GET", "", problem.Code(200), `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"200 OK"}`},
		{"a code that is no status", "GET", "", problem.Code(700), `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"700 Internal Server Error"}`},
		{"an error that has no status", "GET", "", &problem.Error{Status: 200, Detail: "fine"}, `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"fine"}`},
		{"hostile bytes", "G\nT", "", hostile, `{"level":"ERROR","msg":"request failed","method":"\"G\\nT\"","pattern":"/x/{y}","status":500,"error":"\"x\\nlevel=INFO msg=forged \\x1b[31m\\u2028\\xff\""}`},
		{"letters of the world", "GET", "", errors.New("größer als 3 日"), `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"größer als 3 日"}`},
		{"a nil *Error", "GET", "", (*problem.Error)(nil), `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"problem: the error is a nil *problem.Error, which isn't a nil error; return nil, or declare the variable as error"}`},
		{"a nil *Error that is wrapped", "GET", "", fmt.Errorf("a: %w", (*problem.Error)(nil)), `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"a: problem: the error is a nil *problem.Error, which isn't a nil error; return nil, or declare the variable as error"}`},
		{"only a cause", "GET", "", &problem.Error{Status: 502, Err: errors.New("refused")}, `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":502,"error":"502 Bad Gateway: refused"}`},
		{"nil", "GET", "", nil, `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"<nil>"}`},
	} {
		logs := captureLog(t)
		r := get()
		r.Method, r.Pattern = tt.method, "/x/{y}"
		if tt.id != "" {
			r = r.WithContext(requestid.NewContext(r.Context(), tt.id))
		}
		problem.Write(httptest.NewRecorder(), r, tt.err)
		if got := strings.TrimSuffix(logs.String(), "\n"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	query := fmt.Errorf("query: %w", context.Canceled)
	for _, want := range []string{"ERROR", "WARN"} { // before and after the client has left
		logs := captureLog(t)
		problem.Write(httptest.NewRecorder(), get().WithContext(ctx), query)
		if !strings.HasPrefix(logs.String(), `{"level":"`+want) {
			t.Errorf("canceled: %s, want the level %s", logs, want)
		}
		logs = captureLog(t)
		started := httptest.NewRecorder()
		started.WriteHeader(200)
		problem.Write(started, get().WithContext(ctx), errors.New("broken pipe"))
		if !strings.HasPrefix(logs.String(), `{"level":"`+want) {
			t.Errorf("late: %s, want the level %s", logs, want)
		}
		leave()
	}
	logs := captureLog(t)
	problem.Write(httptest.NewRecorder(), get().WithContext(ctx), errors.New("disk full"))
	if !strings.HasPrefix(logs.String(), `{"level":"ERROR"`) {
		t.Errorf("another error after the client has left: %s, want the level ERROR", logs)
	}
	logs = captureLog(t)
	problem.Write(httptest.NewRecorder(), get(), errors.New(strings.Repeat("x", 1<<20)))
	if n := logs.Len(); n > 5<<10 {
		t.Errorf("an error of 1 MiB is logged in %d bytes", n)
	}
}

func TestNilPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"problem: NewContext: the Format is nil; use problem.Text for plain text":                      func() { problem.NewContext(context.Background(), nil) },
		"problem: With: the Format is nil; use problem.Text for plain text":                            func() { problem.With(nil) },
		"problem: Handler: the function is nil; pass a func(http.ResponseWriter, *http.Request) error": func() { problem.Handler(nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panic %v, want %q", got, name)
				}
			}()
			f()
		}()
	}
}

// TestHandler checks that Handler writes a response only for an error.
func TestHandler(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
		body string
	}{{nil, 200, ""}, {fmt.Errorf("wrapped: %w", coded(409)), 409, "Conflict\n"}} {
		w := httptest.NewRecorder()
		problem.Handler(func(http.ResponseWriter, *http.Request) error { return tt.err })(w, get())
		if w.Code != tt.code || w.Body.String() != tt.body {
			t.Errorf("%v: %d %q, want %d %q", tt.err, w.Code, w.Body, tt.code, tt.body)
		}
	}
}

func get() *http.Request { return httptest.NewRequest("GET", "/x/1", nil) }

// discard is a writer that discards everything.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// captureLog redirects the default logger to a buffer until the test ends.
func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &b
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

func TestWithAllocs(t *testing.T) {
	h := problem.With(problem.JSON)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	before, w := get(), &reused{header: http.Header{}}
	r := new(http.Request)
	if got := testing.AllocsPerRun(100, func() { *r = *before; h.ServeHTTP(w, r) }); got > 1 {
		t.Errorf("%v allocations, want 1", got)
	}
}

// reused is a writer whose header is reused.
type reused struct{ header http.Header }

func (w *reused) Header() http.Header               { return w.header }
func (w *reused) Write(p []byte) (int, error)       { return len(p), nil }
func (w *reused) WriteString(s string) (int, error) { return len(s), nil }
func (w *reused) WriteHeader(int)                   { clear(w.header) }
