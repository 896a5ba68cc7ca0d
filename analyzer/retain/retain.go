// Package retain defines a check for handlers that retain the request or its
// path parameters. docs/checks.md of the router describes it.
package retain

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name: "retain",
	Doc:  "report requests and path parameters that outlive the handler they were given to",
	URL:  mux.Docs + "#retain",
	Run:  run,
}

// recycle is the flag -retain.recycle.
var recycle bool

func init() {
	Analyzer.Flags.BoolVar(&recycle, "recycle", false, "check for engine.Server.Recycle in every package, not only where it is set")
}

// A checker checks one package. First it lists the sinks: the instructions with
// which a value can outlive the function that executes them. Then it traces
// each value back to parameters. If that is a handler's request, it is a
// finding. If it is a parameter of another function, the checker continues with
// the arguments of its callers.
type checker struct {
	*flow
	pass    *analysis.Pass
	calls   map[*ssa.Function][]ssa.CallInstruction
	asValue map[types.Object]bool // functions that are used as values
	checked map[sinkKey]bool
	found   map[token.Pos]*finding
	named   map[ast.Node]map[string]bool // variables that fixes declare, by declaration
}

type sinkKey struct {
	ssa.Instruction
	origin
	into *ssa.Parameter
}

func run(pass *analysis.Pass) (any, error) {
	pkg, fns := build(pass)
	c := &checker{
		flow:    &flow{pkg: pkg, recycled: recycle || mux.Recycles(pass), closures: make(map[*ssa.Function]*ssa.MakeClosure), summaries: make(map[summary][]origin), holds: make(map[types.Type]bool), waiting: make(map[followed]bool)},
		pass:    pass,
		calls:   make(map[*ssa.Function][]ssa.CallInstruction),
		asValue: make(map[types.Object]bool),
		checked: make(map[sinkKey]bool),
		found:   make(map[token.Pos]*finding),
		named:   make(map[ast.Node]map[string]bool),
	}
	if !slices.ContainsFunc(fns, isHandler) {
		return nil, nil
	}
	instructions(fns, c.index)
	served := make(map[*ssa.Function]bool)
	for _, fn := range fns {
		if isHandler(fn) {
			c.addCalled(served, fn)
		}
	}
	fns = slices.DeleteFunc(fns, func(fn *ssa.Function) bool { return !served[fn] })
	instructions(fns, func(in ssa.Instruction) {
		for _, s := range c.sinks(in) {
			if !s.pos.IsValid() {
				s.pos = in.Pos()
			}
			for _, o := range s.values {
				c.follow(s, o, o, in, s.into, s.ends, nil)
			}
		}
	})
	c.report()
	return nil, nil
}

// addCalled adds fn, the literals in it and the functions that they call.
func (c *checker) addCalled(all map[*ssa.Function]bool, fn *ssa.Function) {
	if fn == nil || all[fn] {
		return
	}
	all[fn] = true
	for _, l := range fn.AnonFuncs {
		c.addCalled(all, l)
	}
	instructions([]*ssa.Function{fn}, func(in ssa.Instruction) {
		if call, ok := in.(ssa.CallInstruction); ok {
			c.addCalled(all, c.callee(call.Common()))
		}
	})
}

// withLiterals returns the function and the literals in it.
func withLiterals(fn *ssa.Function) []*ssa.Function {
	all := []*ssa.Function{fn}
	for _, l := range fn.AnonFuncs {
		all = append(all, withLiterals(l)...)
	}
	return all
}

// contains reports whether an instruction of fn satisfies is.
func contains(fn *ssa.Function, is func(ssa.Instruction) bool) bool {
	return fn != nil && slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, is) })
}

func instructions(fns []*ssa.Function, visit func(ssa.Instruction)) {
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				visit(in)
			}
		}
	}
}

// index records closures, calls of functions, and functions used as values.
func (c *checker) index(in ssa.Instruction) {
	called := -1
	if call, ok := in.(ssa.CallInstruction); ok {
		if fn := c.callee(call.Common()); fn != nil {
			c.calls[fn] = append(c.calls[fn], call)
			called = 0
		}
	}
	if mc, ok := in.(*ssa.MakeClosure); ok {
		c.closures[mc.Fn.(*ssa.Function)] = mc
	}
	for i, op := range in.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok && i != called && fn.Object() != nil {
			c.asValue[fn.Object()] = true
		}
	}
}

