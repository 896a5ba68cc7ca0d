package inspect

import (
	"cmp"
	"html"
	"strconv"
	"strings"
	"time"
)

// A markup is HTML in the making. Only its methods write text, which they escape.
type markup struct{ strings.Builder }

func (m *markup) text(s string) { m.WriteString(html.EscapeString(s)) }

// span writes a text as an element. The class is none of the program's names.
func (m *markup) span(class, text string) {
	m.WriteString(`<span class="` + class + `">`)
	m.text(text)
	m.WriteString("</span>")
}

// method writes a method. Those of words have a color by their class.
func (m *markup) method(name string) {
	class := "method"
	if wordLength(name) == len(name) {
		class += " " + name
	}
	m.span(class, name)
}

// path writes a host and path with its parameters marked, and its first
// characters dimmed. A long one breaks after these.
func (m *markup) path(text string, dimmed int) {
	at := 0
	add := func(end int, class string) {
		if at < dimmed {
			m.span("dim", text[at:min(end, dimmed)])
			if end >= dimmed {
				m.WriteString("<wbr>")
			}
			at = min(end, dimmed)
		}
		switch {
		case at >= end:
		case class == "":
			m.text(text[at:end])
		default:
			m.span(class, text[at:end])
		}
		at = end
	}
	for from, to := range parameterRanges(text) {
		add(from, "")
		add(to, "param")
	}
	add(len(text), "")
}

// tree writes the rows of b. It returns the branches that are closed at first.
// Their rows follow later, so that the first ones are on the screen before
// thousands of others were read.
func (m *markup) tree(b *branch) (later []*branch) {
	m.list(b, func(c *branch) {
		if c.open {
			m.WriteString(`<details class="folder" open>`)
			m.summary(c)
			later = append(later, m.tree(c)...)
		} else {
			m.WriteString(`<details class="folder later">`)
			m.summary(c)
			later = append(later, c)
		}
		m.WriteString("</details>")
	})
	return later
}

// folder writes a branch with all of its rows.
func (m *markup) folder(b *branch) {
	m.WriteString(`<details class="folder">`)
	m.summary(b)
	m.list(b, m.folder)
	m.WriteString("</details>\n")
}

// list writes the rows of b as a list. folder writes those of branches.
func (m *markup) list(b *branch, folder func(*branch)) {
	if len(b.children)+len(b.routes) == 0 {
		m.WriteString(`<div class="empty"><p>There are no routes.</p></div>`)
		return
	}
	m.WriteString("<ul>")
	b.rows(func(r *Route) {
		m.WriteString("<li>")
		m.route(r, len(b.prefix))
		m.WriteString("</li>\n")
	}, func(c *branch) {
		m.WriteString("<li>")
		folder(c)
		m.WriteString("</li>\n")
	})
	m.WriteString("</ul>")
}

// summary writes what the row of a branch shows.
func (m *markup) summary(b *branch) {
	m.WriteString(`<summary><span class="path">`)
	m.path(b.label, 0)
	m.WriteString("</span>")
	for _, s := range b.scopes {
		m.span("badge", s.kind)
		m.adds(s.middleware)
	}
	m.span("count", count(b.count, "route"))
	if b.warnings > 0 {
		m.span("warning", count(b.warnings, "warning"))
	}
	m.WriteString("</summary>")
}

// adds writes the names of middleware, unless there are none.
func (m *markup) adds(middleware []string) {
	if len(middleware) > 0 {
		m.span("adds", "+ "+chain(middleware))
	}
}

// route writes the row of a route. The row around it shows the first characters
// of its path.
func (m *markup) route(r *Route, shown int) {
	m.WriteString(`<details class="route"><summary>`)
	m.method(r.methodText())
	m.WriteString(`<span class="path">`)
	text := r.Host + r.Pattern
	m.path(text, min(shown, strings.LastIndexByte(strings.TrimSuffix(text, "/"), '/')))
	if r.Below && strings.HasSuffix(text, "/") {
		m.span("dim", "…")
	}
	if r.Mount {
		m.WriteString(" ")
		m.span("badge", "mount")
	}
	m.WriteString("</span>")
	m.span("handler", ShortName(r.Handler))
	m.span("file", r.File[strings.LastIndexByte(r.File, '/')+1:]+":"+strconv.Itoa(r.Line))
	adds := r.unseen()
	if r.Guard != "" || len(adds) > 0 || r.Use != nil {
		m.WriteString(`<span class="notes">`)
		if r.Guard != "" {
			m.span("badge guard", r.Guard[strings.LastIndexByte(r.Guard, '.')+1:])
		}
		m.adds(adds)
		if r.Use != nil && r.Hits == 0 {
			m.span("badge unused", "unused")
		} else if r.Use != nil {
			m.span("count", count(int(r.Hits), "hit")+", last "+ago(time.Since(r.Last)))
		}
		m.WriteString("</span>")
	}
	if r.Warning != "" {
		m.span("warning", r.Warning)
	}
	m.WriteString("</summary></details>")
}

// methodText returns the method, or any for every method.
func (r *Route) methodText() string { return cmp.Or(r.Method, "any") }

// chain returns the names of middleware, outermost first.
func chain(middleware []string) string {
	var b strings.Builder
	for i, name := range middleware {
		if i > 0 {
			b.WriteString(" → ")
		}
		b.WriteString(ShortName(name))
	}
	return b.String()
}

// unseen returns the middleware of a route that no row of a prefix shows: that of
// With, and of Groups without a prefix of their own.
func (r *Route) unseen() (names []string) {
	rest, prefix := r.Middleware, ""
	for i, s := range r.Scopes {
		n := clamp(s.Middleware, len(rest))
		if i > 0 && (s.Kind == "with" || s.Prefix == prefix) {
			names = append(names, rest[:n]...)
		}
		rest, prefix = rest[n:], s.Prefix
	}
	return names
}

// parameterRanges yields where the parameters of a host and path are.
func parameterRanges(text string) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		start, depth, plain := 0, 0, false // of the segment; plain: in a path, and without braces so far
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case c == '{':
				if depth++; depth == 1 {
					start, plain = i, false
				}
			case c == '}':
				plain = false
				if depth--; depth == 0 && !yield(start, i+1) {
					return
				}
				depth = max(depth, 0)
			case depth > 0:
			case c == '/':
				plain = true
				if end := i + 2 + wordLength(text[min(i+2, len(text)):]); strings.HasPrefix(text[i+1:], "*") && end == len(text) {
					yield(i+1, end)
					return
				}
			case c == ':' && plain:
				end := i + 1 + wordLength(text[i+1:])
				if end > i+1 && (end == len(text) || text[end] == '/') {
					if !yield(i, end) {
						return
					}
					i = end - 1
				}
			}
		}
	}
}

// wordLength returns the number of letters, digits and underscores that s begins
// with.
func wordLength(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, func(c rune) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}))
}

// ago returns how long ago a time was.
func ago(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if d >= unit.size {
			return count(int(d/unit.size), unit.name) + " ago"
		}
	}
	return "less than a minute ago"
}
