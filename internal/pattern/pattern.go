// Package pattern parses route patterns, for the router and the analyzer. For
// example, Parse returns for
//
//	GET example.com/users/{id:[0-9]+}/posts/
//
// a Pattern with
//
//	Methods  [GET]
//	Host     example.com
//	Segs     literal "users", parameter id with the constraint [0-9]+, literal "posts"
//	End      All
//
// Parse and ParsePath differ only in the meaning of a trailing slash. So the
// trailing slash is not a segment; it is represented by End.
package pattern

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// End says what may follow the last segment of a pattern.
type End uint8

const (
	Exact End = iota // nothing: /users
	Slash            // a slash: /users/{$}, and /users/ in ParsePath
	All              // a slash and anything: /users/*rest, /users/{rest...}, and /users/ in Parse
)

// A Pattern is a parsed pattern.
type Pattern struct {
	Text       string      // as written
	Methods    []string    // in the order written; nil means every method
	Host       string      // normalized by [HostPort]; "" means every host
	HostLabels []HostLabel // the labels of a host with parameters, else nil
	Path       string      // the path as written, a suffix of Text
	Segs       []Segment   // the segments before End
	End        End
	Rest       string // if End is All, the name of the catch-all; "" for a trailing slash
	RestSlash  bool   // the value of the catch-all starts with a slash (*rest)
	names      names
}

// Names returns the names of the parameters from left to right. The caller must
// not modify the slice.
func (p *Pattern) Names() []string { return p.names }

// Static reports whether the pattern matches exactly one path, and returns that
// path. It reports false if a literal segment contains a slash (written %2F) or
// would be removed by path cleaning.
func (p *Pattern) Static() (path string, ok bool) {
	if p.End == All {
		return "", false
	}
	n, same := 0, true // whether the path is as it was written
	for _, s := range p.Segs {
		t := s[0].Text
		if s.Kind() != Literal || strings.Contains(t, "/") || t == "" || t == "." || t == ".." {
			return "", false
		}
		same = same && len(p.Path) > n && strings.HasPrefix(p.Path[n+1:], t)
		n += 1 + len(t)
	}
	if p.End == Slash {
		n++
	}
	if same && n == len(p.Path) {
		return p.Path, true
	}
	var b strings.Builder
	for _, s := range p.Segs {
		b.WriteString("/")
		b.WriteString(s[0].Text)
	}
	if p.End == Slash {
		b.WriteString("/")
	}
	return b.String(), true
}

// Shape returns a key that is equal for patterns whose hosts and paths differ
// only in the names of their parameters. Such patterns conflict if their
// methods overlap.
func (p *Pattern) Shape() string {
	var b strings.Builder
	b.WriteString(p.HostShape())
	for _, s := range p.Segs {
		b.WriteString("/")
		s.shape(&b)
	}
	switch p.End {
	case Slash:
		b.WriteString("/")
	case All:
		b.WriteString("/*")
	}
	return b.String()
}

// Shape returns the segment without the names of its parameters.
func (s Segment) Shape() string {
	var b strings.Builder
	s.shape(&b)
	return b.String()
}

func (s Segment) shape(b *strings.Builder) {
	for _, part := range s {
		if part.Name == "" {
			b.WriteString(shapeEscaper.Replace(part.Text))
		} else {
			b.WriteString("{")
			b.WriteString(part.Expr)
			b.WriteString("}")
		}
	}
}

var shapeEscaper = strings.NewReplacer("%", "%25", "/", "%2F", "{", "%7B", "}", "%7D", "*", "%2A")

// Overlap returns a method that both patterns list and reports whether there is
// one. A pattern for every method overlaps only with another one for every
// method, because routes with an exact method take precedence over it.
func Overlap(p, q *Pattern) (method string, ok bool) {
	if p.Methods == nil || q.Methods == nil {
		return "", p.Methods == nil && q.Methods == nil
	}
	for _, m := range p.Methods {
		for _, n := range q.Methods {
			if m == n {
				return m, true
			}
		}
	}
	return "", false
}

// ParsePath parses a path as the verb methods of the router do:
// [METHOD[,METHOD...] ]/PATH. The path /x/ matches only itself.
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
			var err error
			if p.Methods, err = ParseMethods(text[:i]); err != nil {
				return nil, err
			}
		}
		rest = strings.TrimLeft(text[i+1:], " \t")
	}
	slash := strings.IndexByte(rest, '/')
	if !handle && slash != 0 || slash < 0 {
		return nil, errors.New("the path must begin with /")
	}
	host := rest[:slash]
	if err := foreignHost(host, rest); err != nil {
		return nil, err
	}
	if err := p.parseHost(host, p.names.add); err != nil {
		return nil, err
	}
	p.Path = rest[slash:]
	if len(text)-len(p.Path) > 0xFFFF {
		return nil, errors.New("methods and host are longer than 65535 bytes")
	}
	return p, p.parsePath(handle)
}

