package analyzer_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/guard"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/pathname"
	"github.com/seed-1954dcaa/muxmaster/analyzer/pattern"
	"github.com/seed-1954dcaa/muxmaster/analyzer/recycled"
	"github.com/seed-1954dcaa/muxmaster/analyzer/retain"
	"github.com/seed-1954dcaa/muxmaster/analyzer/urls"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestAnalyzers runs each analyzer on its packages in testdata/src.
func TestAnalyzers(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		analyzer *analysis.Analyzer
		packages []string
	}{
		{guard.Analyzer, []string{"guard"}},
		{pathname.Analyzer, []string{"pathname", "mounted", "wrapped"}},
		{pattern.Analyzer, []string{"pattern", "files", mux.Path}},
		{recycled.Analyzer, []string{"recycling", "notrecycling"}},
		{retain.Analyzer, []string{"retain", "recycled"}},
		{urls.Analyzer, []string{"urls"}},
	} {
		t.Run(c.analyzer.Name, func(t *testing.T) { analysistest.Run(t, testdata, c.analyzer, c.packages...) })
	}
	t.Run("fixes", func(t *testing.T) {
		analysistest.RunWithSuggestedFixes(t, testdata, retain.Analyzer, "retainfix")
	})
	t.Run("-retain.recycle", func(t *testing.T) {
		if err := retain.Analyzer.Flags.Set("recycle", "true"); err != nil {
			t.Fatal(err)
		}
		defer retain.Analyzer.Flags.Set("recycle", "false")
		analysistest.Run(t, testdata, retain.Analyzer, "recycledflag")
	})
}

// TestRetainBranches checks a function with many branches: the check must not
// follow every path separately.
func TestRetainBranches(t *testing.T) {
	const branch = `
	if r.ContentLength > 0 {
		list = append(list, q)
		q = q.WithContext(r.Context())
	}`
	dir, remove, err := analysistest.WriteFiles(map[string]string{"large/large.go": `package large

import "net/http"

func large(w http.ResponseWriter, r *http.Request) {
	q, list := r, []*http.Request(nil)` + strings.Repeat(branch, 60) + `
	go println(list) // want "r can outlive"
}
`})
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	analysistest.Run(t, dir, retain.Analyzer, "large")
}

// TestOpenRoutes checks that urls reports nothing in a package that may have
// routes it doesn't know.
func TestOpenRoutes(t *testing.T) {
	files := make(map[string]string)
	for name, register := range map[string]string{
		"known":    `mux.GET("/b", h)`,
		"exported": `Mux = mux`,
		"methods":  `get := func(methods, path string) { mux.Method(methods, path, http.HandlerFunc(h)) }; get("GET", "/a")`,
		"value":    `get := mux.GET; get("/a", h)`,
		"results":  `mux.Handle(service())`, // as in generated code of Connect
		"std":      `http.Handle(service())`,
	} {
		files[name+"/app.go"] = `package p

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

var Mux *muxmaster.Mux

func h(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a", http.StatusSeeOther) }

func service() (string, http.Handler) { return "/a", http.HandlerFunc(h) }

func routes() {
	mux := muxmaster.New()
	mux.GET("/", h)
	` + register + `
}
`
	}
	out, _ := run(t, module(t, files), muxvet, "-urls", "./...")
	if !strings.Contains(out, "known/app.go:11:70: no route serves GET /a") || reports(out) != 1 {
		t.Errorf("want one report, in known:\n%s", out)
	}
}

// TestImports checks that the packages use only the router's public API: a
// program may require another version of the router than muxvet was written
// for, and both then build with that version.
func TestImports(t *testing.T) {
	const router = "github.com/seed-1954dcaa/muxmaster"
	out, err := exec.Command("go", "list", "-f", `{{range .Imports}}{{println $.ImportPath .}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for line := range strings.Lines(string(out)) {
		importer, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if within, ok := strings.CutPrefix(path, router); ok && !strings.HasPrefix(within, "/analyzer") {
			seen = seen || within == ""
			if within != "" {
				t.Errorf("%s imports %s", importer, path)
			}
		}
	}
	if !seen {
		t.Error("no package imports the router")
	}
}
