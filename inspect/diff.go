package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// maxRoutes is the largest routes.json that ReadRoutes accepts, in bytes. 5,000
// routes take 2 MB.
const maxRoutes = 64 << 20

// ReadRoutes reads a routes.json, as the page of [Handler] serves it and
// encoding/json writes the result of [Examine].
func ReadRoutes(r io.Reader) ([]Route, error) {
	var routes []Route
	file := json.NewDecoder(io.LimitReader(r, maxRoutes))
	if err := file.Decode(&routes); err != nil {
		return nil, fmt.Errorf("inspect: not a routes.json: %w", err)
	}
	if _, err := file.Token(); err != io.EOF || routes == nil {
		return nil, errors.New("inspect: not a routes.json: it must be one list") // appended to an old one, perhaps
	}
	for _, r := range routes {
		if !strings.HasPrefix(r.Pattern, "/") {
			return nil, fmt.Errorf("inspect: not a routes.json: the pattern %q doesn't begin with a slash", r.Pattern)
		}
	}
	return routes, nil
}

// Diff compares the routes of two versions of a program, as the page serves
// them in routes.json, without running its handlers: for which requests another
// handler runs, the status changes, or middleware is removed, added or moved, or a
// note of an annotation changes. It considers a middleware a login if its name suggests one, as Warning does: a
// request of which the handler runs without a login that it had is a LostLogin,
// even if others stay. A handler is the same if its name and the names of its
// path parameters are: show(id) isn't show(user), whose code may still ask for
// id. Diff returns an error for routes that can't be registered together.
func Diff(old, now []Route) ([]Difference, error) {
	before, err := rebuild(old)
	if err != nil {
		return nil, fmt.Errorf("inspect: the old routes: %w", err)
	}
	after, err := rebuild(now)
	if err != nil {
		return nil, fmt.Errorf("inspect: the new routes: %w", err)
	}
	var list []Difference
	for r := range RequestsOf(slices.Concat(old, now)) {
		d := Difference{Request: r, Old: pass(before, r), Now: pass(after, r)}
		if kind, differs := compareMiddleware(d.Old, d.Now); differs {
			d.Kind = kind
			list = append(list, d)
		}
		kind, differs := compare(d.Old, d.Now)
		if kind == OtherBody || !differs && !sameName(d.Old.handler, d.Now.handler) {
			kind, differs = OtherHandler, true
		}
		if differs {
			d.Kind = kind
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b Difference) int { return int(a.Kind) - int(b.Kind) })
	return list, nil
}

// compareMiddleware says how the middleware around two responses differs. Where
// a handler runs in place of a 404, the middleware differs anyway, so only a lost
// login counts.
func compareMiddleware(old, now Response) (kind Kind, differs bool) {
	switch lost := fewerGuards(old.Middleware, now.Middleware); {
	case lost && now.handler != "":
		return LostLogin, true
	case old.Status != now.Status || slices.EqualFunc(old.Middleware, now.Middleware, sameName):
		return 0, false
	case !lost && fewerGuards(now.Middleware, old.Middleware):
		return NewLogin, true
	}
	return OtherMiddleware, true
}

// fewerGuards reports whether now lacks a middleware of old that looks like a
// login, or has it less often.
func fewerGuards(old, now []string) bool {
	now = slices.Clone(now)
	for _, name := range old {
		if i := slices.IndexFunc(now, func(n string) bool { return sameName(n, name) }); i >= 0 {
			now = slices.Delete(now, i, i+1)
		} else if isGuard(name) {
			return true
		}
	}
	return false
}

// change returns the middleware that differs, without what both begin and end
// with. If it was moved, that is all between its old and its new place.
func (d *Difference) change() (old, now []string) {
	old, now = d.Old.Middleware, d.Now.Middleware
	for len(old) > 0 && len(now) > 0 && sameName(old[0], now[0]) {
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && sameName(old[len(old)-1], now[len(now)-1]) {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	return old, now
}

type passedKey struct{}

// passedBy returns the Response that notes what r passes in a rebuilt program.
func passedBy(r *http.Request) *Response { return r.Context().Value(passedKey{}).(*Response) }

// pass returns the response of a rebuilt program, and what the request passed.
func pass(m *muxmaster.Mux, r *http.Request) Response {
	var passed Response
	w := ask(m, r.WithContext(context.WithValue(r.Context(), passedKey{}, &passed)))
	w.Middleware, w.handler = passed.Middleware, passed.handler
	return w
}

// named returns a middleware that adds its name to those that a request passed.
func named(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p := passedBy(r)
			p.Middleware = append(p.Middleware, name)
			next.ServeHTTP(w, r)
		})
	}
}

