package recycled

import (
	"go/ast"
	"go/types"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/analysis"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name: "recycled",
	Doc:  "report http.TimeoutHandler and grpc.Server as handlers of an engine that recycles requests",
	URL:  "https://pkg.go.dev/" + mux.Path + "/analyzer/recycled",
	Run:  run,
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
				if fn, ok := pass.TypesInfo.Uses[n].(*types.Func); ok && fn.FullName() == "net/http.TimeoutHandler" {
					pass.ReportRangef(n, "http.TimeoutHandler returns while its handler still runs, which with Recycle may read another client's request: use middleware.Timeout")
				}
			case *ast.SelectorExpr:
				if fn, ok := pass.TypesInfo.Uses[n.Sel].(*types.Func); ok && fn.FullName() == "(*google.golang.org/grpc.Server).ServeHTTP" {
					reportGRPC(pass, n)
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok {
					if field, ok := pass.TypesInfo.Uses[key].(*types.Var); ok && isHandler(field.Type()) && isGRPC(pass, n.Value) {
						reportGRPC(pass, n.Value)
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
		if i < sig.Params().Len() && isHandler(sig.Params().At(i).Type()) && isGRPC(pass, arg) {
			reportGRPC(pass, arg)
		}
	}
}

func reportGRPC(pass *analysis.Pass, e ast.Expr) {
	pass.ReportRangef(e, "a grpc.Server reads the request after its handler returned, which with Recycle may be another client's: serve it without Recycle, or with its own Serve method")
}

func isHandler(t types.Type) bool { return mux.IsNamed(t, "net/http", "Handler") }

func isGRPC(pass *analysis.Pass, e ast.Expr) bool {
	t := pass.TypesInfo.TypeOf(e)
	return t != nil && mux.IsNamed(t, "google.golang.org/grpc", "Server")
}
