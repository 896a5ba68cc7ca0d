package muxmaster

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file compiles what is declared on a Mux, and on those mounted on it, into
// a program, from scratch: first it collects the routes and levels under the
// lock, then it wraps handlers and builds the trie without it.

// A compiler makes a program.
type compiler struct {
	*program
	mux       *Mux
	version   uint32 // of what is declared on mux
	draft     *draft // what to compile
	serving   bool   // the program will serve requests
	zoneOf    map[*level]*zone
	answering []*zone // those that respond to unmatched requests; that of mux comes first
	routes    []placed
	pre       chain

	builder trie.Builder[endpoint]
	names   map[string]*values.Names // by names and whether they are in a Ring
	texts   strings.Builder          // all patterns, which need less memory together
}

// newCompiler collects what m has, or what its origin has in d. serving says that
// the program is to serve requests: then it has responders, and the fields of the
// Muxes are read for the last time. The caller holds the lock.
func newCompiler(m *Mux, d *draft, serving bool) *compiler {
	decl := d.view(m.origin())
	p := &program{owner: &m.origin().owner, root: &plain, entry: m.entry, extras: &extras{mounted: decl.mounted}}
	pre, _ := decl.middleware.split()
	c := &compiler{program: p, mux: m, version: m.version, draft: d, serving: serving, pre: pre, zoneOf: map[*level]*zone{}, names: map[string]*values.Names{}}
	c.answering = append(c.answering, c.zone(m.level))
	list := decl.routes.list()
	c.routes = make([]placed, 0, len(list))
	for _, r := range list {
		c.routes = append(c.routes, placed{r, c.zone(r.level)})
	}
	for _, l := range decl.levels {
		// Not if all of its routes were removed, unless that emptied the mounted Mux.
		if !l.used || c.zoneOf[l] != nil || l.mux != nil && len(d.view(l.mux).routes.byKey) == 0 {
			c.answering = append(c.answering, c.zone(l))
		}
	}
	return c
}

// collect collects what is declared on m.
func (m *Mux) collect(serving bool) *compiler {
	defer m.live().lock().Unlock()
	m = m.live()
	m.draft.refresh()
	return newCompiler(m, m.draft, serving)
}

// zone returns the zone of a level.
func (c *compiler) zone(l *level) *zone {
	if z := c.zoneOf[l]; z != nil {
		return z
	}
	z := &zone{level: l, adds: c.draft.adds(l)}
	if l.parent != nil {
		z.outer = c.zone(l.parent)
		z.fields, z.region = z.outer.fields, z.outer.region
	}
	switch {
	case l.mux != nil:
		f := c.draft.view(l.mux).read(l.mux, c.serving)
		if f.redirectCase && c.folded == nil {
			c.folded = new(trie.Folded)
		}
		if z.outer != nil {
			f = f.inside(z.outer.fields)
		}
		z.fields = f
	case l.group != nil && (l.group.NotFound != nil || l.group.MethodNotAllowed != nil):
		f := *z.fields
		f.notFound, f.notAllowed = l.group.NotFound, l.group.MethodNotAllowed
		z.fields = f.or(z.fields)
	}
	if c.mux.draft == nil {
		z.responder = l.responder
	}
	z.index = uint32(len(c.zones))
	c.zoneOf[l], c.zones = z, append(c.zones, z)
	if l.owns {
		z.region = z.index + 1 // greater than those of the zones around
	}
	return z
}

// compile completes the program. It calls middleware, so the caller must not hold
// the lock.
func (c *compiler) compile() error {
	p := c.program
	p.zones = slices.Clip(slices.Clone(p.zones))
	total := 0
	for _, r := range c.routes {
		total += len(r.pattern)
	}
	c.texts.Grow(total)
	c.builder.Grow(len(c.routes))
	for _, r := range c.routes {
		if err := c.add(r); err != nil {
			return err
		}
	}
	if err := c.addFallbacks(); err != nil {
		return err
	}
	var err error
	if p.entry, err = c.respond(p.entry, c.pre, c.mux); err != nil {
		return fmt.Errorf("muxmaster: Pre: %w", err)
	}
	c.builder.BuildTo(&p.table)
	if p.folded != nil {
		p.folded.Build()
	}
	p.long, p.inPlace = values.Long, modes
	if root := c.answering[0]; root.poolValues || root.poolParams {
		p.buffer, p.inPlace = values.Ring, hasNames
	} else if p.table.MaxValues > values.MaxChunk {
		p.long = 0
	}
	if p.entry != nil || p.alwaysSlow() {
		p.slow = 1
	}
	if c.serving && len(p.urls)+len(p.originals)+len(p.mounted) == 0 {
		p.extras = &noExtras
	}
	return nil
}

var noExtras extras

// alwaysSlow reports whether all requests need serveGeneric.
func (p *program) alwaysSlow() bool { return p.table.HasHosts() || !values.Direct }

