package muxmaster

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// A mount is a Mux mounted in a scope of another Mux.
type mount struct {
	scope  *scope
	prefix string            // includes the prefix of scope
	sub    *Mux              // the mounted Mux
	scopes map[*scope]*scope // from scopes of sub to their copies, see expandScope
}

// Pre adds middleware that runs for every request before routing. The first
// middleware is the outermost, and Pre middleware is outside all other
// middleware. It may change the path or the method of the request. If it passes
// on a copy of the request, middleware outside of it doesn't see the path
// values and the pattern.
//
// If the Mux is mounted on another Mux, its Pre middleware runs after routing,
// for the requests at or below the mount's prefix that this Mux responds to.
// Pre panics if the Mux is already mounted.
func (m *Mux) Pre(mw ...func(http.Handler) http.Handler) {
	m.requireNew()
	refuseNil("Pre", mw)
	registering.Lock()
	defer registering.Unlock()
	if len(m.mounted) > 0 {
		panic("muxmaster: Pre on a Mux that is mounted: its routes would bypass the middleware; call Pre before Mount")
	}
	m.pre = slices.Concat(m.pre, mw)
	m.publish(nil)
}

// Mount registers h for prefix and everything below it, for every method.
// Routes with a more specific pattern take precedence. h serves the prefix
// itself without a redirect, and it sees the unchanged path; use
// [http.StripPrefix] to remove the prefix.
//
// If h is a *Mux, its routes become routes of this Mux under the prefix,
// including those registered later. They are as fast as other routes, and their
// handlers also see the path values of the prefix. The mounted Mux also
// responds to all other requests at or below the prefix, inside its middleware,
// with its 404, 405, OPTIONS and redirect responses; a catch-all route of this
// Mux never gets them. Path values are pooled only if both Muxes enable it.
//
// Mount panics if prefix is not a valid path, h is nil, or a route conflicts.
func (s *scope) Mount(prefix string, h http.Handler) {
	s.requireNew()
	if isNil(h) {
		panic(fmt.Sprintf("muxmaster: Mount %q: the handler is nil", prefix))
	}
	if prefix == "" || prefix[0] != '/' {
		panic(fmt.Sprintf("muxmaster: Mount %q: the prefix must begin with /", prefix))
	}
	full := s.join(prefix)
	if g, ok := h.(*Group); ok {
		g.requireNew()
		h = g.mux
	}
	if sub, ok := h.(*Mux); ok {
		s.must(s.mount(full, sub))
		return
	}
	s.handleAll(h, 0, full, full+"/")
}

// handleAll registers h for all of the patterns, or panics. It ignores patterns
// without a path, because the root has no form without a slash. Only Mount and
// ServeSPA may call it, because it records the location of their caller.
func (s *scope) handleAll(h http.Handler, flags trie.Flags, texts ...string) {
	var regs []*registration
	for _, text := range texts {
		if !strings.Contains(text, "/") {
			continue
		}
		p, err := parse(text, flags)
		s.must(err)
		regs = append(regs, &registration{pattern: p, scope: s, unwrapped: h, site: site(1), flags: flags})
	}
	s.must(s.register(regs))
}

// mount adds the routes of sub to the scope's Mux.
func (s *scope) mount(prefix string, sub *Mux) error {
	sub.requireNew()
	registering.Lock()
	defer registering.Unlock()
	mnt := &mount{scope: s, prefix: prefix, sub: sub}
	err := commitAll(mnt.expandRoutes, func() int { return s.mux.countOuter() + len(sub.sites) + len(sub.scopes) + len(sub.pre) })
	if err != nil {
		return err
	}
	sub.mounted = append(sub.mounted, mnt)
	s.mux.mounts = append(s.mux.mounts, mnt)
	for _, inner := range sub.scopes {
		s.mux.addFallback(mnt.expandScope(inner))
	}
	return nil
}

// expandRoutes returns the expansions of all routes of mnt.sub. It returns an
// error if mnt.sub or its prefixes can't be mounted here.
func (mnt *mount) expandRoutes() ([]*registration, error) {
	if mnt.sub.contains(mnt.scope.mux) {
		return nil, fmt.Errorf("muxmaster: Mount %q: a Mux cannot be mounted within itself", mnt.prefix)
	}
	for _, inner := range mnt.sub.scopes {
		if err := mnt.scope.mux.checkPrefix(mnt.prefix + inner.prefix); err != nil {
			return nil, err
		}
	}
	routes := mnt.sub.uniqueRoutes()
	// In the order of registration, which decides between constraints.
	slices.SortStableFunc(routes, func(a, b *trie.Route[endpoint]) int { return cmp.Compare(a.Payload.seq, b.Payload.seq) })
	var regs []*registration
	for _, rt := range routes {
		reg, err := mnt.sub.registration(rt)
		if err != nil {
			return nil, err
		}
		regs = append(regs, reg)
	}
	return mnt.expandAll(regs)
}

