package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
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
	table := readmeTable(r, true, func(_ string, ns float64) string { return figure.Digits(ns) })
	return document("speed table", r, fields{"Table": table, "Docs": docs})
}

// RatioTable returns the table in comparison.md: times relative to muxmaster's
// default mode.
func RatioTable(r *showdown.Run) string {
	return readmeTable(r, false, func(scenario string, ns float64) string {
		base, _ := r.Cell(showdown.Serving, scenario, "muxmaster")
		return figure.Times(ns / base.Samples.Min())
	})
}

// readmeTable returns a table with the figures of native and plain handlers, each
// in two scenarios. With details, it also has versions and allocations.
func readmeTable(r *showdown.Run, details bool, write func(scenario string, ns float64) string) string {
	head := []string{"router", "native handler: 1 parameter", "GitHub API", "plain handler: 1 parameter", "GitHub API"}
	if details {
		head = append(head, "B, allocs")
	}
	var b strings.Builder
	b.WriteString(figure.Head(1, head...))
	for _, row := range readmeRows {
		name := cmp.Or(row.Plain, row.Native)
		cells := []string{row.Name}
		if details {
			cells[0] += version(r, name)
		}
		for _, contender := range []string{row.Native, row.Plain} {
			for _, scenario := range []string{"ParamRead", "GitHub"} {
				cells = append(cells, cellText(r, column{Section: showdown.Serving, Scenario: scenario}, contender, func(ns float64) string { return write(scenario, ns) }))
			}
		}
		if details {
			allocs := "–"
			if c, ok := r.Cell(showdown.Serving, "ParamRead", name); ok {
				allocs = figure.Compact(c.Bytes) + ", " + figure.Compact(c.Allocs)
			}
			cells = append(cells, allocs)
		}
		b.WriteString(figure.Row(cells...))
	}
	return b.String()
}

// version returns the suffix with the version of a peer, or "".
func version(r *showdown.Run, name string) string {
	if e := r.Entry(name); !e.Ours && strings.HasPrefix(e.Version, "v") {
		return " " + strings.TrimSuffix(e.Version, "+incompatible")
	}
	return ""
}

// Docs returns the texts of the generated pages and pictures in the directory docs,
// and of the documents with generated parts: others there, the README.md next to it,
// and that in bench. http2 is the run of HTTP/2 servers.
func Docs(docs string, r, http2 *showdown.Run) (texts map[string]string, err error) {
	texts = map[string]string{filepath.Join(docs, "benchmarks.md"): Markdown(r)}
	for _, p := range pictures {
		texts[filepath.Join(docs, p.file)] = Picture(r, http2, p.theme, p.shape)
	}
	for name, parts := range map[string][][2]string{ // name, text
		"comparison.md":      {{"ratios", RatioTable(r)}},
		"engine.md":          {{"http2", HTTP2(http2)}},
		"../bench/README.md": {{"targets", Targets(r)}},
		"../README.md":       {{"speed table", SpeedTable(r, filepath.Base(docs))}, {"http2", HTTP2Line(http2, filepath.Base(docs))}},
	} {
		name = filepath.Join(docs, name)
		if texts[name], err = figure.Replaced(name, parts...); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// Publish writes the documents of Docs with a new run, and the run into its file,
// which is showdown.File or showdown.HTTP2File. It uses the published run of the
// other kind. If file is "", it writes only the tables of HTTP/1.1 servers into
// engine.md, whose run isn't kept. It leaves out the figures of a few servers that
// are noisy, and writes nothing if the run isn't complete or quiet, or if a document
// can't be read or lacks its part.
func Publish(docs, file string, r *showdown.Run) error {
	if r.Finished.IsZero() {
		return errors.New("the run is not complete; nothing is published")
	}
	r, err := r.Rounded() // the rules are those of the figures in the file
	if err != nil {
		return err
	}
	LeaveOut(r)
	if err := Quiet(r); err != nil {
		return err
	}
	if file == "" {
		page := filepath.Join(docs, "engine.md")
		text, err := figure.Replaced(page, [2]string{"engine", Engine(r)})
		if err != nil {
			return err
		}
		return Write(map[string]string{page: text})
	}
	other := map[string]string{showdown.File: showdown.HTTP2File, showdown.HTTP2File: showdown.File}[file]
	runs := map[string]*showdown.Run{file: r}
	if runs[other], err = showdown.Read(other); err != nil {
		return err
	}
	texts, err := Docs(docs, runs[showdown.File], runs[showdown.HTTP2File])
	if err != nil {
		return err
	}
	if err := Write(texts); err != nil {
		return err
	}
	fmt.Println("writing", file)
	return r.Write(file)
}

// Write writes texts into the files with their names, and prints the names.
func Write(texts map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		err := os.MkdirAll(filepath.Dir(name), 0o777)
		if err = cmp.Or(err, os.WriteFile(name, []byte(texts[name]), 0o666)); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	return nil
}
