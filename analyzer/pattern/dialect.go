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

// replacement matches the replacement for a segment in the router's advice, and
// its name.
var replacement = regexp.MustCompile(`[:;] (?:(?:this|a) parameter is written|an integer is written|a UUID is written|the rest of the path is written|` +
	`a constraint is written|write) (\{(\w+)\S*\})`)

// unsigned matches segments for which {id:int} isn't one: it has a sign.
var unsigned = regexp.MustCompile(`:(?:uint|digits)`)

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
	for _, seg := range strings.Split(text[slash+1:], "/") {
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
		if m := replacement.FindStringSubmatch(h.text); m != nil && strings.Contains(seg, m[2]) && !unsigned.MatchString(seg) {
			h.new = m[1]
		}
		return h
	}
	return hint{}
}
