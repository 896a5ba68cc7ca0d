package guard_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/guard"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestGuard(t *testing.T) {
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, testdata, guard.Analyzer, "guard")
}
