package inspect

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var style string

//go:embed page.js
var pageJS string

//go:embed tree.js
var treeJS string

//go:embed explain.js
var explainJS string

// policy is the page's Content-Security-Policy: it allows no other styles and
// scripts, no HTML from strings, and no requests to other servers.
var (
	script = pageJS + treeJS + explainJS
	policy = strings.Join([]string{
		"default-src 'none'",
		"style-src " + hash(style),
		"script-src " + hash(script),
		"connect-src 'self'",
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
)

// hash returns the source expression for an inline style or script (Content
// Security Policy Level 3, 2.3.1).
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageHead is what the page begins with, and pageTop and pageEnd are what follows,
// with places for what it shows of the routes.
var (
	pageHead, pageBody, _ = strings.Cut(strings.NewReplacer("{{style}}", style, "{{script}}", script).Replace(pageHTML), "<!-- routes -->")
	pageTop, pageEnd, _   = strings.Cut(pageBody, "<!-- later -->")
)

// many is the number of routes from which the page comes with those rows only that
// are on the screen first, and the browser skips rows that are not on the screen.
const many = 1000

// page writes the page in three parts, each as soon as it is known: what is the
// same for all programs, the rows that are on the screen first, and at last the
// data for the script, which shows all rows. Of many routes, only the script shows
// what their examples tell. Without a script, a browser shows the rows of closed
// branches after the others.
func (p *routesPage) page(w io.Writer, flush func() error) error {
	io.WriteString(w, pageHead)
	flush()
	all := p.list()
	examples := func() { addExamples(all, finder(p.mux, all)) }
	routes := shownRoutes(all)
	if len(routes) <= many {
		examples()
	}
	var tree, later markup
	class := ""
	closed := tree.tree(newTree(routes))
	if len(routes) > many {
		class = "many"
	} else {
		for _, b := range closed {
			later.folder(b)
		}
	}
	methods, chips, links := controls(routes)
	var around markup
	if names := everywhere(routes); names != "" {
		around.WriteString("Around every route: <code>")
		around.text(names)
		around.WriteString("</code>")
	}
	strings.NewReplacer("{{summary}}", count(len(routes), "route"), "{{links}}", links, "{{methods}}", methods,
		"{{chips}}", chips, "{{everywhere}}", around.String(), "{{many}}", class, "{{tree}}", tree.String()).WriteString(w, pageTop)
	flush()
	if len(routes) > many {
		examples()
	}
	data, err := json.Marshal(columns(routes)) // with < as \u003c
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer("{{later}}", later.String(), "{{data}}", string(data)).WriteString(w, pageEnd)
	return err
}

// controls returns the methods of the form, the filters and the links to data.
func controls(routes []*Route) (methods, chips, links string) {
	counts := map[string]int{}
	names := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
	warned, open, unused, counted := 0, 0, 0, false
	for _, r := range routes {
		name := r.methodText()
		if counts[name]++; !slices.Contains(names, name) {
			names = append(names, name)
		}
		if r.Warning != "" {
			warned++
		}
		if r.Guard == "" {
			open++
		}
		if counted = r.Use != nil; counted && r.Hits == 0 {
			unused++
		}
	}
	var options, filters, data markup
	for _, name := range names {
		if name != "any" {
			options.option(name)
		}
		if counts[name] > 0 {
			filters.chip(name, counts[name], func() { filters.method(name) })
		}
	}
	if warned > 0 || len(routes) > many { // or the script removes it
		filters.chip("⚠", warned, func() { filters.span("warning", "suspicious") })
	}
	if open < len(routes) {
		filters.chip("open", open, func() { filters.WriteString("<span>without login</span>") })
	}
	names = []string{"routes.json", "openapi.json"}
	if counted {
		filters.chip("unused", unused, func() { filters.WriteString("<span>unused</span>") })
		names = append(names, "coverage.json")
	}
	for _, name := range names {
		data.WriteString("<a>" + name + "</a>")
	}
	return options.String(), filters.String(), data.String()
}

func (m *markup) option(name string) {
	m.WriteString("<option>")
	m.text(name)
	m.WriteString("</option>")
}

// chip writes a filter. label writes its label.
func (m *markup) chip(value string, n int, label func()) {
	m.WriteString(`<label><input type="checkbox" value="`)
	m.text(value)
	m.WriteString(`">`)
	label()
	m.span("count", grouped(n))
	m.WriteString("</label>\n")
}

// everywhere returns the middleware around every route, or "".
func everywhere(routes []*Route) string {
	for _, r := range routes {
		if !r.Fast && len(r.Scopes) > 0 && r.Scopes[0].Middleware > 0 {
			return chain(r.Middleware[:clamp(r.Scopes[0].Middleware, len(r.Middleware))])
		}
	}
	return ""
}
