package openapi

import (
	"regexp"
	"strings"
)

// plain matches expressions that mean the same in RE2 and in ECMAScript with
// the flag u, which JSON Schema uses. It also matches some other expressions
// with (?, so the caller must check for that.
var plain = regexp.MustCompile(`^(?:[\w~:;=@!&', <>"#%/|()+*?^$-]|\\[dDwWbB^$.*+?()[\]{}|]|\{\d+(?:,\d*)?\}` +
	`|\[\^?(?:[\w~:;=@!&', <>"#%/|()+*?$.-]|\\[dDwW^$.*+?()[\]{}|-])+\])*$`)

// ecmaScript returns an RE2 expression if it means the same to JSON Schema, or else
// "": then the document doesn't have it.
func ecmaScript(expr string) string {
	if plain.MatchString(expr) && !strings.Contains(strings.ReplaceAll(expr, "(?:", "("), "(?") {
		return expr
	}
	return ""
}
