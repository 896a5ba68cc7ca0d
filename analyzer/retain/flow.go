package retain

import (
	"go/token"
	"go/types"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/ssa"
)

// An origin is where a value comes from: a parameter, and what of it.
//
//	r                    => {r, -1, ""}
//	r.URL, *r.URL's address  => {r, -1, ".URL"}
//	j.req for a parameter j  => {j, 2, ""} if req is the third field of what j points to
type origin struct {
	param *ssa.Parameter
	field int    // the field of the struct that param is or points to, or -1
	what  string // what to append to the parameter's name in a message
}

// flow answers where values come from. It works backwards from a value, through the variables of the function, of the
// functions around it and, for results, of the functions that it calls in the same package. Plain variables are followed
// in the order of the statements (r = r.Clone(ctx) ends the story of r), fields and elements are not.
type flow struct {
	pkg       *ssa.Package
	recycled  bool                               // the engine uses requests again, see recycles
	made      map[*ssa.Function]*ssa.MakeClosure // where a function literal with free variables is made
	seen      map[visit]bool                     // by the question in hand
	summaries map[summary][]origin
}

// A visit is to a value, or to a field of the struct that it is or points to. The second one to the same adds nothing.
type visit struct {
	value ssa.Value
	field int // -1: the value
}

// A summary is of a function: where the result or its field comes from, what is read through the parameter, or what is
// stored in what the parameter, or its field, points to.
type summary struct {
	fn     *ssa.Function
	result int // -1: of a parameter
	param  int
	field  int
	stored bool
}

// origins returns the origins of v.
func (f *flow) origins(v ssa.Value) []origin {
	return f.ask(func() []origin { return f.from(v) })
}

// ask runs a question of its own.
func (f *flow) ask(question func() []origin) []origin {
	saved := f.seen
	f.seen = make(map[visit]bool)
	defer func() { f.seen = saved }()
	return question()
}

// summarize answers a question about a function once. While it is being answered, recursive calls add nothing.
func (f *flow) summarize(s summary, question func() []origin) []origin {
	if _, ok := f.summaries[s]; !ok {
		f.summaries[s] = nil
		f.summaries[s] = f.ask(question)
	}
	return f.summaries[s]
}

func (f *flow) visited(v ssa.Value, field int) bool {
	at := visit{v, field}
	again := f.seen[at]
	f.seen[at] = true
	return again
}

// from returns the origins of v that the question in hand has not come to yet.
func (f *flow) from(v ssa.Value) []origin {
	if !f.holdsRequest(v.Type()) && !isAddress(v) || f.visited(v, -1) {
		return nil
	}
	if x := converted(v); x != nil {
		return f.from(x)
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return []origin{{v, -1, ""}}
	case *ssa.FreeVar:
		if site := f.made[v.Parent()]; site != nil {
			return f.from(binding(site, v))
		}
	case *ssa.Phi:
		var all []origin
		for _, e := range v.Edges {
			all = add(all, f.from(e)...)
		}
		return all
	case *ssa.Slice:
		if n, ok := v.Max.(*ssa.Const); ok && n.Int64() == 0 {
			return nil // ps[:0:0] has no element
		}
		if mux.IsParams(v.X.Type()) {
			return mark(f.from(v.X), "[...]")
		}
		return f.from(v.X)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return f.load(v.X, v)
		case token.ARROW:
			return f.from(v.X)
		}
	case *ssa.FieldAddr:
		if t := deref(v.X.Type()); mux.IsNamed(t, "net/http", "Request") {
			return mark(f.from(v.X), "."+fieldName(t, v.Field))
		}
		return f.load(v, v)
	case *ssa.IndexAddr:
		if mux.IsParams(v.X.Type()) {
			return mark(f.from(v.X), "[...]")
		}
		return f.load(v, v)
	case *ssa.Alloc:
		return f.held(v, nil)
	case *ssa.Field:
		return f.field(v.X, v.Field)
	case *ssa.Index:
		return f.from(v.X)
	case *ssa.Lookup:
		return f.from(v.X)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			return f.result(t, v.Index)
		case *ssa.TypeAssert:
			return f.from(t.X)
		case *ssa.Lookup:
			return f.from(t.X)
		case *ssa.UnOp:
			return f.from(t.X)
		case *ssa.Next:
			if r, ok := t.Iter.(*ssa.Range); ok {
				return f.from(r.X)
			}
		}
	case *ssa.Call:
		return f.result(v, 0)
	case *ssa.MakeClosure:
		return f.closure(v)
	case *ssa.MakeMap, *ssa.MakeChan:
		return f.contents(v, v.Parent())
	case *ssa.MakeSlice:
		return f.put(v)
	}
	return nil
}

// load returns the origins of what is read from addr by the instruction at.
func (f *flow) load(addr ssa.Value, at ssa.Instruction) []origin {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return f.field(addr.X, addr.Field)
	case *ssa.IndexAddr:
		return f.from(addr.X)
	case *ssa.Alloc:
		return f.held(addr, at)
	case *ssa.FreeVar:
		if site := f.made[addr.Parent()]; site != nil {
			return f.load(binding(site, addr), site)
		}
		return nil
	case *ssa.Global:
		return nil // what was put there is reported where it was put
	}
	return f.from(addr)
}