// follow checks the sink s of a value with origin o, as seen from the
// instruction at: the sink itself, or a call that leads to it. first is the
// origin at the sink. into and ends are the fields of s in terms of the
// function of at.
func (c *checker) follow(s sink, first, o origin, at ssa.Instruction, into ssa.Value, ends []place, via []token.Pos) {
	h := o.param.Parent()
	if fn := at.Parent(); fn != h && !encloses(h, fn) {
		return // the sink is in a function around h
	}
	var l lifetime
	if into == nil {
		l.outlives = true
	} else if l = c.life(into, h, make(map[ssa.Value]bool)); !l.outlives && l.param == nil {
		if _, ok := s.Instruction.(*ssa.Send); !ok || !c.foreign(into) {
			return
		}
		l.outlives = true
	}
	q := sinkKey{s.Instruction, o, l.param}
	if c.checked[q] || len(via) > 8 || c.endsBeforeReturn(s, at, h, ends) || c.inTest(s) {
		return
	}
	c.checked[q] = true
	if c.isSource(o.param) && l.outlives {
		c.note(s, first, o, via)
		return
	}
	for _, call := range c.calls[h] {
		args := call.Common().Args
		into := into
		if l.param != nil {
			if l.param.Parent() != h || paramIndex(l.param) >= len(args) {
				continue
			}
			into = args[paramIndex(l.param)]
		} else {
			into = nil
		}
		outer := c.outer(ends, h, call.Common())
		origins := []origin{o}
		if !c.isSource(o.param) {
			origins = c.search(func() []origin { return c.argument(call.Common(), o) })
		}
		for _, o := range origins {
			c.follow(s, first, o, call, into, outer, append(slices.Clip(via), call.Pos()))
		}
	}
}

// foreign reports whether the lifetime of a channel is unknown.
func (c *checker) foreign(ch ssa.Value) bool {
	switch c.at(ch).root.(type) {
	case *ssa.MakeChan, *ssa.Alloc, *ssa.Parameter:
		return false
	}
	return true
}

// endsBeforeReturn reports whether the sink no longer holds the value when h
// returns: h, or one of its literals that contain the instruction at, waits for
// the goroutine or removes the value.
func (c *checker) endsBeforeReturn(s sink, at ssa.Instruction, h *ssa.Function, ends []place) bool {
	for fn := at.Parent(); ; fn = fn.Parent() {
		ends = append(ends, c.relayed(fn, ends)...)
		if fn == h {
			break
		}
	}
	wait := c.waitsFor(ends)
	done := func(in ssa.Instruction) bool {
		return len(ends) > 0 && wait(in) || s.into != nil && c.removed(in, c.at(s.into))
	}
	by := func(v ssa.Value) bool { return c.isOneOf(v, ends) }
	for {
		if settled(at, done, by) {
			return true
		}
		site := c.closures[at.Parent()]
		if at.Parent() == h || site == nil {
			return false
		}
		at = site
	}
}

// removed reports whether the instruction sets the variable at p to its zero
// value or removes something from it, or defers a function that does.
func (c *checker) removed(in ssa.Instruction, p place) bool {
	if s, ok := in.(*ssa.Store); ok {
		return isZero(s.Val) && c.at(s.Addr) == p
	}
	common := callOf(in)
	if common == nil {
		return false
	}
	b, ok := common.Value.(*ssa.Builtin)
	if ok && (b.Name() == "delete" || b.Name() == "clear") || removes[fullName(common)] {
		return c.at(common.Args[0]) == p
	}
	if _, deferred := in.(*ssa.Defer); !deferred {
		return false
	}
	fns := []*ssa.Function{c.callee(common)}
	if start, ok := common.Value.(*ssa.Call); ok { // end := start(r); defer end()
		if fn := c.callee(start.Common()); fn != nil {
			for _, v := range returns(fn, 0) {
				if mc, ok := v.(*ssa.MakeClosure); ok {
					fns = append(fns, mc.Fn.(*ssa.Function))
				}
			}
		}
	}
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		return contains(fn, func(in ssa.Instruction) bool { return c.removed(in, p) })
	})
}

// inTest reports whether a test stores or sends the value, often to inspect it
// after the handler has returned.
func (c *checker) inTest(s sink) bool {
	return s.into != nil && strings.HasSuffix(c.pass.Fset.Position(s.pos).Filename, "_test.go")
}

func callOf(in ssa.Instruction) *ssa.CallCommon {
	switch in := in.(type) {
	case *ssa.Call:
		return in.Common()
	case *ssa.Defer:
		return in.Common()
	}
	return nil
}
