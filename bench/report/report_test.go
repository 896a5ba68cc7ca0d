package report

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// sampleRun returns a run with one contender of ours, peers with plain, native
// and both kinds of handlers, and the floor.
func sampleRun() *showdown.Run {
	samples := func(v float64) showdown.Samples { return showdown.Samples{v, v * 1.1, v * 0.9, v, v * 1.05, v * 0.95} }
	both := []contender.Class{contender.Native, contender.Stdlib}
	r := &showdown.Run{
		Started: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Finished: time.Date(2026, 2, 3, 4, 25, 6, 0, time.UTC),
		Command: "go run ./cmd/showdown", Machine: measure.Machine{CPU: "Z80", Cores: 2, System: "cp/m", Go: "go1.26.8"}, Tool: "wrk",
		Contenders: []showdown.Entry{
			{Name: "muxmaster", Classes: both, Ours: true},
			{Name: "http.ServeMux", Version: "go1.26.8", Classes: both},
			{Name: "<slow>", Version: "v1.2.3", Classes: []contender.Class{contender.Native}, NotStdlib: "it <can't>"},
			{Name: "<slow> (compat)", Version: "v1.2.3", Classes: []contender.Class{contender.Stdlib}},
			{Name: "no router", Classes: []contender.Class{contender.Floor}},
		},
	}
	for i, name := range []string{"muxmaster", "http.ServeMux", "<slow>", "<slow> (compat)", "no router"} {
		v := []float64{40, 100, 2000, 3000, 4}[i]
		for _, s := range []string{"GitHub", "ParamRead"} {
			r.Cells = append(r.Cells, showdown.Cell{Section: showdown.Serving, Scenario: s, Contender: name, Samples: samples(v), Bytes: 16, Allocs: 1})
		}
		r.Cells = append(r.Cells, loadCell(showdown.Load, name, samples(60000-v), samples(10+v/10-0.4)))
		if name == "no router" {
			continue
		}
		for _, s := range []string{"Scale10", "Scale100"} {
			r.Cells = append(r.Cells,
				showdown.Cell{Section: showdown.Scaling, Scenario: s, Contender: name, Samples: samples(v)},
				showdown.Cell{Section: showdown.Registration, Scenario: s, Contender: name, Samples: samples(1000)})
		}
	}
	r.Cells = append(r.Cells,
		loadCell(showdown.Servers, "net/http", samples(50000), samples(10)), loadCell(showdown.Servers, "fasthttp", samples(90000), samples(5)),
		showdown.Cell{Section: showdown.Serving, Scenario: "NotFound", Contender: "<slow>", Cannot: "answered 200"},
		showdown.Cell{Section: showdown.Serving, Scenario: "NotFound", Contender: "muxmaster", Samples: samples(200)})
	return r
}

func loadCell(section showdown.Section, name string, perSecond, cpu showdown.Samples) showdown.Cell {
	return showdown.Cell{Section: section, Scenario: "1 parameter, 1 core", Contender: name, Samples: perSecond, CPU: cpu,
		P50: showdown.Samples{700}, P99: showdown.Samples{2000}}
}

