package pattern

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// ParsePath parses a path as the verb methods of the router do:
// [METHOD[,METHOD...] ][HOST]/PATH. The path /x/ matches only itself.
func ParsePath(text string) (*Pattern, error) { return parse(text, false) }

// Parse parses a pattern as Handle does: [METHOD[,METHOD...] ][HOST]/PATH. As
// in net/http, the path /x/ matches everything below it.
func Parse(text string) (*Pattern, error) { return parse(text, true) }

func parse(text string, handle bool) (*Pattern, error) {
	if text == "" {
		return nil, errors.New("the pattern is empty; write at least /")
	}
	p := &Pattern{Text: text}
	rest := text
	if i := strings.IndexAny(text, " \t"); i >= 0 && !strings.Contains(text[:i], "{") && (handle || text[0] != '/') {
		if i > 0 { // as in net/http, " /x" is the same as "/x"
			if strings.Contains(text[:i], "/") {
				return nil, errors.New("only methods come before a space; a space in a path is written %20")
			}
			var err error
			if p.Methods, err = ParseMethods(text[:i]); err != nil {
				return nil, err
			}
		}
		rest = strings.TrimLeft(text[i+1:], " \t")
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return nil, errors.New("the path must begin with /")
	}
	host := rest[:slash]
	if err := foreignHost(host, rest); err != nil {
		return nil, err
	}
	if err := p.parseHost(host); err != nil {
		return nil, err
	}
	p.Path = rest[slash:]
	if len(text)-len(p.Path) > 0xFFFF {
		return nil, errors.New("methods and host are longer than 65535 bytes")
	}
	return p, p.parsePath(handle)
}

// addName adds the name of a parameter. form is the text of the parameter, for
// errors.
func (p *Pattern) addName(n, form string) error {
	switch {
	case n == "":
		return fmt.Errorf("the parameter %s needs a name", form)
	case !validName(n):
		if _, _, ok := cutName(n); ok && form[0] == ':' {
			return fmt.Errorf("bad parameter name %q; for text after a parameter write %s", n, inBraces(form))
		}
		return fmt.Errorf("bad parameter name %q; a name is letters, digits, _ and -, and begins with a letter or _", n)
	case slices.Contains(p.names, n):
		return fmt.Errorf("the parameter name %q is used twice", n)
	}
	if p.names == nil {
		p.names = p.fewNames[:0]
	}
	p.names = append(p.names, n)
	return nil
}

// parsePath parses p.Path, which begins with a slash. If subtree is true, a
// trailing slash matches everything below it.
func (p *Pattern) parsePath(subtree bool) error {
	path := p.Path
	count := strings.Count(path, "/")
	if path == "/" {
		count = 0
	}
	p.Segs = make([]Segment, 0, count)
	parts := make([]Part, 0, count) // of the segments with one part
	for path != "" {                // path[0] == '/'
		path = path[1:]
		if path == "" {
			p.End = Slash
			if subtree {
				p.End = All
			}
			break
		}
		end, err := segmentEnd(path)
		if err != nil {
			return err
		}
		seg, last := path[:end], end == len(path)
		path = path[end:]
		if err := Foreign(seg); err != nil {
			return err
		}
		name, catchAll := catchAllName(seg)
		switch {
		case seg == "":
			p.Segs = append(p.Segs, Segment{{}})
		case seg == "{$}":
			if !last {
				return errors.New("{$} must be the last segment")
			}
			p.End = Slash
		case catchAll:
			if err := p.addName(name, seg); err != nil {
				return err
			}
			if last {
				p.End, p.Rest, p.RestSlash = All, name, seg[0] == '*'
			} else if err := p.addMulti(name, seg); err != nil {
				return err
			}
		default:
			s, err := p.parseSegment(seg, &parts)
			if err != nil {
				return err
			}
			p.Segs = append(p.Segs, s)
		}
	}
	return p.checkClean()
}

// addMulti adds a catch-all inside the path.
func (p *Pattern) addMulti(name, seg string) error {
	if seg[0] == '*' {
		return fmt.Errorf("the catch-all %s must be the last segment; inside a path it is written {%s...}", seg, name)
	}
	if p.Multi() >= 0 {
		return fmt.Errorf("the catch-all %s is the second one inside the path; there can be one, and another at the end", seg)
	}
	p.Segs = append(p.Segs, Segment{{Text: name, Param: true, Multi: true}})
	return nil
}

// checkClean returns an error if no request can match p because paths are
// cleaned first. Only the paths of CONNECT requests are not.
func (p *Pattern) checkClean() error {
	if p.Methods == nil || len(p.Methods) == 1 && p.Methods[0] == "CONNECT" {
		return nil
	}
	for _, s := range p.Segs {
		if s.Kind() == Literal && wirepath.Removed(s[0].Text) {
			return errors.New("the path can never match: paths are cleaned of empty, . and .. segments first")
		}
	}
	return nil
}

