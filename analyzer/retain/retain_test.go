package retain_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/retain"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestRetain(t *testing.T) {
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, testdata, retain.Analyzer, "retain")
	analysistest.RunWithSuggestedFixes(t, testdata, retain.Analyzer, "retainfix")
}

func TestRecycle(t *testing.T) {
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, testdata, retain.Analyzer, "recycled")
	if err := retain.Analyzer.Flags.Set("recycle", "true"); err != nil {
		t.Fatal(err)
	}
	defer retain.Analyzer.Flags.Set("recycle", "false")
	analysistest.Run(t, testdata, retain.Analyzer, "recycledflag")
}
