package muxmaster

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// A mount is a Mux under a prefix of a scope.
type mount struct {
	scope  *scope
	prefix string // with the scope's
	sub    *Mux
	scopes map[*scope]*scope // see expandScope
}

// Pre adds middleware that runs on every request before it is routed, outside of
// all other middleware; the first one outermost. It may change the path or the
// method of the request. Middleware that passes on a copy of the request hides
// path values and pattern from those outside of it.
//
// If the Mux is mounted on another one, its Pre middleware runs for the requests
// that it serves or answers, after they were routed. Call Pre before Mount then.
func (m *Mux) Pre(mw ...func(http.Handler) http.Handler) {
	m.requireNew()
	for _, f := range mw {
		if f == nil {
			panic("muxmaster: Pre: the middleware is nil")
		}
	}
	registering.Lock()
	defer registering.Unlock()
	if len(m.mounted) > 0 {
		panic("muxmaster: Pre on a Mux that is mounted: its routes would escape the middleware; call Pre before Mount")
	}
	m.pre = append(m.pre, mw...)
	m.preChanged = true
	m.snapshot.Store(nil)
}

// Mount lets h serve the prefix and everything below it, for every method, except
// what a route with a more specific pattern serves. The bare prefix needs no
// redirect. h sees the path unchanged; compose with [http.StripPrefix] to strip
// the prefix.
//
// The routes of a *Mux, those that it has and those that it gets later, become
// routes under the prefix: finding them costs no more, and their handlers find
// the path values of the prefix too. Everything else at or below the prefix is
// answered by that Mux as well, inside its middleware: its 404, 405, OPTIONS and
// redirect answers, never a catch-all further up. Path values are pooled only if
// both Muxes say so.
//
// Mount panics if the prefix is not a path, h is nil, or a route conflicts.
func (s *scope) Mount(prefix string, h http.Handler) {
	s.requireNew()
	if isNil(h) {
		panic(fmt.Sprintf("muxmaster: Mount %q: the handler is nil", prefix))
	}
	if prefix == "" || prefix[0] != '/' {
		panic(fmt.Sprintf("muxmaster: Mount %q: the prefix must begin with /", prefix))
	}
	full := s.join(prefix)
	if sub, ok := h.(*Mux); ok {
		s.must(s.mount(full, sub))
		return
	}
	var regs []*registration
	for _, text := range []string{full, full + "/"} {
		if text == "" {
			continue // the root: all of it is below
		}
		p, err := parse(text, 0)
		s.must(err)
		regs = append(regs, &registration{pattern: p, scope: s, unwrapped: h, site: site(0)})
	}
	s.must(s.register(regs))
}

// mount makes the routes of sub routes of the scope's Mux.
func (s *scope) mount(prefix string, sub *Mux) error {
	sub.requireNew()
	registering.Lock()
	defer registering.Unlock()
	if sub.contains(s.mux) {
		return fmt.Errorf("muxmaster: Mount %q: a Mux cannot be mounted within itself", prefix)
	}
	mnt := &mount{scope: s, prefix: prefix, sub: sub}
	var regs []*registration
	for _, rt := range sub.uniqueRoutes() {
		reg, err := sub.registration(rt)
		if err != nil {
			return err
		}
		regs = append(regs, reg)
	}
	for _, inner := range sub.scopes {
		if _, err := parsePrefix(prefix + inner.prefix); err != nil {
			return fmt.Errorf("muxmaster: prefix %q: %w", prefix+inner.prefix, err)
		}
	}
	all, err := mnt.expandAll(regs)
	if err == nil {
		err = commit(all)
	}
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

// contains reports whether m is other or has it mounted.
func (m *Mux) contains(other *Mux) bool {
	if m == other {
		return true
	}
	return slices.ContainsFunc(m.mounts, func(mnt *mount) bool { return mnt.sub.contains(other) })
}

// registration returns the registration that rt came from.
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

// expand returns registrations and what they become where m is mounted.
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

// expandAll returns what registrations of mnt.sub become in the Mux around it, and
// where that is mounted itself.
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

// expandOne returns what a registration of mnt.sub becomes in the Mux around it,
// with the given path below the prefix.
func (mnt *mount) expandOne(reg *registration, path string, flags trie.Flags) (*registration, error) {
	text := reg.pattern.Text
	head := text[:len(text)-len(reg.pattern.Path)]
	p, err := parse(head+mnt.prefix+path, reg.flags)
	if err != nil {
		return nil, err
	}
	p.Methods = reg.pattern.Methods
	outerReg := &registration{pattern: p, scope: mnt.expandScope(reg.scope), unwrapped: reg.unwrapped, site: reg.site, flags: reg.flags | flags}
	return outerReg, outerReg.wrap()
}

// expandScope returns the scope of the outer Mux that a scope of mnt.sub becomes.
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

// middleware returns what Use and UseFast have added to s and, for the scope that
// a mounted Mux becomes, its Pre middleware.
func (s *scope) middleware() (pre, use []func(http.Handler) http.Handler, fast []FastMiddleware) {
	if s.expandedFrom == nil {
		return nil, s.use, s.fast
	}
	pre, use, fast = s.expandedFrom.middleware()
	if s.expandedFrom.parent == nil {
		pre = s.expandedFrom.mux.pre
	}
	return pre, use, fast
}