func TestRankLoad(t *testing.T) {
	// The machine is slow in the third round, for both servers. That must not
	// widen the interval of the ratio.
	r := &showdown.Run{Contenders: []showdown.Entry{{Name: "a", Classes: []contender.Class{contender.Native}}, {Name: "no router", Classes: []contender.Class{contender.Floor}}}}
	perSecond := showdown.Samples{100, 100, 50, 100, 100, 100}
	cpu := showdown.Samples{10, 10, 20, 10, 10, 10}
	half := showdown.Samples{20, 20, 40, 20, 20, 20}
	r.Cells = []showdown.Cell{loadCell(showdown.Load, "no router", perSecond, cpu), loadCell(showdown.Load, "a", perSecond, half)}
	l := rank(r, showdown.Load, "1 parameter, 1 core")
	if len(l.Rows) != 2 || l.Rows[1].Name != "a" || l.Rows[1].Ratio != 0.5 || l.Rows[1].Lo != 0.5 || l.Rows[1].Hi != 0.5 || l.Rows[1].Place != 2 {
		t.Errorf("with processor time: %+v", l.Rows)
	}
	if want := "no router is ahead. Rows with the same place don't differ significantly."; l.Difference() != want {
		t.Errorf("difference %q, want %q", l.Difference(), want)
	}
	r.Cells[1].CPU = nil
	l = rank(r, showdown.Load, "1 parameter, 1 core")
	if l.ByCPU || len(l.Rows) != 2 || l.Rows[0].Ratio != 1 || l.Difference() != "There is no significant difference." {
		t.Errorf("without processor time: %+v, %q", l.Rows, l.Difference())
	}
	r.Cells[1].Samples = perSecond[:3]
	if l = rank(r, showdown.Load, "1 parameter, 1 core"); len(l.Rows) != 1 || len(l.Cannot) != 1 {
		t.Errorf("with fewer rounds: %+v, %+v", l.Rows, l.Cannot)
	}
}

