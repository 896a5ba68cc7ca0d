package retain

import (
	"go/constant"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
)

// recycle is the flag -retain.recycle.
var recycle bool

func init() {
	Analyzer.Flags.BoolVar(&recycle, "recycle", false, "check for engine.Server.Recycle in every package, not only where it is set")
}

// recycles reports whether the package sets the field Recycle of engine.Server
// or server.Server. It can't detect handlers in other packages of the program;
// the flag is for them.
func recycles(in *buildssa.SSA) bool {
	found := false
	instructions(withInitializers(in), func(in ssa.Instruction) {
		store, ok := in.(*ssa.Store)
		if !ok {
			return
		}
		field, ok := store.Addr.(*ssa.FieldAddr)
		if !ok || fieldName(deref(field.X.Type()), field.Field) != "Recycle" {
			return
		}
		t := field.X.Type()
		if !mux.IsNamed(t, mux.Path+"/engine", "Server") && !mux.IsNamed(t, mux.Path+"/server", "Server") {
			return
		}
		k, ok := store.Val.(*ssa.Const)
		found = found || !ok || k.Value != nil && constant.BoolVal(k.Value)
	})
	return found
}
