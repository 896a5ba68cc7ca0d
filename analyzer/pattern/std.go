package pattern

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"golang.org/x/tools/go/analysis"
)

// checkStd reports the routes for which an http.ServeMux panics. It registers
// them on one to find out.
func checkStd(pass *analysis.Pass, rs []*routes.Route, together func(a, b *routes.Route) bool) {
	muxes := make(map[any]*http.ServeMux)
	before := make(map[any][]*routes.Route)
	for _, r := range rs {
		root := r.Scope.Root
		if muxes[root] == nil {
			muxes[root] = http.NewServeMux()
		}
		h := dialect(r.Pattern, true)
		if err := try(http.NewServeMux(), r); err != nil {
			report(pass, r.Text, fmt.Sprintf("this pattern panics: %v", err), h)
			continue
		}
		if h.text != "" {
			report(pass, r.Text, "", h)
		}
		if try(muxes[root], r) != nil {
			for _, other := range before[root] {
				pair := http.NewServeMux()
				if try(pair, other) == nil && together(other, r) {
					if err := try(pair, r); err != nil {
						report(pass, r.Text, fmt.Sprintf("this pattern panics: it conflicts with %q at %s", other.Pattern, mux.Position(pass.Fset, other.Text.Pos())), hint{})
						break
					}
				}
			}
		}
		before[root] = append(before[root], r)
	}
}

var quoted = regexp.MustCompile(`^parsing ".*": (at offset \d+: )?`)

// try registers the route's pattern and returns the panic of the mux as an
// error.
func try(m *http.ServeMux, r *routes.Route) (err error) {
	defer func() {
		if p := recover(); p != nil {
			text := strings.TrimPrefix(fmt.Sprint(p), "http: ")
			err = fmt.Errorf("%s", quoted.ReplaceAllString(text, ""))
		}
	}()
	m.Handle(r.Pattern, http.NotFoundHandler())
	return nil
}