// held returns the origins of what the variable has when the instruction at runs, or ever had if at is nil.
func (f *flow) held(a *ssa.Alloc, at ssa.Instruction) []origin {
	var all []origin
	stores := storesTo(a)
	if at != nil {
		stores = reaching(a, at)
	}
	for _, s := range stores {
		all = add(all, f.from(s.Val)...)
	}
	for _, name := range names(a) {
		if name != a {
			for _, s := range storesTo(name) {
				all = add(all, f.from(s.Val)...)
			}
		}
		for _, ref := range *name.Referrers() {
			switch ref := ref.(type) {
			case *ssa.FieldAddr:
				all = add(all, f.put(ref)...)
			case *ssa.IndexAddr:
				all = add(all, f.put(ref)...)
			case ssa.CallInstruction:
				all = add(all, f.filled(name, ref.Common(), -1)...)
			}
		}
	}
	return all
}

// contents returns the origins of what fn, where the map or channel v is made, and its literals put into it.
func (f *flow) contents(v ssa.Value, fn *ssa.Function) []origin {
	var all []origin
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.MapUpdate:
				if f.at(in.Map) == f.at(v) {
					all = add(add(all, f.from(in.Key)...), f.from(in.Value)...)
				}
			case *ssa.Send:
				if f.at(in.Chan) == f.at(v) {
					all = add(all, f.from(in.X)...)
				}
			}
		}
	}
	for _, literal := range fn.AnonFuncs {
		all = add(all, f.contents(v, literal)...)
	}
	return all
}

// put returns the origins of what is stored through an address of a variable, or into a slice.
func (f *flow) put(v ssa.Value) []origin {
	var all []origin
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == v {
				all = add(all, f.from(ref.Val)...)
			}
		case *ssa.FieldAddr:
			all = add(all, f.put(ref)...)
		case *ssa.IndexAddr:
			all = add(all, f.put(ref)...)
		}
	}
	return all
}

// field returns the origins of the value that field i of x has; x is a struct or the pointer to one.
func (f *flow) field(x ssa.Value, i int) []origin {
	t := deref(x.Type())
	if mux.IsNamed(t, "net/http", "Request") {
		if name := fieldName(t, i); name == "URL" || name == "Body" || f.recycled && name == "Header" {
			return mark(f.from(x), "."+name)
		}
		return nil
	}
	if s, ok := t.Underlying().(*types.Struct); !ok || !f.holdsRequest(s.Field(i).Type()) || f.visited(x, i) {
		return nil
	}
	var all []origin
	switch x := x.(type) {
	case *ssa.Parameter:
		return []origin{{x, i, ""}}
	case *ssa.FreeVar:
		if site := f.made[x.Parent()]; site != nil {
			return f.field(binding(site, x), i)
		}
	case *ssa.Alloc:
		for _, name := range names(x) {
			for _, s := range storesTo(name) {
				all = add(all, f.field(s.Val, i)...)
			}
			for _, ref := range *name.Referrers() {
				switch ref := ref.(type) {
				case *ssa.FieldAddr:
					if ref.Field == i {
						all = add(all, f.put(ref)...)
					}
				case ssa.CallInstruction:
					all = add(all, f.filled(name, ref.Common(), i)...)
				}
			}
		}
	case *ssa.Phi:
		for _, e := range x.Edges {
			all = add(all, f.field(e, i)...)
		}
	case *ssa.UnOp:
		if x.Op == token.MUL {
			for _, v := range f.values(x.X, x) {
				all = add(all, f.field(v, i)...)
			}
		}
	case *ssa.Call:
		return f.results(x, 0, i)
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return f.from(x)
	}
	return all
}

// values lists what the variable at addr can have when the instruction at reads it; nil if that can't be told. The
// variable itself stands for a struct that is read as a whole.
func (f *flow) values(addr ssa.Value, at ssa.Instruction) []ssa.Value {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		if _, ok := deref(addr.Type()).Underlying().(*types.Struct); ok {
			return []ssa.Value{addr}
		}
		var vs []ssa.Value
		for _, s := range reaching(addr, at) {
			vs = append(vs, s.Val)
		}
		return vs
	case *ssa.FreeVar:
		if site := f.made[addr.Parent()]; site != nil {
			return f.values(binding(site, addr), site)
		}
	}
	return nil
}

// result returns the origins of a call's result i.
func (f *flow) result(call *ssa.Call, i int) []origin {
	c := call.Common()
	name := fullName(c)
	if f.recycled {
		switch {
		case c.IsInvoke() && c.Method.Name() == "Header" && mux.IsResponseWriter(c.Value.Type()):
			return mark(f.from(c.Value), ".Header()")
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

// elements returns the origins of what the elements of slices or maps still hold when they are copied to a value of type
// t. Copies of parameters hold nothing.
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

// results returns the origins of result i, or of a field of it, of a function of this package.
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

// filled returns the origins of what a function of this package that is called with the pointer v stores in the struct,
// or in a field of it.
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

// stored returns the origins of what is stored in the struct that p points to, or in a field of it.
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

// argument says an origin in a called function in terms of the call's arguments.
func (f *flow) argument(c *ssa.CallCommon, o origin) []origin {
	n := paramIndex(o.param)
	if n >= len(c.Args) {
		return nil
	}
	if o.field >= 0 {
		return mark(f.field(c.Args[n], o.field), o.what)
	}
	return mark(f.from(c.Args[n]), o.what)
}

// closure returns the origins of what a function literal, or a method value, takes with it and uses.
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

// uses returns the origins of what is read through v, the address of a captured variable or a pointer that was read from
// one: of a struct only the fields that are touched.
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

// passed returns the origins of what a call reads through its argument v.
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
				all = add(all, mark(f.field(v, o.field), o.what)...)
			default:
				all = add(all, f.from(v)...)
			}
		}
	}
	return all
}

// callee returns the function of this package that is called, if that is certain.
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
