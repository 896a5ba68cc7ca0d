package retain

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// This file finds where a goroutine signals its end, and what waits for that.

// waitsFor returns a function that reports whether an instruction waits for a
// goroutine that signals its end at one of the places: Wait of a group, Stop of
// a timer, a receive from a channel, or a call of a function that does so.
func (f *flow) waitsFor(ends []place) func(ssa.Instruction) bool {
	return func(in ssa.Instruction) bool { return f.isWait(in, ends, 0) }
}

func (f *flow) isWait(in ssa.Instruction, ends []place, depth int) bool {
	is := func(v ssa.Value) bool { return f.isOneOf(v, ends) }
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.ARROW && is(in.X)
	case *ssa.Call, *ssa.Defer:
		c := in.(ssa.CallInstruction).Common()
		fn := f.callee(c)
		switch {
		case fn != nil && f.mayWait(fn, depth):
			inner := f.inner(ends, fn, c)
			return contains(fn, func(in ssa.Instruction) bool { return f.isWait(in, inner, depth+1) })
		case fn != nil:
			return false
		case waits[fullName(c)]:
			return is(c.Args[0])
		}
		return !c.IsInvoke() && is(c.Value) // the stop function of context.AfterFunc
	}
	return false
}

// mayWait reports whether a function that isWait follows at this depth waits for
// anything.
func (f *flow) mayWait(fn *ssa.Function, depth int) bool {
	at := followed{fn, depth}
	if _, ok := f.waiting[at]; !ok {
		f.waiting[at] = depth <= 1 && contains(fn, func(in ssa.Instruction) bool {
			if u, ok := in.(*ssa.UnOp); ok {
				return u.Op == token.ARROW
			}
			c := callOf(in)
			if c == nil {
				return false
			} else if callee := f.callee(c); callee != nil {
				return f.mayWait(callee, depth+1)
			}
			_, builtin := c.Value.(*ssa.Builtin)
			return waits[fullName(c)] || !builtin && !c.IsInvoke() && c.StaticCallee() == nil
		})
	}
	return f.waiting[at]
}

// isOneOf reports whether v is nil or at one of the places.
func (f *flow) isOneOf(v ssa.Value, places []place) bool {
	if slices.Contains(places, f.at(v)) {
		return true
	}
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return false
	}
	some := false
	for _, e := range phi.Edges {
		here := slices.Contains(places, f.at(e))
		if !here && !isZero(e) {
			return false
		}
		some = some || here
	}
	return some
}

// ends lists the places where a goroutine that runs the call signals its end: a
// WaitGroup whose Done it calls, or a channel on which it sends or which it
// closes. A signal doesn't count if the goroutine uses a value with one of the
// origins afterwards.
func (f *flow) ends(c *ssa.CallCommon, of []origin, depth int) []place {
	fn := f.callee(c)
	if fn == nil {
		return nil
	}
	for i, arg := range c.Args {
		if i < len(fn.Params) && sharesParam(f.origins(arg), of) {
			of = add(of, origin{fn.Params[i], -1, ""})
		}
	}
	return f.outer(f.signals(fn, of, depth), fn, c)
}

// signals is like ends, with the places in terms of fn.
func (f *flow) signals(fn *ssa.Function, of []origin, depth int) []place {
	return f.signalsAfter(fn, f.reads(of), func(c *ssa.CallCommon) []place {
		if depth >= 3 || f.callee(c) == fn {
			return nil
		}
		return f.ends(c, of, depth+1)
	})
}

// relayed lists the places where goroutines that fn starts signal that they
// have waited for these ends:
//
//	go func() { wg.Wait(); close(done) }()
func (f *flow) relayed(fn *ssa.Function, ends []place) []place {
	var all []place
	instructions([]*ssa.Function{fn}, func(in ssa.Instruction) {
		start, ok := in.(*ssa.Go)
		if !ok || len(ends) == 0 {
			return
		}
		callee := f.callee(start.Common())
		if callee == nil {
			return
		}
		if waits := f.waitsFor(f.inner(ends, callee, start.Common())); contains(callee, waits) {
			all = append(all, f.outer(f.signalsAfter(callee, waits, nil), callee, start.Common())...)
		}
	})
	return all
}

// signalsAfter lists the places where fn signals, after the last instruction
// that satisfies used. called returns the places for a call.
func (f *flow) signalsAfter(fn *ssa.Function, used func(ssa.Instruction) bool, called func(*ssa.CallCommon) []place) []place {
	var all []place
	for _, b := range fn.Blocks {
		for i, in := range b.Instrs {
			var here []place
			deferred := false
			switch in := in.(type) {
			case *ssa.Send:
				here = []place{f.at(in.Chan)}
			case *ssa.Select:
				for _, s := range in.States {
					if s.Send != nil {
						here = append(here, f.at(s.Chan))
					}
				}
			case *ssa.Call, *ssa.Defer:
				_, deferred = in.(*ssa.Defer)
				c := in.(ssa.CallInstruction).Common()
				b, builtin := c.Value.(*ssa.Builtin)
				switch {
				case f.callee(c) != nil && called != nil:
					here = called(c)
					deferred = true // called has checked the order
				case builtin && b.Name() == "close", f.callee(c) == nil && fullName(c) == "(*sync.WaitGroup).Done":
					here = []place{f.at(c.Args[0])}
				}
			}
			if len(here) > 0 && (deferred || !usedAfter(b, i+1, used)) {
				all = append(all, here...)
			}
		}
	}
	return all
}

// reads returns a function that reports whether an instruction has an operand
// with one of these origins.
func (f *flow) reads(of []origin) func(ssa.Instruction) bool {
	return func(in ssa.Instruction) bool {
		return slices.ContainsFunc(in.Operands(nil), func(op *ssa.Value) bool {
			return *op != nil && sharesParam(f.origins(*op), of)
		})
	}
}

func sharesParam(a, b []origin) bool {
	return slices.ContainsFunc(a, func(x origin) bool {
		return slices.ContainsFunc(b, func(y origin) bool { return x.param == y.param })
	})
}

// inner adds the places in terms of the called function's parameters.
func (f *flow) inner(ps []place, fn *ssa.Function, c *ssa.CallCommon) []place {
	all := slices.Clone(ps)
	for i, arg := range c.Args {
		for _, p := range ps {
			if at := f.at(arg); at.root == p.root && strings.HasPrefix(p.path, at.path) && i < len(fn.Params) {
				all = append(all, place{fn.Params[i], p.path[len(at.path):]})
			}
		}
	}
	return all
}

// outer translates the places of a called function to the call's arguments.
func (f *flow) outer(ps []place, fn *ssa.Function, c *ssa.CallCommon) []place {
	out := make([]place, 0, len(ps))
	for _, p := range ps {
		if param, ok := p.root.(*ssa.Parameter); ok && param.Parent() == fn {
			if i := paramIndex(param); i < len(c.Args) {
				arg := f.at(c.Args[i])
				p = place{arg.root, arg.path + p.path}
			}
		}
		out = append(out, p)
	}
	return out
}
