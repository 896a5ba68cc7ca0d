package retain

import (
	"go/types"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/ssa"
)

// result returns the origins of result i of a call.
func (f *flow) result(call *ssa.Call, i int) []origin {
	c := call.Common()
	name := fullName(c)
	if f.recycled {
		switch {
		case c.IsInvoke() && c.Method.Name() == "Header" && mux.IsResponseWriter(c.Value.Type()):
			return withSelector(f.from(c.Value), ".Header()")
		case name == "(net/http.Header).Values":
			return f.from(c.Args[0])
		}
	}
	var all []origin
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "append" || inSlice[name] {
		all = add(f.from(c.Args[0]), f.elements(call.Type(), c.Args[1:])...)
	} else if copiesSlices[name] {
		all = f.elements(call.Type(), c.Args)
	} else if first, ok := wraps[name]; ok && i == 0 {
		for _, arg := range c.Args[min(first, len(c.Args)):] {
			all = add(all, f.from(arg)...)
		}
	} else {
		return f.results(call, i, -1)
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
		all = add(all, f.from(v)...)
	}
	return all
}

// results returns the origins of result i of a call, or of a field of the
// result, if the function is in this package.
func (f *flow) results(call *ssa.Call, i, field int) []origin {
	fn := f.callee(call.Common())
	if fn == nil {
		return nil
	}
	inner := f.summarize(summary{fn, i, -1, field, false}, func() []origin {
		var all []origin
		for _, v := range returns(fn, i) {
			if field >= 0 {
				all = add(all, f.field(v, field)...)
			} else {
				all = add(all, f.from(v)...)
			}
		}
		return all
	})
	var all []origin
	for _, o := range inner {
		if o.param.Parent() != fn {
			all = add(all, o)
		} else {
			all = add(all, f.argument(call.Common(), o)...)
		}
	}
	return all
}

// filled returns the origins of the values that a call with the pointer v
// stores in the struct, or in the given field of it.
func (f *flow) filled(v ssa.Value, c *ssa.CallCommon, field int) []origin {
	fn := f.callee(c)
	if fn == nil {
		return nil
	}
	var all []origin
	for i, arg := range c.Args {
		if arg != v || i >= len(fn.Params) {
			continue
		}
		p := fn.Params[i]
		for _, o := range f.summarize(summary{fn, -1, i, field, true}, func() []origin { return f.stored(p, field) }) {
			if o.param != p {
				all = add(all, f.argument(c, o)...)
			}
		}
	}
	return all
}

// stored returns the origins of the values stored in the struct that p points
// to, or in the given field of it.
func (f *flow) stored(p *ssa.Parameter, field int) []origin {
	var all []origin
	for _, ref := range *p.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if ref.Field == field || field < 0 {
				all = add(all, f.put(ref)...)
			}
		case *ssa.Store:
			if ref.Addr == p && field < 0 {
				all = add(all, f.from(ref.Val)...)
			} else if ref.Addr == p {
				all = add(all, f.field(ref.Val, field)...)
			}
		case ssa.CallInstruction:
			all = add(all, f.filled(p, ref.Common(), field)...)
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
	if o.field >= 0 {
		return withSelector(f.field(c.Args[n], o.field), o.what)
	}
	return withSelector(f.from(c.Args[n]), o.what)
}

// closure returns the origins of the captured values that a function literal or
// a method value uses.
func (f *flow) closure(mc *ssa.MakeClosure) []origin {
	fn := mc.Fn.(*ssa.Function)
	if fn.Synthetic != "" {
		return f.from(mc.Bindings[0]) // the receiver of a method value
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
		case *ssa.DebugRef:
		case *ssa.Store:
			if ref.Val == v {
				all = add(all, f.from(v)...)
			}
		case *ssa.FieldAddr:
			all = add(all, f.uses(ref)...)
		case *ssa.UnOp:
			if isStructPointer(ref.Type()) {
				all = add(all, f.uses(ref)...)
			} else {
				all = add(all, f.from(ref)...)
			}
		case *ssa.Call, *ssa.Defer, *ssa.Go:
			all = add(all, f.passed(ref.(ssa.CallInstruction).Common(), v)...)
		case *ssa.MakeClosure:
			if inner := captured(ref, v); inner != nil {
				all = add(all, f.uses(inner)...)
			} else {
				all = add(all, f.from(v)...)
			}
		default:
			all = add(all, f.from(v)...)
		}
	}
	return all
}

// passed returns the origins of the values that a call reads through its
// argument v.
func (f *flow) passed(c *ssa.CallCommon, v ssa.Value) []origin {
	fn := f.callee(c)
	if fn == nil || !isStructPointer(v.Type()) {
		return f.from(v)
	}
	var all []origin
	for i, arg := range c.Args {
		if arg != v || i >= len(fn.Params) {
			continue
		}
		p := fn.Params[i]
		for _, o := range f.summarize(summary{fn, -1, i, -1, false}, func() []origin { return f.uses(p) }) {
			switch {
			case o.param != p:
				all = add(all, o)
			case o.field >= 0:
				all = add(all, withSelector(f.field(v, o.field), o.what)...)
			default:
				all = add(all, f.from(v)...)
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
