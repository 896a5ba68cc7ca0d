package muxmaster

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file compiles what is declared on a Mux, and on those mounted on it, into
// a program, from scratch: first it collects the routes and levels under the
// lock, then it wraps handlers and builds the trie without it.

// A program serves requests. It is immutable.
type program struct {
	mux        *Mux
	base       trie.Tree[endpoint] // routes without a host; a copy of *table.Base that saves a load
	entry      http.Handler        // the router wrapped in Pre middleware; nil if there is none
	table      *trie.Table[endpoint]
	root       endpoint                // for unmatched requests below no Group and no mounted Mux
	responders map[*responder]*zone    // those with middleware
	urls       map[string]string       // patterns of the routes with a name, by name
	originals  map[uint32]http.Handler // handlers without middleware, by order; only if that differs

	// For serveParams.
	buffer  values.Kind
	slots   int  // slots that a request needs at most
	inPlace mode // routes of this mode keep their values in the Buffer
	long    int  // the path or request target from which on serveLong is used

	alwaysSlow bool // some routes have hosts, or values are not delivered directly

	// For Lookup.
	described sync.Map // from *trie.Route to Route
	index     sync.Once
	byPattern map[string][]*trie.Route[endpoint]
}

// An endpoint is the payload of a route in the trie, or of a fallback.
type endpoint struct {
	handler http.Handler  // wrapped in all middleware; for a fallback without any, nil
	names   *values.Names // parameter names; nil if there are none
	zone    *zone
	site    uintptr
	order   uint32
	mode    mode
}

// A mode says how an endpoint receives path values.
type mode uint8

const (
	hasNames mode = 1 << iota // the route has parameters
	unpooled                  // the storage for values is never reused
)

// stackValues is the number of values that serveLong collects on the stack.
const stackValues = 32

// A zone is a level at one place of a program: of its own Mux, or of one that is
// mounted, which has zones for each mount. Its fields are those that the Muxes
// and Groups had when the program was compiled.
type zone struct {
	level                *level
	outer                *zone  // the zone around; nil for the Mux's own
	prefix               string // the whole prefix
	pre, use             []func(http.Handler) http.Handler
	fast                 []FastMiddleware
	wraps                int    // number of pre and use here and further out
	stamp                uint32 // changes with them
	region               int    // see trie.Fallback
	owns                 bool
	redirectSlash        bool
	poolValues           bool
	poolParams           bool
	notFound, notAllowed http.Handler
}

// A compiler holds the state of one compilation.
type compiler struct {
	mux      *Mux
	draft    *Mux // compiled in place of its draftOf; may be nil
	serving  bool // the program will serve requests
	root     *zone
	zones    []*zone // those that respond to unmatched requests, but root
	routes   []placed
	preStamp uint32
	regions  int
	version  int // of the tree

	builder trie.Builder[endpoint]
	names   map[string]*values.Names // by names and whether they are in a Ring
}

// A placed is a route and its zone.
type placed struct {
	*route
	zone *zone
}

// newCompiler collects what is declared on m, or on draft in place of its Mux.
// serving says that the program is to serve requests. The caller holds the lock.
func newCompiler(m, draft *Mux, serving bool) *compiler {
	c := &compiler{mux: m, draft: draft, serving: serving, version: m.tree.Load().version, names: map[string]*values.Names{}}
	c.collect(m, nil, "", func(r *route) *route { return r })
	return c
}

// collect collects what is declared on m and on the Muxes mounted on it. If m is
// mounted itself, outer is the zone around it, and lift returns a route of m as
// the outermost Mux has it, or nil if it was removed there.
func (c *compiler) collect(m *Mux, outer *zone, prefix string, lift func(*route) *route) {
	if c.draft != nil && m == c.draft.draftOf {
		m = c.draft
	}
	m.recall()
	root := &zone{poolValues: true, poolParams: true}
	if outer != nil {
		*root = *outer
		c.regions++
		root.region, root.owns, root.pre = c.regions, true, m.pre
		c.zones = append(c.zones, root)
	} else {
		c.root, root.pre = root, m.pre
	}
	root.level, root.outer, root.prefix, root.use, root.fast = m.level, outer, prefix, m.use, m.level.fast
	root.stamp = max(root.stamp, m.level.stamp)
	if root.wraps += len(root.use); outer != nil {
		root.wraps, root.stamp = root.wraps+len(root.pre), max(root.stamp, m.preStamp)
	} else {
		c.preStamp = m.preStamp
	}
	f := m.readFields(c.serving)
	root.redirectSlash = f.redirectSlash
	root.poolValues = root.poolValues && f.poolValues
	root.poolParams = root.poolParams && f.poolParams
	root.notFound, root.notAllowed = or(f.notFound, root.notFound), or(f.notAllowed, root.notAllowed)

	known := map[*level]*zone{}
	for _, l := range m.answering {
		c.zones = append(c.zones, c.zoneOf(l, root, known))
	}
	for _, r := range m.routes {
		if x := lift(r); x != nil && !m.removed[r] {
			must(x.parse()) // it was parsed before
			c.routes = append(c.routes, placed{x, c.zoneOf(r.level, root, known)})
		}
	}
	for _, mnt := range m.mounts {
		c.collect(mnt.sub, c.zoneOf(mnt.level, root, known), prefix+mnt.prefix, func(r *route) *route {
			if r = mnt.routes[r]; r == nil || m.removed[r] {
				return nil
			}
			return lift(r)
		})
	}
	if outer == nil && len(m.mounts) > 0 {
		slices.SortStableFunc(c.routes, func(a, b placed) int { return byOrder(a.route, b.route) })
	}
}

