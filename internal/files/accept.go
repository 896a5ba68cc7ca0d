package files

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// acceptsHTML reports whether the client accepts HTML, as browsers do for pages.
func acceptsHTML(header http.Header) bool {
	for _, line := range header["Accept"] {
		for part := range strings.SplitSeq(line, ",") {
			t, params, err := mime.ParseMediaType(part)
			if err == nil && (t == "text/html" || t == "application/xhtml+xml") && quality(params["q"]) > 0 {
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
			name, param, _ := strings.Cut(part, ";")
			weight := 1.0
			if key, value, _ := strings.Cut(param, "="); strings.EqualFold(strings.TrimSpace(key), "q") {
				weight = quality(strings.TrimSpace(value))
			}
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, coding), coding == "gzip" && strings.EqualFold(name, "x-gzip"):
				return weight
			case name == "*":
				others = weight
			}
		}
	}
	return others
}

// quality returns the value of a weight (RFC 9110, section 12.4.2), 1 if there
// is none, or 0 if it is malformed.
func quality(q string) float64 {
	if q == "" {
		return 1
	}
	value, err := strconv.ParseFloat(q, 64)
	if err != nil || !(value >= 0 && value <= 1) {
		return 0
	}
	return value
}
