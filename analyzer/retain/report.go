package retain

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

type finding struct {
	sink    sink
	origins []origin // in terms of the function with the sink
	callers []token.Pos
	sources []*ssa.Parameter
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

// names returns the expressions that outlive the handler, in terms of the
// function with the sink, and a hint what to do.
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
		hint = "write the response before the handler returns"
	default:
		hint = "copy the values it needs first, or use the request's Clone"
	}
	return names, hint
}

// describe returns a description of the assigned variable for messages.
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
	return "another object"
}

// shortName turns "(*golang.org/x/sync/errgroup.Group).Go" into
// "errgroup.Group.Go".
func shortName(full string) string {
	full = strings.NewReplacer("(*", "", ")", "", "[T]", "").Replace(full)
	return full[strings.LastIndexByte(full, '/')+1:]
}
