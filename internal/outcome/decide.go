package outcome

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// A Decider decides which response a request gets that no route serves, and who
// gives it. P is the payload of routes and fallbacks.
type Decider[P any] struct {
	Table  *trie.Table[P]
	Folded *trie.Folded // nil if no redirect goes to another case
	Slash  bool         // redirects add and remove slashes for routes of the verb methods

	// Mounted reports whether a Mux is mounted. Then it redirects to the clean path.
	Mounted func(mount *P) bool
}

// A Decision is the response to an unmatched request, and who gives it.
type Decision[P any] struct {
	Outcome
	Mount    *trie.Route[P] // of a Mux, which gives the response; or nil
	Fallback *P             // nil if the path is below no fallback
	Values   []string       // of the prefix of the fallback, or the mount
}

// Decide returns the decision for r. search has found rt: nil, or a route that is
// not called because of a redirect. A redirect to another case comes from the
// fallback there, so that its middleware hides which routes exist.
func (x *Decider[P]) Decide(search *trie.Search[P], r *http.Request, rt *trie.Route[P]) Decision[P] {
	clean := ""
	if !search.Clean {
		clean = cleanPath(r)
		rt = x.find(search, r, clean)
		if rt != nil && rt.Flags&trie.Owns != 0 && x.Mounted(&rt.Payload) {
			return Decision[P]{Mount: rt, Values: slices.Clone(search.Values())}
		}
	}
	d := x.decide(search, r, rt, clean)
	if x.Folded != nil && rt == nil && d.Pattern == "" && search.Rooted() && r.Method != http.MethodConnect {
		if path, ok := x.Folded.Recase(cleanPath(r), r.Host, r.Method); ok {
			if there := x.decide(search, r, x.find(search, r, path), path); there.Pattern != "" {
				d = there
			}
		}
	}
	if d.Location != "" {
		d.Location = wirepath.WithQuery(d.Location, r.URL.RawQuery)
	}
	return d
}

// cleanPath returns the clean and escaped path of r.
func cleanPath(r *http.Request) string {
	return wirepath.Clean(wirepath.Escaped(r.URL.Path, r.URL.RawPath))
}

// find returns the route for a clean and escaped path instead of that of r.
func (x *Decider[P]) find(search *trie.Search[P], r *http.Request, path string) *trie.Route[P] {
	search.SetPath(wirepath.Decode(path), path, false)
	return x.Table.Find(search, r.Host)
}

// decide is Decide for the path of search, without the query: that of r or, if
// clean is not empty, clean.
func (x *Decider[P]) decide(search *trie.Search[P], r *http.Request, rt *trie.Route[P], clean string) (d Decision[P]) {
	longer, asServeMux := search.Slash, search.Redirects(rt)
	if rt != nil { // the search stopped at rt and may have missed a fallback
		x.Table.FindFallback(search, r.Host)
	}
	if f, vals := search.Fallback(); f != nil {
		d.Fallback, d.Values = &f.Payload, slices.Clone(vals)
	}
	if !search.Rooted() {
		return d
	}
	if longer != nil && (asServeMux || rt == nil && longer.Flags&trie.Verb != 0 && x.Slash) {
		d.Location, d.Pattern = strings.TrimSuffix(cmp.Or(clean, cleanPath(r)), "/")+"/", longer.Pattern
		return d
	}
	if d.Location = clean; clean == "" {
		d.Allow = x.Table.Allow(search)
	} else if rt != nil {
		d.Pattern = rt.Pattern
	}
	if rt == nil && search.TrimSlash() && x.Slash {
		if shorter := x.Table.Find(search, r.Host); shorter != nil && shorter.Flags&trie.Verb != 0 {
			d.Outcome = Outcome{Location: strings.TrimSuffix(cmp.Or(clean, cleanPath(r)), "/"), Pattern: shorter.Pattern}
		}
	}
	return d
}
