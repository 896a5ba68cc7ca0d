package retain

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/ssa"
)

// holdsRequest reports whether a value of type t can refer to a request, its
// URL, its body or its path parameters or, if requests are recycled, its
// header.
func (f *flow) holdsRequest(t types.Type) bool {
	holds, ok := f.holds[t]
	if !ok {
		holds = f.canHold(t, make(map[types.Type]bool))
		f.holds[t] = holds
	}
	return holds
}

func (f *flow) canHold(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if f.recycled && (mux.IsNamed(t, "net/http", "Header") || isStrings(t)) {
		return true
	}
	if mux.IsNamed(t, "net/url", "URL") || mux.IsNamed(t, mux.Path, "Param") {
		_, ptr := t.Underlying().(*types.Pointer)
		return ptr // a copy has only strings
	}
	if mux.IsParams(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	case *types.Pointer:
		return f.canHold(u.Elem(), seen)
	case *types.Slice:
		return f.canHold(u.Elem(), seen)
	case *types.Array:
		return f.canHold(u.Elem(), seen)
	case *types.Chan:
		return f.canHold(u.Elem(), seen)
	case *types.Map:
		return f.canHold(u.Key(), seen) || f.canHold(u.Elem(), seen)
	case *types.Struct:
		for v := range u.Fields() {
			if f.canHold(v.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// isStrings reports whether t is a slice of strings, like the values of a
// header.
func isStrings(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

// converted returns the operand if v is a conversion or type assertion, or nil.
func converted(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.TypeAssert:
		return v.X
	}
	return nil
}

// operands returns the operands of v.
func operands(v ssa.Value) []ssa.Value {
	var all []ssa.Value
	for _, op := range v.(ssa.Instruction).Operands(nil) {
		if *op != nil {
			all = append(all, *op)
		}
	}
	return all
}

// returns lists the values that fn returns as result i.
func returns(fn *ssa.Function, i int) []ssa.Value {
	var all []ssa.Value
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && i < len(ret.Results) {
			all = append(all, ret.Results[i])
		}
	}
	return all
}

// isAddress reports whether v is the address of a field or an element. Its type
// doesn't show what contains the field or element.
func isAddress(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return true
	}
	return false
}

// isStructPointer reports whether t points to a struct whose fields are tracked
// one by one. A request, a URL and a path parameter are tracked as a whole.
func isStructPointer(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok || mux.IsRequest(t) || mux.IsNamed(t, "net/url", "URL") || mux.IsNamed(t, mux.Path, "Param") {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Struct)
	return ok
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func fieldName(t types.Type, i int) string {
	return t.Underlying().(*types.Struct).Field(i).Name()
}

func paramIndex(p *ssa.Parameter) int { return slices.Index(p.Parent().Params, p) }

// fullName returns the name of the called function, such as "time.AfterFunc" or
// "(*sync.WaitGroup).Go", or "" if it is unknown.
func fullName(c *ssa.CallCommon) string {
	if fn := c.StaticCallee(); fn != nil {
		if f, ok := fn.Object().(*types.Func); ok {
			return f.Origin().FullName()
		}
	}
	return ""
}

// binding returns the value that is bound to the free variable v when site
// creates the closure.
func binding(site *ssa.MakeClosure, v *ssa.FreeVar) ssa.Value {
	return site.Bindings[slices.Index(v.Parent().FreeVars, v)]
}

// captured returns the free variable that is bound to v in the closure created
// at site, or nil.
func captured(site *ssa.MakeClosure, v ssa.Value) ssa.Value {
	if i := slices.Index(site.Bindings, v); i >= 0 {
		if fn := site.Fn.(*ssa.Function); fn.Synthetic == "" {
			return fn.FreeVars[i]
		}
	}
	return nil
}

// names lists the values that point to the variable at v, in its function and
// the literals in it: v, free variables of literals, and values read from a
// pointer variable that v is assigned to.
func names(v ssa.Value) []ssa.Value {
	all := []ssa.Value{v}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.MakeClosure:
			if inner := captured(ref, v); inner != nil {
				all = append(all, names(inner)...)
			}
		case *ssa.Store:
			if pointer, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v {
				for _, name := range names(pointer) {
					all = append(all, loads(name)...)
				}
			}
		}
	}
	return all
}

// loads lists the values read from the variable at addr, in the function of
// addr.
func loads(addr ssa.Value) []ssa.Value {
	var all []ssa.Value
	for _, ref := range *addr.Referrers() {
		if u, ok := ref.(*ssa.UnOp); ok && u.Op == token.MUL {
			all = append(all, u)
		}
	}
	return all
}

// storesTo lists the assignments to the whole variable at addr, in the function
// of addr.
func storesTo(addr ssa.Value) []*ssa.Store {
	if addr == nil {
		return nil
	}
	var stores []*ssa.Store
	for _, ref := range *addr.Referrers() {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == addr {
			stores = append(stores, s)
		}
	}
	return stores
}

// reaching lists the assignments to the whole variable a that may be the latest
// one when the instruction at runs.
func reaching(a *ssa.Alloc, at ssa.Instruction) []*ssa.Store {
	if at.Parent() != a.Parent() {
		return storesTo(a)
	}
	var found []*ssa.Store
	seen := make(map[*ssa.BasicBlock]bool)
	var back func(b *ssa.BasicBlock, n int)
	back = func(b *ssa.BasicBlock, n int) {
		for i := n - 1; i >= 0; i-- {
			if s, ok := b.Instrs[i].(*ssa.Store); ok && s.Addr == a {
				found = append(found, s)
				return
			}
			if b.Instrs[i] == ssa.Instruction(a) {
				return
			}
		}
		for _, p := range b.Preds {
			if !seen[p] {
				seen[p] = true
				back(p, len(p.Instrs))
			}
		}
	}
	back(at.Block(), slices.Index(at.Block().Instrs, at))
	return found
}

func add(all []origin, more ...origin) []origin {
	for _, o := range more {
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all
}

// withSelector appends a selector such as ".URL" to each origin.
func withSelector(os []origin, what string) []origin {
	out := make([]origin, len(os))
	for i, o := range os {
		out[i] = origin{o.param, o.field, o.what + what}
	}
	return out
}
