// Package report shows a run: in the terminal, as Markdown, and as one HTML file that needs nothing else.
package report

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// row is one contender's place in a ranking.
type row struct {
	Name          string
	Ours, Floor   bool
	Mid, Lo, Hi   float64 // median and its confidence interval
	Ratio         float64 // to the best of the class, the floor left out
	Bytes, Allocs float64
	Cell          showdown.Cell
}

// ranking is one scenario among the contenders of one class, best first, with the floor for orientation.
type ranking struct {
	Class  contender.Class
	Rows   []row
	Cannot []showdown.Cell
}

// rank sorts the cells of the class. Where more is better, as with requests per second, the largest comes first.
func rank(r *showdown.Run, cells []showdown.Cell, class contender.Class, moreIsBetter bool) ranking {
	out := ranking{Class: class}
	best := math.NaN()
	for _, c := range cells {
		e := r.Entry(c.Contender)
		floor := e.In(contender.Floor) && class != contender.FastHTTP
		if !e.In(class) && !floor {
			continue
		}
		if len(c.Samples) == 0 {
			if !floor {
				out.Cannot = append(out.Cannot, c)
			}
			continue
		}
		s := c.Samples.Summary()
		// Few samples give an infinite interval; their range is what there is to show.
		lo, hi := max(s.Lo, slices.Min(c.Samples)), min(s.Hi, slices.Max(c.Samples))
		out.Rows = append(out.Rows, row{
			Name: c.Contender, Ours: e.Ours, Floor: floor, Mid: s.Center, Lo: lo, Hi: hi, Bytes: c.Bytes, Allocs: c.Allocs, Cell: c,
		})
		if !floor && (math.IsNaN(best) || moreIsBetter && s.Center > best || !moreIsBetter && s.Center < best) {
			best = s.Center
		}
	}
	for i := range out.Rows {
		out.Rows[i].Ratio = out.Rows[i].Mid / best
	}
	slices.SortStableFunc(out.Rows, func(a, b row) int {
		if moreIsBetter {
			a, b = b, a
		}
		return cmp.Compare(a.Mid, b.Mid)
	})
	return out
}

// warnings says what a reader should know before any figure.
func warnings(r *showdown.Run) (out []string) {
	if r.Finished.IsZero() {
		out = append(out, "This run is not complete.")
	}
	if r.Busy > 0.75*float64(r.Machine.Cores) {
		out = append(out, fmt.Sprintf("The machine was busy with other work (load average %.1f on %d cores): expect noise.", r.Busy, r.Machine.Cores))
	}
	return out
}

// loads are the cells of a case of load with requests per second of the server's CPU time as their samples: a neighbour
// who takes the machine's time doesn't change those. Where the system doesn't tell CPU time they stay requests per second.
func loads(r *showdown.Run, scenario string) (cells []showdown.Cell, unit string) {
	cells, unit = r.In(showdown.Load, scenario), "/CPU-s"
	for _, c := range cells {
		if len(c.Samples) > 0 && len(c.CPU) == 0 {
			return cells, "/s"
		}
	}
	for i, c := range cells {
		cells[i].Samples = nil
		for _, micros := range c.CPU {
			cells[i].Samples = append(cells[i].Samples, 1e6/micros)
		}
	}
	return cells, unit
}

// perSecond is the median of requests per second, which loads takes from the cell.
func perSecond(r *showdown.Run, x row) string {
	c, ok := r.Cell(showdown.Load, x.Cell.Scenario, x.Name)
	if !ok {
		return "–"
	}
	return count(c.Samples.Summary().Center)
}

// cellsOf are the cells to rank, and whether more is better.
func cellsOf(r *showdown.Run, section showdown.Section, scenario string) (cells []showdown.Cell, moreIsBetter bool) {
	if section == showdown.Load {
		cells, _ = loads(r, scenario)
		return cells, true
	}
	return r.In(section, scenario), false
}

// scenarioTitle is the long name of a scenario where it has one.
func scenarioTitle(name string) string {
	for _, s := range bench.Scenarios() {
		if strings.EqualFold(s.Name, name) { // route sets have the names of their scenarios, in small letters
			return s.Title
		}
	}
	return name
}

// scenarios lists the distinct scenarios of a section in the order of the run.
func scenarios(r *showdown.Run, section showdown.Section) []string {
	var names []string
	for _, c := range r.In(section, "") {
		if !slices.Contains(names, c.Scenario) {
			names = append(names, c.Scenario)
		}
	}
	return names
}

// duration writes nanoseconds with three significant digits and a unit that fits.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return digits(ns) + " ns"
	case ns < 1e6:
		return digits(ns/1e3) + " µs"
	case ns < 1e9:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

// digits writes three significant ones.
func digits(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// count writes a whole number with separators.
func count(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// compact writes no more digits than three, but all of those before the point.
func compact(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.3g", v)
	}
	return count(v)
}

// times writes a ratio.
func times(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v >= 10:
		return fmt.Sprintf("%.0f×", v)
	case v >= 0.995:
		return fmt.Sprintf("%.1f×", v)
	}
	return fmt.Sprintf("%.2f×", v)
}

// amount writes a row's figure with its unit.
func amount(section showdown.Section, x row) string {
	switch {
	case section == showdown.Heap:
		return count(x.Mid) + " B"
	case section == showdown.Load && len(x.Cell.CPU) == 0:
		return count(x.Mid) + " /s"
	case section == showdown.Load:
		return count(x.Mid) + " /CPU-s"
	}
	return duration(x.Mid)
}

// Write puts benchmarks.html into the directory and, for the project's own docs, the Markdown pages too and the speed
// table into the README beside the directory. It returns what it wrote.
func Write(dir string, r *showdown.Run, docs bool) (files []string, err error) {
	write := func(file, text string) {
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o666)
			files = append(files, file)
		}
	}
	page, err := HTML(r)
	if err != nil {
		return nil, err
	}
	write(filepath.Join(dir, "benchmarks.html"), page)
	write(filepath.Join(dir, "benchmarks.md"), Markdown(r))
	if !docs {
		return files, err
	}
	figures, ferr := ReferenceFigures(r)
	if ferr != nil {
		return files, ferr
	}
	write(filepath.Join(dir, "reference-figures.md"), figures)
	readme := filepath.Join(dir, "..", "README.md")
	if old, rerr := os.ReadFile(readme); rerr == nil {
		if new, ok := replaceSpeedTable(string(old), SpeedTable(r)); ok {
			write(readme, new)
		}
	}
	return files, err
}

// The README's table lies between these lines.
const (
	speedBegin = "<!-- speed table: generated by bench/cmd/showdown -->"
	speedEnd   = "<!-- end of speed table -->"
)

func replaceSpeedTable(readme, table string) (string, bool) {
	before, rest, ok := strings.Cut(readme, speedBegin)
	if !ok {
		return "", false
	}
	_, after, ok := strings.Cut(rest, speedEnd)
	if !ok {
		return "", false
	}
	return before + speedBegin + "\n" + table + speedEnd + after, true
}
