// Package analyzer contains the checks for programs that use muxmaster, for any
// driver of golang.org/x/tools/go/analysis. The command muxvet runs them with
// go vet or directly. Package golangci is a plugin for golangci-lint.
package analyzer

import (
	"github.com/seed-1954dcaa/muxmaster/analyzer/guard"
	"github.com/seed-1954dcaa/muxmaster/analyzer/pathname"
	"github.com/seed-1954dcaa/muxmaster/analyzer/pattern"
	"github.com/seed-1954dcaa/muxmaster/analyzer/recycled"
	"github.com/seed-1954dcaa/muxmaster/analyzer/retain"
	"github.com/seed-1954dcaa/muxmaster/analyzer/urls"
	"golang.org/x/tools/go/analysis"
)

// All returns the checks.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		retain.Analyzer, recycled.Analyzer, guard.Analyzer, pathname.Analyzer, pattern.Analyzer, urls.Analyzer,
	}
}
