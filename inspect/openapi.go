package inspect

import (
	"slices"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect/internal/openapi"
)

// OpenAPI returns an OpenAPI 3.1 document of the routes of m, as a map to be
// encoded with [encoding/json]. It contains paths, methods, parameters with
// their constraints, and operation IDs derived from the handlers' names. If
// describe is not nil, it is called for each operation with its route and
// method. It can add a summary, a request body and responses, or remove the
// operation with clear. Methods that OpenAPI 3.1 doesn't define are left out.
// OpenAPI doesn't distinguish paths by the names and constraints of parameters:
// of two such routes the document describes the first.
func OpenAPI(m *muxmaster.Mux, title, version string, describe func(r muxmaster.Route, operation map[string]any)) (map[string]any, error) {
	routes := slices.Collect(m.Routes())
	list := make([]openapi.Route, len(routes))
	for i, r := range routes {
		list[i] = openapi.Route{Method: r.Method, Host: r.Host, Pattern: r.Pattern, Handler: r.Handler}
	}
	return openapi.Document(title, version, list, func(i int, method string, operation map[string]any) {
		if r := routes[i]; describe != nil {
			r.Method = method
			describe(r, operation)
		}
	})
}
