// Package report presents the results of a run: in the terminal, as Markdown,
// as a picture, and as a self-contained HTML file. It also says which
// performance targets a run meets.
package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// row is one contender in a ranking.
type row struct {
	Name        string
	Kind        string // of handler: "native" or "plain"; "" for no router
	Ours, Floor bool   // Floor is no router, or under load the base
	Mid, Lo, Hi float64
	Ratio       float64 // to the best, except the floor; under load Mid
	Place       int     // under load; rows without a significant difference share it
	Cell        showdown.Cell
}

// ranking is the ranking of one scenario, best first. Mid, Lo and Hi of its
// rows are the median and its confidence interval: of the samples, or under load
// of the ratio to the base in the same round.
type ranking struct {
	Scenario string
	Base     string // under load: the server to which the ratios are relative
	ByCPU    bool   // the ratios compare requests per second of CPU time, otherwise per second
	Rows     []row
	Cannot   []showdown.Cell
}

// kind returns the kind of a contender's handlers: "plain" for
// http.HandlerFuncs that can read parameters, "native" for the router's own
// type, "" for no router.
func kind(e showdown.Entry) string {
	switch {
	case e.In(contender.Floor):
		return ""
	case e.In(contender.Stdlib):
		return "plain"
	}
	return "native"
}

// rank sorts the contenders, native and plain handlers together. Under load, it
// compares every server with the base in the same round, so load on the machine
// affects both. If the CPU time is known, it then compares requests per second of
// CPU time, which other programs affect least.
func rank(r *showdown.Run, section showdown.Section, scenario string) (out ranking) {
	out.Scenario = scenario
	cells, underLoad := r.In(section, scenario), section.UnderLoad()
	if underLoad {
		out.Base, out.ByCPU = section.Base(), true
	}
	for _, c := range cells {
		out.ByCPU = out.ByCPU && (len(c.Samples) == 0 || len(c.CPU) == len(c.Samples))
	}
	base, _ := r.Cell(section, scenario, out.Base)
	best := math.Inf(1)
	for _, c := range cells {
		x := row{Name: c.Contender, Floor: c.Contender == out.Base || r.Entry(c.Contender).In(contender.Floor), Cell: c}
		x.Kind, x.Ours = handler(r, c.Contender)
		samples := c.Samples
		switch {
		case len(c.Samples) == 0 && x.Floor && !underLoad:
			continue
		case underLoad && len(c.Samples) != len(base.Samples):
			c.Cannot = cmp.Or(c.Cannot, "has fewer rounds than "+out.Base)
			samples = nil
		case out.ByCPU:
			samples = measure.Ratios(base.CPU, c.CPU)
		case underLoad:
			samples = measure.Ratios(c.Samples, base.Samples)
		}
		if len(samples) == 0 {
			out.Cannot = append(out.Cannot, c)
			continue
		}
		x.Mid, x.Lo, x.Hi = summary(samples)
		x.Ratio = x.Mid
		out.Rows = append(out.Rows, x)
		if !x.Floor {
			best = min(best, x.Mid)
		}
	}
	if underLoad {
		places(out.Rows)
		return out
	}
	for i := range out.Rows {
		out.Rows[i].Ratio /= best
	}
	slices.SortStableFunc(out.Rows, func(a, b row) int { return cmp.Compare(a.Mid, b.Mid) })
	return out
}

// handler returns the kind of the handlers of a contender or HTTP server, and whether
// it is ours.
func handler(r *showdown.Run, name string) (kindOf string, ours bool) {
	for _, s := range load.HTTPServers {
		if s.Name == name {
			return s.Handler, s.Ours
		}
	}
	e := r.Entry(name)
	return kind(e), e.Ours
}

// places sorts the rows in descending order and sets their places. A row has
// the same place as the previous one unless its interval is completely below
// that of the first row with that place. Rows with the same place are sorted by
// name.
func places(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.Ratio, a.Ratio) })
	place, least := 0, math.Inf(1)
	for i := range rows {
		if rows[i].Hi < least {
			place, least = i+1, rows[i].Lo
		}
		rows[i].Place = place
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)))
	})
}

// row returns the row of a server.
func (l ranking) row(server string) (row, bool) {
	for _, x := range l.Rows {
		if x.Name == server {
			return x, true
		}
	}
	return row{}, false
}

// PerSecond returns the requests per second, and P50 and P99 the latencies in
// nanoseconds, memory the megabytes.
func (x row) PerSecond() float64 { return x.Cell.Samples.Summary().Center }
func (x row) P50() float64       { return x.Cell.P50.Summary().Center * 1e3 }
func (x row) P99() float64       { return x.Cell.P99.Summary().Center * 1e3 }
func (x row) p999() float64      { return x.Cell.P999.Summary().Center * 1e3 }
func (x row) memory() float64    { return x.Cell.Memory.Summary().Center }

