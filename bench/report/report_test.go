package report

import (
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// sampleRun has one contender of ours, two peers, one on another stack, and the floor.
func sampleRun() *showdown.Run {
	samples := func(v float64) showdown.Samples { return showdown.Samples{v, v * 1.1, v * 0.9, v, v * 1.05, v * 0.95} }
	native := []contender.Class{contender.Native, contender.Stdlib}
	r := &showdown.Run{
		Started: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Finished: time.Date(2026, 2, 3, 4, 25, 6, 0, time.UTC),
		Command: "go run ./cmd/showdown", Machine: showdown.Machine{CPU: "Z80", Cores: 2, System: "cp/m", Go: "go1.26.8", Load: "wrk"},
		Contenders: []showdown.Entry{
			{Name: "muxmaster", Classes: native, Ours: true},
			{Name: "http.ServeMux", Version: "go1.26.8", Classes: native},
			{Name: "<slow>", Version: "v1.2.3", Classes: native, NotStdlib: "it <can't>"},
			{Name: "fiber v3", Classes: []contender.Class{contender.FastHTTP}},
			{Name: "no router", Classes: []contender.Class{contender.Floor}},
		},
		Missing: []showdown.Missing{{Name: "lost", Reason: "not to be had"}},
		Bars: []showdown.BarResult{
			{Scenario: "kept", Mode: "muxmaster", Peer: "http.ServeMux", Bar: 0.5, Ratio: 0.4},
			{Scenario: "broken", Mode: "muxmaster", Peer: "http.ServeMux", Bar: 0.5, Ratio: 0.6},
			{Scenario: "at least", Mode: "muxmaster", Peer: "itself", Bar: 1.9, AtLeast: true, Ratio: 1.95},
			{Scenario: "not measured", Mode: "muxmaster", Peer: "itself", Bar: 1, Failed: "no such thing"},
		},
	}
	for i, name := range []string{"muxmaster", "http.ServeMux", "<slow>", "fiber v3", "no router"} {
		v := []float64{40, 100, 2000, 70, 4}[i]
		for _, s := range []string{"GitHub", "ParamRead"} {
			r.Cells = append(r.Cells, showdown.Cell{Section: showdown.Serving, Scenario: s, Contender: name, Samples: samples(v), Bytes: 16, Allocs: 1})
		}
		r.Cells = append(r.Cells, showdown.Cell{Section: showdown.Load, Scenario: "1 parameter, 1 core", Contender: name,
			Samples: samples(60000 - v), P50: samples(700), P99: samples(2000), CPU: samples(10 + v/10 - 0.4)})
		if name == "no router" {
			continue
		}
		for _, s := range []string{"Scale10", "Scale100"} {
			r.Cells = append(r.Cells,
				showdown.Cell{Section: showdown.Scaling, Scenario: s, Contender: name, Samples: samples(v)},
				showdown.Cell{Section: showdown.Registration, Scenario: s, Contender: name, Samples: samples(1000)})
		}
	}
	r.Cells = append(r.Cells, showdown.Cell{Section: showdown.Serving, Scenario: "NotFound", Contender: "<slow>", Cannot: "answered 200"},
		showdown.Cell{Section: showdown.Serving, Scenario: "NotFound", Contender: "muxmaster", Samples: samples(200)})
	return r
}

func TestRankingKeepsClassesApart(t *testing.T) {
	r := sampleRun()
	for _, tt := range []struct {
		class contender.Class
		want  string
	}{
		{contender.Native, "no router 0.10×, muxmaster 1.0×, http.ServeMux 2.5×, <slow> 50×"},
		{contender.FastHTTP, "fiber v3 1.0×"},
	} {
		var got []string
		for _, x := range rank(r, r.In(showdown.Serving, "GitHub"), tt.class, false).Rows {
			got = append(got, x.Name+" "+times(x.Ratio))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.class, s, tt.want)
		}
	}
	cells, unit := loads(r, "1 parameter, 1 core")
	if best := rank(r, cells, contender.Native, true).Rows[0]; best.Name != "no router" || unit != "/CPU-s" || math.Round(best.Mid) != 100_000 {
		t.Errorf("most requests: %s with %v %s, want no router with 100,000 /CPU-s", best.Name, best.Mid, unit)
	}
	for i := range r.Cells {
		r.Cells[i].CPU = nil
	}
	cells, unit = loads(r, "1 parameter, 1 core")
	if best := rank(r, cells, contender.Native, true).Rows[0]; best.Name != "no router" || unit != "/s" || math.Round(best.Mid) != 59_996 {
		t.Errorf("most requests, CPU time unknown: %s with %v %s, want no router with 59,996 /s", best.Name, best.Mid, unit)
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	page, err := HTML(sampleRun())
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?i)(src|href)\s*=|url\(|@import|<script|<link|https?://`).FindString(page); m != "" {
		t.Errorf("the page refers to something else: %q", m)
	}
	for _, want := range []string{
		"muxmaster", "&lt;slow&gt;", "it &lt;can&#39;t&gt;", "Not able to: &lt;slow&gt;.", "lost", "not to be had", "Z80, 2 cores",
		`class="n good">0.40`, `class="n bad">0.60`, `class="n good">1.95`, "no such thing", "16 B / 1",
		`class="n good">0.40</td><td class="full">muxmaster, 40.0 ns`, `<li class="cut" title="The bar is cut."><span class="name">&lt;slow&gt;`, "0.40", "59,960 /s, CPU 13.6 µs",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if strings.Contains(page, "<slow>") || strings.Contains(page, "not complete") {
		t.Error("a name is not escaped, or a complete run is called incomplete")
	}
	svgs := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1)
	if len(svgs) != 12 { // lookups and registration, three classes, wide and narrow
		t.Errorf("%d charts, want 12", len(svgs))
	}
	for _, svg := range svgs {
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("a chart is not well-formed: %v\n%s", err, svg)
			}
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("a chart has a point that is no number: %.300s", svg)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		change func(*showdown.Run)
		want   string
	}{
		{func(*showdown.Run) {}, ""},
		{func(r *showdown.Run) { r.Finished = time.Time{} }, "This run is not complete."},
		{func(r *showdown.Run) { r.Busy = 1.4 }, ""},
		{func(r *showdown.Run) { r.Busy = 7 }, "The machine was busy with other work (load average 7.0 on 2 cores): expect noise."},
	} {
		r := sampleRun()
		tt.change(r)
		if got := strings.Join(warnings(r), "; "); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		page, err := HTML(r)
		if err != nil {
			t.Fatal(err)
		}
		var terminal strings.Builder
		Terminal(&terminal, r)
		for where, text := range map[string]string{"page": page, "Markdown": Markdown(r), "terminal": terminal.String()} {
			if !strings.Contains(text, tt.want) {
				t.Errorf("%s: no %q", where, tt.want)
			}
		}
	}
}

