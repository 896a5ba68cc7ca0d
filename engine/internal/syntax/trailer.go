package syntax

import "strings"

// ValidTrailer reports whether a field with this canonical name may be a
// trailer (RFC 9110 section 6.5.1).
func ValidTrailer(name string) bool {
	return !strings.HasPrefix(name, "If-") && !notTrailer[name]
}

// notTrailer is the list from net/http.
var notTrailer = map[string]bool{
	"Authorization":       true,
	"Cache-Control":       true,
	"Connection":          true,
	"Content-Encoding":    true,
	"Content-Length":      true,
	"Content-Range":       true,
	"Content-Type":        true,
	"Expect":              true,
	"Host":                true,
	"Keep-Alive":          true,
	"Max-Forwards":        true,
	"Pragma":              true,
	"Proxy-Authenticate":  true,
	"Proxy-Authorization": true,
	"Proxy-Connection":    true,
	"Range":               true,
	"Realm":               true,
	"Te":                  true,
	"Trailer":             true,
	"Transfer-Encoding":   true,
	"Www-Authenticate":    true,
}
