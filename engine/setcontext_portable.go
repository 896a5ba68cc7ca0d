//go:build muxmaster_portable

package engine

import (
	"context"
	"net/http"
)

// setContext is always nil in this build, so requests are copied with
// [http.Request.WithContext].
var setContext func(*http.Request, context.Context)
