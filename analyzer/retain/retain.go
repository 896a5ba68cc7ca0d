package retain

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name:     "retain",
	Doc:      "report requests and path parameters that outlive the handler they were given to",
	URL:      "https://pkg.go.dev/" + mux.Path + "/analyzer/retain",
	Run:      run,
	Requires: []*analysis.Analyzer{buildssa.Analyzer},
}

// A checker looks at one package. First it lists the sinks: the instructions by which a value outlives the function that
// executes them. Then it follows each value back to parameters; a handler's request is a finding, a parameter of another
// function makes its callers' arguments the values in question.
type checker struct {
	*flow
	pass    *analysis.Pass
	calls   map[*ssa.Function][]ssa.CallInstruction
	asValue map[types.Object]bool // functions that are more than called
	asked   map[question]bool
	found   map[token.Pos]*finding
	named   map[ast.Node]map[string]bool // variables that fixes declare, by the declaration around them
}

// A sink is where a value outlives the function.
type sink struct {
	ssa.Instruction
	pos    token.Pos
	how    string    // what becomes of the value, for the message
	into   ssa.Value // what keeps the value; nil if that outlives the call whatever it is
	values func() []origin
	ends   []place                    // where the goroutine signals its end
	done   func(ssa.Instruction) bool // reports that an instruction takes the value back
}

type question struct {
	ssa.Instruction
	origin
	into *ssa.Parameter
}

type finding struct {
	sink    sink
	origins []origin // in terms of the function with the sink
	callers []token.Pos
	sources []*ssa.Parameter
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	c := &checker{
		flow:    &flow{pkg: in.Pkg, recycled: recycle || recycles(in), made: make(map[*ssa.Function]*ssa.MakeClosure), summaries: make(map[summary][]origin)},
		pass:    pass,
		calls:   make(map[*ssa.Function][]ssa.CallInstruction),
		asValue: make(map[types.Object]bool),
		asked:   make(map[question]bool),
		found:   make(map[token.Pos]*finding),
		named:   make(map[ast.Node]map[string]bool),
	}
	fns := withInitializers(in)
	if !slices.ContainsFunc(fns, isHandler) {
		return nil, nil
	}
	instructions(fns, c.index)
	instructions(fns, func(in ssa.Instruction) {
		for _, s := range c.sinks(in) {
			if !s.pos.IsValid() {
				s.pos = in.Pos()
			}
			for _, o := range c.ask(s.values) {
				c.follow(s, o, o, in, s.into, s.ends, nil)
			}
		}
	})
	c.report()
	return nil, nil
}

// withInitializers lists the package's functions with the literals in the initializers of package variables.
func withInitializers(in *buildssa.SSA) []*ssa.Function {
	fns := slices.Clone(in.SrcFuncs)
	var literals func(fn *ssa.Function)
	literals = func(fn *ssa.Function) {
		fns = append(fns, fn)
		for _, l := range fn.AnonFuncs {
			literals(l)
		}
	}
	if init := in.Pkg.Func("init"); init != nil {
		literals(init)
	}
	return fns
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

// index notes where functions are made, called and used as values.
func (c *checker) index(in ssa.Instruction) {
	called := -1
	if call, ok := in.(ssa.CallInstruction); ok {
		if fn := c.callee(call.Common()); fn != nil {
			c.calls[fn] = append(c.calls[fn], call)
			called = 0
		}
	}
	if mc, ok := in.(*ssa.MakeClosure); ok {
		c.made[mc.Fn.(*ssa.Function)] = mc
	}
	for i, op := range in.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok && i != called && fn.Object() != nil {
			c.asValue[fn.Object()] = true
		}
	}
}

