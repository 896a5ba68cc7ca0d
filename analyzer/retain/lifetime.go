package retain

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/ssa"
)

// A place identifies a variable, or an object reached from it through fields
// and pointers, across functions. Equal places are the same variable, channel,
// map or WaitGroup.
type place struct {
	root ssa.Value
	path string
}

// at returns the place whose value is v or, if v is an address, whose address
// is v.
func (f *flow) at(v ssa.Value) place { return f.place(v, 0) }

func (f *flow) place(v ssa.Value, depth int) place {
	if depth++; depth > 32 {
		return place{v, ""} // a variable whose value depends on itself, like a cursor in a list
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		p := f.place(v.X, depth)
		return place{p.root, fmt.Sprintf("%s.%d", p.path, v.Field)}
	case *ssa.Field:
		p := f.place(v.X, depth)
		return place{p.root, fmt.Sprintf("%s.%d*", p.path, v.Field)}
	case *ssa.UnOp:
		if v.Op != token.MUL {
			break
		}
		p := f.place(v.X, depth)
		if a, ok := p.root.(*ssa.Alloc); ok && p.path == "" {
			if s := storesTo(a); len(s) == 1 && !f.assignedByLiteral(a) {
				return f.place(s[0].Val, depth) // another name for the same value
			}
		}
		return place{p.root, p.path + "*"}
	case *ssa.FreeVar:
		if site := f.closures[v.Parent()]; site != nil {
			return f.place(binding(site, v), depth)
		}
	}
	if x := converted(v); x != nil {
		return f.place(x, depth)
	}
	return place{v, ""}
}

func (f *flow) assignedByLiteral(a *ssa.Alloc) bool {
	for _, ref := range *a.Referrers() {
		if mc, ok := ref.(*ssa.MakeClosure); ok && len(storesTo(captured(mc, a))) > 0 {
			return true
		}
	}
	return false
}

// A lifetime describes how long an object lives, compared to a function call.
type lifetime struct {
	outlives bool           // it outlives the call
	param    *ssa.Parameter // it lives as long as this argument, if the function isn't a handler
}

// life returns the lifetime of the object that v is, points to or is a part of,
// compared to a call of h. An unknown object is considered local.
func (c *checker) life(v ssa.Value, h *ssa.Function, seen map[ssa.Value]bool) lifetime {
	if seen[v] {
		return lifetime{}
	}
	seen[v] = true
	either := func(vs ...ssa.Value) lifetime {
		var l lifetime
		for _, v := range vs {
			switch m := c.life(v, h, seen); {
			case m.outlives:
				return m
			case m.param != nil:
				l = m
			}
		}
		return l
	}
	if x := converted(v); x != nil {
		return either(x)
	}
	switch v := v.(type) {
	case *ssa.Global:
		return lifetime{outlives: true}
	case *ssa.Parameter:
		return c.paramLife(v, h)
	case *ssa.FreeVar:
		if site := c.closures[v.Parent()]; site != nil {
			return c.life(binding(site, v), h, seen)
		}
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
		return lifetime{outlives: c.around(v.Parent(), h)}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.Lookup, *ssa.Slice, *ssa.Phi, *ssa.Extract, *ssa.Next, *ssa.Range:
		return either(operands(v)...)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return lifetime{}
		}
		if a, path := c.variable(v.X); a != nil {
			vs := assigned(a, path)
			if l := either(vs...); l.outlives || l.param != nil {
				return l
			}
			if len(vs) > 0 && !c.around(a.Parent(), h) {
				return lifetime{}
			}
		}
		return either(v.X)
	case *ssa.Call:
		if fn := c.callee(v.Common()); fn != nil {
			return lifetime{outlives: either(returns(fn, 0)...).outlives}
		}
	}
	return lifetime{}
}

// variable returns the local variable that contains addr, which may be declared
// in an enclosing function, and the path of fields to addr. It returns nil if
// there is none.
func (c *checker) variable(addr ssa.Value) (a *ssa.Alloc, path []int) {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		return addr, nil
	case *ssa.FieldAddr:
		a, path = c.variable(addr.X)
		return a, append(path, addr.Field)
	case *ssa.FreeVar:
		if site := c.closures[addr.Parent()]; site != nil {
			return c.variable(binding(site, addr))
		}
	}
	return nil, nil
}