// rebuild returns a Mux with the routes, Groups, mounts and middleware of a
// routes.json. A handler writes its name and those of its parameters.
//
// Of two constraints that match the same value, the one registered first wins,
// for any method. routes.json is sorted, so rebuild learns the order from warnings
// and examples.
func rebuild(routes []Route) (m *muxmaster.Mux, err error) {
	earlier := map[string][]string{} // by host and path, those registered before it
	for _, r := range routes {
		if _, winner, ok := strings.Cut(r.Warning, " goes to "); ok {
			_, winner = cutMethods(strings.TrimSuffix(winner, ", which was registered first"))
			earlier[r.Host+r.Pattern] = append(earlier[r.Host+r.Pattern], winner)
		}
	}
	for range 10 { // mostly 1
		if m, err = register(inOrder(routes, earlier)); err != nil {
			return nil, err
		}
		changed := false
		for _, r := range routes {
			req := newRequest(r.ExampleMethod, r.Example)
			p, err := pattern.ParsePath(r.Pattern)
			if req == nil || err != nil {
				continue
			}
			found, _ := m.Lookup(req)
			later := found.Host + found.Pattern
			if competes(p, found.Pattern) && !slices.Contains(earlier[later], r.Host+r.Pattern) {
				earlier[later] = append(earlier[later], r.Host+r.Pattern)
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	return m, nil
}

// inOrder returns the routes, each one after the earlier ones.
func inOrder(routes []Route, earlier map[string][]string) (list []*Route) {
	byPath, done := map[string][]*Route{}, map[string]bool{}
	for i, r := range routes {
		byPath[r.Host+r.Pattern] = append(byPath[r.Host+r.Pattern], &routes[i])
	}
	var add func(path string)
	add = func(path string) {
		if done[path] {
			return
		}
		done[path] = true
		for _, first := range earlier[path] {
			add(first)
		}
		list = append(list, byPath[path]...)
	}
	for _, r := range routes {
		add(r.Host + r.Pattern)
	}
	return list
}

// register returns a Mux with the routes.
func register(list []*Route) (*muxmaster.Mux, error) {
	m := muxmaster.New()
	root := &scopeNode{router: m, inner: map[string]*scopeNode{}, roots: map[string]bool{}}
	if i := slices.IndexFunc(list, func(r *Route) bool { return len(r.Scopes) > 0 }); i >= 0 {
		root.use(list[i].Middleware[:clamp(list[i].Scopes[0].Middleware, len(list[i].Middleware))])
	}
	for _, r := range list {
		if !r.Below {
			if text, ok := strings.CutSuffix(strings.TrimSuffix(r.text(), "{$}"), "/"); ok {
				root.roots[text] = true
			}
		}
	}
	for _, r := range list {
		if err := root.add(r); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// A scopeNode is a Mux or Group of a rebuilt program, with those inside of it.
type scopeNode struct {
	router muxmaster.Router
	host   string // of the scope of Host around; "" for none
	prefix string
	base   string // the prefix of the Mux
	inner  map[string]*scopeNode
	roots  map[string]bool // the routes so far for the prefix of a Group or mount
}

// add registers a route, and the scopes around it that don't exist yet.
func (n *scopeNode) add(r *Route) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s: %v", r.text(), v)
		}
	}()
	rest := r.Middleware
	for i, s := range r.Scopes {
		names := rest[:clamp(s.Middleware, len(rest))]
		rest = rest[len(names):]
		if i > 0 { // the outermost one is the Mux
			n = n.scope(s, names)
		}
	}
	if len(rest) > 0 { // of a routes.json without scopes
		n = n.scope(muxmaster.Scope{Kind: "with", Host: n.host, Prefix: n.prefix}, rest)
	}
	path, ok := strings.CutPrefix(r.Pattern, n.prefix)
	if !ok {
		return fmt.Errorf("%s is not below its prefix %s", r.text(), n.prefix)
	}
	mount := isMount(&r.Route)
	if path == "" && !mount {
		// The root, or the bare prefix alone. Both look the same; where a Group
		// has two, or there is a route for the slash, one is the bare prefix.
		if text := r.text(); n.prefix == n.base || !n.roots[text] {
			n.roots[text], path = true, "/{$}"
		}
	}
	name := ShortName(r.Handler)
	if p, err := pattern.ParsePath(r.Pattern); err == nil && len(p.Names()) > 0 {
		name += "(" + strings.Join(p.Names(), ", ") + ")"
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		p := passedBy(req)
		p.handler = r.Handler
		for _, note := range r.Notes {
			p.Middleware = append(p.Middleware, "["+note+"]")
		}
		io.WriteString(w, name)
	})
	host := r.Host
	if host == n.host { // the scope has it
		host = ""
	}
	switch {
	case mount && host == "":
		n.router.Mount(cmp.Or(path, "/"), h)
	case host != "" || r.Below && strings.HasSuffix(path, "/"):
		n.router.Handle(strings.TrimSpace(r.Method+" "+host+path), h)
	case r.Method == "":
		n.router.ANY(path, h)
	default:
		n.router.Method(r.Method, path, h)
	}
	return nil
}

// clamp returns n, or the nearest number from 0 to most.
func clamp(n, most int) int { return min(max(n, 0), most) }

// use adds middleware with the names.
func (n *scopeNode) use(names []string) {
	for _, name := range names {
		n.router.Use(named(name))
	}
}

// scope returns the scope s inside of n.
func (n *scopeNode) scope(s muxmaster.Scope, names []string) *scopeNode {
	key := fmt.Sprintf("%s %q %q %q", s.Kind, s.Host, s.Prefix, names)
	if in := n.inner[key]; in != nil {
		return in
	}
	in := &scopeNode{host: s.Host, prefix: s.Prefix, base: n.base, inner: map[string]*scopeNode{}, roots: n.roots}
	n.inner[key] = in
	prefix := strings.TrimPrefix(s.Prefix, n.prefix)
	switch s.Kind {
	case "mount":
		sub := muxmaster.New()
		n.router.Mount(cmp.Or(prefix, "/"), sub)
		in.router, in.base = sub, s.Prefix
	case "with":
		in.router = n.router.With()
	case "host":
		in.router = n.router.Host(s.Host)
	case "route":
		n.router.Route(prefix, func(g *muxmaster.Group) { in.router = g })
	default:
		in.router = n.router.Group(prefix)
	}
	in.use(names)
	return in
}