// sinks returns what the instruction lets outlive its function.
func (c *checker) sinks(in ssa.Instruction) []sink {
	switch in := in.(type) {
	case *ssa.Go:
		values := func() []origin { return c.started(in.Common()) }
		s := sink{Instruction: in, how: "can outlive the handler in this goroutine", values: values}
		s.ends = c.ends(in.Common(), c.ask(values), 0)
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

// calling returns the sinks of a call to a function of another package that keeps its arguments or runs them later.
func (c *checker) calling(in ssa.Instruction) []sink {
	common := callOf(in)
	name := fullName(common)
	if b, ok := common.Value.(*ssa.Builtin); ok && b.Name() == "copy" || name == "maps.Copy" {
		return []sink{{
			Instruction: in, how: "outlives the handler in what it is copied to", into: common.Args[0],
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
				return o != nil && forgets[fullName(o)] && c.at(o.Args[0]) == c.at(common.Args[0])
			},
		}}
	}
	return nil
}

// sent is the sink of a value that is sent to a channel. Who receives it may signal on a channel or WaitGroup in it.
func (c *checker) sent(in ssa.Instruction, ch, v ssa.Value) sink {
	return sink{
		Instruction: in, how: "outlives the handler on a channel", into: ch,
		values: func() []origin { return c.from(v) },
		ends:   c.signalsIn(v),
	}
}

// signalsIn lists the channels and WaitGroups in the fields of a struct that was just made.
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

// started returns the origins of what a new goroutine is given.
func (c *checker) started(common *ssa.CallCommon) []origin {
	all := c.from(common.Value)
	for _, arg := range common.Args {
		all = add(all, c.passed(common, arg)...)
	}
	return all
}

// follow decides about the sink s of a value with origin o, as seen from the instruction at: the sink itself, or the call
// that leads to it. first is the origin at the sink; into and ends are what s has, in terms of at's function.
func (c *checker) follow(s sink, first, o origin, at ssa.Instruction, into ssa.Value, ends []place, via []token.Pos) {
	h := o.param.Parent()
	if fn := at.Parent(); fn != h && !encloses(h, fn) {
		return // not h's doing: a variable around it that h puts something into
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
	q := question{s.Instruction, o, l.param}
	if c.asked[q] || len(via) > 8 || c.isSettled(s, at, h, ends) || c.inTest(s, into, h) {
		return
	}
	c.asked[q] = true
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
			origins = c.ask(func() []origin { return c.argument(call.Common(), o) })
		}
		for _, o := range origins {
			c.follow(s, first, o, call, into, outer, append(slices.Clip(via), call.Pos()))
		}
	}
}

// foreign reports whether a channel comes from where its lifetime can't be seen.
func (c *checker) foreign(ch ssa.Value) bool {
	switch c.at(ch).root.(type) {
	case *ssa.MakeChan, *ssa.Alloc, *ssa.Parameter:
		return false
	}
	return true
}

// isSettled reports whether the value is back before h returns: h, or a function literal of it on the way to the
// instruction at, waits for the goroutine or takes the value back.
func (c *checker) isSettled(s sink, at ssa.Instruction, h *ssa.Function, ends []place) bool {
	for fn := at.Parent(); ; fn = fn.Parent() {
		ends = append(ends, c.relayed(fn, ends)...)
		if fn == h {
			break
		}
	}
	wait := c.waitsFor(ends)
	done := func(in ssa.Instruction) bool { return len(ends) > 0 && wait(in) || s.done != nil && c.takesBack(s, in) }
	by := func(v ssa.Value) bool { return c.isOneOf(v, ends) }
	for {
		if c.settled(at, done, by) {
			return true
		}
		site := c.made[at.Parent()]
		if at.Parent() == h || site == nil {
			return false
		}
		at = site
	}
}

// takesBack reports whether the instruction undoes the sink, or defers a literal that does.
func (c *checker) takesBack(s sink, in ssa.Instruction) bool {
	if s.done(in) {
		return true
	}
	d, ok := in.(*ssa.Defer)
	if !ok {
		return false
	}
	fn := c.callee(d.Common())
	back := false
	if fn != nil {
		instructions([]*ssa.Function{fn}, func(in ssa.Instruction) { back = back || s.done(in) })
	}
	return back
}

