package inspect

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// closure matches the names that the compiler gives to function literals.
var closure = regexp.MustCompile(`^(?:func|gowrap|deferwrap)?[0-9]+$`)

// vague matches names of functions and types that could be any handler's.
var vague = regexp.MustCompile(`^(?:HandlerFunc|Handler|Server|Client|ServeHTTP)$`)

// functionName returns the name of a handler's function or type in the source,
// or "" if it isn't specific.
func functionName(handler string) string {
	name, _, _ := strings.Cut(handler[strings.LastIndexByte(handler, '/')+1:], "[") // type arguments
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
		assignIDs(ids, used, ops, func(op *operation) bool { return (op.ID != "") == own })
	}
	return ids
}

// assignIDs assigns IDs to some of the operations. The map used has those that
// are assigned, folded.
func assignIDs(ids []string, used map[string]bool, ops []*operation, some func(*operation) bool) {
	name := func(op *operation) string { return cmp.Or(op.ID, op.name) }
	forms := []func(op *operation) string{
		name,
		func(op *operation) string { return join(name(op), strings.ToLower(op.method)) },
		func(op *operation) string { return join(name(op), strings.ToLower(op.method), op.path.words()) },
	}
	count := make([]map[string]int, len(forms))
	for i, form := range forms {
		count[i] = map[string]int{}
		for _, op := range ops {
			if some(op) {
				count[i][fold(form(op))]++
			}
		}
	}
	for i, op := range ops {
		if !some(op) {
			continue
		}
		for j, form := range forms {
			last := j == len(forms)-1
			id := form(op)
			if !last && (name(op) == "" || count[j][fold(id)] > 1 || used[fold(id)]) {
				continue
			}
			ids[i] = id
			for n := 2; used[fold(ids[i])]; n++ {
				ids[i] = fmt.Sprintf("%s_%d", id, n)
			}
			used[fold(ids[i])] = true
			break
		}
	}
}

func join(words ...string) string {
	text := ""
	for _, w := range words {
		if text != "" && w != "" {
			text += "_"
		}
		text += w
	}
	return text
}

// words returns the path as part of an operation ID.
func (p template) words() string {
	text := p.write(func(name string) string { return name })
	return strings.Trim(notWord.ReplaceAllString(text, "_"), "_")
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