func TestChartLabelsDoNotCoverEachOther(t *testing.T) {
	var all []series
	for i := range 18 {
		all = append(all, series{Name: strings.Repeat("x", i+1), X: []float64{10, 100}, Y: []float64{50, 60}})
	}
	svg := string(logChart(all, "test"))
	labels := regexp.MustCompile(`<text x="[\d.]+" y="([\d.]+)">x+<`).FindAllStringSubmatch(svg, -1)
	if len(labels) != 36 {
		t.Fatalf("%d labels, want 36", len(labels))
	}
	seen := map[string]int{}
	for _, l := range labels {
		seen[l[1]]++
	}
	for y, n := range seen {
		if n > 1 {
			t.Errorf("%d labels at %s", n, y)
		}
	}
}

func TestMarkdown(t *testing.T) {
	text := Markdown(sampleRun())
	for _, want := range []string{
		"Generated by `go run ./cmd/showdown -docs ../docs`", "| **muxmaster** | – | 40.0 ns (1.0) |", "| http.ServeMux | – | 100 ns (2.5) |",
		"| no router | – | 4.00 ns |", "## fasthttp", "| kept | muxmaster | http.ServeMux | ≤ 0.50 | 0.40 | yes |  |",
		"| broken | muxmaster | http.ServeMux | ≤ 0.50 | 0.60 | no |  |", "| <slow> | serving, 404 on the GitHub API | `answered 200` |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestTerminal(t *testing.T) {
	var out strings.Builder
	Terminal(&out, sampleRun())
	for _, want := range []string{"* muxmaster ", "2.5×", "- <slow> ", "answered 200", "yes  kept", "no   broken", "not here: lost: not to be had"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestWriteUpdatesTheReadme(t *testing.T) {
	root := t.TempDir()
	docs := filepath.Join(root, "docs")
	if err := os.Mkdir(docs, 0o777); err != nil {
		t.Fatal(err)
	}
	readme := filepath.Join(root, "README.md")
	if err := os.WriteFile(readme, []byte("before\n"+speedBegin+"\nold\n"+speedEnd+"\nafter\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	files, err := Write(docs, sampleRun(), true)
	if err != nil || len(files) != 4 {
		t.Fatalf("wrote %q, %v; want four files", files, err)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before\n" + speedBegin, speedEnd + "\nafter\n", "| muxmaster | 0.40 | 16 | 1 | 0.40 |", "| <slow> v1.2.3 | 20.00 |"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "old") {
		t.Error("the old table is still there")
	}
}

func TestPublishedFiguresAreComplete(t *testing.T) {
	tables, err := parsePublished(publishedText)
	if err != nil {
		t.Fatal(err)
	}
	figures, heap := 0, 0
	for _, table := range tables {
		figures += len(table.Figures)
		if table.Section == showdown.Heap {
			heap++
		}
	}
	if len(tables) != 20 || heap != 4 || figures < 150 {
		t.Errorf("%d tables, %d of them about memory, %d figures", len(tables), heap, figures)
	}
	for _, tt := range []struct{ text, want string }{
		{"table a; b\n", "published.txt:1: want `table section; scenario; base; what`"},
		{"gin 5\n", "published.txt:1: want `contender figure` in a table"},
	} {
		if _, err := parsePublished(tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("%q: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		published, measured float64
		want                string
	}{
		{2, 2.9, "holds"},
		{2, 1.4, "holds"},
		{2, 5, "holds in kind: larger"},
		{5, 1.2, "holds in kind: smaller"},
		{0.5, 0.1, "holds in kind: larger"},
		{2, 0.5, "doesn't hold"},
		{0.5, 2, "doesn't hold"},
		{1, 3, "holds in kind: larger"},
		{1.1, 0.9, "holds"},
	} {
		if got := judge(tt.published, tt.measured); got != tt.want {
			t.Errorf("judge(%v, %v) = %s, want %s", tt.published, tt.measured, got, tt.want)
		}
	}
}

func TestFiguresInText(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{duration(4.567), "4.57 ns"}, {duration(999.7), "1000 ns"}, {duration(45_678), "45.7 µs"}, {duration(2.5e6), "2.50 ms"}, {duration(3e9), "3.00 s"},
		{count(1234567), "1,234,567"}, {count(999), "999"}, {times(0.123), "0.12×"}, {times(1), "1.0×"}, {times(12.6), "13×"},
		{powerOfTen(10), "10 ns"}, {powerOfTen(1000), "1 µs"}, {powerOfTen(1e7), "10 ms"}, {shortCount(100_000), "100k"}, {shortCount(10), "10"},
		{compact(16), "16"}, {compact(0.82), "0.82"}, {compact(1112.4), "1,112"}, {shorten("abcdefgh", 6), "abc..."},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}
