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
	holds     map[types.Type]bool // results of holdsRequest
	waiting   map[followed]bool   // functions that wait for something
}

// A followed is a function that a search for a wait follows, and the number of
// calls to its caller.
type followed struct {
	fn    *ssa.Function
	depth int
}

// whole, in place of the index of a field, means the value itself.
const whole = -1

// A visit is a value that a search has visited, or a field of the struct that
// the value is or points to.
type visit struct {
	value ssa.Value
	field int
}

// A summary identifies one property of a function: the origins of a result, the
// values read through a parameter, or those stored in what it points to.
type summary struct {
	fn    *ssa.Function
	of    property
	index int // of the result or parameter
	field int // of it
}

type property int

const (
	returned property = iota
	used
	filled
)

// origins returns the origins of the values.
func (f *flow) origins(vs ...ssa.Value) []origin {
	return f.search(func() []origin {
		var all []origin
		for _, v := range vs {
			all = add(all, f.from(v, whole)...)
		}
		return all
	})
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

// from returns the origins of v, or of a field of the struct that v is or
// points to. It skips what the current search has visited.
func (f *flow) from(v ssa.Value, field int) []origin {
	if field == whole && !f.holdsRequest(v.Type()) && !isAddress(v) {
		return nil
	}
	if field != whole {
		t := deref(v.Type())
		if mux.IsNamed(t, "net/http", "Request") {
			return f.partOfRequest(v, fieldName(t, field))
		}
		if s, ok := t.Underlying().(*types.Struct); !ok || !f.holdsRequest(s.Field(field).Type()) {
			return nil
		}
	}
	if f.visited(v, field) {
		return nil
	}
	if x := converted(v); x != nil {
		return f.from(x, field)
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return []origin{{v, field, ""}}
	case *ssa.FreeVar:
		if site := f.closures[v.Parent()]; site != nil {
			return f.from(binding(site, v), field)
		}
	case *ssa.Phi:
		var all []origin
		for _, e := range v.Edges {
			all = add(all, f.from(e, field)...)
		}
		return all
	case *ssa.Slice:
		if n, ok := v.Max.(*ssa.Const); ok && n.Int64() == 0 {
			return nil // ps[:0:0] has no element
		}
		return f.element(v.X)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return f.load(v.X, v, field)
		case token.ARROW:
			return f.from(v.X, whole)
		}
	case *ssa.FieldAddr:
		if t := deref(v.X.Type()); mux.IsNamed(t, "net/http", "Request") {
			return withSelector(f.from(v.X, whole), "."+fieldName(t, v.Field))
		}
		return f.from(v.X, v.Field)
	case *ssa.IndexAddr:
		return f.element(v.X)
	case *ssa.Alloc:
		return f.held(v, nil, field)
	case *ssa.Field:
		return f.from(v.X, v.Field)
	case *ssa.Index:
		return f.from(v.X, whole)
	case *ssa.Lookup:
		return f.from(v.X, whole)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			return add(f.result(t, v.Index, field), f.storedInParts(v, field)...)
		case *ssa.Next:
			return f.from(operands(t.Iter)[0], whole)
		case *ssa.Select:
			return nil
		}
		return f.from(operands(v.Tuple)[0], whole)
	case *ssa.Call:
		return add(f.result(v, 0, field), f.storedInParts(v, field)...)
	case *ssa.MakeClosure:
		return f.closure(v)
	case *ssa.MakeMap, *ssa.MakeChan:
		return f.contents(v, v.Parent())
	case *ssa.MakeSlice:
		return f.stored(v, whole)
	}
	return nil
}

// partOfRequest returns the origins of a field of the request v.
func (f *flow) partOfRequest(v ssa.Value, name string) []origin {
	if name == "URL" || name == "Body" || f.recycled && name == "Header" {
		return withSelector(f.from(v, whole), "."+name)
	}
	return nil
}

// element returns the origins of the elements of v, or of a slice of it.
func (f *flow) element(v ssa.Value) []origin {
	if mux.IsParams(v.Type()) {
		return withSelector(f.from(v, whole), "[...]")
	}
	return f.from(v, whole)
}

// load returns the origins of the value that the instruction at reads from
// addr, or of a field of it.
func (f *flow) load(addr ssa.Value, at ssa.Instruction, field int) []origin {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return f.from(addr.X, addr.Field)
	case *ssa.IndexAddr:
		return f.from(addr.X, whole)
	case *ssa.Alloc:
		return f.held(addr, at, field)
	case *ssa.FreeVar:
		if site := f.closures[addr.Parent()]; site != nil {
			return f.load(binding(site, addr), site, field)
		}
		return nil
	case *ssa.Global:
		return nil // storing a value there is reported as a sink
	}
	return f.from(addr, field)
}

// held returns the origins of the variable's possible values, or of a field of
// them, when the instruction at runs, or at any time if at is nil.
func (f *flow) held(a *ssa.Alloc, at ssa.Instruction, field int) []origin {
	stores := storesTo(a)
	if at != nil {
		stores = reaching(a, at)
	}
	var all []origin
	for _, s := range stores {
		all = add(all, f.from(s.Val, field)...)
	}
	all = add(all, f.storedInParts(a, field)...)
	for _, name := range names(a)[1:] {
		all = add(all, f.stored(name, field)...)
	}
	return all
}

// stored returns the origins of the values stored at the address v, in the
// slice v, or in a field of the struct at v.
func (f *flow) stored(v ssa.Value, field int) []origin {
	var all []origin
	for _, s := range storesTo(v) {
		all = add(all, f.from(s.Val, field)...)
	}
	return add(all, f.storedInParts(v, field)...)
}

// storedInParts is like stored, but without assignments to the whole variable.
func (f *flow) storedInParts(v ssa.Value, field int) []origin {
	var all []origin
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if field == whole || field == ref.Field {
				all = add(all, f.stored(ref, whole)...)
			}
		case *ssa.IndexAddr, *ssa.Slice: // a slice shares its elements
			all = add(all, f.stored(ref.(ssa.Value), whole)...)
		case ssa.CallInstruction:
			all = add(all, f.filled(v, ref.Common(), field)...)
		}
	}
	return all
}

// contents returns the origins of the values that fn and its literals put into
// the map or channel v, which fn creates.
func (f *flow) contents(v ssa.Value, fn *ssa.Function) []origin {
	var all []origin
	instructions(withLiterals(fn), func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.MapUpdate:
			if f.at(in.Map) == f.at(v) {
				all = add(add(all, f.from(in.Key, whole)...), f.from(in.Value, whole)...)
			}
		case *ssa.Send:
			if f.at(in.Chan) == f.at(v) {
				all = add(all, f.from(in.X, whole)...)
			}
		}
	})
	return all
}