// names are the parameter names that the parser has found, from left to right.
type names []string

// add adds a name. form is the text of the parameter, for errors.
func (ns *names) add(n, form string) error {
	switch {
	case n == "":
		return fmt.Errorf("the parameter %s needs a name", form)
	case !validName(n):
		if id, _, ok := cutName(n); ok && form[0] == ':' {
			return fmt.Errorf("bad parameter name %q; for text after a parameter write {%s}%s", n, id, n[len(id):])
		}
		return fmt.Errorf("bad parameter name %q; a name is letters, digits, _ and -, and begins with a letter or _", n)
	case slices.Contains(*ns, n):
		return fmt.Errorf("the parameter name %q is used twice", n)
	}
	*ns = append(*ns, n)
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
	p.Segs = slices.Grow(p.Segs, count)
	parts := make([]Part, 0, count) // shared by segments of one part
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
		switch {
		case seg == "":
			p.Segs = append(p.Segs, Segment{{}})
		case seg == "{$}":
			if !last {
				return errors.New("{$} must be the last segment")
			}
			p.End = Slash
		case seg[0] == '*':
			if err := p.names.add(seg[1:], seg); err != nil {
				return err
			}
			if !last {
				return fmt.Errorf("the catch-all %s must be the last segment", seg)
			}
			p.End, p.Rest, p.RestSlash = All, seg[1:], true
		case seg[0] == '{' && strings.HasSuffix(seg, "...}") && strings.Count(seg, "{") == 1:
			n := seg[1 : len(seg)-len("...}")]
			if err := p.names.add(n, seg); err != nil {
				return err
			}
			if !last {
				return fmt.Errorf("the catch-all %s must be the last segment", seg)
			}
			p.End, p.Rest = All, n
		default:
			s, err := parseSegment(seg, &p.names, &parts)
			if err != nil {
				return err
			}
			p.Segs = append(p.Segs, s)
		}
	}
	if p.Methods != nil && (len(p.Methods) > 1 || p.Methods[0] != "CONNECT") {
		for _, s := range p.Segs {
			if t := s[0].Text; s.Kind() == Literal && (t == "" || t == "." || t == "..") {
				return errors.New("the path can never match: paths are cleaned of empty, . and .. segments first")
			}
		}
	}
	return nil
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

// parseSegment parses a segment. A segment of one part takes it from parts.
func parseSegment(seg string, names *names, parts *[]Part) (Segment, error) {
	single := func(part Part) Segment {
		*parts = append(*parts, part)
		n := len(*parts)
		return (*parts)[n-1 : n : n]
	}
	if !strings.Contains(seg, "{") {
		text, param, found := strings.Cut(seg, ":")
		if !found {
			return single(Part{Text: unescape(seg)}), nil
		}
		if param == "" {
			return nil, fmt.Errorf("the parameter in %q needs a name; a literal colon is written %%3A", seg)
		}
		if err := names.add(param, seg[len(text):]); err != nil {
			return nil, err
		}
		if text == "" {
			return single(Part{Name: param}), nil
		}
		return Segment{{Text: unescape(text)}, {Name: param}}, nil
	}
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
			s = append(s, Part{Text: unescape(rest[:n])})
			rest = rest[n:]
			continue
		}
		n := braces(rest)
		id, expr, constrained := strings.Cut(rest[1:n-1], ":")
		if id == "$" || strings.HasSuffix(id, "...") {
			return nil, fmt.Errorf("%s must be a whole segment", rest[:n])
		}
		if err := names.add(id, rest[:n]); err != nil {
			return nil, err
		}
		if constrained && expr == "" {
			return nil, fmt.Errorf("the expression of %s is empty", rest[:n])
		}
		if len(s) > 0 && s[len(s)-1].Name != "" {
			return nil, fmt.Errorf("%q needs text between its parameters; otherwise they are ambiguous", seg)
		}
		if expr != "" {
			if _, err := CompileExpr(expr); err != nil {
				return nil, err
			}
		}
		s = append(s, Part{Name: id, Expr: expr})
		rest = rest[n:]
	}
	return s, nil
}

// unescape decodes literal text of a pattern. As in net/http, text with an
// invalid escape is left unchanged.
func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
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
