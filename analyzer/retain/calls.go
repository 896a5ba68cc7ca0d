package retain

import (
	"go/types"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/ssa"
)

// result returns the origins of result i of a call, or of a field of it.
func (f *flow) result(call *ssa.Call, i, field int) []origin {
	c := call.Common()
	name := fullName(c)
	if f.recycled {
		switch {
		case c.IsInvoke() && c.Method.Name() == "Header" && mux.IsResponseWriter(c.Value.Type()):
			return withSelector(f.from(c.Value, whole), ".Header()")
		case name == "(net/http.Header).Values":
			return f.from(c.Args[0], whole)
		}
	}
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "append" || inSlice[name] {
		return add(f.from(c.Args[0], whole), f.elements(call.Type(), c.Args[1:])...)
	}
	if copiesSlices[name] {
		return f.elements(call.Type(), c.Args)
	}
	var all []origin
	if i == 0 && wraps.MatchString(name) {
		for _, arg := range c.Args {
			all = add(all, f.from(arg, whole)...)
		}
		return all
	}
	fn := f.callee(c)
	if fn == nil {
		return nil
	}
	for _, o := range f.summarize(summary{fn, returned, i, field}, func() []origin {
		var inner []origin
		for _, v := range returns(fn, i) {
			inner = add(inner, f.from(v, field)...)
		}
		return inner
	}) {
		if o.param.Parent() != fn {
			all = add(all, o)
		} else {
			all = add(all, f.argument(c, o)...)
		}
	}
	return all
}

// elements returns the origins of the elements of slices or maps that are
// copied to a value of type t. Copies of path parameters and strings have none.
func (f *flow) elements(t types.Type, from []ssa.Value) []origin {
	if mux.IsParams(t) || isStrings(t) {
		return nil
	}
	var all []origin
	for _, v := range from {
		all = add(all, f.from(v, whole)...)
	}
	return all
}

// filled returns the origins of the values that a call with the pointer v
// stores in the struct, or in the given field of it.
func (f *flow) filled(v ssa.Value, c *ssa.CallCommon, field int) []origin {
	if copies(c) && c.Args[0] == v {
		return f.elements(v.Type(), c.Args[1:])
	}
	var all []origin
	for _, p := range f.parameters(v, c) {
		for _, o := range f.summarize(summary{p.Parent(), filled, paramIndex(p), field}, func() []origin { return f.stored(p, field) }) {
			if o.param != p {
				all = add(all, f.argument(c, o)...)
			}
		}
	}
	return all
}

// copies reports whether a call copies elements to its first argument.
func copies(c *ssa.CallCommon) bool {
	b, ok := c.Value.(*ssa.Builtin)
	return ok && b.Name() == "copy" || fullName(c) == "maps.Copy"
}

// parameters returns the parameters of the called function whose argument is v.
func (f *flow) parameters(v ssa.Value, c *ssa.CallCommon) []*ssa.Parameter {
	fn := f.callee(c)
	if fn == nil {
		return nil
	}
	var all []*ssa.Parameter
	for i, arg := range c.Args {
		if arg == v && i < len(fn.Params) {
			all = append(all, fn.Params[i])
		}
	}
	return all
}

// argument translates an origin in a called function to origins of the call's
// arguments.
func (f *flow) argument(c *ssa.CallCommon, o origin) []origin {
	n := paramIndex(o.param)
	if n >= len(c.Args) {
		return nil
	}
	return withSelector(f.from(c.Args[n], o.field), o.what)
}

// closure returns the origins of the captured values that a function literal or
// a method value uses.
func (f *flow) closure(mc *ssa.MakeClosure) []origin {
	fn := mc.Fn.(*ssa.Function)
	if fn.Synthetic != "" {
		return f.from(mc.Bindings[0], whole) // the receiver of a method value
	}
	var all []origin
	for _, v := range fn.FreeVars {
		all = add(all, f.uses(v)...)
	}
	return all
}

// uses returns the origins of the values read through v, which is the address
// of a captured variable or a pointer read from one. For a struct, it considers
// only the fields that are used.
func (f *flow) uses(v ssa.Value) []origin {
	var all []origin
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Val == v {
				all = add(all, f.from(v, whole)...)
			}
		case *ssa.FieldAddr:
			all = add(all, f.uses(ref)...)
		case *ssa.UnOp:
			if isStructPointer(ref.Type()) {
				all = add(all, f.uses(ref)...)
			} else {
				all = add(all, f.from(ref, whole)...)
			}
		case *ssa.Call, *ssa.Defer, *ssa.Go:
			all = add(all, f.passed(ref.(ssa.CallInstruction).Common(), v)...)
		case *ssa.MakeClosure:
			if inner := captured(ref, v); inner != nil {
				all = add(all, f.uses(inner)...)
			} else {
				all = add(all, f.from(v, whole)...)
			}
		default:
			all = add(all, f.from(v, whole)...)
		}
	}
	return all
}

// passed returns the origins of the values that a call reads through its
// argument v.
func (f *flow) passed(c *ssa.CallCommon, v ssa.Value) []origin {
	if f.callee(c) == nil || !isStructPointer(v.Type()) {
		return f.from(v, whole)
	}
	var all []origin
	for _, p := range f.parameters(v, c) {
		for _, o := range f.summarize(summary{p.Parent(), used, paramIndex(p), whole}, func() []origin { return f.uses(p) }) {
			if o.param != p {
				all = add(all, o)
			} else {
				all = add(all, withSelector(f.from(v, o.field), o.what)...)
			}
		}
	}
	return all
}

// callee returns the called function if it is known and in this package, or
// nil.
func (f *flow) callee(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Pkg != f.pkg || fn.Blocks == nil {
		return nil
	}
	return fn
}
