package report

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// pictures are the README's pictures, in two themes, narrow for phones and
// wide. Browsers choose the first that matches. The last one is for Markdown
// renderers that ignore media queries.
var pictures = []struct{ File, Media, Theme, Shape string }{
	{"speed-narrow-dark.svg", "(max-width: 600px) and (prefers-color-scheme: dark)", "dark", "narrow"},
	{"speed-narrow-light.svg", "(max-width: 600px)", "light", "narrow"},
	{"speed-dark.svg", "(prefers-color-scheme: dark)", "dark", "wide"},
	{"speed-light.svg", "", "light", "wide"},
}

// shape is the layout of a picture. Its panels are arranged in one or more
// columns.
type shape struct {
	Width         float64
	Columns       int
	Names, Values float64 // widths of the text left and right of the bars
}

var shapes = map[string]shape{
	"wide":   {Width: 860, Columns: 2, Names: 208, Values: 62},
	"narrow": {Width: 400, Columns: 1, Names: 208, Values: 46},
}

// panel is a part of the picture: a bar chart with a title.
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

// Picture draws the README's picture as SVG: the time per request with our
// plain handlers and the peers' native handlers, and the requests per second of
// servers, over HTTP/1.1 and, in the run http2, over HTTP/2.
func Picture(r, http2 *showdown.Run, theme, form string) string {
	panels := []panel{timePanel(r, "ParamRead", "A handler reads 1 parameter")}
	if names := scenarios(r, showdown.Servers); len(names) > 0 {
		panels = append(panels, serverPanel(r, showdown.Servers, "HTTP servers under load", names[0]))
	}
	panels = append(panels, serverPanel(http2, showdown.HTTP2, "HTTP/2, one request at a time", picturedHTTP2+", 1×1"),
		serverPanel(http2, showdown.HTTP2, "HTTP/2, 10 requests at a time", picturedHTTP2+", 1×10"))
	const (
		gap, below          = 40.0, 26.0
		head, line          = 52.0, 25.0
		barHeight, baseline = 14.0, 11.5
	)
	c, s := palettes[theme], shapes[form]
	column := (s.Width - gap*float64(s.Columns-1)) / float64(s.Columns)
	room := column - s.Names - s.Values
	corners, height := make([][2]float64, len(panels)), 0.0
	for i, p := range panels {
		if i%s.Columns == 0 && i > 0 {
			corners[i][1] = height + below
		} else if i > 0 {
			corners[i] = [2]float64{corners[i-1][0] + column + gap, corners[i-1][1]}
		}
		height = max(height, corners[i][1]+head+line*float64(len(p.Bars))+6)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%[1]v" height="%[2]v" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif" font-size="13">`+"\n", s.Width, height)
	var titles []string
	for _, p := range panels {
		titles = append(titles, p.Title)
	}
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(strings.Join(titles, "; ")))
	for i, p := range panels {
		left, top := corners[i][0], corners[i][1]
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" font-size="15" font-weight="600" fill="%s">%s</text>`+"\n", left, top+16, c.Text, html.EscapeString(p.Title))
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" font-size="12" fill="%s">%s</text>`+"\n", left, top+35, c.Soft, html.EscapeString(p.About))
		longest := 0.0
		for _, bar := range p.Bars {
			longest = max(longest, bar.Length)
		}
		for k, bar := range p.Bars {
			y := top + head + line*float64(k)
			text, fill, weight := c.Text, c.Bar, "400"
			if bar.Ours {
				text, fill, weight = c.Ours, c.Ours, "600"
			}
			fmt.Fprintf(&b, `<text x="%.0f" y="%.1f" fill="%s" font-weight="%s">%s`, left, y+baseline, text, weight, html.EscapeString(bar.Name))
			if bar.Note != "" {
				fmt.Fprintf(&b, `<tspan dx="5" font-size="11" font-weight="400" fill="%s">%s</tspan>`, c.Soft, html.EscapeString(bar.Note))
			}
			length := max(1, room*bar.Length/longest)
			fmt.Fprintf(&b, `</text><rect x="%.0f" y="%.1f" width="%.1f" height="%.0f" rx="2" fill="%s"/>`, left+s.Names, y, length, barHeight, fill)
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" fill="%s" font-weight="%s">%s</text>`+"\n", left+s.Names+length+7, y+baseline, text, weight, html.EscapeString(bar.Value))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// timePanel shows our plain handlers, native handlers of the peers that have
// them, and http.ServeMux. It omits the peers' plain handlers, which take
// several times as long.
func timePanel(r *showdown.Run, scenario, title string) panel {
	p := panel{Title: title, About: "nanoseconds per request, less is better"}
	section, _ := timeSection(r)
	for _, x := range rank(r, r.In(section, scenario)).Rows {
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

// serverPanel shows the servers of a section in a scenario.
func serverPanel(r *showdown.Run, section showdown.Section, title, scenario string) panel {
	p := panel{Title: title, About: "requests per CPU second; net/http is 1, more is better"}
	l := rankLoad(r, section, scenario)
	if !l.ByCPU {
		p.About = "requests per second; net/http is 1, more is better"
	}
	for _, x := range l.Rows {
		if x.Name == load.NetConn { // it shows what a part of the engine gains
			continue
		}
		p.Bars = append(p.Bars, pictureBar{Name: x.Name, Note: x.Kind, Value: fmt.Sprintf("%.2f", x.Ratio), Length: x.Ratio, Ours: x.Ours})
	}
	slices.SortStableFunc(p.Bars, func(a, b pictureBar) int { return cmp.Compare(b.Length, a.Length) })
	return p
}
