package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file compares the headers of two responses. Most differ from response to
// response, such as Date, Set-Cookie and the ID of a request. So for most headers
// only a missing one is a difference. The values of a few are the same for each
// response of a route, and decide who may do what with it: those of CORS and
// caches, for example.

// volatile are headers that nobody misses: they depend on the connection, a proxy
// or the time, or are compared as fields of Response.
var volatile = map[string]bool{
	"Date": true, "Content-Length": true, "Connection": true, "Keep-Alive": true, "Transfer-Encoding": true, "Trailer": true, "Server": true, "Via": true,
	"Alt-Svc": true, "Age": true, "Content-Type": true, "Location": true, "Allow": true,
}

// steady reports whether the values of a header are compared.
func steady(name string) bool {
	switch name {
	case "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Permissions-Policy", "Referrer-Policy", "Strict-Transport-Security",
		"Vary", "Www-Authenticate", "X-Content-Type-Options", "X-Frame-Options":
		return true
	}
	return strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "Cross-Origin-")
}

// otherHeader returns the name of the first header that differs: one that is
// missing now, that has another value, or that allows other sites more than before.
// It is "" if there is none.
func otherHeader(old, now Response) string {
	if !slices.Equal(list(old.Allow), list(now.Allow)) {
		return "Allow"
	}
	if old.Location == "" && mediaType(old.ContentType) != mediaType(now.ContentType) {
		return "Content-Type"
	}
	for _, name := range slices.Sorted(maps.Keys(old.Header)) {
		switch values, ok := now.Header[name]; {
		case volatile[name]:
		case !ok, steady(name) && !slices.Equal(list(old.Header[name]...), list(values...)):
			return name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.Header)) {
		if _, ok := old.Header[name]; !ok && strings.HasPrefix(name, "Access-Control-") {
			return name
		}
	}
	return ""
}

// list returns the elements of a header, which may be in several lines.
func list(lines ...string) []string {
	elements := strings.Split(strings.ToLower(strings.Join(lines, ",")), ",")
	for i := range elements {
		elements[i] = strings.TrimSpace(elements[i])
	}
	slices.Sort(elements)
	return slices.Compact(elements)
}

// header returns the value of a header, or "(none)".
func (r Response) header(name string) string {
	value := strings.Join(r.Header[name], ", ")
	switch name {
	case "Allow":
		value = r.Allow
	case "Content-Type":
		value = r.ContentType
	}
	if value == "" {
		return "(none)"
	}
	return value
}

// headerCause returns a text that is the same for differences of a header that
// have, most likely, the same cause: a header that is missing everywhere, or
// methods in Allow that a router adds to all.
func (d *Difference) headerCause() string {
	name := otherHeader(d.Old, d.Now)
	switch old, now := d.Old.header(name), d.Now.header(name); {
	case name == "Allow" && (d.Old.Allow == "" || d.Now.Allow == ""):
		return fmt.Sprintf("Allow %t", d.Old.Allow == "")
	case name == "Allow":
		return fmt.Sprintf("Allow %q %q", without(list(old), list(now)), without(list(now), list(old)))
	case name == "Content-Type" || steady(name):
		return fmt.Sprintf("%s %q %q", name, old, now)
	}
	return name
}

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(m string) bool { return slices.Contains(b, m) })
}
