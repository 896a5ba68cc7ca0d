package openapi

import (
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

// operationIDs returns an ID for each operation: the name of its handler
// function. If several operations have the same name, it adds the method and,
// if necessary, the path. The IDs don't depend on the order of registration,
// and differ in more than case and punctuation, which generators may change.
func operationIDs(ops []*operation) []string {
	forms := []func(op *operation) string{
		func(op *operation) string { return op.name },
		func(op *operation) string { return join(op.name, strings.ToLower(op.method)) },
		func(op *operation) string { return join(op.name, strings.ToLower(op.method), op.path.words()) },
	}
	count := make([]map[string]int, len(forms))
	for i, form := range forms {
		count[i] = map[string]int{}
		for _, op := range ops {
			count[i][fold(form(op))]++
		}
	}
	ids := make([]string, len(ops))
	used := map[string]bool{}
	for i, op := range ops {
		for j, form := range forms {
			last := j == len(forms)-1
			id := form(op)
			if op.name == "" && !last || count[j][fold(id)] > 1 && !last || used[fold(id)] && !last {
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
	return ids
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
func (p path) words() string {
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
