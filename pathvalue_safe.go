package muxmaster

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// Delivery of path values by r.SetPathValue, for a net/http whose layout is not
// the one that pathvalue.go knows.
//
// SetPathValue cannot list what it has set. A value under a name that no pattern
// can have does: one line for each Mux that has set values, the innermost first,
//
//	0xc000012345/id/name

const listName = "muxmaster: names"

// safeSet makes r.PathValue answer with the values, for those of the router whose
// mark is given.
func safeSet(r *http.Request, owner *byte, list, vals []string) {
	safeClear(r, owner)
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
	r.SetPathValue(listName, fmt.Sprintf("%p/%s\n", owner, strings.Join(list, "/"))+outer)
}

// safeClear takes back what safeSet has set for the owner.
func safeClear(r *http.Request, owner *byte) {
	list := r.PathValue(listName)
	if list == "" {
		return
	}
	var rest strings.Builder
	mark := fmt.Sprintf("%p/", owner)
	for line := range strings.Lines(list) {
		names, own := strings.CutPrefix(line, mark)
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

func safeParams(r *http.Request) Params {
	var ps Params
	for line := range strings.Lines(r.PathValue(listName)) {
		_, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "/")
		for name := range strings.SplitSeq(names, "/") {
			if _, seen := ps.Lookup(name); !seen {
				ps = append(ps, Param{name, r.PathValue(name)})
			}
		}
	}
	return ps
}

func (ps Params) values() []string {
	vals := make([]string, len(ps))
	for i := range ps {
		vals[i] = ps[i].Value
	}
	return vals
}
