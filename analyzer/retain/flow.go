package retain

import (
	"go/token"
	"go/types"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/ssa"
)

// An origin is a parameter, or a part of it, that a value comes from.
//
//	r                    => {r, -1, ""}
//	r.URL, *r.URL's address  => {r, -1, ".URL"}
//	j.req for a parameter j  => {j, 2, ""} if req is the third field of what j points to
type origin struct {
	param *ssa.Parameter
	field int    // the field of the struct that param is or points to, or -1
	what  string // what to append to the parameter's name in a message
}

// flow finds the origins of values. It works backward from a value, through the
// variables of the function, of enclosing functions and, for results, of called
// functions in the same package. For plain variables it considers the order of
// statements (after r = r.Clone(ctx), r is no longer the request), but not for
// fields and elements.
type flow struct {
	pkg       *ssa.Package
	recycled  bool                               // the engine reuses requests, see mux.Recycles
	closures  map[*ssa.Function]*ssa.MakeClosure // for each closure, the instruction that creates it
	seen      map[visit]bool                     // by the current search
	summaries map[summary][]origin
}

// A visit is a value that a search has visited, or a field of the struct that
// the value is or points to.
type visit struct {
	value ssa.Value
	field int // -1: the value
}

// A summary identifies one property of a function: the origins of a result or a
// field of it, the values read through a parameter, or the values stored in the
// object that a parameter or its field points to.
type summary struct {
	fn     *ssa.Function
	result int // -1 for a parameter
	param  int
	field  int
	stored bool
}

// origins returns the origins of v.
func (f *flow) origins(v ssa.Value) []origin {
	return f.search(func() []origin { return f.from(v) })
}

// search runs a search with an empty set of visited values.
func (f *flow) search(find func() []origin) []origin {
	saved := f.seen
	f.seen = make(map[visit]bool)
	defer func() { f.seen = saved }()
	return find()
}

// summarize runs a search for a summary once and caches the result. Recursive
// calls during the search return nil.
func (f *flow) summarize(s summary, find func() []origin) []origin {
	if _, ok := f.summaries[s]; !ok {
		f.summaries[s] = nil
		f.summaries[s] = f.search(find)
	}
	return f.summaries[s]
}

func (f *flow) visited(v ssa.Value, field int) bool {
	at := visit{v, field}
	again := f.seen[at]
	f.seen[at] = true
	return again
}

// from returns the origins of v that the current search hasn't visited yet.
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
		if site := f.closures[v.Parent()]; site != nil {
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
			return withSelector(f.from(v.X), "[...]")
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
			return withSelector(f.from(v.X), "."+fieldName(t, v.Field))
		}
		return f.load(v, v)
	case *ssa.IndexAddr:
		if mux.IsParams(v.X.Type()) {
			return withSelector(f.from(v.X), "[...]")
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
		case *ssa.Next:
			return f.from(operands(t.Iter)[0])
		case *ssa.Select:
			return nil
		}
		return f.from(operands(v.Tuple)[0])
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

// load returns the origins of the value that the instruction at reads from
// addr.
func (f *flow) load(addr ssa.Value, at ssa.Instruction) []origin {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return f.field(addr.X, addr.Field)
	case *ssa.IndexAddr:
		return f.from(addr.X)
	case *ssa.Alloc:
		return f.held(addr, at)
	case *ssa.FreeVar:
		if site := f.closures[addr.Parent()]; site != nil {
			return f.load(binding(site, addr), site)
		}
		return nil
	case *ssa.Global:
		return nil // storing a value there is reported as a sink
	}
	return f.from(addr)
}

// held returns the origins of the variable's possible values when the
// instruction at runs, or at any time if at is nil.
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

// contents returns the origins of the values that fn and its literals put into
// the map or channel v, which fn creates.
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

// put returns the origins of the values stored through the address v or in the
// slice v.
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

// field returns the origins of field i of x, which is a struct or a pointer to
// one.
func (f *flow) field(x ssa.Value, i int) []origin {
	t := deref(x.Type())
	if mux.IsNamed(t, "net/http", "Request") {
		if name := fieldName(t, i); name == "URL" || name == "Body" || f.recycled && name == "Header" {
			return withSelector(f.from(x), "."+name)
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
		if site := f.closures[x.Parent()]; site != nil {
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

// values returns the possible values of the variable at addr when the
// instruction at reads it, or nil if they are unknown. For a struct variable it
// returns addr.
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
		if site := f.closures[addr.Parent()]; site != nil {
			return f.values(binding(site, addr), site)
		}
	}
	return nil
}
