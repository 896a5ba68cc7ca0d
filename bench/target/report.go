package target

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// short returns the name of a contender for a column.
func short(name string) string {
	switch name {
	case defaultMode:
		return "default"
	case pooled:
		return "pooled"
	case fastPooled:
		return "fast pooled"
	}
	return name
}

func (l Line) peerName() string { return cmp.Or(l.peer, l.theirs.contender) }

func (l Line) wanted() string { return "≤ " + l.number(l.bound) }

func (l Line) measured() string {
	if math.IsNaN(l.Value) {
		return "–"
	}
	return l.number(l.Value)
}

func (l Line) number(v float64) string {
	switch l.unit {
	case "":
		return fmt.Sprintf("%.2f", v)
	case "allocations":
		return fmt.Sprintf("%.3g", v)
	case "B":
		return fmt.Sprintf("%.1f B", v)
	}
	return fmt.Sprintf("%.0f %s", v, l.unit)
}

// Text formats a line for a terminal.
func (l Line) Text() string {
	verdict := "met   "
	if !l.Met() {
		verdict = "MISSED"
	}
	what := short(l.ours.contender)
	if peer := l.peerName(); peer != "" {
		what += " to " + peer
	}
	return fmt.Sprintf("%s %-34s %8s %-10s %-58s %s", verdict, what, l.measured(), l.wanted(), l.What, l.Detail)
}

// Markdown writes the tables of bench/README.md.
func Markdown(r *showdown.Run) string {
	var b strings.Builder
	lines := Check(r)
	missed := 0
	for _, l := range lines {
		if !l.Met() {
			missed++
		}
	}
	fmt.Fprintf(&b, "%d of %d targets are met. %s\n`%s`\n\n", len(lines)-missed, len(lines), r.MachineLine(), r.Command)
	b.WriteString("| target | ours | peer | wanted | measured | met |\n|---|---|---|---:|---:|---|\n")
	for _, l := range lines {
		met := "yes"
		if !l.Met() {
			met = "**no**"
		}
		b.WriteString(figure.Row(l.What, short(l.ours.contender), cmp.Or(l.peerName(), "–"), l.wanted(), l.measured(), met))
	}
	b.WriteString("\nNanoseconds per request in the same races; peers have their native handlers.\n\n")
	columns := slices.DeleteFunc(slices.Clone(Contenders), func(name string) bool { return name == fastPooled || name == "chi" })
	head := []string{"race"}
	for _, name := range columns {
		head = append(head, short(name))
	}
	b.WriteString(figure.Head(1, head...))
	row := func(text string, section showdown.Section, scenario string, of func(showdown.Cell) float64) {
		cells := []string{text}
		for _, name := range columns {
			cell := "–"
			if c, ok := r.Cell(section, scenario, name); ok {
				cell = fmt.Sprintf("%.1f", of(c))
			}
			cells = append(cells, cell)
		}
		b.WriteString(figure.Row(cells...))
	}
	for _, s := range bench.Scenarios() {
		row(s.Title, showdown.Serving, s.Name, least)
	}
	for _, c := range bench.Conditions() {
		of := least
		if c.Round > 0 {
			of = median
		}
		for _, scenario := range []string{"Param1", "GitHub"} {
			row(title(scenario)+", "+c.Name, showdown.Section(c.Name), scenario, of)
		}
	}
	row("10000 routes, random lookups", showdown.Scaling, "Scale10000", least)
	b.WriteString("\n")
	for _, c := range bench.Conditions() {
		fmt.Fprintf(&b, "- *%s*: %s.\n", c.Name, c.About)
	}
	return b.String()
}
