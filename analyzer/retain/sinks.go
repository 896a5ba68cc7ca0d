package retain

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A sink is an instruction with which a value can outlive the function.
type sink struct {
	ssa.Instruction
	pos    token.Pos
	how    string    // description for the message, after the name of the value
	into   ssa.Value // retains the value; nil if it always outlives the call
	values func() []origin
	ends   []place                    // where the goroutine signals its end
	done   func(ssa.Instruction) bool // reports whether an instruction removes the value
}

// sinks returns the sinks of an instruction.
func (c *checker) sinks(in ssa.Instruction) []sink {
	switch in := in.(type) {
	case *ssa.Go:
		values := func() []origin { return c.started(in.Common()) }
		s := sink{Instruction: in, how: "can outlive the handler in this goroutine", values: values}
		s.ends = c.ends(in.Common(), c.search(values), 0)
		return []sink{s}
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
		return []sink{{
			Instruction: in, how: "outlives the handler in " + c.describe(c.at(in.Addr), in.Addr), into: in.Addr,
			values: func() []origin {
				if fa, ok := in.Addr.(*ssa.FieldAddr); ok && c.perRequest(fa) {
					return nil
				}
				return c.from(in.Val)
			},
			done: func(other ssa.Instruction) bool {
				s, ok := other.(*ssa.Store)
				return ok && isZero(s.Val) && c.at(s.Addr) == c.at(in.Addr)
			},
		}}
	case *ssa.MapUpdate:
		return []sink{{
			Instruction: in, how: "outlives the handler in a map", into: in.Map,
			values: func() []origin { return add(c.from(in.Key), c.from(in.Value)...) },
			done: func(other ssa.Instruction) bool {
				common := callOf(other)
				if common == nil {
					return false
				}
				b, ok := common.Value.(*ssa.Builtin)
				return ok && (b.Name() == "delete" || b.Name() == "clear") && c.at(common.Args[0]) == c.at(in.Map)
			},
		}}
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
	if b, ok := common.Value.(*ssa.Builtin); ok && b.Name() == "copy" || name == "maps.Copy" {
		return []sink{{
			Instruction: in, how: "outlives the handler in the destination of a copy", into: common.Args[0],
			values: func() []origin { return c.elements(common.Args[0].Type(), common.Args[1:]) },
		}}
	}
	if i, ok := runsLater[name]; ok {
		fn := common.Args[i]
		s := sink{
			Instruction: in, how: "can outlive the handler in the function given to " + shortName(name),
			values: func() []origin { return c.from(fn) },
			ends:   []place{c.at(common.Args[0])},
		}
		if v := in.(ssa.CallInstruction).Value(); v != nil {
			s.ends = append(s.ends, place{v, ""}) // the timer, the stop function
		}
		if mc, ok := fn.(*ssa.MakeClosure); ok {
			s.ends = append(s.ends, c.signals(mc.Fn.(*ssa.Function), c.origins(fn), 0)...)
		}
		return []sink{s}
	}
	if i, ok := keeps[name]; ok {
		return []sink{{
			Instruction: in, how: "outlives the handler in the receiver of " + shortName(name), into: common.Args[0],
			values: func() []origin {
				var all []origin
				for _, arg := range common.Args[i:] {
					all = add(all, c.from(arg)...)
				}
				return all
			},
			done: func(other ssa.Instruction) bool {
				o := callOf(other)
				return o != nil && removes[fullName(o)] && c.at(o.Args[0]) == c.at(common.Args[0])
			},
		}}
	}
	return nil
}

// sent returns the sink for sending v on a channel. The receiver may signal its
// end on a channel or WaitGroup in v.
func (c *checker) sent(in ssa.Instruction, ch, v ssa.Value) sink {
	return sink{
		Instruction: in, how: "outlives the handler on a channel", into: ch,
		values: func() []origin { return c.from(v) },
		ends:   c.signalsIn(v),
	}
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
	all := c.from(common.Value)
	for _, arg := range common.Args {
		all = add(all, c.passed(common, arg)...)
	}
	return all
}
