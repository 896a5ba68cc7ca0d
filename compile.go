package muxmaster

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file compiles what is declared on a Mux, and on those mounted on it, into
// a program, from scratch: first it collects the routes and levels under the
// lock, then it wraps handlers and builds the trie without it.

// A compiler holds the state of one compilation.
type compiler struct {
	mux       *Mux
	version   int   // of what is declared on mux
	stage     stage // what is not applied yet
	serving   bool  // the program will serve requests
	zones     map[*level]*zone
	list      []*zone // all zones
	answering []*zone // those that respond to unmatched requests; that of mux comes first
	muxes     []*zone // those of Muxes
	routes    []placed
	preStamp  uint32
	regions   int
	kept      // begins with what earlier programs have

	builder trie.Builder[endpoint]
	names   map[string]*values.Names // by names and whether they are in a Ring
	texts   strings.Builder          // all patterns, which need less memory together
}

// newCompiler collects what is declared on m, and what st adds to that. serving
// says that the program is to serve requests. The caller holds the lock.
func newCompiler(m *Mux, st stage, serving bool) *compiler {
	c := &compiler{mux: m, version: m.version, stage: st, serving: serving, kept: kept{maps.Clone(m.responders), m.entry}, zones: map[*level]*zone{}, names: map[string]*values.Names{}}
	if c.responders == nil {
		c.responders = map[*level]*responder{}
	}
	d := c.has(m)
	c.preStamp = d.preStamp
	c.answering = append(c.answering, c.zone(m.level))
	for _, l := range d.levels {
		c.answering = append(c.answering, c.zone(l))
	}
	for _, r := range d.list() {
		c.routes = append(c.routes, placed{r, c.zone(r.level)})
	}
	return c
}

// has returns what the Mux of a level will have.
func (c *compiler) has(m *Mux) *staged { return c.stage.has(c.mux.instead(m)) }

// zone returns the zone of a level.
func (c *compiler) zone(l *level) *zone {
	if z := c.zones[l]; z != nil {
		return z
	}
	z := &zone{fields: fields{poolValues: true, poolParams: true}}
	if l.parent != nil {
		outer := c.zone(l.parent)
		*z = *outer
		z.outer = outer
	}
	stamp := z.stamp
	z.level, z.pre, z.middleware = l, nil, cmp.Or(l.of, l).middleware
	switch {
	case l.mux != nil:
		d := c.has(l.mux)
		z.middleware = d.middleware
		if z.pre = d.pre; z.outer != nil {
			stamp, z.wraps = max(stamp, d.preStamp), z.wraps+len(d.pre)
		}
		z.fields = d.read(c.serving).inside(z.fields)
		c.muxes = append(c.muxes, z)
	case l.group != nil:
		z.notFound, z.notAllowed = or(l.group.NotFound, z.notFound), or(l.group.MethodNotAllowed, z.notAllowed)
	}
	z.stamp = max(stamp, z.stamp)
	z.wraps += len(z.use) + len(z.fast)
	if l.owns {
		c.regions++
		z.region = c.regions
	}
	z.index = uint32(len(c.list))
	c.zones[l], c.list = z, append(c.list, z)
	return z
}

func (m *Mux) readFields() fields {
	return fields{m.PoolRequestBundle, m.PoolFastParams, redirects{m.RedirectTrailingSlash, m.RedirectCase}, m.NotFound, m.MethodNotAllowed}
}

func (m *Mux) setFields(f fields) {
	m.PoolRequestBundle, m.PoolFastParams = f.poolValues, f.poolParams
	m.RedirectTrailingSlash, m.RedirectCase = f.redirects.slash, f.redirects.letters
	m.NotFound, m.MethodNotAllowed = f.notFound, f.notAllowed
}

// read returns the fields of the Mux as they were first read. keep says that this
// is the first time.
func (d *declared) read(keep bool) fields {
	if d.fields != nil {
		return *d.fields
	}
	f := d.self.readFields()
	if keep {
		d.fields = &f
	}
	return f
}

// inside returns the fields that apply to a Mux mounted inside of another one.
func (f fields) inside(outer fields) fields {
	f.poolValues, f.poolParams = f.poolValues && outer.poolValues, f.poolParams && outer.poolParams
	f.notFound, f.notAllowed = or(f.notFound, outer.notFound), or(f.notAllowed, outer.notAllowed)
	return f
}

// compile returns the program. It calls middleware, so the caller must not hold
// the lock.
func (c *compiler) compile() (*program, error) {
	p := &program{mux: c.mux, zones: slices.Clip(c.list), serving: c.serving}
	if !c.serving {
		p.muxes = c.muxes
	}
	total := 0
	for _, r := range c.routes {
		total += len(r.pattern)
	}
	c.texts.Grow(total)
	if slices.ContainsFunc(c.muxes, func(z *zone) bool { return z.redirects.letters }) {
		p.folded = new(trie.Folded)
	}
	for _, r := range c.routes {
		if err := c.add(p, r); err != nil {
			return nil, err
		}
	}
	if err := c.addFallbacks(p); err != nil {
		return nil, err
	}
	if err := c.addEntry(p); err != nil {
		return nil, err
	}
	p.table = c.builder.Build()
	if p.folded != nil {
		p.folded.Build()
	}
	p.base = *p.table.Base
	p.table.Base = &p.base
	p.slots, p.long, p.inPlace = p.table.MaxValues, values.Long, modes
	if root := c.answering[0]; root.poolValues || root.poolParams {
		p.buffer, p.inPlace = values.Ring, hasNames
	} else if p.slots > values.MaxChunk {
		p.long = 0
	}
	p.alwaysSlow = p.table.HasHosts() || !values.Direct
	if p.alwaysSlow || p.entry != nil || !p.serving {
		p.slow = 1
	}
	return p, nil
}

