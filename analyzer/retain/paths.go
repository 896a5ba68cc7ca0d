package retain

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// This file follows the paths through the blocks of a function.

// settled reports whether every path from the instruction to a return of its
// function passes an instruction that satisfies done, or whether such an
// instruction was deferred before. A path also counts if a select receives from
// a channel that satisfies by. A loop with such an instruction counts even if
// it may run zero times, because the check can't compare the number of
// iterations with the number of started goroutines.
func settled(from ssa.Instruction, done func(ssa.Instruction) bool, by func(ssa.Value) bool) bool {
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
		settles := branch(b, by)
		for i, s := range b.Succs {
			if i == settles || seen[s] {
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
