package engine

import (
	"net/http"
	"strings"
)

// declareTrailers records the names in a Trailer header of the response. It
// skips names that must not be trailers (RFC 9110 section 6.5.1).
func (r *response) declareTrailers(list string) {
	for name := range strings.SplitSeq(list, ",") {
		name = http.CanonicalHeaderKey(strings.Trim(name, " \t\r\n"))
		if name != "" && !strings.HasPrefix(name, "If-") && !notTrailer[name] {
			r.trailers = append(r.trailers, name)
		}
	}
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

// appendTrailers appends the trailers of a chunked response to out, sorted by
// name: those declared in a Trailer header, and those set with
// http.TrailerPrefix.
func (r *response) appendTrailers() {
	r.fields = r.fields[:0]
	add := func(key string, values []string) {
		for _, v := range values {
			r.fields = append(r.fields, headerField{key: key, value: v})
		}
	}
	for k, values := range r.header {
		if name, ok := strings.CutPrefix(k, http.TrailerPrefix); ok {
			add(name, values)
		}
	}
	for _, name := range r.trailers {
		add(name, r.header[name])
	}
	sortFields(r.fields)
	for i := range r.fields {
		r.appendField(&r.fields[i])
	}
}
