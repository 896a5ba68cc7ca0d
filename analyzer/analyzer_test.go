package analyzer_test

import (
	"os/exec"
	"strings"
	"testing"
)

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