// inTest reports whether the value goes to a variable or channel of the test around the handler, or to what the test has
// the handler for: a field of its receiver.
func (c *checker) inTest(s sink, into ssa.Value, h *ssa.Function) bool {
	if into == nil || !mux.IsTestFile(c.pass.Fset.Position(s.pos).Filename) {
		return false
	}
	switch root := c.at(into).root.(type) {
	case *ssa.Alloc:
		return encloses(root.Parent(), h) || slices.ContainsFunc(storesTo(root), func(s *ssa.Store) bool {
			p, ok := s.Val.(*ssa.Parameter)
			return ok && isReceiver(p)
		})
	case *ssa.Parameter:
		return isReceiver(root)
	case *ssa.MakeChan, *ssa.MakeMap:
		return encloses(root.Parent(), h)
	}
	return false
}

func (c *checker) note(s sink, first, source origin, via []token.Pos) {
	f := c.found[s.pos]
	if f == nil {
		f = &finding{sink: s}
		c.found[s.pos] = f
	}
	f.origins = add(f.origins, first)
	if len(via) > 0 {
		f.callers = append(f.callers, via[len(via)-1])
	}
	f.sources = append(f.sources, source.param)
}

func (c *checker) report() {
	all := make([]*finding, 0, len(c.found))
	for _, f := range c.found {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *finding) int { return cmp.Compare(a.sink.pos, b.sink.pos) })
	for _, f := range all {
		names, hint := f.names()
		how := f.sink.how
		if len(f.callers) > 0 {
			how = strings.Replace(how, "the handler", "the handler that calls this at "+mux.Position(c.pass.Fset, slices.Min(f.callers)), 1)
		}
		d := analysis.Diagnostic{Pos: f.sink.pos, Message: fmt.Sprintf("%s %s: %s", strings.Join(names, " and "), how, hint)}
		if len(f.callers) == 0 {
			d.SuggestedFixes = c.fixes(f)
		}
		c.pass.Report(d)
	}
}

// names returns what outlives the handler, as the function with the sink calls it, and what to do about it.
func (f *finding) names() (names []string, hint string) {
	for _, o := range f.origins {
		name := o.param.Name()
		if o.field >= 0 {
			name += "." + fieldName(deref(o.param.Type()), o.field)
		}
		names = append(names, name+o.what)
	}
	slices.Sort(names)
	names = slices.CompactFunc(names, func(a, b string) bool { return a == b || strings.HasPrefix(b, a+".") })
	last := names[0]
	switch {
	case slices.ContainsFunc(f.sources, func(p *ssa.Parameter) bool { return mux.IsParams(p.Type()) }):
		hint = "clone the parameters first"
	case strings.HasSuffix(last, ".Body"):
		hint = "read the body first, with io.ReadAll"
	case strings.HasSuffix(last, ".URL"):
		hint = "copy the URL first"
	case strings.HasSuffix(last, ".Header"), strings.HasSuffix(last, ".Header()"):
		hint = "clone the header first"
	case mux.IsResponseWriter(f.origins[0].param.Type()) && len(names) == 1:
		hint = "answer before the handler returns"
	default:
		hint = "copy the values it needs first, or use the request's Clone"
	}
	return names, hint
}

// describe names the kind of variable that is assigned to.
func (c *checker) describe(p place, addr ssa.Value) string {
	if e, ok := addr.(*ssa.IndexAddr); ok {
		return "an element of " + c.describe(c.at(e.X), e.X)
	}
	switch root := p.root.(type) {
	case *ssa.Global:
		return "package variable " + root.Name()
	case *ssa.Alloc:
		if p.path == "" && root.Comment != "" {
			return "variable " + root.Comment
		}
	}
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		return "field " + fieldName(deref(fa.X.Type()), fa.Field)
	}
	return "what it is stored in"
}

// shortName turns "(*golang.org/x/sync/errgroup.Group).Go" into "errgroup.Group.Go".
func shortName(full string) string {
	full = strings.NewReplacer("(*", "", ")", "", "[T]", "").Replace(full)
	return full[strings.LastIndexByte(full, '/')+1:]
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
