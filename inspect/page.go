package inspect

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
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

// page is page.html with its style and script inserted. policy is its
// Content-Security-Policy: it allows no other styles and scripts, no HTML from
// strings, and no requests to other servers.
var (
	script = pageJS + treeJS + explainJS
	page   = []byte(strings.NewReplacer("{{style}}", style, "{{script}}", script).Replace(pageHTML))
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
