package inspect

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"regexp"
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
		"script-src " + hash(script) + " " + hash("first()") + " " + hash("load()"),
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

// pageParts are the head of the page, and its parts before, between and after what
// it shows of the routes.
var pageParts = regexp.MustCompile("{{rest}}|{{data}}|{{text}}").Split(strings.NewReplacer("{{style}}", style, "{{script}}", script).Replace(pageHTML), -1)

// many is the number of routes from which the page shows its first rows before it
// examines the routes, and doesn't have them as text for browsers without a script.
const many = 1000

// page writes the page in parts, each as soon as it is known: what is the same for
// all programs, the rows that are on the screen first, all routes, and their text.
// The first part is only the head: a browser would draw a page without rows, which
// takes it longer than the rows take the server.
func (p *routesPage) page(w io.Writer, flush func() error) error {
	io.WriteString(w, pageParts[0])
	flush()
	all := p.list()
	routes := shownRoutes(all)
	text, first := "", []byte("null")
	if len(routes) > many {
		root := newTree(routes)
		root.unfold()
		var err error
		if first, err = json.Marshal(root); err != nil { // with < as \u003c
			return err
		}
	}
	io.WriteString(w, pageParts[1]+string(visible(first))+pageParts[2])
	flush()
	examine(p.mux, all)
	if len(routes) <= many {
		var b strings.Builder
		PrintTree(&b, all)
		text = html.EscapeString(b.String())
	}
	data, err := json.Marshal(routes)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, string(visible(data))+pageParts[3]+text+pageParts[4])
	return err
}
