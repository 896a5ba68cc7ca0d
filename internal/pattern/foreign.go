package pattern

import (
	"fmt"
	"regexp"
	"strings"
)

// This file rejects the pattern syntax of other routers. It would be valid
// here, but would mean something else, for example literal text.

// A spelling is a segment in the syntax of another router, and advice on what
// to write instead. In advice, ${1} is the first group of segment.
type spelling struct {
	segment *regexp.Regexp
	advice  string
}

var spellings = []spelling{
	{regexp.MustCompile(`^<(?:(?:int|float|string|path|uuid|any):)?(\w+)>$`), "a parameter is written {${1}}"},
	{regexp.MustCompile(`^<(\w+):(.+)>$`), "a constrained parameter is written {${1}:${2}}"},
	{regexp.MustCompile(`^\[\[?\.\.\.(\w+)\]?\]$`), "the rest of the path is written {${1}...}"},
	{regexp.MustCompile(`^\[(\w+)\]$`), "a parameter is written {${1}}"},
	{regexp.MustCompile(`^%[sdvq]$`), "a parameter is written {name}"},
	{regexp.MustCompile(`^\*\*?$`), "a catch-all needs a name: /users/*path or /users/{path...}"},
	{regexp.MustCompile(`^\{\*\*?(\w+)\}$`), "the rest of the path is written {${1}...}"},
	{regexp.MustCompile(`^\{(\w+):?\*\*?\}$`), "the rest of the path is written {${1}...}"},
	{regexp.MustCompile(`^\?:(\w+)`), "no parameter is optional; register the path without it as well"},
	{regexp.MustCompile(`^(?::|\{)(\w+)\?\}?$`), "no parameter is optional; register the path without it as well"},
	{regexp.MustCompile(`^:(\w+)<.*>$`), "a constraint is an RE2 expression, as in {${1}:[0-9]+}"},
	{regexp.MustCompile(`^:(\w+)\((.+)\)$`), "a constraint is written {${1}:${2}}"},
	{regexp.MustCompile(`^:(\w+)\|(.+)$`), "a constraint is written {${1}:${2}}"},
	{regexp.MustCompile(`^:(\w+):int$`), "a constraint is an RE2 expression; write {${1}:[0-9]+}"},
	{regexp.MustCompile(`^#(\w+)\^(.+?)\$?$`), "a constrained parameter is written {${1}:${2}}"},
	{regexp.MustCompile(`^\((.+)\)$`), "a constrained parameter is written {name:${1}}"},
	{regexp.MustCompile(`\{(\w+):(?:int|integer|long|number|num|digits)\}`), "a constraint is an RE2 expression; write {${1}:[0-9]+}"},
	{regexp.MustCompile(`\{(\w+):(?:string|str|any)\}`), "a constraint is an RE2 expression; write {${1}} for any text"},
	{regexp.MustCompile(`\{(\w+):(?:uuid|guid|slug|alpha|bool|float|path)\}`), "a constraint is an RE2 expression, as in {${1}:[a-z]+}"},
	{regexp.MustCompile(`^\{(\w+):\(?(?:\.\*|\.\+)\??\)?\}$`), "write {${1}...} for the rest of the path, {${1}} for one segment"},
	{regexp.MustCompile(`^\+(?:\{\w+(?::[^{}]+)?\})?$`), "the rest of the path is written {rest...}; a literal + at the start is written %2B"},
	{regexp.MustCompile(`^\*\{(\w+)(?::.+)?\}$`), "the rest of the path is written {${1}...}"},
	{regexp.MustCompile(`^([^{}]+)\*\{(\w+)(?::.+)?\}$`), "a catch-all is a segment of its own, as in /${1}/{${2}...}; a literal * is written %2A"},
	{regexp.MustCompile(`^\.\.\.$`), "the rest of the path is written {rest...}; literal dots are written %2E%2E%2E"},
	{regexp.MustCompile(`^\{(\w+)\}\.\.\.$`), "the rest of the path is written {${1}...}; literal dots are written %2E%2E%2E"},
	{regexp.MustCompile(`^([^{}]+)\.\.\.$`), "a subtree is written ${1}/ with Handle, or ${1}/{rest...}; literal dots are written %2E%2E%2E"},
	{regexp.MustCompile(`^([^*].*)\*$`), "a catch-all is a segment of its own, as in /${1}/*rest; a literal * is written %2A"},
	{regexp.MustCompile(`^(?:[^{]|\{[^{}]*\})*\\`), "nothing is escaped with a backslash; a literal colon is written %3A, a backslash %5C"},
	{regexp.MustCompile(`^[^{]*\?`), "a path has no query; read it from r.URL.Query(); a literal ? is written %3F"},
	{regexp.MustCompile(`^[^{#]+#`), "a path has no fragment; a literal # is written %23"},
}

