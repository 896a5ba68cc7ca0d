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
		{"several lines", func() { panic("a\nb") }, "a\nb"},
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

func TestRecovererWithoutServer(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w http.ResponseWriter)
		code int
		body string
	}{
		{"nothing sent", func(w http.ResponseWriter) {}, 500, "Internal Server Error\n"},
		{"headers of another response", func(w http.ResponseWriter) { w.Header().Set("Content-Length", "7"); w.Header().Set("Etag", `"x"`) }, 500, "Internal Server Error\n"},
		{"status sent", func(w http.ResponseWriter) { w.WriteHeader(202) }, 202, ""},
		{"body sent", func(w http.ResponseWriter) { io.WriteString(w, "part") }, 200, "part"},
	} {
		for _, outer := range []struct {
			name string
			mws  []mw
		}{
			{"alone", nil},
			{"inside Logger", []mw{silent}},
			{"inside what has no Unwrap", []mw{hide}},
			{"inside what keeps the response back", []mw{keepBack}},
		} {
			h := chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.do(w); panic(tt.name) }),
				append(outer.mws, middleware.RecovererWithLogger(slog.New(slog.DiscardHandler)))...)
			w := serve(h, get("/"))
			if w.Code != tt.code || w.Body.String() != tt.body {
				t.Errorf("%s, %s: %d %q, want %d %q", tt.name, outer.name, w.Code, w.Body, tt.code, tt.body)
			}
			if h := w.Header(); tt.code == 500 && (h.Get("Content-Length") != "" || h.Get("Etag") != "") {
				t.Errorf("%s, %s: headers %v", tt.name, outer.name, h)
			}
		}
	}
}

// TestRecovererOnConnections checks over connections that a response that has
// started is aborted, so that clients detect that it is incomplete, that
// nothing is appended, and that net/http logs nothing.
func TestRecovererOnConnections(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w http.ResponseWriter)
		code int
		body string
		cut  bool
	}{
		{"nothing sent", func(w http.ResponseWriter) {}, 500, "Internal Server Error\n", false},
		{"early hints sent", func(w http.ResponseWriter) { w.WriteHeader(103) }, 500, "Internal Server Error\n", false},
		{"status sent", func(w http.ResponseWriter) { w.WriteHeader(202) }, 202, "", true},
		{"body sent", func(w http.ResponseWriter) { io.WriteString(w, "part") }, 200, "part", true},
		{"body flushed", func(w http.ResponseWriter) { io.WriteString(w, "part"); http.NewResponseController(w).Flush() }, 200, "part", true},
		{"all sent", func(w http.ResponseWriter) { w.Header().Set("Content-Length", "4"); io.WriteString(w, "full") }, 200, "full", false},
	} {
		for _, proto := range protos {
			for name, outer := range map[string][]mw{"alone": nil, "inside Logger": {silent}, "no Unwrap": {hide}} {
				h := chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.do(w); panic(tt.name) }),
					append(outer, middleware.RecovererWithLogger(slog.New(slog.DiscardHandler)))...)
				srv, complaints := start(t, proto, h)
				resp, err := srv.Client().Get(srv.URL)
				if name == "no Unwrap" && err != nil && tt.code != 500 {
					continue // the output can't be flushed, so the client gets nothing
				}
				if err != nil {
					t.Errorf("%s, %s, %s: %v", proto, tt.name, name, err)
					continue
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				cut := err != nil
				if tt.name == "all sent" && proto == "HTTP/2.0" {
					cut = false // the stream may be reset before the client detects its end
				}
				if resp.StatusCode != tt.code || string(body) != tt.body || cut != tt.cut {
					t.Errorf("%s, %s, %s: %d %q, %v; want %d %q, cut off: %v", proto, tt.name, name, resp.StatusCode, body, err, tt.code, tt.body, tt.cut)
				}
				srv.Close()
				if s := complaints.String(); s != "" {
					t.Errorf("%s, %s, %s: net/http says %q", proto, tt.name, name, s)
				}
			}
		}
	}
}

func TestRecovererLeavesUpgradedConnectionsAlone(t *testing.T) {
	for name, outer := range map[string][]mw{
		"alone":                    nil,
		"inside Logger":            {silent},
		"inside a foreign wrapper": {foreign},
	} {
		log := &logBuffer{}
		h := chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, buf, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			buf.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello")
			buf.Flush()
			panic("upgraded")
		}), append(outer, middleware.RecovererWithLogger(log.logger()))...)
		done := make(chan struct{}) // a server doesn't wait for handlers that hijacked their connection
		srv, complaints := start(t, "HTTP/1.1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { defer close(done); h.ServeHTTP(w, r) }))
		r, _ := http.NewRequest("GET", srv.URL, nil)
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "echo")
		resp, body, _ := fetch(t, srv.Client(), r)
		<-done
		if resp.StatusCode != 101 || body != "hello" || complaints.String() != "" {
			t.Errorf("%s: %d %q, net/http says %q", name, resp.StatusCode, body, complaints)
		}
		if got := log.one(t)["value"]; got != "upgraded" {
			t.Errorf("%s: logged %v", name, got)
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

func ExampleRecoverer() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // it logs the panic and its stack
	h := middleware.Recoverer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		panic("a bug")
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Print(w.Code, " ", w.Body)
	// Output: 500 Internal Server Error
}
