package pattern

import (
	"fmt"
	"regexp"
	"strings"
)

// A hint says what is wrong with a part of a pattern and what to write instead,
// if that is certain.
type hint struct{ text, old, new string }

// dialects are the spellings of other routers, as segments of a path. In text
// and new, $1 is the name.
var dialects = []struct {
	segment   *regexp.Regexp
	std       bool // on an http.ServeMux only, where it is literal text
	text, new string
}{
	{regexp.MustCompile(`^<(?:\w+:)?(\w+)>$`), false, "$0 is literal text: a parameter is written {$1}", "{$1}"},
	{regexp.MustCompile(`^\[\[?\.\.\.(\w+)\]?\]$`), false, "$0 is literal text: the rest of the path is written {$1...}", "{$1...}"},
	{regexp.MustCompile(`^\[(\w+)\]$`), false, "$0 is literal text: a parameter is written {$1}", "{$1}"},
	{regexp.MustCompile(`^%[sdvq]$`), false, "$0 is literal text: a parameter is written {name}", ""},
	{regexp.MustCompile(`^\*\*?$`), false, "the rest of the path has a name: write {path...}", ""},
	{regexp.MustCompile(`^\{\*\*?(\w+)\}$`), false, "the rest of the path is written {$1...}", "{$1...}"},
	{regexp.MustCompile(`^\{(\w+):?\*\*?\}$`), false, "the rest of the path is written {$1...}", "{$1...}"},
	{regexp.MustCompile(`^(?::|\{)(\w+)\?\}?$`), false, "no parameter is optional: register the path without it as well", ""},
	{regexp.MustCompile(`^:(\w+)\((.+)\)$`), false, "a constraint is written {$1:$2}", "{$1:$2}"},
	{regexp.MustCompile(`^\{(\w+):(?:int|integer|long|number|num|digits)\}$`), false,
		"$0 matches nothing but its type's name, since a constraint is an RE2 expression: write {$1:[0-9]+}", "{$1:[0-9]+}"},
	{regexp.MustCompile(`^\{(\w+):(?:string|str|any)\}$`), false, "$0 matches nothing but its type's name, since a constraint is an RE2 expression: write {$1}", "{$1}"},
	{regexp.MustCompile(`^\{(\w+):(?:uuid|guid|slug|alpha|bool|float|path)\}$`), false,
		"$0 matches nothing but its type's name, since a constraint is an RE2 expression", ""},
	{regexp.MustCompile(`^:(\w+)$`), true, "$0 is literal text for http.ServeMux: a parameter is written {$1}", "{$1}"},
	{regexp.MustCompile(`^\*(\w+)$`), true, "$0 is literal text for http.ServeMux: the rest of the path is written {$1...}", "{$1...}"},
}

// tail is the rest of the path as gorilla/mux and chi write it.
var tail = regexp.MustCompile(`^\{(\w+):\(?(?:\.\*|\.\+)\??\)?\}$`)

// dialect looks for a segment in the dialect of another router; std says that
// the pattern is for an http.ServeMux.
func dialect(text string, std bool) hint {
	slash := strings.IndexByte(text, '/')
	if slash < 0 {
		return hint{}
	}
	segments := strings.Split(text[slash+1:], "/")
	for i, seg := range segments {
		for _, d := range dialects {
			if d.std && !std || !d.segment.MatchString(seg) {
				continue
			}
			m := d.segment.FindStringSubmatchIndex(seg)
			return hint{string(d.segment.ExpandString(nil, strings.ReplaceAll(d.text, "$0", "${0}"), seg, m)), seg,
				string(d.segment.ExpandString(nil, d.new, seg, m))}
		}
		if m := tail.FindStringSubmatch(seg); m != nil && i == len(segments)-1 && !std {
			return hint{fmt.Sprintf("%s matches one segment: the rest of the path is written {%s...}", seg, m[1]), seg, "{" + m[1] + "...}"}
		}
		if k := strings.IndexAny(seg, "?#"); k >= 0 && !strings.Contains(seg, "{") {
			return hint{text: fmt.Sprintf("a path has no %q: the query is in r.URL.Query()", seg[k:k+1])}
		}
	}
	return hint{}
}
