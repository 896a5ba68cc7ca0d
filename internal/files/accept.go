package files

import (
	"net/http"
	"strconv"
	"strings"
)

// acceptsHTML reports whether the client accepts HTML, as browsers do for pages.
// mime.ParseMediaType would make a map for each parameter, of which a client can
// send 100,000.
func acceptsHTML(header http.Header) bool {
	for _, line := range header["Accept"] {
		for part := range strings.SplitSeq(line, ",") {
			t, params, _ := strings.Cut(part, ";")
			t = strings.TrimSpace(t)
			if (strings.EqualFold(t, "text/html") || strings.EqualFold(t, "application/xhtml+xml")) && weight(params) > 0 {
				return true
			}
		}
	}
	return false
}

// acceptsCoding returns the weight, from 0 to 1, that Accept-Encoding gives to a
// content coding (RFC 9110, section 12.5.3). It is 0 if it is not accepted.
func acceptsCoding(header http.Header, coding string) float64 {
	others := 0.0 // the weight of codings that aren't named
	for _, line := range header["Accept-Encoding"] {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, coding), coding == "gzip" && strings.EqualFold(name, "x-gzip"):
				return weight(params)
			case name == "*":
				others = weight(params)
			}
		}
	}
	return others
}

// weight returns the weight in the parameters of an element (RFC 9110, section
// 12.4.2), 1 if there is none, or 0 if it is malformed.
func weight(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		key, q, _ := strings.Cut(param, "=")
		if q = strings.TrimSpace(q); !strings.EqualFold(strings.TrimSpace(key), "q") || q == "" {
			continue
		}
		value, err := strconv.ParseFloat(q, 64)
		if err != nil || !(value >= 0 && value <= 1) {
			return 0
		}
		return value
	}
	return 1
}
