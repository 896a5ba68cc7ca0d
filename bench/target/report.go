package target

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Results are the results of the races and checks.
type Results struct {
	Races []RaceResult
	Lines []Line
}

// Run measures the races and checks whose title match accepts, and prints each
// result immediately.
func Run(w io.Writer, match func(title string) bool, plan measure.Plan) (r Results) {
	for _, race := range Races() {
		if !match(race.title()) {
			continue
		}
		result := race.Measure(plan)
		r.Races = append(r.Races, result)
		printRace(w, result)
		for _, line := range result.Lines() {
			printLine(w, line)
			r.Lines = append(r.Lines, line)
		}
	}
	for _, check := range Checks() {
		if !match(check.What) {
			continue
		}
		line := check.Run(plan)
		printLine(w, line)
		r.Lines = append(r.Lines, line)
	}
	fmt.Fprintf(w, "\n%s\n", r.summary())
	return r
}

// Missed counts the targets that are not met.
func (r Results) Missed() (n int) {
	for _, l := range r.Lines {
		if !l.Met() {
			n++
		}
	}
	return n
}

func (r Results) summary() string {
	return fmt.Sprintf("%d of %d targets are met.", len(r.Lines)-r.Missed(), len(r.Lines))
}

func (r Race) title() string {
	if r.Condition.Name == "" {
		return r.Title
	}
	return r.Title + ", " + r.Condition.Name
}

func printRace(w io.Writer, r RaceResult) {
	fmt.Fprintf(w, "\n%s\n ", r.title())
	if r.Err != nil {
		fmt.Fprintf(w, " %v\n", r.Err)
		return
	}
	for _, name := range r.Contenders() {
		fmt.Fprintf(w, " %s %s,", short(name), r.cell(name))
	}
	fmt.Fprintln(w, " in ns")
}

// cell returns a contender's time, or a dash.
func (r RaceResult) cell(name string) string {
	if ns, ok := r.Times[name]; ok {
		return fmt.Sprintf("%.1f", ns)
	}
	return "–"
}

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

func printLine(w io.Writer, l Line) {
	verdict := "met   "
	if !l.Met() {
		verdict = "MISSED"
	}
	what := short(l.Mode)
	if l.Peer != "" {
		what += " to " + l.Peer
	}
	detail := l.Detail
	if l.Err != nil {
		detail = l.Err.Error()
	}
	fmt.Fprintf(w, "  %s %-34s %8s %-10s %-58s %s\n", verdict, what, l.measured(), l.wanted(), l.What, detail)
}

func (l Line) wanted() string {
	sign := "≤"
	if l.AtLeast {
		sign = "≥"
	}
	return sign + " " + l.number(l.Bound)
}

func (l Line) measured() string {
	if l.Err != nil {
		return "–"
	}
	return l.number(l.Value)
}

func (l Line) number(v float64) string {
	switch l.Unit {
	case "":
		return fmt.Sprintf("%.2f", v)
	case "allocations":
		return fmt.Sprintf("%.3g", v)
	case "B", "ms":
		return fmt.Sprintf("%.1f %s", v, l.Unit)
	}
	return fmt.Sprintf("%.0f %s", v, l.Unit)
}

// Markdown writes the results as the tables of bench/README.md.
func Markdown(r Results, machine, command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n`%s`\n\n", r.summary(), machine, command)
	b.WriteString("| target | ours | peer | wanted | measured | met |\n|---|---|---|---:|---:|---|\n")
	for _, l := range r.Lines {
		met := "yes"
		if !l.Met() {
			met = "**no**"
		}
		peer := l.Peer
		if peer == "" {
			peer = "–"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", l.What, short(l.Mode), peer, l.wanted(), l.measured(), met)
	}
	b.WriteString("\nNanoseconds per request in the same races; peers have their native handlers.\n\n")
	columns := slices.Concat([]string{defaultMode, pooled}, natives, []string{"http.ServeMux"})
	b.WriteString("| race |")
	for _, name := range columns {
		fmt.Fprintf(&b, " %s |", short(name))
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---:|", len(columns)))
	for _, race := range r.Races {
		fmt.Fprintf(&b, "| %s |", race.title())
		for _, name := range columns {
			fmt.Fprintf(&b, " %s |", race.cell(name))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for _, c := range Conditions() {
		fmt.Fprintf(&b, "- *%s*: %s.\n", c.Name, c.About)
	}
	return b.String()
}
