package muxmaster

import (
	"net/http"
	"weak"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// This file knows the programs that were replaced, by Update for example, and
// still serve requests. Middleware that checks a login by the route that Lookup
// finds must not get the annotations of the route that has taken its place, or
// none at all.

// remember keeps a program that is replaced, for Lookup, until it has served its
// requests and is collected. The caller holds the lock.
func (m *Mux) remember(p *program) {
	list := []weak.Pointer[program]{weak.Make(p)}
	if before := m.replaced.Load(); before != nil {
		for _, q := range *before {
			if q.Value() != nil {
				list = append(list, q)
			}
		}
	}
	m.replaced.Store(&list)
}

// lookupReplaced returns the route that serves r, if it was removed or replaced
// since.
func (m *Mux) lookupReplaced(r *http.Request) (*program, *trie.Route[endpoint]) {
	list := m.live().replaced.Load()
	if list == nil {
		return nil, nil
	}
	for _, w := range *list {
		if p := w.Value(); p != nil {
			if rt := p.table.Registered(r.Pattern, p.table.MethodOf(r.Method), nil, values.Same); serves(rt, r) {
				return p, rt
			}
		}
	}
	return nil, nil
}
