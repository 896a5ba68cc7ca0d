package recycled_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/recycled"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestRecycled(t *testing.T) {
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, testdata, recycled.Analyzer, "recycling", "notrecycling")
}