// contains reports whether m is other or other is mounted on it, directly or
// indirectly.
func (m *Mux) contains(other *Mux) bool {
	if m == other {
		return true
	}
	return slices.ContainsFunc(m.mounts, func(mnt *mount) bool { return mnt.sub.contains(other) })
}

// countOuter counts the mounts of m, and those of the Muxes it is mounted on.
func (m *Mux) countOuter() (n int) {
	for _, mnt := range m.mounted {
		n += 1 + mnt.scope.mux.countOuter()
	}
	return n
}

// registration returns a registration that is equal to the one that added rt.
func (m *Mux) registration(rt *trie.Route[endpoint]) (*registration, error) {
	p, err := parse(rt.Pattern, rt.Flags)
	if err != nil {
		return nil, err
	}
	if p.Methods != nil {
		p.Methods = []string{m.methodName(rt.Method)}
	}
	e := &rt.Payload
	reg := &registration{pattern: p, scope: e.scope, unwrapped: e.handler, site: m.sites[e.seq], flags: rt.Flags & trie.Registered}
	if inner, ok := m.unwrapped[e.seq]; ok {
		reg.unwrapped = inner
	}
	return reg, nil
}

// expand returns regs and their expansions in the Muxes that m is mounted on.
func (m *Mux) expand(regs []*registration) ([]*registration, error) {
	all := regs
	for _, mnt := range m.mounted {
		outer, err := mnt.expandAll(regs)
		if err != nil {
			return nil, err
		}
		all = append(all, outer...)
	}
	return all, nil
}

// expandAll returns the expansions of registrations of mnt.sub in the Mux that
// it is mounted on, and in those that this one is mounted on.
func (mnt *mount) expandAll(regs []*registration) ([]*registration, error) {
	var outer []*registration
	for _, reg := range regs {
		path := reg.pattern.Path
		outerReg, err := mnt.expandOne(reg, path, 0)
		if err != nil {
			return nil, err
		}
		outer = append(outer, outerReg)
		if mnt.prefix != "" && (path == "/" || path == "/{$}") { // the bare prefix, without a redirect
			if outerReg, err = mnt.expandOne(reg, "", trie.ImpliedBy(reg.pattern)); err != nil {
				return nil, err
			}
			outer = append(outer, outerReg)
		}
	}
	return mnt.scope.mux.expand(outer)
}

// expandOne returns the expansion of a registration of mnt.sub in the Mux that
// it is mounted on: the same route with path below the mount's prefix.
func (mnt *mount) expandOne(reg *registration, path string, flags trie.Flags) (*registration, error) {
	text := reg.pattern.Text
	head := text[:len(text)-len(reg.pattern.Path)]
	p, err := parse(head+mnt.prefix+path, reg.flags)
	if err != nil {
		return nil, err
	}
	p.Methods = reg.pattern.Methods
	outerReg := &registration{pattern: p, scope: mnt.expandScope(reg.scope), unwrapped: reg.unwrapped, site: reg.site, flags: reg.flags | flags}
	return outerReg, nil
}

// expandScope returns the copy of sub, a scope of mnt.sub, in the outer Mux.
func (mnt *mount) expandScope(sub *scope) *scope {
	if s := mnt.scopes[sub]; s != nil {
		return s
	}
	s := &scope{mux: mnt.scope.mux, settings: sub.settings, group: sub.group, prefix: mnt.prefix + sub.prefix, expandedFrom: sub, ownsPrefix: sub.ownsPrefix}
	if sub.parent != nil {
		s.parent = mnt.expandScope(sub.parent)
	} else {
		s.parent, s.ownsPrefix = mnt.scope, true
	}
	if s.region = s.parent.region; s.ownsPrefix {
		s.mux.regions++
		s.region = s.mux.regions
	}
	if mnt.scopes == nil {
		mnt.scopes = map[*scope]*scope{}
	}
	mnt.scopes[sub] = s
	return s
}

// middleware returns the middleware that Use and UseFast added to s. For the
// copy of a mounted Mux's outermost scope, it also returns the Pre middleware
// of that Mux.
func (s *scope) middleware() (pre, use []func(http.Handler) http.Handler, fast []FastMiddleware) {
	if s.expandedFrom == nil {
		st := cmp.Or(s.stack.Load(), &stack{})
		return nil, st.use, st.fast
	}
	pre, use, fast = s.expandedFrom.middleware()
	if s.expandedFrom.parent == nil {
		pre = s.expandedFrom.mux.pre
	}
	return pre, use, fast
}
