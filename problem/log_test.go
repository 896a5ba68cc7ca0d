package problem_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

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
		{"only a cause, and no status", "GET", "", &problem.Error{Err: errors.New("refused")}, `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":500,"error":"500 Internal Server Error: refused"}`},
		{"only a cause", "GET", "", &problem.Error{Status: 502, Err: errors.New("refused")}, `{"level":"ERROR","msg":"request failed","method":"GET","pattern":"/x/{y}","status":502,"error":"502 Bad Gateway: refused"}`},
		{"a cause below 500", "GET", "", &problem.Error{Status: 409, Detail: "The name is taken.", Err: errors.New("unique_name")}, `{"level":"INFO","msg":"request refused","method":"GET","pattern":"/x/{y}","status":409,"error":"The name is taken.: unique_name"}`},
		{"joined causes below 500", "GET", "", errors.Join(problem.Code(404), errors.New("no row")), `{"level":"INFO","msg":"request refused","method":"GET","pattern":"/x/{y}","status":404,"error":"\"404 Not Found\\nno row\""}`},
		{"no cause below 500", "GET", "", &problem.Error{Status: 409, Detail: "The name is taken."}, ""},
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
