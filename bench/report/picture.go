package report

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// pictureFile is the name of the README's picture for a theme, "light" or
// "dark".
func pictureFile(theme string) string { return "speed-" + theme + ".svg" }

// panel is one half of the picture: bars under a title.
type panel struct {
	Title, About string
	Bars         []pictureBar
}

type pictureBar struct {
	Name, Note, Value string
	Length            float64
	Ours              bool
}

// palette is a theme's colors. The background stays transparent.
type palette struct{ Text, Soft, Ours, Bar string }

var palettes = map[string]palette{
	"light": {"#1d2126", "#60666e", "#0b6e5f", "#b4bcc7"},
	"dark":  {"#e8e8e4", "#a0a6ae", "#35c2a6", "#5a6472"},
}

// Picture draws the README's picture as SVG: time per request of our plain
// handlers and of the peers' native ones and, once a server of ours was under
// load, its requests per second.
func Picture(r *showdown.Run, theme string) string {
	panels := []panel{timePanel(r, "ParamRead", "A handler reads 1 parameter"), timePanel(r, "GitHub", "GitHub API, 203 routes")}
	if p, ok := serverPanel(r); ok {
		panels[1] = p
	}
	const (
		width, gap          = 860.0, 40.0
		half                = (width - gap) / 2
		top, line           = 52.0, 25.0
		names, values       = 178.0, 62.0
		room                = half - names - values
		barHeight, baseline = 14.0, 11.5
	)
	rows := max(len(panels[0].Bars), len(panels[1].Bars))
	height := top + line*float64(rows) + 6
	c := palettes[theme]
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%[1]v" height="%[2]v" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>%s; %s</title>\n", panels[0].Title, panels[1].Title)
	for i, p := range panels {
		left := float64(i) * (half + gap)
		fmt.Fprintf(&b, `<text x="%.0f" y="16" font-size="15" font-weight="600" fill="%s">%s</text>`+"\n", left, c.Text, html.EscapeString(p.Title))
		fmt.Fprintf(&b, `<text x="%.0f" y="35" font-size="12" fill="%s">%s</text>`+"\n", left, c.Soft, html.EscapeString(p.About))
		longest := 0.0
		for _, bar := range p.Bars {
			longest = max(longest, bar.Length)
		}
		for k, bar := range p.Bars {
			y := top + line*float64(k)
			text, fill, weight := c.Text, c.Bar, "400"
			if bar.Ours {
				text, fill, weight = c.Ours, c.Ours, "600"
			}
			fmt.Fprintf(&b, `<text x="%.0f" y="%.1f" fill="%s" font-weight="%s">%s`, left, y+baseline, text, weight, html.EscapeString(bar.Name))
			if bar.Note != "" {
				fmt.Fprintf(&b, `<tspan dx="5" font-size="11" font-weight="400" fill="%s">%s</tspan>`, c.Soft, html.EscapeString(bar.Note))
			}
			length := max(1, room*bar.Length/longest)
			fmt.Fprintf(&b, `</text><rect x="%.0f" y="%.1f" width="%.1f" height="%.0f" rx="2" fill="%s"/>`, left+names, y, length, barHeight, fill)
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" fill="%s" font-weight="%s">%s</text>`+"\n", left+names+length+7, y+baseline, text, weight, html.EscapeString(bar.Value))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// timePanel has our plain handlers, the native ones of the peers that have
// some, and http.ServeMux. Plain handlers of the others take several times as
// long.
func timePanel(r *showdown.Run, scenario, title string) panel {
	p := panel{Title: title, About: "nanoseconds per request, less is better"}
	for _, x := range rank(r, r.In(showdown.Serving, scenario)).Rows {
		note := ""
		switch x.Name {
		case "muxmaster", "muxmaster pooled", "http.ServeMux":
			note = "plain"
		case "gin", "echo", "bunrouter", "fox", "httprouter":
			note = "native"
		default:
			continue
		}
		p.Bars = append(p.Bars, pictureBar{Name: x.Name, Note: note, Value: figure.Digits(x.Cell.Samples.Min()), Length: x.Cell.Samples.Min(), Ours: x.Ours})
	}
	slices.SortStableFunc(p.Bars, func(a, b pictureBar) int { return cmp.Compare(a.Length, b.Length) })
	return p
}

// serverPanel has the HTTP servers, if one of ours is among them.
func serverPanel(r *showdown.Run) (panel, bool) {
	names := scenarios(r, showdown.Servers)
	if len(names) == 0 {
		return panel{}, false
	}
	p, some := panel{Title: "HTTP servers under load", About: "requests per second of processor time to net/http, more is better"}, false
	l := rankLoad(r, showdown.Servers, names[0])
	if !l.ByCPU {
		p.About = "requests per second to net/http, more is better"
	}
	for _, x := range l.Rows {
		p.Bars = append(p.Bars, pictureBar{Name: x.Name, Note: x.Kind, Value: fmt.Sprintf("%.2f", x.Ratio), Length: x.Ratio, Ours: x.Ours})
		some = some || x.Ours
	}
	return p, some
}
