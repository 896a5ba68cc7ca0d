package muxmaster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// This file changes a Mux that serves requests, all at once: Update passes a copy,
// compiles it, and replaces what the Mux has, if that is still what was copied.

// Update changes the routes of a Mux that serves requests, all at once or not at
// all. It calls fn with a Mux that has the routes and fields of m. fn registers,
// mounts and removes routes on it, and sets its fields. If fn returns nil, the
// routes are compiled in the calling goroutine, and serve the requests that
// start afterwards. If fn returns an error or panics, nothing has changed, and Update
// returns the error or passes on the panic.
//
// Requests never wait for Update. It changes m alone: what fn does to other Muxes, to m
// itself, or to Groups made from m before, takes effect at once. If m was changed
// while fn ran, for example by another Update, Update calls fn again with a new copy.
// So fn may run more than once, and should do nothing but change the Mux that it gets.
//
// Updates can run at the same time. Update of the Mux that fn gets is an error, and so
// is Update of m inside fn, in the outer one. After Update has returned nil, the Mux
// that fn got and its Groups refer to m.
func (m *Mux) Update(fn func(m *Mux) error) error {
	if fn == nil {
		return errors.New("muxmaster: Update: the function is nil")
	}
	m = m.target()
	if m.copyOf != nil {
		return errors.New("muxmaster: Update inside another Update; change the Mux that the outer one passes")
	}
	for try, start := 0, time.Now(); try < maxTries && (try < 100 || time.Since(start) < 10*time.Second); try++ {
		c := m.copy()
		if err := fn(c); err != nil {
			return err
		}
		if done, err := m.become(c); done || err != nil {
			return err
		}
	}
	return errors.New("muxmaster: Update: the Mux was changed each of the many times that the function ran; it must change only the Mux that it gets")
}

// maxTries is the number of times that Update calls its function at most. Where several
// run at the same time, one of them succeeds each time. No lock makes the others wait,
// because Updates of two Muxes may be inside of each other.
const maxTries = 1000

// copy returns a Mux with the declarations and fields of m.
func (m *Mux) copy() *Mux {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := New()
	c.scope, c.mu = scope{c, m.level}, m.mu
	c.copyOf, c.declared, c.base = m, m.declared.clone(), m.version.Load()
	c.setFields(m.settings())
	c.fields = nil
	return c
}

// become makes what is declared on the copy c that of m, and reports whether it did. If
// m has changed meanwhile, it does nothing.
func (m *Mux) become(c *Mux) (done bool, err error) {
	for _, r := range c.mounts() {
		if r.mux().reaches(m, 0) {
			return false, fmt.Errorf("muxmaster: Mount %q: a Mux cannot be mounted within itself", r.pattern)
		}
	}
	m.mu.Lock() // also that of c
	defer m.mu.Unlock()
	if done = m.version.Load() == c.base; done {
		m.declared, c.declared = c.declared, declared{} // its Groups keep c
		m.fields = c.settings()                         // those of m.declared are old if fn has served requests
		m.setFields(m.fields)
		// Those of mounts that have ended aren't used any more.
		views := slices.DeleteFunc(slices.Clone(*m.views.Load()), func(v *view) bool { return v.idle.Add(1) > maxIdle })
		m.views.Store(&views)
		var programs []*program
		for _, v := range append(slices.Clip(views), &m.root) { // meanwhile, the old ones serve
			programs = append(programs, v.compile(m.fields, c.base+1))
		}
		m.compiled()
		m.version.Add(1)
		for _, p := range programs {
			p.view.serve(p)
		}
		c.done.Store(true)
		c.changed()
		c.root.program.Store(nil)
		c.root.peeked.Store(nil)
	}
	return done, nil
}

// maxIdle is the number of Updates after which a view that no request has used is not
// compiled with the others any more.
const maxIdle = 8

func (m *Mux) setFields(f *fields) {
	m.PoolRequestBundle, m.PoolFastParams, m.RedirectTrailingSlash, m.RedirectCase = f.pool.values, f.pool.params, f.redirectSlash, f.redirectCase
	m.NotFound, m.MethodNotAllowed = f.notFound, f.notAllowed
}

// Remove removes a route. pattern is its text as Routes lists it, with the method
// in front:
//
//	mux.Remove("GET /users/:id")
//	mux.Remove("/debug/pprof") // a mount
//
// Each method of a list is a route of its own. The routes of a mounted Mux are removed
// from that Mux, and the mount by its prefix. If there is no such route, the error says
// what there is instead. Removing and registering a pattern in one [Mux.Update]
// replaces its handler.
//
// When the last route of a Group is removed, it no longer responds to unmatched
// requests, and no longer owns its prefix if Route made it, until a route is
// registered on it again.
func (m *Mux) Remove(pattern string) error {
	mux := m.lock()
	defer mux.mu.Unlock()
	r, err := mux.find(pattern)
	if err != nil {
		return fmt.Errorf("muxmaster: Remove %q: %s", pattern, strings.TrimPrefix(err.Error(), "muxmaster: "))
	}
	mux.remove(r)
	mux.changed()
	return nil
}

// find returns the route that Routes lists by a text. If there is none, or more than
// one, the error says what to write instead.
func (d *declared) find(text string) (*route, error) {
	p, err := parse(text, trie.Verb) // accepts all that Handle does
	switch {
	case err != nil:
		return nil, err
	case len(p.Methods) > 1:
		return nil, errors.New("each method of a list is a route; remove one at a time")
	}
	var found []*route
	var forms []*pattern.Pattern
	for _, flags := range []trie.Flags{0, trie.Verb, groupRoot, trie.Owns} { // of routes that may have this text
		p, err := parse(text, flags)
		if err != nil {
			continue
		}
		forms = append(forms, p)
		r := d.indexed().byKey[routeKey{strings.Join(p.Methods, ""), p.Shape()}]
		switch {
		case r == nil || slices.Contains(found, r):
		case r.text() == text:
			found = append(found, r)
		case r.full() == text:
			return r, nil
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		text := "several routes have this text:"
		for _, r := range found {
			text += fmt.Sprintf(" %s, ", r.registered())
			if r.full() != r.text() {
				text = fmt.Sprintf("%swhich is also %q,", text, r.full())
			}
		}
		return nil, errors.New(strings.TrimSuffix(text, ","))
	}
	var similar []string
	for _, r := range d.routes {
		p := r.parse()
		if slices.ContainsFunc(forms, func(form *pattern.Pattern) bool {
			_, _, why := p.Match(form.Path)
			return p.Shape() == form.Shape() || why == "" && p.Host == form.Host
		}) {
			similar = append(similar, fmt.Sprintf("%q", r.text()))
		}
	}
	return nil, errors.New(strings.TrimSuffix("there is no such route; similar: "+strings.Join(similar, ", "), "; similar: "))
}

// full returns a text that no other route has.
func (r *route) full() string {
	p := r.parse()
	full := r.withMethod(p.Text)
	if p.End == pattern.Slash && !strings.HasSuffix(full, "{$}") {
		full += "{$}"
	}
	return full
}

// text returns the text that Remove takes: the method, the host and the path.
func (r *route) text() string { return r.withMethod(r.pattern) }

// withMethod returns a pattern of r with only the method of r.
func (r *route) withMethod(pattern string) string {
	i := strings.IndexByte(pattern, '/')
	host := pattern[strings.LastIndexAny(pattern[:i], " \t")+1:]
	if r.method() == "" {
		return host
	}
	return r.method() + " " + host
}
