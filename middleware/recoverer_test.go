package middleware_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleRecovererWithLogger() {
	h := middleware.RecovererWithLogger(slog.New(slog.DiscardHandler))(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		panic("a bug")
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Print(w.Code, " ", w.Body)
	// Output: 500 Internal Server Error
}

type evil struct{}

func (evil) Error() string { panic("in Error") }

func TestRecovererLogs(t *testing.T) {
	var nilMap map[string]int
	for _, tt := range []struct {
		name string
		do   func()
		want string
	}{
		{"string", func() { panic("oops") }, "oops"},
		{"error", func() { panic(io.ErrUnexpectedEOF) }, "unexpected EOF"},
		{"runtime error", func() { nilMap["a"] = 1 }, "assignment to entry in nil map"},
		{"nil", func() { panic(nil) }, new(runtime.PanicNilError).Error()},
		{"incomparable", func() { panic([]int{1}) }, "[1]"},
		{"value that panics", func() { panic(evil{}) }, "%!v(PANIC=Error method: in Error)"},
		{"several lines", func() { panic("a\nb") }, `"a\nb"`},
		{"long value", func() { panic(strings.Repeat("x", 1<<20)) }, strings.Repeat("x", 4<<10) + "..."},
		{"panic while panicking", func() { defer func() { panicAgain() }(); panic("first") }, "second"},
	} {
		log := &logBuffer{}
		h := middleware.RecovererWithLogger(log.logger())(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.do() }))
		r := get("/a%0Ab?secret")
		r.Header.Set("X-Request-ID", "id-1")
		w := serve(middleware.RequestID(h), r)
		got := log.one(t)
		if got["value"] != tt.want || got["level"] != "ERROR" || got["path"] != "/a%0Ab" || got["request_id"] != "id-1" {
			t.Errorf("%s: %v, want value %q", tt.name, got, tt.want)
		}
		if stack, _ := got["stack"].(string); !strings.Contains(stack, "TestRecovererLogs") {
			t.Errorf("%s: the stack doesn't show where it was: %s", tt.name, stack)
		} else if tt.want == "second" && !strings.HasPrefix(stack, "github.com/seed-1954dcaa/muxmaster/middleware_test.panicAgain()\n") {
			t.Errorf("%s: the stack doesn't begin with the last panic: %s", tt.name, stack)
		} else if tt.want != "second" && strings.Contains(stack, "gopanic") || strings.Contains(stack, "Recoverer.func") {
			t.Errorf("%s: the stack shows how it was recovered: %s", tt.name, stack)
		}
		if w.Code != 500 || w.Body.String() != "Internal Server Error\n" {
			t.Errorf("%s: %d %q", tt.name, w.Code, w.Body)
		}
	}
}

// TestRecovererAsksForTheLevel checks that a handler that is off gets no record.
func TestRecovererAsksForTheLevel(t *testing.T) {
	var b strings.Builder
	logger := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	h := middleware.RecovererWithLogger(logger)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("off") }))
	if w := serve(h, get("/")); w.Code != 500 || b.Len() > 0 {
		t.Errorf("%d, logged %s", w.Code, b.String())
	}
}

func panicAgain() { panic("second") }

func dig(depth int) {
	if depth == 0 {
		panic("deep")
	}
	dig(depth - 1)
}

// TestRecovererBoundsTheStack checks that the log of a deep stack contains the
// calls closest to the panic, with name, file and line.
func TestRecovererBoundsTheStack(t *testing.T) {
	for _, tt := range []struct {
		depth int
		whole bool
	}{{50, true}, {5000, false}} {
		log := &logBuffer{}
		serve(middleware.RecovererWithLogger(log.logger())(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { dig(tt.depth) })), get("/"))
		stack, _ := log.one(t)["stack"].(string)
		lines := strings.Split(strings.TrimSuffix(stack, "\n"), "\n")
		if len(lines) < 2 || !strings.HasSuffix(lines[0], ".dig()") || !strings.Contains(lines[1], "recoverer_test.go:") {
			t.Errorf("depth %d: the stack begins with %.100q", tt.depth, stack)
		}
		if whole := strings.Contains(stack, "BoundsTheStack"); whole != tt.whole || len(lines) > 201 || (lines[len(lines)-1] == "...") == tt.whole {
			t.Errorf("depth %d: %d lines, the last is %q, whole: %v", tt.depth, len(lines), lines[len(lines)-1], whole)
		}
	}
}

