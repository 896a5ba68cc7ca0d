package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// pictures are the README's pictures, in two themes, narrow for phones and
// wide. Browsers choose the first that matches. The last one is for Markdown
// renderers that ignore media queries.
var pictures = []struct {
	file  string
	theme palette
	shape shape
}{
	{"speed-narrow-dark.svg", dark, narrow},
	{"speed-narrow-light.svg", light, narrow},
	{"speed-dark.svg", dark, wide},
	{"speed-light.svg", light, wide},
}

// shape is the layout of a picture. Its panels are arranged in one or more
// columns.
type shape struct {
	width, columns int
	names, values  int // widths of the text left and right of the bars
}

var (
	wide   = shape{width: 860, columns: 2, names: 208, values: 62}
	narrow = shape{width: 400, columns: 1, names: 208, values: 52}
)

// palette is a theme's colors. The background stays transparent.
type palette struct{ text, soft, ours, bar string }

var (
	light = palette{"#1d2126", "#60666e", "#0b6e5f", "#b4bcc7"}
	dark  = palette{"#e8e8e4", "#a0a6ae", "#35c2a6", "#5a6472"}
)

// panel is a part of the picture: a bar chart with a title.
type panel struct {
	Title, About string
	Bars         []pictureBar
	Left, top    int
}

// Top returns the position of a line below the panel's top.
func (p panel) Top(line int) int { return p.top + line }

type pictureBar struct {
	Name, Note, Value    string
	Ours                 bool
	Left                 int
	Length               float64 // the figure, until the bar has its place
	Top, Baseline, Right float64
}

// Picture draws the README's picture as SVG: the time per request with our
// plain handlers and the peers' native handlers, and the requests per second of
// servers, over HTTP/1.1 and, in the run http2, over HTTP/2.
func Picture(r, http2 *showdown.Run, c palette, s shape) string {
	panels := []panel{timePanel(r, "ParamRead", "A handler reads 1 parameter")}
	for _, scenario := range pictured(r) {
		panels = append(panels, serverPanel(r, showdown.Servers, "HTTP servers under load", scenario))
	}
	for i, scenario := range pictured(http2) {
		title := []string{"HTTP/2, one request at a time", "HTTP/2, 64 connections with 10 requests each"}[i]
		panels = append(panels, serverPanel(http2, showdown.HTTP2, title, scenario))
	}
	const gap, below, head, line, baseline = 40, 26, 52, 25, 11.5
	column := (s.width - gap*(s.columns-1)) / s.columns
	room := float64(column - s.names - s.values)
	height := 0
	for i := range panels {
		p := &panels[i]
		if i%s.columns > 0 {
			p.Left, p.top = panels[i-1].Left+column+gap, panels[i-1].top
		} else if i > 0 {
			p.top = height + below
		}
		height = max(height, p.top+head+line*len(p.Bars)+6)
		longest := 0.0
		for _, bar := range p.Bars {
			longest = max(longest, bar.Length)
		}
		for k := range p.Bars {
			bar := &p.Bars[k]
			bar.Length = max(1, room*bar.Length/longest)
			bar.Left = p.Left + s.names
			bar.Right = float64(bar.Left) + bar.Length + 7
			bar.Top = float64(p.top + head + line*k)
			bar.Baseline = bar.Top + baseline
		}
	}
	return document("picture", r, fields{"Width": s.width, "Height": height, "Panels": panels, "Text": c.text, "Soft": c.soft, "Ours": c.ours, "Bar": c.bar})
}

// pictured returns the scenarios of a run whose servers are in the picture.
func pictured(r *showdown.Run) []string {
	if len(r.In(showdown.HTTP2, "")) > 0 {
		return []string{picturedHTTP2 + ", 1×1", picturedHTTP2 + ", 64×10"}
	}
	names := scenarios(r, showdown.Servers)
	return names[:min(1, len(names))]
}

// timePanel shows our plain handlers, native handlers of the peers that have
// them, and the plain ones of the others. It omits further plain handlers, which
// take several times as long.
func timePanel(r *showdown.Run, scenario, title string) panel {
	p := panel{Title: title, About: "nanoseconds per request, less is better"}
	for _, row := range readmeRows {
		name, note := row.Native, "native"
		if name == "" {
			name, note = row.Plain, "plain"
		}
		if c, ok := r.Cell(showdown.Serving, scenario, name); ok {
			least := c.Samples.Min()
			p.Bars = append(p.Bars, pictureBar{Name: name, Note: note, Value: figure.Digits(least), Length: least, Ours: r.Entry(name).Ours})
		}
	}
	slices.SortStableFunc(p.Bars, func(a, b pictureBar) int { return cmp.Compare(a.Length, b.Length) })
	return p
}

// serverPanel shows the servers of a section in a scenario.
func serverPanel(r *showdown.Run, section showdown.Section, title, scenario string) panel {
	p := panel{Title: title, About: "requests per CPU second; net/http is 1, more is better"}
	l := rank(r, section, scenario)
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
