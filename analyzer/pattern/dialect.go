package pattern

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/routes"
)

// A hint describes an error in a pattern and, if it is clear, the correct
// spelling.
type hint struct{ text, old, new string }

// fixes are spellings of other routers with a clear replacement, as segments of
// a path. The router detects more of them and describes the error. In the new
// text, ${1} is the first group.
var fixes = []struct {
	segment *regexp.Regexp
	new     string
}{
	{regexp.MustCompile(`^<(int|uuid):(\w+)>$`), "{${2}:${1}}"},
	{regexp.MustCompile(`^<(?:\w+:)?(\w+)>$`), "{${1}}"},
	{regexp.MustCompile(`^\[\[?\.\.\.(\w+)\]?\]$`), "{${1}...}"},
	{regexp.MustCompile(`^\[(\w+)\]$`), "{${1}}"},
	{regexp.MustCompile(`^\{\*\*?(\w+)\}$`), "{${1}...}"},
	{regexp.MustCompile(`^\{(\w+):?\*\*?\}$`), "{${1}...}"},
	{regexp.MustCompile(`^:(\w+)\((.+)\)$`), "{${1}:${2}}"},
	{regexp.MustCompile(`^\{(\w+):(?:integer|long|number|num)\}$`), "{${1}:int}"},
	{regexp.MustCompile(`^\{(\w+):digits\}$`), "{${1}:[0-9]+}"},
	{regexp.MustCompile(`^\{(\w+):guid\}$`), "{${1}:uuid}"},
	{regexp.MustCompile(`^\{(\w+):(?:string|str|any)\}$`), "{${1}}"},
}

// standard are the spellings of muxmaster that are literal text for an
// http.ServeMux.
var standard = []struct {
	segment   *regexp.Regexp
	text, new string
}{
	{regexp.MustCompile(`^:(\w+)$`), "a parameter is written {${1}}", "{${1}}"},
	{regexp.MustCompile(`^\*(\w+)$`), "the rest of the path is written {${1}...}", "{${1}...}"},
}

// dialect searches for a segment in the syntax of another router. std reports
// whether the pattern is for an http.ServeMux.
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
		err := routes.TrySegment(seg)
		if err == nil || !strings.HasPrefix(err.Error(), strconv.Quote(seg)+": ") {
			continue // valid, or not the syntax of another router
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

// tail matches a catch-all of gorilla/mux.
var tail = regexp.MustCompile(`^\{(\w+):\(?(?:\.\*|\.\+)\??\)?\}$`)
