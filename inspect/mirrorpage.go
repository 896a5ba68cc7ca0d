package inspect

import (
	"fmt"
	"html"
	"net/http"
	"path"
	"strings"
	"time"
)

// A mirrorPage serves what a Mirror has found.
type mirrorPage struct {
	mirror *Mirror
	audience
}

const mirrorStyle = `
main { display: block; overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .25rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td:first-child, td:nth-child(5) { white-space: nowrap; }
td.number, th.number { text-align: right; }
tr.worst td { background: var(--bad-bg); color: var(--bad); }
`

var mirrorPolicy = "default-src 'none'; style-src " + hash(style+mirrorStyle) + "; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP serves the page, and below it mirror.json.
func (p *mirrorPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.admits(w, r) {
		return
	}
	report := p.mirror.Report()
	if path.Base(r.URL.Path) == "mirror.json" {
		writeJSON(w, report)
		return
	}
	data := "mirror.json"
	if !strings.HasSuffix(r.URL.Path, "/") {
		data = path.Base(r.URL.Path) + "/" + data
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mirror</title>
<link rel="icon" href="data:,">
<style>%s%s</style>
</head>
<body>
<header>
  <h1>Mirror</h1>
  <p>%s compared, %s of them different; %s without a response. Not mirrored: %s while too many were, %s for another reason.</p>
  <nav aria-label="The same as data"><a href="./%s">mirror.json</a></nav>
</header>
<main>
<table>
<thead><tr><th>Route</th><th class="number">Compared</th><th>Difference</th><th class="number">Requests</th><th>Last</th><th>Old</th><th>New</th><th>Query</th></tr></thead>
<tbody>
`, style, mirrorStyle, count(int(report.Compared), "request"), grouped(int(report.Different)), grouped(int(report.Failed)), grouped(int(report.Busy)), grouped(int(report.Skipped)), html.EscapeString(data))
	for _, route := range report.Routes {
		first := fmt.Sprintf(`<td><code>%s</code></td><td class="number">%s</td>`, html.EscapeString(route.Route), grouped(int(route.Compared)))
		if len(route.Differences) == 0 {
			fmt.Fprintf(&b, "<tr>%s<td>none</td><td></td><td></td><td></td><td></td><td></td></tr>\n", first)
		}
		for _, d := range route.Differences {
			class := ""
			if d.kind <= LostProtection {
				class = ` class="worst"`
			}
			fmt.Fprintf(&b, `<tr%s>%s<td>%s</td><td class="number">%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>`+"\n", class, first, d.Kind, grouped(int(d.Count)),
				d.Last.UTC().Format(time.DateTime), html.EscapeString(d.Old), html.EscapeString(d.Now), html.EscapeString(d.Query))
			first = "<td></td><td></td>"
		}
	}
	b.WriteString("</tbody>\n</table>\n</main>\n<footer><p>Don’t make this page public: it shows what is wrong with the service.</p></footer>\n</body>\n</html>\n")
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", mirrorPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	w.Write([]byte(b.String()))
}