// add adds a route to the builder.
func (c *compiler) add(p *program, r placed) error {
	h, _, err := r.wrapped(r.zone)
	if err != nil {
		return err
	}
	e := endpoint{handler: h, zone: r.zone.index, site: r.site, order: r.order}
	flags := r.flags
	pooled := r.zone.poolValues
	f, fast := h.(fastHandler)
	if fast {
		pooled = r.zone.poolParams
	}
	if !pooled {
		flags |= unpooled
	}
	if r.zone.wraps > 0 {
		if p.originals == nil {
			p.originals = map[uint32]http.Handler{}
		}
		p.originals[r.order] = r.original
	}
	if name := r.level.routeName(); name != "" {
		if p.urls == nil {
			p.urls = map[string]string{}
		}
		p.urls[name] = cmp.Or(p.urls[name], r.pattern)
	}
	from := c.texts.Len()
	c.texts.WriteString(r.pattern)
	text := c.texts.String()[from:]
	list := r.parsed.Names()
	if len(list) > 0 {
		flags |= hasNames
		e.names = c.sharedNames(list, text, pooled)
	}
	if fast {
		e.handler = &fastRoute{f, e.names, slices.Clone(list), pooled}
	}
	if r.root != notBare {
		bare, err := parse(strings.TrimSuffix(r.pattern, "/"), r.flags)
		must(err) // it is the pattern without its end
		c.builder.Add(bare, r.method, text, e, flags|trie.ImpliedBy(r.parsed))
		if p.folded != nil {
			p.folded.Add(bare, r.method)
		}
	}
	if p.folded != nil {
		p.folded.Add(r.parsed, r.method)
	}
	if r.root == bareSlash {
		flags |= trie.Root
	}
	c.builder.Add(r.parsed, r.method, text, e, flags)
	return nil
}

// sharedNames returns the Names for a list of parameter names, which are in text.
// Routes with equal lists share one Names.
func (c *compiler) sharedNames(list []string, text string, pooled bool) *values.Names {
	key := strings.Join(list, "/")
	if pooled {
		key += "/"
	}
	n := c.names[key]
	if n == nil {
		list = slices.Clone(list)
		for i, name := range list { // those of list would retain another text
			at := strings.Index(text, name)
			list[i] = text[at : at+len(name)]
		}
		n = values.NewNames(c.mux.owner, list, pooled)
		c.names[key] = n
	}
	return n
}

// addFallbacks adds the fallbacks to the builder.
func (c *compiler) addFallbacks(p *program) error {
	for _, z := range c.answering {
		prefix, err := parsePrefix(z.prefix)
		must(err) // addLevel has checked it
		e := endpoint{zone: z.index}
		if z.wraps > 0 || z.notFound != nil || z.notAllowed != nil {
			e.names = values.NewNames(c.mux.owner, append(slices.Clone(prefix.Names()), outcomeName), false)
		}
		if z.wraps > 0 {
			z.responder = c.responders[z.level]
			if z.responder == nil || z.responder.stamp != z.stamp {
				if z.responder, err = newResponder(z); err != nil {
					return err
				}
				c.responders[z.level] = z.responder
			}
			e.handler = z.responder.handler
		}
		if z.outer == nil {
			p.root = e
		} else {
			c.builder.AddFallback(prefix, e, z.owns, z.region)
		}
	}
	return nil
}

// newResponder returns a responder in the middleware of z and of the zones around
// it.
func newResponder(z *zone) (f *responder, err error) {
	f = &responder{stamp: z.stamp}
	h := http.Handler(f)
	for ; z != nil && err == nil; z = z.outer {
		if h, err = wrapAll(z.use, h, true); err == nil && z.outer != nil {
			h, err = wrapAll(z.pre, h, false)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("muxmaster: Use: %w", err)
	}
	f.handler = h
	return f, nil
}

// addEntry sets the router in Pre middleware, if there is any.
func (c *compiler) addEntry(p *program) (err error) {
	m, root := c.mux, c.answering[0]
	if len(root.pre) == 0 {
		return nil
	}
	if c.entry == nil || c.entry.stamp != c.preStamp {
		c.entry = &responder{stamp: c.preStamp}
		c.entry.handler, err = wrapAll(root.pre, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.current().serve(w, r) }), false)
		if err != nil {
			return fmt.Errorf("muxmaster: Pre: %w", err)
		}
	}
	p.entry = c.entry.handler
	return nil
}

// publish makes p the program of its Mux, unless something was declared since c
// collected it. The caller holds the lock.
//
// If no other Mux is involved, the routes that were declared are discarded,
// because p has all that recall needs.
func (c *compiler) publish(p *program) {
	m := c.mux
	if !p.serving && m.serving() != nil {
		return
	}
	for _, z := range c.answering {
		if p.serving && z.responder != nil {
			z.responder.zone.Store(z)
		}
	}
	m.kept = c.kept
	if m.version != c.version {
		return
	}
	m.program.Store(p)
	if p.serving && m.draft == nil && len(m.tree.Load().members) == 1 {
		m.routes, m.compiled = nil, p
	}
}
