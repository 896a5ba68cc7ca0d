// Package urls defines a check for URLs that no route serves. docs/checks.md of
// the router describes it.
package urls

import (
	"go/ast"
	"go/token"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"golang.org/x/tools/go/analysis"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name:     "urls",
	Doc:      "report URLs in redirects, templates and embedded HTML that no route serves",
	URL:      mux.Docs + "#urls",
	Run:      run,
	Requires: []*analysis.Analyzer{routes.Analyzer},
}

var everyMethod = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// A checker checks one package.
type checker struct {
	*analysis.Pass
	routes *routes.Result
	table  *routes.Table // nil if not all routes are known
}

func run(pass *analysis.Pass) (any, error) {
	found := pass.ResultOf[routes.Analyzer].(*routes.Result)
	c := &checker{pass, found, found.Table()}
	for _, f := range pass.Files {
		if mux.InTest(pass, f) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				c.call(call)
			}
			return true
		})
		if c.table != nil {
			c.embedded(f)
		}
	}
	return nil, nil
}

func (c *checker) call(call *ast.CallExpr) {
	switch mux.Callee(c.TypesInfo, call) {
	case mux.Path + ".BuildPath":
		c.buildPath(call)
	case "(*" + mux.Path + ".Mux).URL":
		c.url(call)
	case "net/http.Redirect":
		c.target(call.Args[2])
	case "net/http.RedirectHandler":
		c.target(call.Args[0])
	case "(*html/template.Template).Parse":
		if text, ok := c.constant(call.Args[0]); ok && c.table != nil {
			for _, l := range links(text) {
				c.link(call.Args[0].Pos(), "", l)
			}
		}
	}
}

// url checks the name of a route, and the names of its parameters.
func (c *checker) url(call *ast.CallExpr) {
	name, ok := c.constant(call.Args[0])
	if !ok || c.table == nil || c.routes.OpenNames {
		return
	}
	if !slices.Contains(c.routes.Named, name) {
		c.ReportRangef(call.Args[0], "no route has the name %q", name)
		return
	}
	params, ok := c.routes.ParametersOf(name)
	if !ok || call.Ellipsis.IsValid() {
		return
	}
	for i := 1; i < len(call.Args); i += 2 {
		if given, ok := c.constant(call.Args[i]); ok && !slices.Contains(params, given) {
			c.ReportRangef(call.Args[i], "the route %q has no parameter %q", name, given)
		}
	}
}

// target checks the target of a redirect.
func (c *checker) target(e ast.Expr) {
	if from := c.routes.Assigned(c.routes.Object(e)); from != nil {
		e = from // the only value
	}
	if to, ok := c.constant(e); ok && c.table != nil && !c.served(to, http.MethodGet) {
		c.ReportRangef(e, "no route serves GET %s", to)
	}
}

// link reports a link that no route serves. where is the place in a file that
// isn't Go.
func (c *checker) link(at token.Pos, where string, l link) {
	for _, value := range []string{"1", "a", "a/b", "00000000-0000-0000-0000-000000000000"} {
		if c.served(strings.ReplaceAll(l.url, action, value), l.methods...) {
			return
		}
		if !strings.Contains(l.url, action) {
			break
		}
	}
	c.Reportf(at, "%sno route serves %s of %s", where, strings.ReplaceAll(l.url, action, "{{…}}"), l.attribute)
}

func (c *checker) served(target string, methods ...string) bool {
	if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || strings.HasPrefix(target, "/debug/") {
		return true
	}
	target, _, _ = strings.Cut(target, "#")
	return c.table.Serves(target, methods...)
}

// buildPath checks the names of the parameters, and that a route serves the
// path.
func (c *checker) buildPath(call *ast.CallExpr) {
	pattern, ok := c.constant(call.Args[0])
	if !ok || call.Ellipsis.IsValid() {
		return
	}
	var given, sample []string
	for i := 1; i < len(call.Args); i += 2 {
		name, ok := c.constant(call.Args[i])
		if !ok {
			return
		}
		given, sample = append(given, name), append(sample, name, "1")
	}
	params := routes.Parameters(pattern[max(0, strings.IndexByte(pattern, '/')):])
	for i, name := range given {
		if !slices.Contains(params, name) {
			c.ReportRangef(call.Args[1+2*i], "%q has no parameter %q", pattern, name)
			return
		}
	}
	for _, name := range params {
		if !slices.Contains(given, name) {
			c.ReportRangef(call, "BuildPath has no value for the parameter %q", name)
			return
		}
	}
	path, err := muxmaster.BuildPath(pattern, sample...)
	if err == nil && c.table != nil && !c.served(path, everyMethod...) {
		c.ReportRangef(call.Args[0], "no route serves %q", pattern)
	}
}

func (c *checker) constant(e ast.Expr) (string, bool) { return mux.Constant(c.TypesInfo, e) }
