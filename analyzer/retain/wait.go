package retain

import (
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// settled reports whether every path from the instruction to a return of its
// function passes an instruction that satisfies done, or whether such an
// instruction was deferred before. A path also counts if a select receives from
// a channel that satisfies by. A loop with such an instruction counts even if
// it may run zero times, because the check can't compare the number of
// iterations with the number of started goroutines.
func (f *flow) settled(from ssa.Instruction, done func(ssa.Instruction) bool, by func(ssa.Value) bool) bool {
	// A path is settled when it reaches one of these blocks: the heads of loops
	// that wait, and the blocks that guard them.
	loops := make(map[*ssa.BasicBlock]bool)
	for _, b := range from.Parent().Blocks {
		for _, in := range b.Instrs {
			if !done(in) {
				continue
			}
			if _, ok := in.(*ssa.Defer); ok && b.Dominates(from.Block()) {
				return true
			}
			for h := b; h != nil && !h.Dominates(from.Block()); h = h.Idom() {
				if reaches(b, h) {
					loops[h] = true
					if p := h.Idom(); p != nil && guards(p, h) {
						loops[p] = true
					}
				}
			}
		}
	}
	known := knownConditions(from.Block())
	seen := make(map[*ssa.BasicBlock]bool)
	var ok func(b *ssa.BasicBlock, n int) bool
	ok = func(b *ssa.BasicBlock, n int) bool {
		for _, in := range b.Instrs[n:] {
			if _, isReturn := in.(*ssa.Return); isReturn {
				return false
			} else if done(in) {
				return true
			}
		}
		if loops[b] {
			return true
		}
		settles, not := branch(b, by), -1
		if !b.Dominates(from.Block()) { // the condition is evaluated again
			not = f.impossibleBranch(b, known)
		}
		for i, s := range b.Succs {
			if i == settles || i == not || seen[s] {
				continue
			}
			seen[s] = true
			if !ok(s, 0) {
				return false
			}
		}
		return true
	}
	return ok(from.Block(), slices.Index(from.Block().Instrs, from)+1)
}

// guards reports whether p only chooses between the loop that starts with h and
// the code after the loop.
func guards(p, h *ssa.BasicBlock) bool {
	if len(p.Succs) != 2 || reaches(h, p) {
		return false
	}
	after := p.Succs[0]
	if after == h {
		after = p.Succs[1]
	}
	return !reaches(after, h) && slices.ContainsFunc(after.Preds, func(b *ssa.BasicBlock) bool { return b != p && reaches(b, h) })
}

// branch returns the index of the successor of b that settles, or -1. It is the
// one taken if a select received from a channel that satisfies by, or if a
// value that satisfies by is nil, so that nothing was started.
func branch(b *ssa.BasicBlock, by func(ssa.Value) bool) int {
	end, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return -1
	}
	cmp, ok := end.Cond.(*ssa.BinOp)
	if !ok || cmp.Op != token.EQL && cmp.Op != token.NEQ {
		return -1
	}
	k, ok := cmp.Y.(*ssa.Const)
	if !ok {
		return -1
	}
	equal := 0
	if cmp.Op == token.NEQ {
		equal = 1
	}
	if k.Value == nil && by(cmp.X) {
		return equal
	}
	index, ok := cmp.X.(*ssa.Extract)
	if !ok || k.Value == nil || k.Value.Kind() != constant.Int {
		return -1
	}
	sel, ok := index.Tuple.(*ssa.Select)
	state := int(k.Int64())
	if ok && state >= 0 && state < len(sel.States) && sel.States[state].Send == nil && by(sel.States[state].Chan) {
		return equal
	}
	return -1
}

// impossibleBranch returns the index of the successor of b that is never taken,
// because the condition is the same as a known one, or -1:
//
//	if s.async() { go serve(r, done) }
//	if s.async() { <-done }
func (f *flow) impossibleBranch(b *ssa.BasicBlock, known map[ssa.Value]bool) int {
	end, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return -1
	}
	for cond, holds := range known {
		switch {
		case !f.sameCondition(cond, end.Cond):
		case holds:
			return 1
		default:
			return 0
		}
	}
	return -1
}

