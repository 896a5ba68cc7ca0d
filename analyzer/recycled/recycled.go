// Package recycled defines a check for handlers that can't run on an engine
// with Recycle. docs/checks.md of the router describes it.
package recycled

import (
	"go/ast"
	"go/types"
	"path"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/analysis"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name: "recycled",
	Doc:  "report http.TimeoutHandler, grpc.Server, MCP servers, apmhttp.Wrap and copies of gin.Context in programs that recycle requests",
	URL:  mux.Docs + "#recycled",
	Run:  run,
}

// keepers are the types of handlers that use a request after they have returned,
// and what to do instead.
var keepers = []struct{ path, name, instead string }{
	{"google.golang.org/grpc", "Server", "serve it without Recycle, or with its own Serve method"},
	{"github.com/modelcontextprotocol/go-sdk/mcp", "StreamableHTTPHandler", "serve it without Recycle"},
	{"github.com/mark3labs/mcp-go/server", "SSEServer", "serve it without Recycle"},
}

// users are the functions that use a request, or let its handler use it, after they
// have returned, and what is reported.
var users = map[string]string{
	"net/http.TimeoutHandler":                  "http.TimeoutHandler returns while its handler still runs, which with Recycle may read another client's request: use middleware.Timeout",
	"go.elastic.co/apm/module/apmhttp/v2.Wrap": "apmhttp.Wrap uses the headers after its handler returned, which with Recycle may be another client's: serve it without Recycle",
	"(*github.com/gin-gonic/gin.Context).Copy": "Copy of a gin.Context doesn't copy the request, which with Recycle may be another client's when a goroutine uses it: pass the values that it needs, or serve gin without Recycle",
}

// all is the flag -recycled.all.
var all bool

func init() {
	Analyzer.Flags.BoolVar(&all, "all", false, "check every package, not only those that set Recycle")
}

func run(pass *analysis.Pass) (any, error) {
	if !all && !mux.Recycles(pass) {
		return nil, nil
	}
	for _, f := range pass.Files {
		if mux.InTest(pass, f) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				checkCall(pass, n)
			case *ast.Ident:
				if fn, ok := pass.TypesInfo.Uses[n].(*types.Func); ok && users[fn.FullName()] != "" {
					pass.ReportRangef(n, "%s", users[fn.FullName()])
				}
			case *ast.SelectorExpr:
				if fn, ok := pass.TypesInfo.Uses[n.Sel].(*types.Func); ok && fn.Signature().Recv() != nil && fn.Name() == "ServeHTTP" {
					report(pass, n, fn.Signature().Recv().Type())
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok {
					if field, ok := pass.TypesInfo.Uses[key].(*types.Var); ok && isHandler(field.Type()) {
						report(pass, n.Value, pass.TypesInfo.TypeOf(n.Value))
					}
				}
			}
			return true
		})
	}
	return nil, nil
}

func checkCall(pass *analysis.Pass, call *ast.CallExpr) {
	sig, ok := pass.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return
	}
	for i, arg := range call.Args {
		if i < sig.Params().Len() && isHandler(sig.Params().At(i).Type()) {
			report(pass, arg, pass.TypesInfo.TypeOf(arg))
		}
	}
}

// report reports e if its handler's type is one of the keepers.
func report(pass *analysis.Pass, e ast.Expr, t types.Type) {
	for _, k := range keepers {
		if t != nil && mux.IsNamed(t, k.path, k.name) {
			pass.ReportRangef(e, "a %s.%s uses the request after it returned, which with Recycle may be another client's: %s", path.Base(k.path), k.name, k.instead)
		}
	}
}

func isHandler(t types.Type) bool { return mux.IsNamed(t, "net/http", "Handler") }
