package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// series is one line of a chart, with a point for each x that has a figure.
type series struct {
	Name string
	Ours bool
	X, Y []float64
}

// frame is the layout of a chart. The page contains a wide chart, and a narrow
// one for phones, where the text of the wide one would be too small.
type frame struct {
	Class         string
	Width, Height float64
	Right         float64 // space for the labels after the lines
	Letter        float64
}

var frames = []frame{
	{"wide", 860, 470, 190, 13},
	{"narrow", 358, 430, 150, 10.5},
}

// logChart draws a chart with two logarithmic axes as inline SVG. It needs at
// least two different x. Each line has its name at the end; names that would
// overlap are moved apart and connected to their line.
func logChart(all []series, about string) template.HTML {
	var b strings.Builder
	for _, f := range frames {
		drawLogChart(&b, f, all, about)
	}
	return template.HTML(b.String())
}

func drawLogChart(b *strings.Builder, f frame, all []series, about string) {
	left, top, bottom := 4*f.Letter, 1.2*f.Letter, 2.6*f.Letter
	minX, maxX, minY, maxY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range all {
		for i := range s.X {
			minX, maxX = min(minX, s.X[i]), max(maxX, s.X[i])
			minY, maxY = min(minY, s.Y[i]), max(maxY, s.Y[i])
		}
	}
	minY, maxY = math.Pow(10, math.Floor(math.Log10(minY)*2)/2), math.Pow(10, math.Ceil(math.Log10(maxY)*2)/2)
	if minY == maxY {
		minY, maxY = minY/3, maxY*3
	}
	x := func(v float64) float64 {
		return left + (f.Width-left-f.Right)*math.Log(v/minX)/math.Log(maxX/minX)
	}
	y := func(v float64) float64 {
		return top + (f.Height-top-bottom)*(1-math.Log(v/minY)/math.Log(maxY/minY))
	}
	fmt.Fprintf(b, `<svg class="chart %s" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s" style="font-size:%.1fpx">`,
		f.Class, f.Width, f.Height, template.HTMLEscapeString(about), f.Letter)
	for v := math.Pow(10, math.Ceil(math.Log10(minY)-1e-9)); v <= maxY*1.001; v *= 10 {
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fH%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			left, y(v), f.Width-f.Right, left-6, y(v)+f.Letter*0.35, powerOfTen(v))
	}
	for v := minX; v <= maxX*1.001; v *= 10 {
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fV%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`,
			x(v), top, f.Height-bottom, x(v), f.Height-bottom+1.4*f.Letter, shortCount(v))
	}
	drawLines(b, f, all, x, y, f.Height-bottom)
	b.WriteString("</svg>")
}

func drawLines(b *strings.Builder, f frame, all []series, x, y func(float64) float64, floor float64) {
	// Place labels from the top down, each at least one line below the previous
	// one, then push them up from the bottom.
	order := make([]int, 0, len(all))
	at := make([]float64, len(all))
	for i, s := range all {
		if len(s.X) > 0 {
			order = append(order, i)
			at[i] = y(s.Y[len(s.Y)-1])
		}
	}
	slices.SortFunc(order, func(i, j int) int { return int(math.Copysign(1, at[i]-at[j])) })
	line := f.Letter * 1.15
	for k := 1; k < len(order); k++ {
		at[order[k]] = max(at[order[k]], at[order[k-1]]+line)
	}
	limit := floor
	for k := len(order) - 1; k >= 0; k-- {
		at[order[k]] = min(at[order[k]], limit)
		limit = at[order[k]] - line
	}
	for pass := range 2 { // draw ours over the others
		for _, i := range order {
			s := all[i]
			if s.Ours != (pass == 1) {
				continue
			}
			class := "line"
			if s.Ours {
				class += " ours"
			}
			fmt.Fprintf(b, `<g class="%s"><title>%s</title><path class="curve" d="`, class, template.HTMLEscapeString(s.Name))
			for k := range s.X {
				fmt.Fprintf(b, "%c%.1f %.1f", "ML"[min(k, 1)], x(s.X[k]), y(s.Y[k]))
			}
			b.WriteString(`"/>`)
			for k := range s.X {
				fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f"/>`, x(s.X[k]), y(s.Y[k]), f.Letter/5)
			}
			endX, endY, labelX := x(s.X[len(s.X)-1]), y(s.Y[len(s.Y)-1]), f.Width-f.Right+f.Letter*1.4
			fmt.Fprintf(b, `<path class="tie" d="M%.1f %.1fL%.1f %.1f"/><text x="%.1f" y="%.1f">%s</text></g>`,
				endX+4, endY, labelX-4, at[i], labelX, at[i]+f.Letter*0.35, template.HTMLEscapeString(s.Name))
		}
	}
}

// shortCount formats 1000 as 1k.
func shortCount(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0fk", v/1000)
	}
	return fmt.Sprintf("%.0f", v)
}

// powerOfTen formats a power of ten in nanoseconds without decimals.
func powerOfTen(ns float64) string {
	unit := "ns"
	for _, u := range []string{"µs", "ms", "s"} {
		if ns > 999 {
			ns, unit = ns/1000, u
		}
	}
	return fmt.Sprintf("%.0f %s", ns, unit)
}