// sameCondition reports whether two conditions are the same value, or the same
// operation on the same places.
func (f *flow) sameCondition(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	same := func(xs, ys []ssa.Value) bool {
		return slices.EqualFunc(xs, ys, func(x, y ssa.Value) bool {
			j, ok := x.(*ssa.Const)
			k, ok2 := y.(*ssa.Const)
			if ok || ok2 {
				return ok && ok2 && j.String() == k.String()
			}
			return f.at(x) == f.at(y)
		})
	}
	switch a := a.(type) {
	case *ssa.Call:
		b, ok := b.(*ssa.Call)
		return ok && fullName(a.Common()) != "" && fullName(a.Common()) == fullName(b.Common()) && same(a.Call.Args, b.Call.Args)
	case *ssa.BinOp:
		b, ok := b.(*ssa.BinOp)
		return ok && a.Op == b.Op && same([]ssa.Value{a.X, a.Y}, []ssa.Value{b.X, b.Y})
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == b.Op && (f.at(a) == f.at(b) || a.Op == token.NOT && f.sameCondition(a.X, b.X))
	}
	return false
}

func reaches(from, to *ssa.BasicBlock) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var walk func(b *ssa.BasicBlock) bool
	walk = func(b *ssa.BasicBlock) bool {
		if b == to {
			return true
		}
		seen[b] = true
		for _, s := range b.Succs {
			if !seen[s] && walk(s) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(from.Succs, walk)
}

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
	case *ssa.Send:
		made, ok := f.at(in.Chan).root.(*ssa.MakeChan)
		return ok && isZero(made.Size) && slices.Contains(ends, f.stop(in.Chan))
	case *ssa.Select:
		return in.Blocking && !slices.ContainsFunc(in.States, func(s *ssa.SelectState) bool { return s.Send != nil || !is(s.Chan) })
	case *ssa.Call, *ssa.Defer:
		c := in.(ssa.CallInstruction).Common()
		if waits[fullName(c)] {
			return is(c.Args[0])
		}
		if !c.IsInvoke() && is(c.Value) {
			return true // the stop function of context.AfterFunc
		}
		fn := f.callee(c)
		if fn == nil || depth > 1 {
			return false
		}
		inner := f.inner(ends, fn, c)
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if f.isWait(in, inner, depth+1) {
					return true
				}
			}
		}
	}
	return false
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
// WaitGroup whose Done it calls, a channel on which it sends or which it
// closes, or an unbuffered channel from which it receives. A signal doesn't
// count if the goroutine uses a value with one of the origins afterwards.
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
		waits, some := f.waitsFor(f.inner(ends, callee, start.Common())), false
		instructions([]*ssa.Function{callee}, func(in ssa.Instruction) { some = some || waits(in) })
		if some {
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
				for k, s := range in.States {
					if s.Send != nil {
						here = append(here, f.at(s.Chan))
					} else if to := chosen(in, k); to != nil && !usedAfter(to, 0, used) {
						all = append(all, f.stop(s.Chan))
					}
				}
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					here = []place{f.stop(in.X)}
				}
			case *ssa.Call, *ssa.Defer:
				_, deferred = in.(*ssa.Defer)
				c := in.(ssa.CallInstruction).Common()
				b, builtin := c.Value.(*ssa.Builtin)
				switch {
				case builtin && b.Name() == "close", fullName(c) == "(*sync.WaitGroup).Done":
					here = []place{f.at(c.Args[0])}
				case called != nil:
					here = called(c)
					deferred = true // called has checked the order
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

// stop returns the place for a send on the channel. It stands for the end of a
// goroutine that no longer uses the request when it receives from the channel.
func (f *flow) stop(ch ssa.Value) place {
	p := f.at(ch)
	return place{p.root, p.path + "<-"}
}

// chosen returns the block that runs if the select chooses state k, or nil.
func chosen(sel *ssa.Select, k int) *ssa.BasicBlock {
	for _, b := range sel.Parent().Blocks {
		if i := branch(b, func(v ssa.Value) bool { return v == sel.States[k].Chan }); i >= 0 {
			return b.Succs[i]
		}
	}
	return nil
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

// usedAfter reports whether an instruction that satisfies used can run after
// instruction n of b.
func usedAfter(b *ssa.BasicBlock, n int, used func(ssa.Instruction) bool) bool {
	if slices.ContainsFunc(b.Instrs[n:], used) {
		return true
	}
	for _, other := range b.Parent().Blocks {
		if reaches(b, other) && slices.ContainsFunc(other.Instrs, used) {
			return true
		}
	}
	return false
}
