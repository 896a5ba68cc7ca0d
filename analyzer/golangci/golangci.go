// Package golangci provides the checks as the linter "muxvet" for
// golangci-lint's module plugin system. See docs/checks.md of the router for
// how to install it.
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"github.com/seed-1954dcaa/muxmaster/analyzer"
	"golang.org/x/tools/go/analysis"
)

func init() { register.Plugin("muxvet", New) }

// New returns the linter. It has no settings.
func New(any) (register.LinterPlugin, error) { return linter{}, nil }

type linter struct{}

func (linter) BuildAnalyzers() ([]*analysis.Analyzer, error) { return analyzer.All(), nil }

func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
