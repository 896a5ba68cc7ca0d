package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// markGuards sets Guard of the routes.
func markGuards(routes []Route) {
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
	}
}

// warnUnguarded warns about routes without a login although similar routes have
// one. If at least two, and two thirds, of the children of a prefix have a login on
// all of their routes, the others should have one too. If a method of a path has a
// login, the methods that change something should have it too.
func warnUnguarded(routes []Route) {
	var checked []*Route
	for i := range routes {
		if r := &routes[i]; !isPage(&r.Route) { // has a check of its own
			checked = append(checked, r)
		}
	}
	warnings := map[*Route]string{}
	prefixes(checked).checkGuards(warnings)
	for r, warning := range warnings {
		r.warn(warning)
	}
}

// checkGuards adds warnings about routes at and below b, and returns those without a
// login, and one with one, or nil. What is wrong at the longest prefix counts.
func (b *branch) checkGuards(warnings map[*Route]string) (open []*Route, guarded *Route) {
	for _, r := range b.routes {
		if r.Guard == "" {
			open = append(open, r)
		} else if guarded == nil {
			guarded = r
		}
	}
	for _, r := range open {
		if guarded != nil && guarded.Method != "" && slices.Contains([]string{"", "POST", "PUT", "PATCH", "DELETE"}, r.Method) {
			warnings[r] = fmt.Sprintf("no authentication: %s of this path uses %s", guarded.Method, guarded.Guard)
		}
	}
	with, without := 0, map[string][]*Route{}
	for _, c := range b.children {
		name, inPath := strings.CutPrefix(c.Label, "/") // or it is a host
		below := warnings
		if isPublic(name) {
			below = map[*Route]string{}
		}
		openBelow, guardedBelow := c.checkGuards(below)
		open = append(open, openBelow...)
		guarded = cmp.Or(guarded, guardedBelow)
		switch {
		case !inPath || isPublic(name) || name[0] == '*' || strings.HasSuffix(name, "...}"):
		case guardedBelow == nil:
			without[name] = openBelow
		case len(openBelow) == 0:
			with++
		}
	}
	if with < 2 || with < 2*len(without) {
		return open, guarded
	}
	for name, routes := range without {
		for _, r := range routes {
			warnings[r] = cmp.Or(warnings[r], fmt.Sprintf("no authentication: most routes next to /%s use %s", name, guarded.Guard))
		}
	}
	return open, guarded
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