// add adds a route to the builder.
func (c *compiler) add(r placed) error {
	var h http.Handler
	var err error
	lazy := !c.serving && r.mounted != nil
	if lazy {
		h = lazyHandler{route: r.route}
	} else if h, err = r.wrapped(); err != nil {
		return err
	}
	e := endpoint{handler: h, zone: r.zone.index, site: r.site, order: r.order}
	flags := r.flags
	pooled := r.zone.poolValues
	f, fast := h.(fastHandler)
	if r.fast {
		pooled = r.zone.poolParams
	}
	if !pooled {
		flags |= unpooled
	}
	if lazy || len(r.zone.chain()) > 0 {
		if c.originals == nil {
			c.originals = map[uint32]http.Handler{}
		}
		c.originals[r.order] = r.original
	}
	if name := r.level.routeName(); name != "" {
		if c.urls == nil {
			c.urls = map[string]string{}
		}
		c.urls[name] = cmp.Or(c.urls[name], r.pattern)
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
		c.builder.Add(bare, trie.ShapeKey(bare, r.method), text, e, flags|trie.ImpliedBy(r.parsed))
		if c.folded != nil {
			c.folded.Add(bare, r.method)
		}
	}
	if c.folded != nil {
		c.folded.Add(r.parsed, r.method)
	}
	if r.root == bareSlash {
		flags |= trie.Root
	}
	c.builder.Add(r.parsed, r.key, text, e, flags)
	return nil
}

// wrapped returns the handler of r in the middleware of its Mux. For a mounted
// route, the first call puts the middleware around the mount around the handler.
func (r *route) wrapped() (h http.Handler, err error) {
	x := r.mounted
	if x == nil {
		return r.handler, nil
	}
	if h, err = x.inner.wrapped(); err != nil {
		return nil, err
	}
	if !x.wrapping.Lock() {
		return nil, errInMiddleware
	}
	defer x.wrapping.Unlock()
	if x.handler == nil {
		x.wrapping.Claim()
		if x.handler, err = x.chain.wrap(h); err != nil {
			return nil, fmt.Errorf("muxmaster: pattern %q: %w", r.pattern, err)
		}
	}
	return x.handler, nil
}

// errInMiddleware is the error of a request that needs what a middleware function
// has not returned yet.
var errInMiddleware = errors.New("muxmaster: a middleware function called ServeHTTP or Handler of a Mux whose handlers it wraps; " +
	"call them in the handler that the function returns")

// A lazyHandler stands for the handler of a mounted route in a program for
// inspection, which Mux.Handler wraps when it is asked for it: the middleware may
// inspect the Mux.
type lazyHandler struct {
	http.Handler // nil, because nothing calls it
	*route
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
		n = values.NewNames(c.owner, list, pooled)
		c.names[key] = n
	}
	return n
}

// outcomeName is the name of the hidden path value with the response.
const outcomeName = values.Hidden + "outcome"

// addFallbacks adds the fallbacks to the builder.
func (c *compiler) addFallbacks() error {
	inside := map[*zone]*zone{} // the first zone inside that owns the same prefix
	for _, z := range c.answering {
		for o := z.outer; z.owns && o != nil && o.prefix == z.prefix; o = o.outer {
			if o.owns {
				inside[o] = cmp.Or(inside[o], z)
			}
		}
	}
	for _, z := range c.answering {
		for inside[z] != nil {
			z = inside[z] // responds in its place
		}
		prefix, err := parsePrefix(z.prefix)
		must(err) // it was checked before
		e, chain := endpoint{zone: z.index}, z.chain()
		if len(chain) > 0 || z.notFound != nil || z.notAllowed != nil {
			e.names = values.NewNames(c.owner, append(slices.Clone(prefix.Names()), outcomeName), false)
		}
		if z.responder, err = c.respond(z.responder, chain, nil); err != nil {
			return fmt.Errorf("muxmaster: Use: %w", err)
		}
		if z.responder != nil {
			e.handler = z.responder.handler
		}
		switch {
		case z.outer != nil:
			c.builder.AddFallback(prefix, e, z.owns, int(z.region))
		case e.names != nil:
			c.root = &endpoint{zone: e.zone, names: e.names, handler: e.handler}
		}
	}
	return nil
}

// respond returns a responder in the middleware, for Pre middleware with the Mux.
// It returns old if that has the same middleware, and nil if there is no
// middleware or the program is for inspection only.
func (c *compiler) respond(old *responder, chain chain, pre *Mux) (_ *responder, err error) {
	if !c.serving || len(chain) == 0 {
		return nil, nil
	}
	if old != nil && slices.Equal(old.chain, chain) {
		return old, nil
	}
	f := &responder{chain: chain, pre: pre}
	f.handler, err = chain.wrap(f)
	return f, err
}

// publish makes the program that of its Mux, unless something was declared since c
// collected it. The caller holds the lock.
//
// If no other Mux is involved, the routes that were declared are discarded,
// because p has all that restore needs.
func (c *compiler) publish() {
	m, p := c.mux, c.program
	for _, z := range c.answering {
		if z.responder != nil {
			z.responder.zone.Store(z)
		}
		if m.draft == nil {
			z.level.responder = z.responder
		}
	}
	m.entry = p.entry
	if m.version != c.version {
		m.remember(p) // it serves the request that it was compiled for
		return
	}
	m.program.Store(p)
	m.peeked.Store(nil)
	if alone := len(m.mounted) == 0 && !slices.ContainsFunc(m.levels, func(l *level) bool { return l.mux != nil }); alone && m.draft == nil {
		m.routes, m.compiled = nil, p
	}
}
