package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

var (
	//go:embed documents.tmpl
	documentsText string

	documents = template.Must(template.New("").Funcs(template.FuncMap{
		"count": figure.Count, "duration": figure.Duration, "upperFirst": upperFirst,
		"escape": func(s string) string { return strings.ReplaceAll(s, "|", "\\|") },
	}).Parse(documentsText))
)

// fields are the data of a document beside its run and machine.
type fields map[string]any

// document renders a template of documents.tmpl.
func document(name string, r *showdown.Run, more fields) string {
	data := fields{"Run": r, "Machine": r.MachineLine()}
	maps.Copy(data, more)
	var b strings.Builder
	if err := documents.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the templates are part of the program
	}
	return b.String()
}

// Markdown renders the main results of the run as tables. HTML renders all
// results.
func Markdown(r *showdown.Run) string {
	return document("benchmarks", r, fields{
		"Warnings": warnings(r), "Serving": columnTable(r, servingColumns, true), "Scale": columnTable(r, scaleColumns(r), false),
		"Load": []fields{
			{"Title": "Routers under load", "About": "Each router runs in a separate process, with net/http's server", "Cases": loadCases(r, showdown.Load)},
			{"Title": "HTTP servers under load", "About": "Each server runs in a separate process; plain handlers are behind muxmaster", "Cases": loadCases(r, showdown.Servers)},
		},
		"Cannot": cannot(r),
	})
}

// column is a scenario in a table, with a short title.
type column struct {
	Section         showdown.Section
	Scenario, Title string
}

var servingColumns = []column{
	{showdown.Serving, "Static", "Static, 157 routes"},
	{showdown.Serving, "GitHub", "GitHub, 203 routes"},
	{showdown.Serving, "ParamRead", "1 parameter, read"},
	{showdown.Serving, "Param5", "5 parameters"},
	{showdown.Serving, "Param20", "20 parameters"},
	{showdown.Serving, "CatchAll", "catch-all"},
	{showdown.Serving, "NotFound", "404"},
	{showdown.Serving, "MethodNotAllowed", "405"},
}

// scaleColumns are the columns with large APIs, all processors, and memory.
func scaleColumns(r *showdown.Run) (columns []column) {
	for _, n := range []string{"100", "1000", "10000", "100000"} {
		columns = append(columns, column{showdown.Scaling, "Scale" + n, "lookup among " + n})
	}
	for _, n := range []string{"1000", "10000"} {
		columns = append(columns, column{showdown.Registration, "Scale" + n, "registering " + n})
	}
	for _, scenario := range scenarios(r, showdown.Parallel) {
		columns = append(columns, column{showdown.Parallel, scenario, scenario})
	}
	return append(columns, column{showdown.Heap, "github", "heap of GitHub, B"})
}

// byFamily sorts contenders by the best figure of their router in the first
// column, then the next columns. For the same router, native handlers come
// first.
func byFamily(r *showdown.Run, columns []column) []showdown.Entry {
	best := map[string]float64{}
	for _, e := range r.Contenders {
		figure := math.Inf(1)
		for _, c := range columns {
			if cell, ok := r.Cell(c.Section, c.Scenario, e.Name); ok {
				figure = cell.Samples.Min()
				break
			}
		}
		if old, ok := best[family(e.Name)]; !ok || figure < old {
			best[family(e.Name)] = figure
		}
	}
	entries := slices.DeleteFunc(slices.Clone(r.Contenders), func(e showdown.Entry) bool { return math.IsInf(best[family(e.Name)], 1) })
	slices.SortStableFunc(entries, func(a, b showdown.Entry) int {
		return cmp.Or(cmp.Compare(best[family(a.Name)], best[family(b.Name)]), strings.Compare(family(a.Name), family(b.Name)), strings.Compare(kind(a), kind(b)))
	})
	return entries
}

// columnTable returns the table of the columns that have figures, or "". With
// handlers, each contender has a row, with its allocations; otherwise each
// router.
func columnTable(r *showdown.Run, columns []column, handlers bool) string {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return len(r.In(c.Section, c.Scenario)) == 0 })
	if len(columns) == 0 {
		return ""
	}
	var b strings.Builder
	head := []string{"router"}
	if handlers {
		head = append(head, "handler")
	}
	first := len(head)
	for _, c := range columns {
		head = append(head, c.Title)
	}
	if handlers {
		head = append(head, "B", "allocs")
	}
	b.WriteString(figure.Head(first, head...))
	for _, e := range byFamily(r, columns) {
		name := family(e.Name)
		if !handlers && (e.Name != name || e.In(contender.Floor)) {
			continue
		}
		if e.Ours {
			name = "**" + e.Name + "**"
		}
		cells := []string{name, kind(e)}[:first]
		for _, c := range columns {
			write := figure.Digits
			if c.Section == showdown.Heap {
				write = figure.Count
			}
			cells = append(cells, cellText(r, c, e.Name, write))
		}
		if handlers {
			bytes, allocs := "–", "–"
			if c, ok := r.Cell(showdown.Serving, "ParamRead", e.Name); ok {
				bytes, allocs = figure.Compact(c.Bytes), figure.Compact(c.Allocs)
			}
			cells = append(cells, bytes, allocs)
		}
		b.WriteString(figure.Row(cells...))
	}
	return b.String()
}

// cellText returns the minimum of a cell, or the reason why there is none.
func cellText(r *showdown.Run, c column, name string, write func(float64) string) string {
	switch cell, ok := r.Cell(c.Section, c.Scenario, name); {
	case ok:
		return write(cell.Samples.Min())
	case strings.HasPrefix(cell.Cannot, "left out"):
		return "left out"
	case cell.Cannot != "":
		return "cannot"
	}
	return "–"
}

// loadCases returns the rankings of the cases of load in a section.
func loadCases(r *showdown.Run, section showdown.Section) (cases []ranking) {
	for _, scenario := range scenarios(r, section) {
		if l := rank(r, section, scenario); len(l.Rows) > 0 {
			cases = append(cases, l)
		}
	}
	return cases
}

//go:embed targets.txt
var targets string

// Targets returns the router's targets and whether the run meets them, as a
// Markdown table, without those that it didn't measure.
func Targets(r *showdown.Run) string {
	// value returns the least figure at a place, or its allocations or bytes.
	value := func(at, unit string) (float64, bool) {
		section, rest, _ := strings.Cut(at, "/")
		scenario, contender, _ := strings.Cut(rest, "/")
		cell, ok := r.Cell(showdown.Section(section), scenario, contender)
		switch {
		case !ok:
			return 0, false
		case unit == "allocations":
			return cell.Allocs, true
		case unit == "B":
			return cell.Bytes, true
		}
		return slices.Min(cell.Samples), true
	}
	rows, met, all := "", 0, 0
	for line := range strings.Lines(targets) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			continue
		}
		got, ok := value(f[0], f[1])
		if theirs, ok2 := value(f[1], ""); strings.Contains(f[1], "/") {
			got, ok = got/theirs, ok && ok2
		}
		bound, err := strconv.ParseFloat(f[2], 64)
		if !ok || err != nil {
			continue
		}
		verdict := "**no**"
		if got <= bound {
			verdict = "yes"
			met++
		}
		all++
		rows += figure.Row(f[0], f[1], "≤ "+f[2], fmt.Sprintf("%.3g", got), verdict)
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d targets are met.\n\n", met, all) + figure.Head(2, "target", "relative to", "wanted", "measured", "met") + rows
}
