package report

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// readmeRows are the rows in the README: our modes and, for each peer, its
// native and its plain handlers, if it has both.
var readmeRows = []struct{ Name, Native, Plain string }{
	{"**muxmaster**, pooled", "", "muxmaster pooled"},
	{"**muxmaster**", "", "muxmaster"},
	{"bunrouter", "bunrouter", "bunrouter (compat)"},
	{"gin", "gin", ""},
	{"echo", "echo", "echo (WrapHandler)"},
	{"httprouter", "httprouter", "httprouter (HandlerFunc)"},
	{"fox", "fox", "fox (WrapF)"},
	{"http.ServeMux", "", "http.ServeMux"},
	{"chi", "", "chi"},
	{"gorilla/mux", "", "gorilla/mux"},
}

// SpeedTable returns the README's table. docs is the directory of the pages,
// relative to the README.
func SpeedTable(r *showdown.Run, docs string) string {
	var b strings.Builder
	b.WriteString(figure.Head(1, append(readmeHead, "B, allocs")...))
	section, how := timeSection(r)
	for _, row := range readmeRows {
		name := row.Plain
		if name == "" {
			name = row.Native
		}
		cells := readmeCells(r, row.Name+version(r, name), row.Native, row.Plain, section, func(_ string, ns float64) string { return figure.Digits(ns) })
		allocs := "–"
		if c, ok := r.Cell(showdown.Serving, "ParamRead", name); ok {
			allocs = figure.Compact(c.Bytes) + ", " + figure.Compact(c.Allocs)
		}
		b.WriteString(figure.Row(append(cells, allocs)...))
	}
	fmt.Fprintf(&b, `
Nanoseconds per request, %s: a handler that reads its parameter, and the mean of the
GitHub API's 203 routes. gin can't give a plain handler its parameters. Bytes and
allocations are those of the plain handler, if there is one, with 1 parameter.
%s
`+"`%s`"+` in `+"`bench/`"+`; [all figures](%s/benchmarks.md).
`, how, machineLine(r), r.Command, docs)
	return b.String()
}

// timeSection returns the section with the README's times, and how they were
// measured: what go test -bench reports, if the run has it.
func timeSection(r *showdown.Run) (section showdown.Section, how string) {
	if len(r.In(showdown.Benchmark, "")) == 0 {
		return showdown.Serving, "the minimum of interleaved rounds"
	}
	return showdown.Benchmark, "with garbage collections, as\n`go test -run '^$' -bench 'Showdown/.*/(ParamRead|GitHub)$'` in `bench/` reports them, the best of three"
}

// RatioTable returns the table in comparison.md: times relative to muxmaster's
// default mode.
func RatioTable(r *showdown.Run) string {
	var b strings.Builder
	b.WriteString(figure.Head(1, readmeHead...))
	for _, row := range readmeRows {
		b.WriteString(figure.Row(readmeCells(r, row.Name, row.Native, row.Plain, showdown.Serving, func(scenario string, ns float64) string {
			base, _ := r.Cell(showdown.Serving, scenario, "muxmaster")
			return figure.Times(ns / measure.Min(base.Samples))
		})...))
	}
	return b.String()
}

// readmeHead is the head of both tables, and readmeCells are their cells: the
// name, and the figures of native and plain handlers, each in two scenarios.
var readmeHead = []string{"router", "native handler: 1 parameter", "GitHub API", "plain handler: 1 parameter", "GitHub API"}

func readmeCells(r *showdown.Run, name, native, plain string, section showdown.Section, write func(scenario string, ns float64) string) []string {
	cells := []string{name}
	for _, contender := range []string{native, plain} {
		for _, scenario := range []string{"ParamRead", "GitHub"} {
			cells = append(cells, cellText(r, column{Section: section, Scenario: scenario}, contender, func(ns float64) string { return write(scenario, ns) }))
		}
	}
	return cells
}

// version returns the suffix with the version of a peer, or "".
func version(r *showdown.Run, name string) string {
	if e := r.Entry(name); !e.Ours && strings.HasPrefix(e.Version, "v") {
		return " " + strings.TrimSuffix(e.Version, "+incompatible")
	}
	return ""
}

// Docs writes the generated pages and pictures to the directory docs, and
// updates the generated parts of other pages there and of the README.md next to
// it. http2 is the run of HTTP/2 servers. It returns the names of the files.
func Docs(docs string, r, http2 *showdown.Run) (files []string, err error) {
	figures, err := ReferenceFigures(r)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{"benchmarks.md": Markdown(r), "reference-figures.md": figures}
	for _, p := range pictures {
		pages[p.File] = Picture(r, http2, p.Theme, p.Shape)
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		file := filepath.Join(docs, name)
		if err := os.WriteFile(file, []byte(pages[name]), 0o666); err != nil {
			return files, err
		}
		files = append(files, file)
	}
	for _, part := range []struct{ file, name, text string }{
		{"comparison.md", "ratios", RatioTable(r)},
		{"engine.md", "http2", HTTP2(http2)},
		{"../README.md", "speed table", SpeedTable(r, filepath.Base(docs))},
		{"../README.md", "http2", HTTP2Line(http2, filepath.Base(docs))},
	} {
		file := filepath.Join(docs, part.file)
		if err := figure.ReplaceIn(file, part.name, part.text); err != nil {
			return files, err
		}
		files = append(files, file)
	}
	return files, nil
}
