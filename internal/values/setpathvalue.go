package values

import (
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// Delivery of path values by r.SetPathValue.
//
// SetPathValue cannot list what it has set. A value under a name that no pattern
// can have does: one line for each owner that has set values, the innermost
// first, of its id and the names:
//
//	12/id/name

const listName = "muxmaster: names"

// safeSet makes r.PathValue answer with the values of the owner with the id.
func safeSet(r *http.Request, id string, list, vals []string) {
	safeClear(r, id)
	outer := r.PathValue(listName)
	if outer == "" && r.Pattern != "" {
		// The names that an http.ServeMux further out has set.
		if p, err := pattern.Parse(r.Pattern); err == nil {
			names := slices.DeleteFunc(p.Names(), func(name string) bool { return r.PathValue(name) == "" })
			if len(names) > 0 {
				outer = "ServeMux/" + strings.Join(names, "/") + "\n"
			}
		}
	}
	for i, name := range list {
		r.SetPathValue(name, vals[i])
	}
	r.SetPathValue(listName, id+strings.Join(list, "/")+"\n"+outer)
}

// safeClear takes back what safeSet has set for the owner.
func safeClear(r *http.Request, id string) {
	list := r.PathValue(listName)
	if list == "" {
		return
	}
	var rest strings.Builder
	for line := range strings.Lines(list) {
		names, own := strings.CutPrefix(line, id)
		if !own {
			rest.WriteString(line)
			continue
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(names, "\n"), "/") {
			r.SetPathValue(name, "")
		}
	}
	r.SetPathValue(listName, rest.String())
}

func safeList(r *http.Request) []string {
	var all []string
	for line := range strings.Lines(r.PathValue(listName)) {
		_, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "/")
		for name := range strings.SplitSeq(names, "/") {
			if name != "" && !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