// TestRecovererResponse checks the response to a panic. One that has started is
// aborted, so that clients detect that it is incomplete, nothing is appended,
// and the server logs nothing.
func TestRecovererResponse(t *testing.T) {
	recovers := middleware.RecovererWithLogger(slog.New(slog.DiscardHandler))
	for _, tt := range []struct {
		name string
		do   func(w http.ResponseWriter)
		code int
		body string
		cut  bool
	}{
		{"nothing sent", func(w http.ResponseWriter) {}, 500, "Internal Server Error\n", false},
		{"headers of another response", func(w http.ResponseWriter) { w.Header().Set("Content-Length", "7"); w.Header().Set("Etag", `"x"`) }, 500, "Internal Server Error\n", false},
		{"early hints sent", func(w http.ResponseWriter) { w.WriteHeader(103) }, 500, "Internal Server Error\n", false},
		{"nothing to copy", func(w http.ResponseWriter) { io.Copy(w, struct{ io.Reader }{}) }, 500, "Internal Server Error\n", false},
		{"status sent", func(w http.ResponseWriter) { w.WriteHeader(202) }, 202, "", true},
		{"body sent", func(w http.ResponseWriter) { io.WriteString(w, "part") }, 200, "part", true},
		{"body flushed", func(w http.ResponseWriter) { io.WriteString(w, "part"); http.NewResponseController(w).Flush() }, 200, "part", true},
		{"all sent", func(w http.ResponseWriter) { w.Header().Set("Content-Length", "4"); io.WriteString(w, "full") }, 200, "full", false},
	} {
		panics := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.do(w); panic(tt.name) })
		for name, outer := range map[string][]mw{"alone": {recovers}, "inside Logger": {silent, recovers}, "no Unwrap": {hide, recovers}, "held back": {keepBack, recovers}} {
			check := func(proto string, code int, body string, header http.Header) {
				if code != tt.code || body != tt.body || code == 500 && header.Get("Etag") != "" {
					t.Errorf("%s, %s, %s: %d %q %v, want %d %q", proto, tt.name, name, code, body, header, tt.code, tt.body)
				}
			}
			if tt.name != "early hints sent" { // which a ResponseRecorder takes for the response
				w := serve(chain(panics, outer...), get("/"))
				check("without a server", w.Code, w.Body.String(), w.Header())
			}
			for _, proto := range protos {
				if name == "held back" {
					break // the end of the handler aborts what it writes then
				}
				srv, complaints := start(t, proto, chain(panics, outer...))
				resp, err := srv.Client().Get(srv.URL)
				if err == nil {
					body, err := io.ReadAll(resp.Body)
					resp.Body.Close()
					check(proto, resp.StatusCode, string(body), resp.Header)
					if cut := err != nil; cut != tt.cut && (tt.name != "all sent" || !strings.HasSuffix(proto, "HTTP/2.0")) { // the stream may be reset before the client detects its end
						t.Errorf("%s, %s, %s: %v; want it to be cut off: %v", proto, tt.name, name, err, tt.cut)
					}
				} else if name != "no Unwrap" || tt.code == 500 { // there, output can't be flushed, so the client may get nothing
					t.Errorf("%s, %s, %s: %v", proto, tt.name, name, err)
				}
				srv.Close()
				if s := complaints.String(); s != "" {
					t.Errorf("%s, %s, %s: the server says %q", proto, tt.name, name, s)
				}
			}
		}
	}
}

func TestRecovererPassesAbortOn(t *testing.T) {
	log := &logBuffer{}
	h := middleware.RecovererWithLogger(log.logger())(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	if got := recovering(func() { serve(h, get("/")) }); got != http.ErrAbortHandler {
		t.Errorf("panic %v, want ErrAbortHandler", got)
	}
	if log.String() != "" {
		t.Errorf("logged %s", log)
	}
}

func TestRecovererUsesTheDefaultLogger(t *testing.T) {
	for name, m := range map[string]mw{"Recoverer": middleware.Recoverer, "nil": middleware.RecovererWithLogger(nil)} {
		h := m(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(name) }))
		log := &logBuffer{}
		setDefault(t, log.logger())
		serve(h, get("/"))
		if got := log.one(t)["value"]; got != name {
			t.Errorf("%s: value %v", name, got)
		}
	}
}