// Foreign returns an error if seg is in the syntax of another router.
func Foreign(seg string) error {
	if plainSegment(seg) {
		return nil
	}
	for _, s := range spellings {
		if m := s.segment.FindStringSubmatchIndex(seg); m != nil {
			return fmt.Errorf("%q: %s", seg, s.segment.ExpandString(nil, s.advice, seg, m))
		}
	}
	return nil
}

var (
	colonName       = regexp.MustCompile(`(^|[^\pL\d}]):([\pL_](?:[\pL\d_-]*[\pL\d])?)`)
	colonExpression = regexp.MustCompile(`:([\pL_]\w*)\(([^()]*)\)`)
)

// inBraces returns seg with :name as {name}. A colon after a letter or a brace is
// text: :id:cancel => {id}:cancel.
func inBraces(seg string) string {
	return colonName.ReplaceAllString(colonExpression.ReplaceAllString(seg, "{$1:$2}"), "$1{$2}")
}

// colonBesideBraces reports whether text, a part of a segment with braces, has what
// would be a parameter in a segment without braces: :name.{ext} or {name}.:ext, but
// not {id}:cancel. first says that the segment begins with text.
func colonBesideBraces(text string, first bool) bool {
	if !strings.Contains(text, ":") {
		return false
	}
	m := colonName.FindStringIndex(text)
	return m != nil && (first || m[0] > 0 || text[0] != ':')
}

// plainSegment reports whether seg is certainly not foreign, because it has no
// special characters or is a single parameter.
func plainSegment(seg string) bool {
	if !strings.ContainsAny(seg, `<[%*{:(+\?#`) {
		return !strings.HasSuffix(seg, "...")
	}
	if seg[0] == '{' && seg[len(seg)-1] == '}' {
		return validName(strings.TrimSuffix(seg[1:len(seg)-1], "..."))
	}
	return (seg[0] == ':' || seg[0] == '*') && validName(seg[1:])
}

// foreignMethod returns an error for a list of methods in the syntax of another
// router.
func foreignMethod(m string) error {
	if strings.Contains(m, "|") {
		return fmt.Errorf("separate methods with commas: %s", strings.ReplaceAll(m, "|", ","))
	}
	return nil
}

// foreignHost returns an error for a host in the syntax of another router. rest
// is the pattern starting at the host.
func foreignHost(host, rest string) error {
	switch {
	case strings.HasSuffix(host, ":") && strings.HasPrefix(rest[len(host):], "//"):
		return fmt.Errorf("a pattern has no scheme; write %s", rest[len(host)+2:])
	case strings.HasPrefix(host, "*."):
		return fmt.Errorf("a host with any first labels is written {sub...}%s, with one {sub}%s", host[1:], host[1:])
	case strings.Contains(host, "*"):
		return fmt.Errorf("%q is not a host; a label of any text is written {name}", host)
	case foreignParam.MatchString(host):
		return fmt.Errorf("a parameter of a host is written {name}, as in {sub}.example.com")
	case isMethodName(host):
		return fmt.Errorf("%q is the host of this pattern; write a space between method and path", host)
	}
	return nil
}

// foreignParam matches a label such as :sub, but not a port.
var foreignParam = regexp.MustCompile(`(?:^|\.):[A-Za-z_]`)

func isMethodName(s string) bool {
	switch s {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "QUERY", "OPTIONS":
		return true
	}
	return false
}
