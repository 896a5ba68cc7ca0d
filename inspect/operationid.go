package inspect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// closure matches the names that the compiler gives to function literals.
var closure = regexp.MustCompile(`^(?:func|gowrap|deferwrap)?[0-9]+$`)

// vague matches names of functions and types that could be any handler's.
var vague = regexp.MustCompile(`^(?:HandlerFunc|Handler|Server|Client|ServeHTTP)$`)

// functionName returns the name of a handler's function or type in the source,
// or "" if it isn't specific.
func functionName(handler string) string {
	name, _, _ := strings.Cut(handler, "[") // type arguments
	name = strings.TrimSuffix(name, "-fm")
	name = name[strings.LastIndexByte(name, '.')+1:]
	if closure.MatchString(name) || vague.MatchString(name) || strings.ContainsAny(name, "*()[]{} ") {
		return ""
	}
	return name
}

// operationIDs returns an ID for each operation: its own, or else the name of
// its handler function. If several operations have the same, it adds the method
// and, if necessary, the path. The IDs don't depend on the order of
// registration, and differ in more than case and punctuation, which generators
// may change.
func operationIDs(ops []*operation) []string {
	ids := make([]string, len(ops))
	used := map[string]bool{}
	for _, own := range []bool{true, false} {
		var count [3]map[string]int // of each form
		for j := range count {
			count[j] = map[string]int{}
			for _, op := range ops {
				if (op.ID != "") == own {
					count[j][fold(op.forms()[j])]++
				}
			}
		}
		for i, op := range ops {
			if (op.ID != "") != own {
				continue
			}
			forms, j := op.forms(), 0
			for j < len(forms)-1 && (forms[0] == "" || count[j][fold(forms[j])] > 1 || used[fold(forms[j])]) {
				j++
			}
			ids[i] = forms[j]
			for n := 2; used[fold(ids[i])]; n++ {
				ids[i] = fmt.Sprintf("%s_%d", forms[j], n)
			}
			used[fold(ids[i])] = true
		}
	}
	return ids
}

// forms returns the forms of an operation's ID, the shortest first.
func (op *operation) forms() [3]string {
	name, method := cmp.Or(op.ID, op.name), strings.ToLower(op.method)
	path := strings.Trim(notWord.ReplaceAllString(op.path.String(), "_"), "_")
	join := func(words ...string) string {
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "_")
	}
	return [3]string{name, join(name, method), join(name, method, path)}
}

var notWord = regexp.MustCompile(`[^0-9A-Za-z]+`)

// fold returns an ID in lower case and without punctuation.
func fold(id string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, id))
}
