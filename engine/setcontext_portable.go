package engine

import (
	"context"
	"net/http"
)

// setContext sets the context of a request in place. If it is nil, requests
// are copied with [http.Request.WithContext] instead.
var setContext func(*http.Request, context.Context)
