// Package files registers routes in the initializers of package variables, in two files.
package files

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

var mux = muxmaster.New()

var errA = mux.TryHandle("/x/:id", http.NotFoundHandler())
