// Package pattern parses route patterns: the one language that the router's
// registration methods and the analyzer share.
//
// A pattern is parsed once, into segments that know nothing of trees:
//
//	GET example.com/users/{id:[0-9]+}/posts/  (net/http's door)
//	=> Methods [GET], Host "example.com", End All
//	   segments: literal "users", parameter id constrained by [0-9]+, literal "posts"
//
// The trailing slash is the only thing the two doors read differently, so it is
// not a segment: what may follow the last segment is the pattern's End.
package pattern

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// End says what may follow a pattern's last segment.
type End uint8

const (
	Exact End = iota // nothing: /users
	Slash            // one slash: /users/{$}, and /users/ of a verb method
	All              // a slash and anything: /users/*rest, /users/{rest...}, and /users/ of Handle
)

// A Pattern is a parsed pattern.
type Pattern struct {
	Text       string      // as written
	Methods    []string    // in the order written; nil means every method
	Host       string      // normalized by [HostPort]; "" means every host
	HostLabels []HostLabel // of a host with parameters, else nil
	Path       string      // the path as written; Text ends with it
	Segs       []Segment   // the path's segments up to its End
	End        End
	// Rest is the name of the catch-all of an All pattern, "" for the
	// anonymous one that a trailing slash stands for.
	Rest string
	// RestSlash says that the catch-all's value starts with its slash (*rest).
	RestSlash bool
}

// Names returns the pattern's parameter names from left to right, the
// catch-all's last.
func (p *Pattern) Names() []string {
	var names []string
	for _, l := range p.HostLabels {
		if l.Name != "" {
			names = append(names, l.Name)
		}
	}
	for _, s := range p.Segs {
		for _, part := range s {
			if part.Name != "" {
				names = append(names, part.Name)
			}
		}
	}
	if p.Rest != "" {
		names = append(names, p.Rest)
	}
	return names
}

// Static reports whether the pattern matches exactly one path, and that path.
// A literal segment that holds a slash (written %2F), or that cleaning removes,
// has no such path.
func (p *Pattern) Static() (path string, ok bool) {
	if p.End == All {
		return "", false
	}
	var b strings.Builder
	for _, s := range p.Segs {
		t := s[0].Text
		if s.Kind() != Literal || strings.Contains(t, "/") || t == "" || t == "." || t == ".." {
			return "", false
		}
		b.WriteString("/")
		b.WriteString(s[0].Text)
	}
	if p.End == Slash {
		b.WriteString("/")
	}
	return b.String(), true
}

// Shape returns a key that two patterns share exactly if they match the same
// hosts and paths: equal but for the names of their parameters. Such patterns
// conflict if their methods overlap.
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

// Shape returns the segment without its parameters' names.
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

// Overlap returns a method that both patterns list, or ok false. A pattern
// without methods overlaps only with another such: an exact method wins over
// every method, so they do not compete.
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

// ParsePath parses a path of a verb method, with its methods if it has any:
// [METHOD[,METHOD...] ]/PATH. There, /x/ is only itself.
func ParsePath(text string) (*Pattern, error) { return parse(text, false) }

// Parse parses a pattern of Handle, [METHOD[,METHOD...] ][HOST]/PATH. There, as
// in net/http, /x/ stands for everything below it.
func Parse(text string) (*Pattern, error) { return parse(text, true) }

func parse(text string, handle bool) (*Pattern, error) {
	if text == "" {
		return nil, errors.New("the pattern is empty; write at least /")
	}
	p := &Pattern{Text: text}
	rest := text
	if i := strings.IndexAny(text, " \t"); i >= 0 && !strings.Contains(text[:i], "{") && (handle || text[0] != '/') {
		if i > 0 { // net/http takes " /x" for "/x"
			var err error
			if p.Methods, err = ParseMethods(text[:i]); err != nil {
				return nil, err
			}
		}
		rest = strings.TrimLeft(text[i+1:], " \t")
	}
	names := names{}
	slash := strings.IndexByte(rest, '/')
	if !handle && slash != 0 || slash < 0 {
		return nil, errors.New("the path must begin with /")
	}
	host := rest[:slash]
	if err := foreignHost(host, rest); err != nil {
		return nil, err
	}
	if err := p.parseHost(host, names.add); err != nil {
		return nil, err
	}
	p.Path = rest[slash:]
	if len(text)-len(p.Path) > 0xFFFF {
		return nil, errors.New("methods and host are longer than 65535 bytes")
	}
	return p, p.parsePath(handle, names)
}

// names are the parameters' names of a pattern so far.
type names map[string]bool

// add adds the name of a parameter that was written as form.
func (ns names) add(n, form string) error {
	switch {
	case n == "":
		return fmt.Errorf("the parameter %s needs a name", form)
	case !validName(n):
		if id, _, ok := cutName(n); ok && form[0] == ':' {
			return fmt.Errorf("bad parameter name %q; for text behind a parameter write {%s}%s", n, id, n[len(id):])
		}
		return fmt.Errorf("bad parameter name %q; a name is letters, digits, _ and -, and begins with a letter or _", n)
	case ns[n]:
		return fmt.Errorf("the parameter name %q is used twice", n)
	}
	ns[n] = true
	return nil
}

// parsePath parses p.Path, which begins with a slash. With subtree, a trailing
// slash stands for everything below it.
func (p *Pattern) parsePath(subtree bool, names names) error {
	path := p.Path
	for path != "" { // path[0] == '/'
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
			if err := names.add(seg[1:], seg); err != nil {
				return err
			}
			if !last {
				return fmt.Errorf("the catch-all %s must be the last segment", seg)
			}
			p.End, p.Rest, p.RestSlash = All, seg[1:], true
		case seg[0] == '{' && strings.HasSuffix(seg, "...}") && strings.Count(seg, "{") == 1:
			n := seg[1 : len(seg)-len("...}")]
			if err := names.add(n, seg); err != nil {
				return err
			}
			if !last {
				return fmt.Errorf("the catch-all %s must be the last segment", seg)
			}
			p.End, p.Rest = All, n
		default:
			s, err := parseSegment(seg, names)
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

// segmentEnd returns the length of path's first segment. A slash inside braces
// belongs to an expression.
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

// braces returns the length of the balanced braces that s begins with, or -1.
// Behind the name's colon stands an expression, where escaped braces and those
// in a character class do not count.
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
			// A ] right behind [ or [^ is a member; [:alpha:] nests.
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

func parseSegment(seg string, names names) (Segment, error) {
	if !strings.Contains(seg, "{") {
		text, param, found := strings.Cut(seg, ":")
		if !found {
			return Segment{{Text: unescape(seg)}}, nil
		}
		if param == "" {
			return nil, fmt.Errorf("the parameter in %q needs a name; a literal colon is written %%3A", seg)
		}
		if err := names.add(param, seg[len(text):]); err != nil {
			return nil, err
		}
		if text == "" {
			return Segment{{Name: param}}, nil
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
			return nil, fmt.Errorf("%q needs text between its parameters, or nobody knows where one ends", seg)
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

// unescape decodes literal text of a pattern as net/http does: an invalid
// escape stands for itself.
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

// cutName splits s behind the longest valid name.
func cutName(s string) (name, rest string, ok bool) {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || c != '-' && !unicode.IsDigit(c)) {
			return s[:i], s[i:], i > 0
		}
	}
	return s, "", s != ""
}
