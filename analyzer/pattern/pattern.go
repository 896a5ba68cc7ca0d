package pattern

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"golang.org/x/tools/go/analysis"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name:     "pattern",
	Doc:      "report route patterns that panic, conflict, can't be reached or have the syntax of another router",
	URL:      "https://pkg.go.dev/" + mux.Path + "/analyzer/pattern",
	Run:      run,
	Requires: []*analysis.Analyzer{routes.Analyzer},
}

// A parsed is a route of a muxmaster.Mux with its parsed pattern.
type parsed struct {
	*routes.Route
	pattern *pattern.Pattern // with the prefixes of groups and mounts
}

func run(pass *analysis.Pass) (any, error) {
	found := pass.ResultOf[routes.Analyzer].(*routes.Result)
	inTest := func(e ast.Expr) bool { return mux.IsTestFile(pass.Fset.Position(e.Pos()).Filename) }
	for _, p := range found.Prefixes {
		if !inTest(p.Expr) {
			if err := routes.ParsePrefix(p.Value); err != nil {
				report(pass, p.Expr, fmt.Sprintf("this prefix panics: %v", err), dialect(p.Value, false))
			}
		}
	}
	var std []*routes.Route
	onMux := make(map[any][]parsed)
	var muxes []any // in the order of the source
	for _, route := range found.Routes {
		switch {
		case !route.Known || inTest(route.Text):
		case route.Kind == routes.Std:
			std = append(std, route)
		default:
			for i, place := range found.Places(route) {
				ps, err := place.Parse()
				if i == 0 {
					checkOne(pass, route, ps, err)
				}
				if err != nil {
					break
				}
				if onMux[place.Root] == nil {
					muxes = append(muxes, place.Root)
				}
				for _, p := range ps {
					onMux[place.Root] = append(onMux[place.Root], parsed{route, p})
				}
			}
		}
	}
	reported := make(map[*routes.Route]bool)
	for _, m := range muxes {
		checkAll(pass, onMux[m], found.Together, reported)
	}
	checkStd(pass, std, found.Together)
	return nil, nil
}

// checkOne reports errors of a single route. err is the error of parsing its
// patterns ps.
func checkOne(pass *analysis.Pass, route *routes.Route, ps []*pattern.Pattern, err error) {
	if err != nil {
		report(pass, route.Text, fmt.Sprintf("this pattern panics: %v", err), dialect(route.Pattern, false))
		return
	}
	if h := unreachable(ps[0]); h.text != "" && route.Kind != routes.Mount { // prefixes are checked separately
		report(pass, route.Text, "", h)
	}
}

// unreachable returns a hint if no request can match a valid pattern.
func unreachable(p *pattern.Pattern) hint {
	for _, m := range p.Methods {
		if up := strings.ToUpper(m); up != m && isMethod(up) {
			return hint{text: fmt.Sprintf("no request has the method %q: methods are in upper case", m), old: m, new: up}
		}
	}
	for _, s := range p.Segs {
		if t := s[0].Text; s.Kind() == pattern.Literal && (t == "" || t == "." || t == "..") {
			return hint{text: "no request reaches this route: paths are cleaned of empty, . and .. segments first"}
		}
	}
	return hint{}
}

func isMethod(s string) bool {
	switch s {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "QUERY":
		return true
	}
	return false
}

// checkAll reports conflicts between routes of one mux.
func checkAll(pass *analysis.Pass, rs []parsed, together func(a, b *routes.Route) bool, reported map[*routes.Route]bool) {
	for j, b := range rs {
		for i, a := range rs {
			if a.Route == b.Route || reported[b.Route] {
				continue
			}
			if _, overlap := pattern.Overlap(a.pattern, b.pattern); !overlap || !together(a.Route, b.Route) {
				continue
			}
			switch {
			case i < j && a.pattern.Shape() == b.pattern.Shape():
				reported[b.Route] = true
				report(pass, b.Text, fmt.Sprintf("this pattern panics: it matches the same requests as %q at %s", a.Pattern, mux.Position(pass.Fset, a.Text.Pos())), hint{})
			case shadows(a.pattern, b.pattern, i < j):
				reported[b.Route] = true
				report(pass, b.Text, fmt.Sprintf("no request reaches this route: %q at %s matches everything that it does", a.Pattern, mux.Position(pass.Fset, a.Text.Pos())), hint{})
			}
		}
	}
}

// shadows reports whether a, which has another shape than b, matches all
// requests for b first: where they differ, a has a constraint that matches
// every segment, and b has none or a constraint that is tried later.
func shadows(a, b *pattern.Pattern, first bool) bool {
	if a.Host != b.Host || len(a.Segs) != len(b.Segs) || a.End != b.End {
		return false
	}
	differ := false
	for i, s := range a.Segs {
		if s.Shape() == b.Segs[i].Shape() {
			continue
		}
		kind := b.Segs[i].Kind()
		if s.Kind() != pattern.Constrained || !matchesAll(s[0].Expr) || kind != pattern.Plain && (kind != pattern.Constrained || !first) {
			return false
		}
		differ = true
	}
	return differ
}

// matchesAll reports whether every segment matches a constraint.
func matchesAll(expr string) bool {
	switch strings.Trim(expr, "^$") {
	case ".*", ".+", ".*?", ".+?", "[^/]+", "[^/]*", "(.*)", "(.+)":
		return true
	}
	return false
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