// TestPage checks the page and the report for the terminal.
func TestPage(t *testing.T) {
	run := sampleRun()
	run.Others = 0.25
	page := HTML(run)
	if m := regexp.MustCompile(`(?i)(src|href)\s*=|url\(|@import|<script|<link|https?://|<slow>|not complete`).FindString(page); m != "" {
		t.Errorf("the page refers to another file, or has a wrong text: %q", m)
	}
	for text, wanted := range map[string][]string{
		page: {"&lt;slow&gt;", "it &lt;can&#39;t&gt;", "Not supported: &lt;slow&gt;.", "Z80, 2 cores", "16 B / 1", "#1, 2.00 to 2.00, 90,000 /s", "fasthttp is ahead", "up to 25 % of the machine"},
		Terminal(run): {"* muxmaster ", "  http.ServeMux                plain        100 ns    2.5×  -10% to +10%, 16 B / 1", "- <slow> ", "answered 200", "HTTP servers under load: 1 parameter, 1 core",
			"Ratio of requests per second of the server's CPU time to net/http. fasthttp is ahead", "Registration: 100 routes",
			"\n\n2 of 3 targets are met.\n", "| serving/ParamRead/muxmaster | serving/ParamRead/http.ServeMux | ≤ 0.28 | 0.4 | **no** |", "| serving/NotFound/muxmaster | allocations | ≤ 1 | 0 | yes |"},
		Markdown(run): {"up to 25 % of the machine", "| **muxmaster** | plain |"},
	} {
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

// TestPublished checks that the project's pages and pictures match the
// published runs. To update them after changing the report, run in bench/:
//
//	go run ./cmd/showdown -report -run published.json -docs ../docs
func TestPublished(t *testing.T) {
	r, err := showdown.Read("../" + showdown.File)
	if err != nil {
		t.Fatal(err)
	}
	http2, err := showdown.Read("../" + showdown.HTTP2File)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Quiet(r), Quiet(http2)); err != nil {
		t.Error(err)
	}
	texts, err := Docs("../../docs", r, http2)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range texts {
		if strings.Contains(want, "NaN") {
			t.Errorf("%s has a figure that isn't a number", name)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is not up to date with %s and %s (%v)", name, showdown.File, showdown.HTTP2File, err)
		}
	}
}

// TestPublish checks that nothing is written if a run isn't complete or quiet, or
// if one of the documents can't be updated.
func TestPublish(t *testing.T) {
	all := []string{"README.md", "docs/comparison.md", "docs/engine.md", "bench/README.md"}
	for _, tt := range []struct {
		name      string
		change    func(*showdown.Run)
		documents []string
		want      string // in the error
	}{
		{"stopped by Ctrl-C", func(r *showdown.Run) { r.Finished = time.Time{} }, all, "the run is not complete"},
		{"a document is missing", func(r *showdown.Run) { r.StolenTime, r.Took = 4, 100 }, slices.Delete(slices.Clone(all), 2, 3), "engine.md: no such file"},
		{"a busy host", func(r *showdown.Run) { r.StolenTime, r.Took = 6, 100 }, all, "6 % of the processors' time was stolen"},
		{"wide intervals", func(r *showdown.Run) {
			for i := range r.Cells {
				if c := &r.Cells[i]; len(c.CPU) > 0 && c.Contender != c.Section.Base() {
					c.CPU = showdown.Samples{4, 4, 5, 5, 6, 6}
				}
			}
		}, all, "in 1 parameter, 1 core, 1.58 to 2.75, is wider than 25 % of 1.90"},
	} {
		docs := projectCopy(t, tt.documents...)
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(filepath.Dir(docs))
			if err := new(showdown.Run).Write(showdown.HTTP2File); err != nil {
				t.Fatal(err)
			}
			r := sampleRun()
			tt.change(r)
			if err := Publish(docs, showdown.File, r); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			for _, name := range []string{showdown.File, "docs/benchmarks.md"} {
				if _, err := os.Stat(name); err == nil {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
}

// TestLeaveOut checks that a few noisy figures are left out, and that many aren't.
func TestLeaveOut(t *testing.T) {
	noisy := showdown.Samples{4, 4, 5, 5, 6, 6}
	for _, quiet := range []int{1, 12} {
		r := &showdown.Run{Cells: []showdown.Cell{loadCell(showdown.Servers, "net/http", noisy, showdown.Samples{9, 9, 9, 9, 9, 9}), loadCell(showdown.Servers, "noisy", noisy, noisy)}}
		for range quiet {
			r.Cells = append(r.Cells, loadCell(showdown.Servers, "quiet", noisy, showdown.Samples{5, 5, 5, 5, 5, 5}))
		}
		LeaveOut(r)
		if left, err := r.Cells[1].Cannot != "", Quiet(r); left != (quiet > 1) || (err == nil) != left {
			t.Errorf("1 of %d rows is noisy: left out %v, %v", quiet+2, left, err)
		}
	}
}

// projectCopy copies files of the project and returns the copy's folder docs.
func projectCopy(t *testing.T, names ...string) (docs string) {
	t.Helper()
	root := t.TempDir()
	docs = filepath.Join(root, "docs")
	if err := errors.Join(os.Mkdir(docs, 0o777), os.Mkdir(filepath.Join(root, "bench"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return docs
}

func TestEngine(t *testing.T) {
	r := &showdown.Run{Started: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Machine: measure.Machine{CPU: "Z80"}, Command: "go run"}
	first := load.Cases()[0]
	for i, name := range []string{"net/http", "engine"} { // the others were not measured
		round := load.Round{PerSecond: float64(100 + 50*i), CPU: float64(20 - 10*i), P50: 1000, P99: 2000, P999: 4000, Memory: 7}
		r.AddLoad(showdown.Servers, first, name, load.Result{Rounds: []load.Round{round, round}})
	}
	text := Engine(r)
	for _, want := range []string{
		"| hello, minimal headers, 64 connections | 2.00 (2.00–2.00) #1 |\n",
		"Medians of at least 2 interleaved rounds", " engine 1.50 (",
		"| hello, minimal headers, 64 connections | 1.0 / 2.0 / 4.0 | 1.0 / 2.0 / 4.0 |\n", "| hello, minimal headers, 64 connections | 7 | 7 |\n",
		"Z80", "3 February 2026. Generated by `go run`",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestTargets checks that the published run has the figures of all targets.
func TestTargets(t *testing.T) {
	r, err := showdown.Read("../" + showdown.File)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(Targets(r), "≤"), strings.Count(targets, "\t")/2; got != want {
		t.Errorf("the run has the figures of %d targets, want %d\n%s", got, want, Targets(r))
	}
}
