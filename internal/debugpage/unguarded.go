package debugpage

import (
	"slices"
	"strings"
)

// Unguarded returns the indexes of routes without the login that most routes
// beside them have. route returns the pattern and the names of the middleware of
// route i of n.
func Unguarded(n int, route func(i int) (pattern string, middleware []string)) (all []int) {
	groups := map[string][]int{} // by the first segment
	guarded := map[int]bool{}
	for i := range n {
		pattern, middleware := route(i)
		first, _, _ := strings.Cut(strings.TrimPrefix(pattern, "/"), "/")
		groups[first] = append(groups[first], i)
		guarded[i] = slices.ContainsFunc(middleware, isGuard)
	}
	for _, group := range groups {
		without := slices.DeleteFunc(slices.Clone(group), func(i int) bool { return guarded[i] })
		if len(group) >= 3 && len(without)*3 <= len(group) {
			all = append(all, without...)
		}
	}
	slices.Sort(all)
	return all
}

// isGuard reports whether the name of a middleware sounds like a login.
func isGuard(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	return slices.ContainsFunc([]string{"auth", "login", "session", "jwt", "token", "require"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}
