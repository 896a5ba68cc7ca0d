package pattern_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/pattern"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestPattern(t *testing.T) {
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, testdata, pattern.Analyzer, "pattern", "files", mux.Path)
}
