package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// This file rejects the pattern syntax of other routers. It would be valid
// here, but would mean something else, for example literal text.

// A spelling is a segment in the syntax of another router, and advice on what
// to write instead. In advice, ${1} is the first group of segment.
type spelling struct{ segment, advice string }

var spellings = []spelling{
	{`^<(int|uuid):(\w+)>$`, "this parameter is written {${2}:${1}}"},
	{`^<(?:(?:float|string|path|any):)?(\w+)>$`, "a parameter is written {${1}}"},
	{`^<(\w+):(.+)>$`, "a constrained parameter is written {${1}:${2}}"},
	{`^\[\[?\.\.\.(\w+)\]?\]$`, "the rest of the path is written {${1}...}"},
	{`^\[(\w+)\]$`, "a parameter is written {${1}}"},
	{`^%[sdvq]$`, "a parameter is written {name}"},
	{`^\*\*?$`, "a catch-all needs a name: /users/*path or /users/{path...}"},
	{`^\{\*\*?(\w+)\}$`, "the rest of the path is written {${1}...}"},
	{`^\{(\w+):?\*\*?\}$`, "the rest of the path is written {${1}...}"},
	{`^\?:(\w+)`, "a parameter cannot be optional; register the path without it as well"},
	{`^(?::\w+\?|\{\w+\?\}|\{[^{}]+\}\?)$`, "a parameter cannot be optional; register the path without it as well"},
	{`^:(\w+)<int>$`, "an integer is written {${1}:int}"},
	{`^:(\w+)<guid>$`, "a UUID is written {${1}:uuid}"},
	{`^:(\w+)<.*>$`, "a constraint is an RE2 expression, as in {${1}:[0-9]+}"},
	{`^:(\w+)\((.+)\)$`, "a constraint is written {${1}:${2}}"},
	{`^:(\w+)\|(.+)$`, "a constraint is written {${1}:${2}}"},
	{`^:(\w+):int$`, "an integer is written {${1}:int}"},
	{`^#(\w+)\^(.+?)\$?$`, "a constrained parameter is written {${1}:${2}}"},
	{`^\((.+)\)$`, "a constrained parameter is written {name:${1}}"},
	{`\{(\w+):(?:int(?:8|16|32|64)|uint(?:8|16|32|64)?|integer|long|number|num|digits)\}`, "an integer is written {${1}:int}, digits alone {${1}:[0-9]+}"},
	{`\{(\w+):(?:string|str|any)\}`, "a constraint is an RE2 expression; write {${1}} for any text"},
	{`\{(\w+):guid\}`, "a UUID is written {${1}:uuid}"},
	{`\{(\w+):(?:slug|alpha|bool|float|path)\}`, "a constraint is an RE2 expression, as in {${1}:[a-z]+}"},
	{`^\{(\w+):\(?(?:\.\*|\.\+)\??\)?\}$`, "write {${1}...} for the rest of the path, {${1}} for one segment"},
	{`^\+(?:\{\w+(?::[^{}]+)?\})?$`, "the rest of the path is written {rest...}; a literal + at the start is written %2B"},
	{`^\*\{(\w+)(?::.+)?\}$`, "the rest of the path is written {${1}...}"},
	{`^([^{}]+)\*\{(\w+)(?::.+)?\}$`, "a catch-all must be a whole segment, as in /${1}/{${2}...}; a literal * is written %2A"},
	{`^\.\.\.$`, "the rest of the path is written {rest...}; literal dots are written %2E%2E%2E"},
	{`^\{(\w+)\}\.\.\.$`, "the rest of the path is written {${1}...}; literal dots are written %2E%2E%2E"},
	{`^([^{}]+)\.\.\.$`, "a subtree is written ${1}/ with Handle, or ${1}/{rest...}; literal dots are written %2E%2E%2E"},
	{`^([^{}:*]+)\*(\w+)$`, "a catch-all must be a whole segment, as in /${1}/*${2}; a literal * is written %2A"},
	{`^([^*].*)\*$`, "a catch-all must be a whole segment, as in /${1}/*rest; a literal * is written %2A"},
	{`^(?:[^{]|\{[^{}]*\})*\\`, "a backslash escapes nothing; a literal colon is written %3A, a backslash %5C"},
	{`^(?:[^{]|\{[^{}]*\})*\?`, "a path has no query; read it from r.URL.Query(); a literal ? is written %3F"},
	{`^(?:[^{#]|\{[^{}]*\})+#`, "a path has no fragment; a literal # is written %23"},
}

