package inspect_test

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// printed returns a Mux with every kind of route.
func printed() *muxmaster.Mux {
	m, sub := muxmaster.New(), muxmaster.New()
	m.GET("/a", show)
	m.POST("/a/rather/long/path/:id", show)
	m.Handle("GET,PUT example.com/host/", http.NotFoundHandler())
	m.Handle("/any", http.HandlerFunc(show))
	m.GETFast("/fast/:x", fast)
	g := m.Group("/g/:v")
	g.Use(audit)
	g.GET("/", show)
	g.With(audit).PATCH("/x", problem.Handler(fails))
	sub.DELETE("/below", show)
	m.Mount("/sub", sub)
	m.Mount("/plain", http.NotFoundHandler())
	return m
}

// TestPrint checks that columns are aligned, file names are relative, and what isn't
// written to a terminal has no colors.
func TestPrint(t *testing.T) {
	// Built with -trimpath, names begin with the path of the package.
	lines := regexp.MustCompile(`(github\.com/\S+/inspect/)?\bprint_test\.go:\d+`)
	for want, m := range map[string]*muxmaster.Mux{
		`GET     /a                       inspect_test.show   FILE
POST    /a/rather/long/path/:id  inspect_test.show   FILE
*       /any                     inspect_test.show   FILE
GET     /fast/:x                 inspect_test.fast   FILE
GET     /g/:v                    inspect_test.show   FILE
PATCH   /g/:v/x                  inspect_test.fails  FILE
*       /plain                   http.NotFound       FILE
DELETE  /sub/below               inspect_test.show   FILE
GET     example.com/host/        http.NotFound       FILE
PUT     example.com/host/        http.NotFound       FILE
`: printed(),
		"": muxmaster.New(),
	} {
		var b strings.Builder
		if err := inspect.Print(&b, m); err != nil {
			t.Error(err)
		}
		if got := lines.ReplaceAllString(b.String(), "FILE"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestPrintFails checks writers that fail: a closed pipe, which is no terminal,
// and another one.
func TestPrintFails(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	for _, w := range []io.Writer{w, failing{}} {
		if inspect.Print(w, printed()) == nil || inspect.PrintTree(w, inspect.Examine(printed())) == nil {
			t.Errorf("no error of %T", w)
		}
	}
}

type failing struct{}

func (failing) Write(p []byte) (int, error) { return 0, io.ErrClosedPipe }

func show(http.ResponseWriter, *http.Request)                   {}
func fast(http.ResponseWriter, *http.Request, muxmaster.Params) {}
func fails(http.ResponseWriter, *http.Request) error            { return nil }
func audit(next http.Handler) http.Handler                      { return next }
