//go:build muxmaster_portable

package engine

import (
	"context"
	"net/http"
)

// setContext would set the context of a request in place. Without it, requests
// are copied with [http.Request.WithContext].
var setContext func(*http.Request, context.Context)
