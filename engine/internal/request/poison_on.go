//go:build race || muxmaster_debug

package request

import (
	"net/http"
	"net/url"
)

const poisonText = "/engine:request-used-after-its-handler-returned"

// Poison overwrites the request instead of leaving it for reuse. A handler that
// retained it reads poisonText, and the race detector reports a goroutine that
// still uses it. In this build, Poison always returns true.
func (p *Parts) Poison() bool {
	clear(p.Header)
	p.Header["Poison"] = []string{poisonText}
	clear(p.ResponseHeader)
	for i := range p.Values {
		p.Values[i] = poisonText
	}
	p.URL = url.URL{Path: poisonText}
	*p.Request = http.Request{Method: "POISON", URL: &p.URL, Header: p.Header, Host: poisonText, RequestURI: poisonText, Body: http.NoBody}
	return true
}
