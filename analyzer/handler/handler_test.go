package handler_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/analyzer/handler"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestHandler(t *testing.T) {
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, testdata, handler.Analyzer, "handler")
}
