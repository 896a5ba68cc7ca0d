package values

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file sets path values with r.SetPathValue.
//
// A request does not list the names that were set. So safeSet also sets a path
// value named listName, which no pattern can have. It has one line for each
// owner that set values, the innermost first: the owner's ID and the names.
//
//	12/id/name

const listName = "muxmaster: names"

// safeSet sets the path values of r for the owner with the given ID.
func safeSet(r *http.Request, id string, list, vals []string) {
	safeClear(r, id)
	if len(list) == 0 {
		return
	}
	outer := r.PathValue(listName)
	if outer == "" && r.Pattern != "" {
		if names := stdNames(r); len(names) > 0 {
			outer = "ServeMux/" + strings.Join(names, "/") + "\n"
		}
	}
	for i, name := range list {
		r.SetPathValue(name, vals[i])
	}
	r.SetPathValue(listName, id+strings.Join(list, "/")+"\n"+outer)
}

// stdNames returns the names of the path values that an http.ServeMux has set.
func stdNames(r *http.Request) []string {
	p, err := pattern.Parse(r.Pattern)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(p.Names(), func(name string) bool { return r.PathValue(name) == "" })
}

// safeClear removes the values that safeSet set for the owner.
func safeClear(r *http.Request, id string) {
	list := r.PathValue(listName)
	if list == "" {
		return
	}
	var rest strings.Builder
	for line := range strings.Lines(list) {
		names, ok := strings.CutPrefix(line, id)
		if !ok {
			rest.WriteString(line)
			continue
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(names, "\n"), "/") {
			r.SetPathValue(name, "")
		}
	}
	r.SetPathValue(listName, rest.String())
}

// tagKey is the context key of an owner's tag.
type tagKey struct{ owner *Owner }

// safeSetTag adds a tag to r's context.
func safeSetTag(r *http.Request, o *Owner, tag any) {
	if tag != nil {
		*r = *r.WithContext(context.WithValue(r.Context(), tagKey{o}, tag))
	}
}

func safeTag(r *http.Request, o *Owner) any { return r.Context().Value(tagKey{o}) }

func safeList(r *http.Request) []string {
	var all []string
	list := r.PathValue(listName)
	if list == "" {
		return stdNames(r)
	}
	for line := range strings.Lines(list) {
		_, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "/")
		for name := range strings.SplitSeq(names, "/") {
			if name != "" && !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
