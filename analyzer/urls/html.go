package urls

import (
	"fmt"
	"go/ast"
	"go/token"
	"html"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A link is a URL in HTML.
type link struct {
	url, attribute string
	methods        []string // of the request
	line           int
}

// action stands for an action of a template in a URL, and branch for one that
// selects text.
const action, branch = "\x00", "\x01"

var (
	actions   = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	branches  = regexp.MustCompile(`^\{\{-?\s*(?:if|else|end|range|with|block|define|template|break|continue)\b`)
	attribute = regexp.MustCompile(`(?i)[\s"'](href|src|action|formaction|hx-get|hx-post|hx-put|hx-patch|hx-delete)\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	ignored   = regexp.MustCompile(`(?is)<!--.*?-->|<script\b[^>]*>.*?</script>`)
)

// links returns the links in text. It ignores comments and scripts, but not the
// source of a script.
func links(text string) (all []link) {
	keepLines := func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }
	text = ignored.ReplaceAllStringFunc(text, func(s string) string {
		tag, rest, ok := strings.Cut(s, ">")
		if !ok || strings.HasPrefix(s, "<!--") {
			return keepLines(s)
		}
		return tag + ">" + keepLines(rest)
	})
	text = actions.ReplaceAllStringFunc(text, func(s string) string {
		if branches.MatchString(s) {
			return branch + keepLines(s)
		}
		return action + keepLines(s)
	})
	for _, m := range attribute.FindAllStringSubmatchIndex(text, -1) {
		l := link{attribute: strings.ToLower(text[m[2]:m[3]]), line: 1 + strings.Count(text[:m[0]], "\n")}
		if m[4] >= 0 {
			l.url = text[m[4]:m[5]]
		} else {
			l.url = text[m[6]:m[7]]
		}
		if strings.Contains(l.url, branch) {
			continue
		}
		l.url = html.UnescapeString(strings.ReplaceAll(l.url, "\n", ""))
		switch method, hx := strings.CutPrefix(l.attribute, "hx-"); {
		case hx:
			l.methods = []string{strings.ToUpper(method)}
		case strings.HasSuffix(l.attribute, "action"):
			l.methods = []string{http.MethodGet, http.MethodPost}
		default:
			l.methods = []string{http.MethodGet}
		}
		all = append(all, l)
	}
	return all
}

// embedded checks the HTML files that go:embed directives of f name.
func (c *checker) embedded(f *ast.File) {
	dir := filepath.Dir(c.Fset.Position(f.Pos()).Filename)
	for _, group := range f.Comments {
		for _, comment := range group.List {
			patterns, ok := strings.CutPrefix(comment.Text, "//go:embed ")
			if !ok {
				continue
			}
			for _, pattern := range strings.Fields(patterns) {
				pattern = strings.Trim(strings.TrimPrefix(strings.Trim(pattern, "\"`"), "all:"), "\"`")
				matches, _ := filepath.Glob(filepath.Join(dir, pattern))
				for _, name := range matches {
					c.files(comment.End()+1, dir, name) // the line of the variable
				}
			}
		}
	}
}

// files checks the HTML files in the directory or file with this name.
func (c *checker) files(at token.Pos, dir, name string) {
	filepath.WalkDir(name, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(name) {
		case ".html", ".htm", ".gohtml", ".tmpl":
		default:
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		short, _ := filepath.Rel(dir, name)
		for _, l := range links(string(text)) {
			c.link(at, fmt.Sprintf("%s:%d: ", short, l.line), l)
		}
		return nil
	})
}
