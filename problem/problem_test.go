package problem_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// coded is an error with a status.
type coded int

func (c coded) StatusCode() int { return int(c) }
func (c coded) Error() string   { return fmt.Sprintf("code %d, password swordfish", int(c)) }

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

// lateTimer is a context whose deadline has passed, and whose timer hasn't fired.
type lateTimer struct{ context.Context }

func (lateTimer) Deadline() (time.Time, bool) { return time.Unix(1, 0), true }

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
		{"passed, the timer is late", lateTimer{t.Context()}, late, 503},
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

// buffered is a writer that keeps back the response.
type buffered struct {
	http.ResponseWriter
	body []byte
}

func (b *buffered) Unwrap() http.ResponseWriter { return b.ResponseWriter }
func (b *buffered) WriteHeader(int)             {}
func (b *buffered) Write(p []byte) (n int, err error) {
	b.body = append(b.body, p...)
	return len(p), nil
}

// TestHandlerAfterStart checks that an error isn't added to what a function has
// written to the writer of another middleware.
func TestHandlerAfterStart(t *testing.T) {
	logs := captureLog(t)
	h := problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		io.WriteString(w, "a part")
		return coded(500)
	})
	w, b := httptest.NewRecorder(), &buffered{ResponseWriter: httptest.NewRecorder()}
	h(struct{ http.ResponseWriter }{w}, get())
	h(b, get())
	if w.Body.String() != "a part" || string(b.body) != "a part" || strings.Count(logs.String(), "after its response had started") != 2 {
		t.Errorf("%q and %q, want the part alone; logged %s", w.Body, b.body, logs)
	}
}

func get() *http.Request { return httptest.NewRequest("GET", "/x/1", nil) }

// discard is a writer that discards everything.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

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