// assigned returns the values assigned to the variable or field at addr, or to
// the field at the given path in it.
func assigned(addr ssa.Value, path []int) []ssa.Value {
	var vs []ssa.Value
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr {
				vs = append(vs, ref.Val)
			}
		case *ssa.FieldAddr:
			if len(path) > 0 && ref.Field == path[0] {
				vs = append(vs, assigned(ref, path[1:])...)
			}
		}
	}
	return vs
}

// paramLife returns the lifetime of a parameter's object. A handler's receiver
// outlives the call, unless all calls of the handler are static calls in this
// package; then it depends on the callers. w and r live as long as the request.
func (c *checker) paramLife(p *ssa.Parameter, h *ssa.Function) lifetime {
	fn := p.Parent()
	switch {
	case encloses(fn, h):
		return lifetime{outlives: c.around(fn, h)}
	case fn != h:
		return lifetime{}
	case !isHandler(fn), isReceiver(p) && c.calledByName(fn):
		return lifetime{param: p}
	}
	return lifetime{outlives: isReceiver(p)}
}

// calledByName reports whether the function is used in this package, only in
// static calls.
func (c *checker) calledByName(fn *ssa.Function) bool {
	return len(c.calls[fn]) > 0 && !c.asValue[fn.Object()] && fn.Name() != "ServeHTTP"
}

func isReceiver(p *ssa.Parameter) bool {
	return p.Parent().Signature.Recv() != nil && p == p.Parent().Params[0]
}

func isHandler(fn *ssa.Function) bool { return mux.IsHandler(fn.Signature) }

// isSource reports whether p is a handler's request or path parameters or, if
// requests are recycled, its ResponseWriter.
func (f *flow) isSource(p *ssa.Parameter) bool {
	return isHandler(p.Parent()) && !isReceiver(p) &&
		(mux.IsRequest(p.Type()) || mux.IsParams(p.Type()) || f.recycled && mux.IsResponseWriter(p.Type()))
}

// around reports whether the variables of fn outlive calls of h, a function
// literal in it. If fn calls ServeHTTP itself, it creates h for one request, so
// they don't.
func (c *checker) around(fn, h *ssa.Function) bool {
	return encloses(fn, h) && !contains(fn, func(in ssa.Instruction) bool {
		common := callOf(in)
		if common == nil {
			return false
		}
		f := common.StaticCallee()
		return common.IsInvoke() && common.Method.Name() == "ServeHTTP" || f != nil && f.Name() == "ServeHTTP"
	})
}

// encloses reports whether inner is a function literal inside outer.
func encloses(outer, inner *ssa.Function) bool {
	for fn := inner.Parent(); fn != nil; fn = fn.Parent() {
		if fn == outer {
			return true
		}
	}
	return false
}

// perRequest reports whether the object with the assigned field belongs to one
// request, because the same function also stores w in it.
func (c *checker) perRequest(addr *ssa.FieldAddr) bool {
	object := c.at(addr.X)
	switch root := object.root.(type) {
	case *ssa.Global:
		return false
	case *ssa.Parameter:
		if isReceiver(root) && root.Parent().Name() == "ServeHTTP" {
			return false
		}
	}
	return contains(addr.Parent(), func(in ssa.Instruction) bool {
		to, ok := in.(*ssa.Store)
		if !ok || !writesResponse(to.Val) {
			return false
		}
		for field, ok := to.Addr.(*ssa.FieldAddr); ok; field, ok = field.X.(*ssa.FieldAddr) {
			if c.at(field.X) == object {
				return true
			}
		}
		return false
	})
}

func writesResponse(v ssa.Value) bool {
	m, _, _ := types.LookupFieldOrMethod(v.Type(), true, nil, "WriteHeader")
	_, ok := m.(*types.Func)
	return ok
}

func isZero(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && (k.Value == nil || k.Value.Kind() == constant.Int && constant.Sign(k.Value) == 0)
}
