package urls_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/urls"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestURLs(t *testing.T) {
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, testdata, urls.Analyzer, "urls", "openurls")
}
