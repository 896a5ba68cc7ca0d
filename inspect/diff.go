package inspect

import (
	"cmp"
	"encoding/json"
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
	if err := json.NewDecoder(io.LimitReader(r, maxRoutes)).Decode(&routes); err != nil {
		return nil, fmt.Errorf("inspect: not a routes.json: %w", err)
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
// handler runs, the status changes, or the login is lost. It considers a
// middleware a login if its name suggests one, as Warning does. A handler is
// the same if its name and the names of its path parameters are: show(id) isn't
// show(user), whose code may still ask for id. Diff returns an error for routes
// that can't be registered together.
func Diff(old, now []Route) ([]Difference, error) {
	var list []Difference
	for _, loggedIn := range []bool{false, true} {
		before, err := rebuild(old, loggedIn)
		if err != nil {
			return nil, fmt.Errorf("inspect: the old routes: %w", err)
		}
		after, err := rebuild(now, loggedIn)
		if err != nil {
			return nil, fmt.Errorf("inspect: the new routes: %w", err)
		}
		list = append(list, Compare(before, after, RequestsOf(slices.Concat(old, now)))...)
	}
	for i := range list {
		if list[i].Kind == OtherBody {
			list[i].Kind = OtherHandler
		}
	}
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(d Difference) bool {
		text := d.Request.Method + " " + d.Request.Host + d.Request.RequestURI
		twice := seen[text]
		seen[text] = true
		return twice
	})
	slices.SortStableFunc(list, func(a, b Difference) int { return int(a.Kind) - int(b.Kind) })
	return list, nil
}

// rebuild returns a Mux with the routes, Groups and mounts of a routes.json. A
// handler writes its name and those of its parameters. A login refuses
// everybody, unless all are logged in.
func rebuild(routes []Route, loggedIn bool) (m *muxmaster.Mux, err error) {
	m = muxmaster.New()
	if !loggedIn && slices.ContainsFunc(routes, func(r Route) bool {
		return len(r.Scopes) > 0 && slices.ContainsFunc(r.Middleware[:clamp(r.Scopes[0].Middleware, len(r.Middleware))], isGuard)
	}) {
		m.Use(refuse)
	}
	root := &scopeNode{router: m, inner: map[string]*scopeNode{}, roots: map[string]bool{}}
	for i := range routes {
		if err := root.add(&routes[i], loggedIn); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// A scopeNode is a Mux or Group of a rebuilt program, with those inside of it.
type scopeNode struct {
	router muxmaster.Router
	prefix string
	inner  map[string]*scopeNode
	roots  map[string]bool // the routes so far for the prefix of a Group or mount
}

// add registers a route, and the scopes around it that don't exist yet.
func (n *scopeNode) add(r *Route, loggedIn bool) (err error) {
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
			n = n.scope(s, slices.ContainsFunc(names, isGuard) && !loggedIn)
		}
	}
	if slices.ContainsFunc(rest, isGuard) && !loggedIn { // of a routes.json without scopes
		n = n.scope(muxmaster.Scope{Kind: "with", Prefix: n.prefix}, true)
	}
	path, ok := strings.CutPrefix(r.Pattern, n.prefix)
	if !ok {
		return fmt.Errorf("%s is not below its prefix %s", r.text(), n.prefix)
	}
	if path == "" {
		// The root, or the bare prefix alone. Both look the same; where a Group
		// has two, one is the bare prefix.
		if text := r.text(); !n.roots[text] {
			n.roots[text], path = true, "/{$}"
		}
	}
	name := ShortName(r.Handler)
	if p, err := pattern.ParsePath(r.Pattern); err == nil && len(p.Names()) > 0 {
		name += "(" + strings.Join(p.Names(), ", ") + ")"
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, name) })
	switch {
	case r.Host != "" || r.Below && strings.HasSuffix(path, "/"):
		n.router.Handle(strings.TrimSpace(r.Method+" "+r.Host+path), h)
	case r.Method == "":
		n.router.ANY(path, h)
	default:
		n.router.Method(r.Method, path, h)
	}
	return nil
}

// clamp returns n, or the nearest number from 0 to most.
func clamp(n, most int) int { return min(max(n, 0), most) }

// scope returns the scope s inside of n.
func (n *scopeNode) scope(s muxmaster.Scope, guarded bool) *scopeNode {
	key := fmt.Sprint(s.Kind, s.Prefix, guarded)
	if in := n.inner[key]; in != nil {
		return in
	}
	in := &scopeNode{prefix: s.Prefix, inner: map[string]*scopeNode{}, roots: n.roots}
	n.inner[key] = in
	prefix := strings.TrimPrefix(s.Prefix, n.prefix)
	switch s.Kind {
	case "mount":
		sub := muxmaster.New()
		n.router.Mount(cmp.Or(prefix, "/"), sub)
		in.router = sub
	case "with":
		in.router = n.router.With()
	case "route":
		n.router.Route(prefix, func(g *muxmaster.Group) { in.router = g })
	default:
		in.router = n.router.Group(prefix)
	}
	if guarded {
		in.router.Use(refuse)
	}
	return in
}

// refuse stands for a login.
func refuse(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
}
