package muxmaster

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file compiles what is declared on a Mux, and on those mounted on it, into
// a program, from scratch: first it collects the routes and levels under the
// lock, then it wraps handlers and builds the trie without it.

// A program serves requests. It is immutable.
type program struct {
	mux       *Mux
	base      trie.Tree[endpoint] // routes without a host; it is table.Base, and saves a load here
	entry     http.Handler        // the router wrapped in Pre middleware; nil if there is none
	table     *trie.Table[endpoint]
	folded    *trie.Folded            // nil if no Mux has RedirectCase
	root      endpoint                // for unmatched requests below no Group and no mounted Mux
	urls      map[string]string       // patterns of the routes with a name, by name
	originals map[uint32]http.Handler // handlers without middleware, by order; only if that differs
	zones     []*zone

	// For serveParams.
	buffer  values.Kind
	slots   int        // slots that a request needs at most
	inPlace trie.Flags // of the routes that keep their values in the Buffer, see modes
	long    int        // the path or request target from which on serveLong is used

	serving    bool // it serves requests; if not, fields may change before the first one
	alwaysSlow bool // some routes have hosts, or values are not delivered directly
	slow       int  // not 0 if ServeHTTP must not use its fast path

	// For peek and Lookup.
	muxes     []*zone
	described sync.Map // from *trie.Route to Route
	index     sync.Once
	byPattern map[string][]*trie.Route[endpoint]
}

// An endpoint is the payload of a route in the trie, or of a fallback.
type endpoint struct {
	handler http.Handler  // wrapped in all middleware; for a fallback without any, nil
	names   *values.Names // parameter names; nil if there are none
	site    uintptr
	order   uint32
	zone    uint32 // index in program.zones
}

// These flags say how a route receives path values.
const (
	hasNames trie.Flags = 1 << (iota + 8) // it has parameters
	unpooled                              // the storage for values is never reused
	modes    = hasNames | unpooled
)

// stackValues is the number of values that serveLong collects on the stack.
const stackValues = 32

// A zone is a level of a program, with what it had when the program was compiled.
type zone struct {
	*level
	middleware
	index                uint32 // in program.zones
	outer                *zone  // the zone around; nil for the Mux's own
	pre                  []func(http.Handler) http.Handler
	wraps                int // number of middleware functions here and further out
	region               int // see trie.Fallback
	redirects            redirects
	poolValues           bool
	poolParams           bool
	notFound, notAllowed http.Handler
	answers              *responder // nil if there is no middleware
}

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

	builder trie.Builder[endpoint]
	names   map[string]*values.Names // by names and whether they are in a Ring
	texts   strings.Builder          // all patterns, which need less memory together
}

// A placed is a route and its zone.
type placed struct {
	*route
	zone *zone
}

// newCompiler collects what is declared on m, and what st adds to that. serving
// says that the program is to serve requests. The caller holds the lock.
func newCompiler(m *Mux, st stage, serving bool) *compiler {
	c := &compiler{mux: m, version: m.version, stage: st, serving: serving, zones: map[*level]*zone{}, names: map[string]*values.Names{}}
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
	z := &zone{poolValues: true, poolParams: true}
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
		f := d.read(c.serving)
		z.redirects = f.redirects
		z.poolValues, z.poolParams = z.poolValues && f.poolValues, z.poolParams && f.poolParams
		z.notFound, z.notAllowed = or(f.notFound, z.notFound), or(f.notAllowed, z.notAllowed)
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

// or returns h, or other if h is nil.
func or(h, other http.Handler) http.Handler {
	if isNil(h) {
		return other
	}
	return h
}

// isNil reports whether h is nil, or a nil value of a type that is often
// registered.
func isNil(h http.Handler) bool {
	switch h := h.(type) {
	case nil:
		return true
	case *Mux:
		return h == nil
	case *Group:
		return h == nil
	case *http.ServeMux:
		return h == nil
	}
	v := reflect.ValueOf(h)
	return v.Kind() == reflect.Func && v.IsNil()
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

// addFallbacks adds the fallbacks to the builder. It holds a lock that requests
// may wait for, so it does nothing else.
func (c *compiler) addFallbacks(p *program) (err error) {
	c.mux.chaining.Lock()
	defer c.mux.chaining.Unlock()
	for _, z := range c.answering {
		prefix, err := parsePrefix(z.prefix)
		must(err) // addLevel has checked it
		e := endpoint{zone: z.index, names: values.NewNames(c.mux.owner, append(slices.Clone(prefix.Names()), outcomeName), false)}
		if z.wraps > 0 {
			if e.handler, err = c.mux.answer(z); err != nil {
				return err
			}
		}
		if z.outer == nil {
			p.root = e
		} else {
			c.builder.AddFallback(prefix, e, z.owns, z.region)
		}
	}
	p.entry, err = c.mux.entryOf(c.answering[0].pre, c.preStamp)
	return err
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
		p.urls[name] = r.pattern
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
