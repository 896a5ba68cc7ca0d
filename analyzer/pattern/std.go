package pattern

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
	"golang.org/x/tools/go/analysis"
)

// checkStd reports errors of a single route of an http.ServeMux.
func checkStd(pass *analysis.Pass, route *routes.Route, err error) {
	switch h := dialect(route.Pattern, true); {
	case err != nil:
		report(pass, route.Text, fmt.Sprintf("this pattern panics: %v", err), h)
	case h.text != "":
		report(pass, route.Text, "", h)
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
