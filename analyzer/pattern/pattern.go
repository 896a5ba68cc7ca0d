// Package pattern defines a check for routes that cannot work. docs/checks.md of
// the router describes it.
package pattern

import (
	"fmt"
	"go/ast"
	"go/token"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"golang.org/x/tools/go/analysis"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name:     "pattern",
	Doc:      "report route patterns that panic, conflict, can't be reached or have the syntax of another router",
	URL:      mux.Docs + "#pattern",
	Run:      run,
	Requires: []*analysis.Analyzer{routes.Analyzer},
}

func run(pass *analysis.Pass) (any, error) {
	found := pass.ResultOf[routes.Analyzer].(*routes.Result)
	for _, p := range found.Prefixes {
		if p.Err != nil && !mux.InTest(pass, p.Expr) {
			report(pass, p.Expr, fmt.Sprintf("this prefix panics: %v", p.Err), dialect(p.Value, false))
		}
	}
	for _, p := range found.Hosts {
		if p.Err != nil && !mux.InTest(pass, p.Expr) {
			report(pass, p.Expr, fmt.Sprintf("this host panics: %v", p.Err), hint{})
		}
	}
	checked := make(map[token.Pos]bool) // patterns, which several executions of a call may register
	c := conflicts{pass: pass, together: found.Together, tables: make(map[any]*table), reported: make(map[token.Pos]bool)}
	for _, route := range found.Routes {
		if !route.Known || mux.InTest(pass, route.Text) {
			continue
		}
		place := found.Places(route)[0] // a Mux below a mount routes by itself, beside other routes there
		listed, err := place.Listed()
		if !checked[route.Text.Pos()] {
			checked[route.Text.Pos()] = true
			checkOne(pass, route, listed, err)
		}
		if err == nil {
			c.add(entry{route, place, listed})
		}
	}
	c.checkShadows()
	return nil, nil
}

// checkOne reports errors of a single route. err is the error of registering
// it, listed what the router lists.
func checkOne(pass *analysis.Pass, route *routes.Route, listed []muxmaster.Route, err error) {
	h := dialect(route.Pattern, route.Kind == routes.Std)
	switch {
	case err != nil:
		report(pass, route.Text, fmt.Sprintf("this pattern panics: %v", err), h)
		return
	case h.text == "" && route.Kind != routes.Mount: // prefixes are checked separately
		h = unreachable(listed)
	}
	if h.text != "" {
		report(pass, route.Text, "", h)
	}
}

// unreachable returns a hint if no request can match a valid route.
func unreachable(listed []muxmaster.Route) hint {
	for _, r := range listed {
		segments := routes.Segments(r.Pattern)
		for i, s := range segments[1:] {
			text, _ := url.PathUnescape(s)
			if text == "." || text == ".." || text == "" && i+2 < len(segments) {
				return hint{text: "no request reaches this route: paths are cleaned of empty, . and .. segments first"}
			}
		}
	}
	return hint{}
}

// report reports a pattern. It appends the hint to the message, or uses it as
// the message, and suggests the hint's replacement as a fix.
func report(pass *analysis.Pass, text ast.Expr, message string, h hint) {
	if message == "" {
		message = h.text
	}
	d := analysis.Diagnostic{Pos: text.Pos(), End: text.End(), Message: message}
	if lit, ok := ast.Unparen(text).(*ast.BasicLit); ok && h.new != "" && strings.Count(lit.Value, h.old) == 1 && strconv.Quote(h.new) == `"`+h.new+`"` {
		at := lit.Pos() + token.Pos(strings.Index(lit.Value, h.old))
		d.SuggestedFixes = []analysis.SuggestedFix{{
			Message:   fmt.Sprintf("Replace %s with %s", h.old, h.new),
			TextEdits: []analysis.TextEdit{{Pos: at, End: at + token.Pos(len(h.old)), NewText: []byte(h.new)}},
		}}
	}
	pass.Report(d)
}