// catchAllName returns the name in a catch-all segment: *name or {name...}. It
// may be invalid.
func catchAllName(seg string) (name string, ok bool) {
	if name, ok = strings.CutPrefix(seg, "*"); ok {
		return name, true
	}
	if strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "...}") && strings.Count(seg, "{") == 1 {
		return seg[1 : len(seg)-len("...}")], true
	}
	return "", false
}

// segmentEnd returns the length of the first segment of path. Slashes inside
// braces don't end a segment.
func segmentEnd(path string) (int, error) {
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '/':
			return i, nil
		case '{':
			n := braces(path[i:])
			if n < 0 {
				if inner := path[i:]; strings.Contains(inner, ":") && strings.Count(inner, "[") > strings.Count(inner, "]") {
					return 0, errors.New("a { is not closed, because a [ in its expression isn't")
				}
				return 0, errors.New("a { is not closed; a literal one is written %7B")
			}
			i += n - 1
		}
	}
	return len(path), nil
}

// braces returns the index after the brace that closes the one at s[0], or -1.
// After the first colon, s is a regular expression, in which braces that are
// escaped or inside a character class do not count.
func braces(s string) int {
	depth, expr, class := 0, false, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case !expr && c == '/':
			return -1
		case !expr && c == ':':
			expr = true
		case expr && c == '\\':
			i++
		case class > 0:
			// A ] directly after [ or [^ is literal; [:alpha:] nests.
			switch {
			case c == '[' && i+1 < len(s) && s[i+1] == ':':
				if n := strings.Index(s[i:], ":]"); n > 0 {
					i += n + 1
				}
			case c == ']' && i >= class:
				class = 0
			}
		case expr && c == '[':
			class = i + 2
			if i+1 < len(s) && s[i+1] == '^' {
				class++
			}
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// parseSegment parses a segment. A segment of one part takes it from parts. As in
// net/http, text with an invalid escape is left unchanged.
func (p *Pattern) parseSegment(seg string, parts *[]Part) (Segment, error) {
	if strings.Contains(seg, "{") {
		return p.parseBraces(seg)
	}
	single := func(part Part) Segment {
		*parts = append(*parts, part)
		n := len(*parts)
		return (*parts)[n-1 : n : n]
	}
	text, param, found := strings.Cut(seg, ":")
	if !found {
		return single(Part{Text: wirepath.Decode(seg)}), nil
	}
	if param == "" {
		return nil, fmt.Errorf("the parameter in %q needs a name; a literal colon is written %%3A", seg)
	}
	if err := p.addName(param, seg[len(text):]); err != nil {
		return nil, err
	}
	if text == "" {
		return single(Part{Text: param, Param: true}), nil
	}
	return Segment{{Text: wirepath.Decode(text)}, {Text: param, Param: true}}, nil
}

// parseBraces parses a segment with at least one parameter in braces.
func (p *Pattern) parseBraces(seg string) (Segment, error) {
	var s Segment
	for rest := seg; rest != ""; {
		if rest[0] != '{' {
			n := strings.IndexByte(rest, '{')
			if n < 0 {
				n = len(rest)
			}
			if strings.Contains(rest[:n], "}") {
				return nil, fmt.Errorf("%q has a } without its {; a literal one is written %%7D", seg)
			}
			if colonBesideBraces(rest[:n], len(s) == 0) {
				return nil, fmt.Errorf("%q: parameters next to braces are also written in braces: %s; a literal colon is written %%3A", seg, inBraces(seg))
			}
			s = append(s, Part{Text: wirepath.Decode(rest[:n])})
			rest = rest[n:]
			continue
		}
		n := braces(rest)
		part, err := p.parseParam(rest[:n])
		if err != nil {
			return nil, err
		}
		if len(s) > 0 && s[len(s)-1].Param {
			return nil, fmt.Errorf("%q needs text between its parameters; otherwise they are ambiguous", seg)
		}
		s = append(s, part)
		rest = rest[n:]
	}
	return s, s.check()
}

// parseParam parses a parameter in braces: {name}, {name:type} or
// {name:expression}.
func (p *Pattern) parseParam(text string) (Part, error) {
	name, expr, constrained := strings.Cut(text[1:len(text)-1], ":")
	if name == "$" || strings.HasSuffix(name, "...") {
		return Part{}, fmt.Errorf("%s must be a whole segment", text)
	}
	if err := p.addName(name, text); err != nil {
		return Part{}, err
	}
	if constrained && expr == "" {
		return Part{}, fmt.Errorf("the expression of %s is empty", text)
	}
	if whole, ok := types[expr]; ok {
		return Part{Text: name, Param: true, Expr: whole, Type: expr}, nil
	}
	if expr != "" {
		if _, err := parseExpr(expr); err != nil {
			return Part{}, err
		}
	}
	return Part{Text: name, Param: true, Expr: expr}, nil
}

func validName(s string) bool {
	id, rest, ok := cutName(s)
	return ok && rest == "" && id != ""
}

// cutName splits s after the longest valid name.
func cutName(s string) (name, rest string, ok bool) {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || c != '-' && !unicode.IsDigit(c)) {
			return s[:i], s[i:], i > 0
		}
	}
	return s, "", s != ""
}
