package retain

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A sink is an instruction with which values can outlive the function.
type sink struct {
	ssa.Instruction
	pos    token.Pos
	how    string    // description for the message, after the name of the value
	into   ssa.Value // retains the values; nil if it always outlives the call
	values []origin
	ends   []place // where the goroutine signals its end
}

// sinks returns the sinks of an instruction.
func (c *checker) sinks(in ssa.Instruction) []sink {
	switch in := in.(type) {
	case *ssa.Go:
		values := c.search(func() []origin { return c.started(in.Common()) })
		return []sink{{Instruction: in, how: "can outlive the handler in this goroutine", values: values, ends: c.ends(in.Common(), values, 0)}}
	case *ssa.Send:
		return []sink{c.sent(in, in.Chan, in.X)}
	case *ssa.Select:
		var all []sink
		for _, state := range in.States {
			if state.Send != nil {
				s := c.sent(in, state.Chan, state.Send)
				s.pos = state.Pos
				all = append(all, s)
			}
		}
		return all
	case *ssa.Store:
		if fa, ok := in.Addr.(*ssa.FieldAddr); ok && c.perRequest(fa) {
			return nil
		}
		return []sink{{Instruction: in, how: "outlives the handler in " + c.describe(c.at(in.Addr), in.Addr), into: in.Addr, values: c.origins(in.Val)}}
	case *ssa.MapUpdate:
		return []sink{{Instruction: in, how: "outlives the handler in a map", into: in.Map, values: c.origins(in.Key, in.Value)}}
	case *ssa.Call, *ssa.Defer:
		return c.calling(in)
	}
	return nil
}

// calling returns the sinks of a call to a function of another package that
// keeps its arguments or runs them later.
func (c *checker) calling(in ssa.Instruction) []sink {
	common := callOf(in)
	name := fullName(common)
	if copies(common) {
		values := c.search(func() []origin { return c.elements(common.Args[0].Type(), common.Args[1:]) })
		return []sink{{Instruction: in, how: "outlives the handler in the destination of a copy", into: common.Args[0], values: values}}
	}
	if keeps.MatchString(name) {
		how := "outlives the handler in the receiver of " + shortName(name)
		return []sink{{Instruction: in, how: how, into: common.Args[0], values: c.origins(common.Args[1:]...)}}
	}
	i, ok := runsLater[name]
	if !ok {
		return nil
	}
	fn := common.Args[i]
	s := sink{Instruction: in, how: "can outlive the handler in the function given to " + shortName(name), values: c.origins(fn)}
	s.ends = append(s.ends, c.at(common.Args[0]))
	if v := in.(ssa.CallInstruction).Value(); v != nil {
		s.ends = append(s.ends, place{v, ""}) // the timer, the stop function
		for _, ref := range *v.Referrers() {
			if to, ok := ref.(*ssa.Store); ok && to.Val == v {
				p := c.at(to.Addr)
				s.ends = append(s.ends, place{p.root, p.path + "*"})
			}
		}
	}
	if mc, ok := fn.(*ssa.MakeClosure); ok {
		s.ends = append(s.ends, c.signals(mc.Fn.(*ssa.Function), s.values, 0)...)
	}
	return []sink{s}
}

// sent returns the sink for sending v on a channel. The receiver may signal its
// end on a channel or WaitGroup in v.
func (c *checker) sent(in ssa.Instruction, ch, v ssa.Value) sink {
	return sink{Instruction: in, how: "outlives the handler on a channel", into: ch, values: c.origins(v), ends: c.signalsIn(v)}
}

// signalsIn returns the values of the fields of a new struct, which may be
// channels and WaitGroups.
func (c *checker) signalsIn(v ssa.Value) []place {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		v = u.X
	}
	if m, ok := v.(*ssa.MakeInterface); ok {
		return c.signalsIn(m.X)
	}
	a, ok := v.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var all []place
	for _, ref := range *a.Referrers() {
		if fa, ok := ref.(*ssa.FieldAddr); ok {
			for _, s := range storesTo(fa) {
				all = append(all, c.at(s.Val))
			}
		}
	}
	return all
}

// started returns the origins of the values that a new goroutine uses.
func (c *checker) started(common *ssa.CallCommon) []origin {
	all := c.from(common.Value, whole)
	for _, arg := range common.Args {
		all = add(all, c.passed(common, arg)...)
	}
	return all
}
