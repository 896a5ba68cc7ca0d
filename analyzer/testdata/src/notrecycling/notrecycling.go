// Package notrecycling doesn't set Recycle.
package notrecycling

import (
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

func serve(h http.Handler) {
	s := engine.New(&http.Server{Handler: http.TimeoutHandler(h, time.Second, "")})
	s.Recycle = false
}