// byOrder compares routes by the order of their registration.
func byOrder(a, b *route) int { return int(int32(a.order - b.order)) }

// zoneOf returns the zone of a level of the Mux with the zone root.
func (c *compiler) zoneOf(l *level, root *zone, known map[*level]*zone) *zone {
	if l.parent == nil {
		return root
	}
	if z := known[l]; z != nil {
		return z
	}
	outer := c.zoneOf(l.parent, root, known)
	z := new(zone)
	*z = *outer
	z.level, z.outer, z.pre, z.use, z.fast, z.owns = l, outer, nil, l.use, l.fast, l.owns
	z.prefix, z.wraps, z.stamp = root.prefix+l.prefix, outer.wraps+len(l.use), max(outer.stamp, l.stamp)
	if g := l.group; g != nil {
		z.notFound, z.notAllowed = or(g.NotFound, z.notFound), or(g.MethodNotAllowed, z.notAllowed)
	}
	if z.owns {
		c.regions++
		z.region = c.regions
	}
	known[l] = z
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
	p := &program{mux: c.mux}
	for _, r := range c.routes {
		if err := c.add(p, r); err != nil {
			return nil, err
		}
	}
	if err := c.addFallbacks(p); err != nil {
		return nil, err
	}
	p.table = c.builder.Build()
	p.base = *p.table.Base
	p.slots, p.long, p.inPlace = p.table.MaxValues, values.Long, hasNames|unpooled
	if c.root.poolValues || c.root.poolParams {
		p.buffer, p.inPlace = values.Ring, hasNames
	} else if p.slots > values.MaxChunk {
		p.long = 0
	}
	p.alwaysSlow = p.table.AlwaysSlow() || !values.Direct
	return p, nil
}

// addFallbacks adds the fallbacks to the builder. It holds a lock that requests
// may wait for, so it does nothing else.
func (c *compiler) addFallbacks(p *program) (err error) {
	c.mux.chaining.Lock()
	defer c.mux.chaining.Unlock()
	if p.root, err = c.fallback(p, c.root, new(pattern.Pattern)); err != nil {
		return err
	}
	for _, z := range c.zones {
		prefix, err := parsePrefix(z.prefix)
		must(err) // checkPrefix has checked it
		e, err := c.fallback(p, z, prefix)
		if err != nil {
			return err
		}
		c.builder.AddFallback(prefix, e, z.owns, z.region)
	}
	p.entry, err = c.mux.entryOf(c.root.pre, c.preStamp)
	return err
}

// add adds a route to the builder.
func (c *compiler) add(p *program, r placed) error {
	h, err := r.wrapped()
	if err != nil {
		return err
	}
	e := endpoint{handler: h, zone: r.zone, site: r.site, order: r.order}
	pooled := r.zone.poolValues
	if f, ok := h.(fastHandler); ok {
		pooled = r.zone.poolParams
		e.handler = &fastRoute{f, len(r.parsed.Names()), pooled}
	}
	if !pooled {
		e.mode |= unpooled
	}
	if r.zone.wraps > 0 || r.changed {
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
	list := r.parsed.Names()
	if len(list) > 0 {
		e.mode |= hasNames
		e.names = c.sharedNames(list, pooled)
	}
	flags := r.flags
	switch r.root {
	case bareSlash:
		flags |= trie.Root
		fallthrough
	case bareAll:
		bare, err := parse(strings.TrimSuffix(r.pattern, "/"), r.flags)
		must(err) // it is the pattern without its end
		c.builder.Add(bare, r.method, r.pattern, e, r.flags|trie.ImpliedBy(r.parsed))
	}
	c.builder.Add(r.parsed, r.method, r.pattern, e, flags)
	return nil
}

// sharedNames returns the Names for a list of parameter names. Routes with equal
// lists share one Names.
func (c *compiler) sharedNames(list []string, pooled bool) *values.Names {
	key := strings.Join(list, "/")
	if pooled {
		key += "/"
	}
	n := c.names[key]
	if n == nil {
		n = values.NewNames(c.mux.owner, list, pooled)
		c.names[key] = n
	}
	return n
}

// fallback returns the endpoint for unmatched requests in a zone with a prefix.
func (c *compiler) fallback(p *program, z *zone, prefix *pattern.Pattern) (e endpoint, err error) {
	e = endpoint{zone: z, names: values.NewNames(c.mux.owner, append(slices.Clone(prefix.Names()), outcomeName), false)}
	if z.wraps > 0 {
		f := c.mux.chainOf(z)
		if p.responders == nil {
			p.responders = map[*responder]*zone{}
		}
		p.responders[f] = z
		e.handler, err = f.wrap(z)
	}
	return e, err
}
