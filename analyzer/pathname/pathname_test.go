package pathname_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/pathname"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestPathname(t *testing.T) {
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, testdata, pathname.Analyzer, "pathname", "mounted")
}
