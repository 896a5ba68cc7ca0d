package pattern

import (
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A hint says what is wrong with a part of a pattern and what to write instead,
// if that is certain.
type hint struct{ text, old, new string }

// fixes are the spellings of other routers that need no thought, as segments of a
// path. The router's own parser knows more of them, and what is wrong with them.
// In the new text, ${1} is the first group.
var fixes = []struct {
	segment *regexp.Regexp
	new     string
}{
	{regexp.MustCompile(`^<(?:\w+:)?(\w+)>$`), "{${1}}"},
	{regexp.MustCompile(`^\[\[?\.\.\.(\w+)\]?\]$`), "{${1}...}"},
	{regexp.MustCompile(`^\[(\w+)\]$`), "{${1}}"},
	{regexp.MustCompile(`^\{\*\*?(\w+)\}$`), "{${1}...}"},
	{regexp.MustCompile(`^\{(\w+):?\*\*?\}$`), "{${1}...}"},
	{regexp.MustCompile(`^:(\w+)\((.+)\)$`), "{${1}:${2}}"},
	{regexp.MustCompile(`^\{(\w+):(?:int|integer|long|number|num|digits)\}$`), "{${1}:[0-9]+}"},
	{regexp.MustCompile(`^\{(\w+):(?:string|str|any)\}$`), "{${1}}"},
}

// standard are the spellings of the router that are literal text for an
// http.ServeMux.
var standard = []struct {
	segment   *regexp.Regexp
	text, new string
}{
	{regexp.MustCompile(`^:(\w+)$`), "a parameter is written {${1}}", "{${1}}"},
	{regexp.MustCompile(`^\*(\w+)$`), "the rest of the path is written {${1}...}", "{${1}...}"},
}

// dialect looks for a segment in the dialect of another router; std says that the
// pattern is for an http.ServeMux.
func dialect(text string, std bool) hint {
	slash := strings.IndexByte(text, '/')
	if slash < 0 {
		return hint{}
	}
	segments := strings.Split(text[slash+1:], "/")
	for i, seg := range segments {
		for _, s := range standard {
			if m := s.segment.FindStringSubmatchIndex(seg); std && m != nil {
				return hint{seg + " is literal text for http.ServeMux: " + string(s.segment.ExpandString(nil, s.text, seg, m)), seg,
					string(s.segment.ExpandString(nil, s.new, seg, m))}
			}
		}
		err := pattern.Foreign(seg)
		if err == nil {
			continue
		}
		h := hint{text: err.Error(), old: seg}
		for _, f := range fixes {
			if m := f.segment.FindStringSubmatchIndex(seg); m != nil {
				h.new = string(f.segment.ExpandString(nil, f.new, seg, m))
			}
		}
		if m := tail.FindStringSubmatch(seg); m != nil && i == len(segments)-1 {
			h.new = "{" + m[1] + "...}"
		}
		return h
	}
	return hint{}
}

// tail is the rest of the path as gorilla/mux writes it.
var tail = regexp.MustCompile(`^\{(\w+):\(?(?:\.\*|\.\+)\??\)?\}$`)
