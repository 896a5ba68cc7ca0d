//go:build race || muxmaster_debug

package engine

import (
	"net/http"
	"net/url"
)

const poisonText = "/engine:request-used-after-its-handler-returned"

// poison overwrites the request instead of leaving it for reuse. A handler that
// retained it reads poisonText, and the race detector reports a goroutine that
// still uses it. In this build, poison always returns true.
func (bd *bundle) poison() bool {
	clear(bd.header)
	bd.header["Poison"] = []string{poisonText}
	clear(bd.responseHeader)
	for i := range bd.values {
		bd.values[i] = poisonText
	}
	bd.url = url.URL{Path: poisonText}
	*bd.req = http.Request{Method: "POISON", URL: &bd.url, Header: bd.header, Host: poisonText, RequestURI: poisonText, Body: http.NoBody}
	return true
}