// spellingRegexps returns the compiled segments of spellings. They are compiled
// when they are first needed: most programs don't need them, and it takes more
// time than all else that is initialized when this module is imported.
var spellingRegexps = sync.OnceValue(func() []*regexp.Regexp {
	all := make([]*regexp.Regexp, len(spellings))
	for i, s := range spellings {
		all[i] = regexp.MustCompile(s.segment)
	}
	return all
})

// Foreign returns an error if seg is in the syntax of another router.
func Foreign(seg string) error {
	if plainSegment(seg) {
		return nil
	}
	for i, re := range spellingRegexps() {
		if m := re.FindStringSubmatchIndex(seg); m != nil {
			return fmt.Errorf("%q: %s", seg, re.ExpandString(nil, spellings[i].advice, seg, m))
		}
	}
	return nil
}

var colonName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\pL\d}]):([\pL_](?:[\pL\d_-]*[\pL\d])?)`)
})

var colonExpression = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:([\pL_]\w*)\(([^()]*)\)`) })

// inBraces returns seg with :name as {name}. A colon after a letter or a brace is
// text: :id:cancel => {id}:cancel.
func inBraces(seg string) string {
	return colonName().ReplaceAllString(colonExpression().ReplaceAllString(seg, "{$1:$2}"), "$1{$2}")
}

// colonBesideBraces reports whether text, a part of a segment with braces, has
// what would be a parameter in a segment without braces: :name.{ext} or
// {name}.:ext, but not {id}:cancel. first says that the segment begins with
// text.
func colonBesideBraces(text string, first bool) bool {
	if !strings.Contains(text, ":") {
		return false
	}
	m := colonName().FindStringIndex(text)
	return m != nil && (first || m[0] > 0 || text[0] != ':')
}

// plainSegment reports whether seg is certainly not foreign, because it has no
// special characters or is a single parameter.
func plainSegment(seg string) bool {
	if !strings.ContainsAny(seg, `<[%*{:(+\?#`) {
		return !strings.HasSuffix(seg, "...")
	}
	if seg[0] == '{' && seg[len(seg)-1] == '}' {
		name, expr, constraint := strings.Cut(seg[1:len(seg)-1], ":")
		if constraint {
			return validName(name) && (expr == "int" || expr == "uuid" || strings.HasPrefix(expr, "[") && !strings.ContainsAny(expr, "{}"))
		}
		return validName(strings.TrimSuffix(name, "..."))
	}
	return (seg[0] == ':' || seg[0] == '*') && validName(seg[1:])
}

// foreignMethod returns an error for a list of methods in the syntax of another
// router.
func foreignMethod(m string) error {
	if m == "*" {
		return errors.New("for every method, omit the method, or use ANY")
	}
	if strings.Contains(m, "|") {
		return fmt.Errorf("separate methods with commas: %s", strings.ReplaceAll(m, "|", ","))
	}
	if upper := strings.ToUpper(m); upper != m && slices.Contains(StandardMethods, upper) {
		return fmt.Errorf("the method %s is written %s", m, upper)
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
		return fmt.Errorf("for one or more first labels write {sub...}%s, for one {sub}%s", host[1:], host[1:])
	case strings.Contains(host, "*"):
		return fmt.Errorf("%q is not a host; a label of any text is written {name}", host)
	case strings.Contains(host, ":") && foreignParam().MatchString(host):
		return fmt.Errorf("a parameter of a host is written {name}, as in {sub}.example.com")
	case slices.Contains(StandardMethods, strings.ToUpper(host)) || strings.Contains(host, ","):
		return fmt.Errorf("%q is the host of this pattern; write a space between method and path", host)
	}
	return nil
}

// foreignParam matches a label such as :sub, but not a port.
var foreignParam = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\.):[A-Za-z_]`) })
