//go:build race || muxmaster_debug

package engine

import (
	"net/http"
	"net/url"
)

const poisonText = "/engine:request-used-after-its-handler-returned"

// poison overwrites what would be used again, and gives it up, so that use of
// a recycled request shows: a test reads poisonText, and the race detector sees
// a write where a goroutine still reads. It reports that it did.
func (bd *bundle) poison() bool {
	clear(bd.header)
	bd.header["Poison"] = []string{poisonText}
	clear(bd.answer)
	for i := range bd.values {
		bd.values[i] = poisonText
	}
	bd.url = url.URL{Path: poisonText}
	*bd.req = http.Request{Method: "POISON", URL: &bd.url, Header: bd.header, Host: poisonText, RequestURI: poisonText, Body: http.NoBody}
	return true
}