// cpu returns the CPU time of a request, and how much of it is in the kernel, in
// microseconds, or "–" if they are unknown.
func (x row) cpu() string {
	if len(x.Cell.Kernel) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s µs, kernel %s", figure.Digits(x.Cell.CPU.Summary().Center), figure.Digits(x.Cell.Kernel.Summary().Center))
}

// Rate returns the quantity that the ratios compare.
func (l ranking) Rate() string {
	if l.ByCPU {
		return "requests per second of the server's CPU time"
	}
	return "requests per second"
}

// Difference summarizes a ranking under load in one sentence.
func (l ranking) Difference() string {
	first := 0
	for _, x := range l.Rows {
		if x.Place == 1 {
			first++
		}
	}
	switch first {
	case 0:
		return ""
	case len(l.Rows):
		return "There is no significant difference."
	case 1:
		return fmt.Sprintf("%s is ahead. Rows with the same place don't differ significantly.", l.Rows[0].Name)
	}
	return fmt.Sprintf("There is no significant difference between the first %d. Rows with the same place don't differ significantly.", first)
}

// summary returns the median with its confidence interval. With few samples,
// the interval would be infinite, so it returns the range of the samples
// instead.
func summary(samples showdown.Samples) (mid, lo, hi float64) {
	s := samples.Summary()
	return s.Center, max(s.Lo, slices.Min(samples)), min(s.Hi, slices.Max(samples))
}

// warnings returns warnings to show before the figures.
func warnings(r *showdown.Run) (out []string) {
	if r.Finished.IsZero() {
		out = append(out, "This run is not complete.")
	}
	if r.Others > 0.1 {
		out = append(out, fmt.Sprintf("Other programs used up to %.0f %% of the machine meanwhile: expect noise.", r.Others*100))
	}
	return out
}

// LeaveOut removes the figures of servers whose intervals are wider than
// showdown.MaxInterval, if they are few.
func LeaveOut(r *showdown.Run) {
	var noisy []*showdown.Cell
	rows := 0
	for i := range r.Cells {
		c := &r.Cells[i]
		if x, ok := rank(r, c.Section, c.Scenario).row(c.Contender); ok && c.Section.UnderLoad() {
			if rows++; x.Hi-x.Lo > showdown.MaxInterval*x.Mid {
				noisy = append(noisy, c)
			}
		}
	}
	if 4*len(noisy) > rows {
		return
	}
	for _, c := range noisy {
		*c = showdown.Cell{Section: c.Section, Scenario: c.Scenario, Contender: c.Contender, Cannot: "left out: its interval is wider than 25 % of the ratio"}
	}
}

// Quiet returns an error if a run is too noisy to be published: if the host of
// the virtual machine took more than 5 % of the processors' time for others, or if the
// interval of a ratio under load is wider than 25 % of the ratio.
func Quiet(r *showdown.Run) error {
	if stolen := r.Stolen(); stolen > 0.05 {
		return fmt.Errorf("%.0f %% of the processors' time was stolen during the run; nothing is published", stolen*100)
	}
	for _, section := range []showdown.Section{showdown.Load, showdown.Servers, showdown.HTTP2} {
		for _, scenario := range scenarios(r, section) {
			for _, x := range rank(r, section, scenario).Rows {
				if x.Hi-x.Lo > showdown.MaxInterval*x.Mid {
					return fmt.Errorf("the interval of %s in %s, %.2f to %.2f, is wider than 25 %% of %.2f; nothing is published", x.Name, scenario, x.Lo, x.Hi, x.Mid)
				}
			}
		}
	}
	return nil
}

// scenarioTitle returns the long name of a scenario if it has one.
func scenarioTitle(name string) string {
	for _, s := range bench.Scenarios() {
		if strings.EqualFold(s.Name, name) { // route sets have the names of their scenarios, in lower case
			return s.Title
		}
	}
	if n, ok := strings.CutPrefix(name, "Scale"); ok {
		return n + " routes"
	}
	return name
}

// scenarios lists the distinct scenarios of a section in the order of the run.
func scenarios(r *showdown.Run, section showdown.Section) (names []string) {
	for _, c := range r.In(section, "") {
		if !slices.Contains(names, c.Scenario) {
			names = append(names, c.Scenario)
		}
	}
	return names
}

// family returns the router's name without the adapter of a contender: "echo"
// for "echo (WrapHandler)".
func family(name string) string {
	router, _, _ := strings.Cut(name, " (")
	return router
}
