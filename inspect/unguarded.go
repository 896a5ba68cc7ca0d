package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// addGuards sets Guard of the routes, and warns about routes without a login
// although similar routes have one. If at least two, and two thirds, of the
// children of a prefix have a login on all of their routes, the others should have
// one too. If a method of a path has a login, the methods that change something
// should have it too.
func addGuards(routes []Route) {
	warnings := map[int]string{}
	root := &node{children: map[string]*node{}}
	guards := map[string]string{} // the short names of middleware that is a login, else ""
	for i := range routes {
		r := &routes[i]
		for _, name := range r.Middleware {
			guard, known := guards[name]
			if !known {
				if isGuard(name) {
					guard = ShortName(name)
				}
				guards[name] = guard
			}
			if r.Guard = guard; guard != "" {
				break
			}
		}
		if !isPage(&r.Route) { // has a check of its own
			root.add(r.Host+r.Pattern, i, r.Guard)
		}
	}
	for _, host := range root.children {
		host.visit(func(n *node) {
			n.compareMethods(routes, warnings)
			n.compareSiblings(warnings)
		})
	}
	for i, warning := range warnings {
		routes[i].warn(warning)
	}
}

// A node is a prefix.
type node struct {
	children map[string]*node
	here     []int  // routes for exactly this path
	open     []int  // routes here and below without a login
	guarded  int    // number of routes here and below with one
	guard    string // name of one
	public   bool   // its name says that it needs none
}

func (n *node) add(path string, i int, guard string) {
	for segment := range strings.SplitSeq(path, "/") {
		child := n.children[segment]
		if child == nil {
			child = &node{children: map[string]*node{}, public: isPublic(segment)}
			n.children[segment] = child
		}
		n = child
		if guard == "" {
			n.open = append(n.open, i)
		} else {
			n.guarded++
			n.guard = guard
		}
	}
	n.here = append(n.here, i)
}

// visit calls f for n and what is below it, except for public prefixes.
func (n *node) visit(f func(*node)) {
	if n.public {
		return
	}
	f(n)
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		n.children[name].visit(f)
	}
}

// compareMethods warns about changing methods without the login that another
// method has here.
func (n *node) compareMethods(routes []Route, warnings map[int]string) {
	guarded := ""
	for _, i := range n.here {
		if !slices.Contains(n.open, i) {
			guarded = routes[i].Method
			break
		}
	}
	if guarded == "" {
		return
	}
	for _, i := range n.here {
		if slices.Contains(n.open, i) && slices.Contains([]string{"", "POST", "PUT", "PATCH", "DELETE"}, routes[i].Method) {
			warnings[i] = fmt.Sprintf("no authentication: %s of this path uses %s", guarded, n.guard)
		}
	}
}

// compareSiblings warns about children of n without a login, if most have one.
func (n *node) compareSiblings(warnings map[int]string) {
	var without []string
	with := 0
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		switch c := n.children[name]; {
		case c.public || name == "" || name[0] == '*' || strings.HasSuffix(name, "...}"):
		case c.guarded == 0:
			without = append(without, name)
		case len(c.open) == 0:
			with++
		}
	}
	if with < 2 || with < 2*len(without) {
		return
	}
	for _, name := range without {
		for _, i := range n.children[name].open {
			warnings[i] = fmt.Sprintf("no authentication: most routes next to /%s use %s", name, n.guard)
		}
	}
}

// isGuard reports whether the name of a middleware suggests a login.
func isGuard(name string) bool {
	name = strings.ToLower(ShortName(name))
	return slices.ContainsFunc([]string{"auth", "login", "session", "jwt", "token", "require", "protect"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

// isPublic reports whether the name of a segment suggests public access.
func isPublic(segment string) bool {
	switch strings.ToLower(segment) {
	case "login", "logout", "signin", "sign-in", "signup", "sign-up", "register", "oauth", "oauth2", "callback", "public",
		"static", "assets", "favicon.ico", "robots.txt", ".well-known", "health", "healthz", "livez", "readyz", "ping", "webhooks":
		return true
	}
	return false
}
