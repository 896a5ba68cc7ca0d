package inspect

import (
	"regexp"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// A template is the path of a pattern as a sequence of texts and parameters:
//
//	/v{major:[0-9]+}.{minor}/*rest
//	=> {text: "/v"} {name: "major", expr: "[0-9]+"} {text: "."} {name: "minor"}
//	   {text: "/"} {name: "rest", rest: true}
type template struct{ parts []part }

type part struct {
	text  string // as in a URL
	name  string // "" for text
	expr  string // for ECMAScript, "" for none
	kind  string // name of the constraint, such as "int"; "" if expr is all
	multi bool   // one or more segments
	rest  bool   // the rest of the path
}

func newTemplate(p *pattern.Pattern) template {
	var parts []part
	for _, seg := range p.Segs {
		parts = append(parts, part{text: "/"})
		for _, s := range seg {
			if !s.Param {
				parts = append(parts, part{text: escape(s.Text)})
			} else {
				parts = append(parts, part{name: s.Text, expr: ecmaScript(s.Expr), kind: s.Type, multi: s.Multi})
			}
		}
	}
	if p.End != pattern.Exact {
		parts = append(parts, part{text: "/"})
	}
	if p.Rest != "" {
		parts = append(parts, part{name: p.Rest, rest: true})
	}
	return template{parts}
}

// escape escapes literal text for a URL, including braces, which OpenAPI uses
// for parameters.
func escape(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		}
	}
	return b.String()
}

// String returns the path as a key of the document's paths.
func (p template) String() string { return p.write(func(name string) string { return name }) }

// shape returns the path without the names of its parameters. Paths of one
// shape are the same to OpenAPI.
func (p template) shape() string { return p.write(func(string) string { return "" }) }

func (p template) write(name func(string) string) string {
	var b strings.Builder
	for _, part := range p.parts {
		if part.name == "" {
			b.WriteString(part.text)
		} else {
			b.WriteString("{" + name(part.name) + "}")
		}
	}
	return b.String()
}

// rename gives the parameters the names of those of a path of the same shape.
func (p template) rename(as template) {
	for i := range p.parts {
		p.parts[i].name = as.parts[i].name
	}
}

// widen makes the parameters also accept the values of another path of the same
// shape.
func (p template) widen(other template) {
	for i := range p.parts {
		part, q := &p.parts[i], other.parts[i]
		if part.name == "" || part.expr == q.expr {
			continue
		}
		part.kind = ""
		if part.expr == "" || q.expr == "" {
			part.expr = ""
		} else {
			part.expr += "|" + q.expr
		}
	}
}

// schema returns the JSON Schema of a parameter.
func (p part) schema() map[string]any {
	switch {
	case p.kind == "int":
		return map[string]any{"type": "integer"}
	case p.kind != "":
		return map[string]any{"type": "string", "format": p.kind}
	case p.expr != "":
		return map[string]any{"type": "string", "pattern": "^(?:" + p.expr + ")$"}
	}
	return map[string]any{"type": "string"}
}

// parameters returns the parameters as JSON, or nil.
func (p template) parameters() []any {
	var params []any
	for _, part := range p.parts {
		if part.name == "" {
			continue
		}
		param := map[string]any{"name": part.name, "in": "path", "required": true, "schema": part.schema()}
		if part.rest {
			param["description"] = "the rest of the path; it may have slashes"
		}
		if part.multi {
			param["description"] = "one or more segments of the path; it may have slashes"
		}
		params = append(params, param)
	}
	return params
}

// portable matches expressions that mean the same in RE2 and in ECMAScript with
// the flag u, which JSON Schema uses and which can't repeat an assertion. It also
// matches some other expressions with (?, so the caller must check for that.
var portable = regexp.MustCompile(`^(?:` + assertions + `(?:[\w~:;=@!&', <>"#%/|()-]|\\[dDwW^$.*+?()[\]{}|]` +
	`|\[\^?(?:-|` + single + `|` + classes + `(?:` + single + `))*(?:` + classes + `-?)?\])|[*+?]|\{\d+(?:,\d*)?\})*` + assertions + `$`)

const assertions = `(?:[\^$]|\\[bB])*`

// These match parts of a bracket expression: a character other than a hyphen, and
// classes. A hyphen between a class and a character is invalid in ECMAScript.
const (
	single  = `[\w~:;=@!&', <>"#%/|()+*?$.]|\\[$^.*+?()[\]{}|-]`
	classes = `(?:\\[dDwW])+`
)

// ecmaScript returns an RE2 expression if it means the same to JSON Schema, or else
// "": then the document doesn't have it.
func ecmaScript(expr string) string {
	if portable.MatchString(expr) && !strings.Contains(strings.ReplaceAll(expr, "(?:", "("), "(?") {
		return expr
	}
	return ""
}
