package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// Terminal prints the run as tables of 100 columns.
func Terminal(w io.Writer, r *showdown.Run) {
	fmt.Fprintln(w, machineLine(r))
	for _, warning := range warnings(r) {
		fmt.Fprintln(w, warning)
	}
	for _, section := range []showdown.Section{
		showdown.Serving, showdown.Parallel, showdown.Scaling, showdown.Registration, showdown.Heap, showdown.Load,
	} {
		for _, scenario := range scenarios(r, section) {
			cells, moreIsBetter := cellsOf(r, section, scenario)
			for _, class := range showdown.ClassNames {
				ranking := rank(r, cells, class.Class, moreIsBetter)
				if len(ranking.Rows) == 0 || onlyFloor(ranking.Rows) {
					continue
				}
				fmt.Fprintf(w, "\n%s: %s, %s\n", section, scenarioTitle(scenario), class.Title)
				terminalRows(w, r, section, ranking)
			}
		}
	}
	terminalBars(w, r.Bars)
	for _, m := range r.Missing {
		fmt.Fprintf(w, "\nnot here: %s: %s\n", m.Name, m.Reason)
	}
}

func onlyFloor(rows []row) bool {
	for _, r := range rows {
		if !r.Floor {
			return false
		}
	}
	return true
}

func terminalRows(w io.Writer, r *showdown.Run, section showdown.Section, ranking ranking) {
	for _, x := range ranking.Rows {
		mark := " "
		if x.Ours {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %-28s %12s  %-15s %7s", mark, x.Name, amount(section, x), interval(x), times(x.Ratio))
		switch section {
		case showdown.Serving:
			fmt.Fprintf(w, "  %7s B %5s allocs", compact(x.Bytes), compact(x.Allocs))
		case showdown.Load:
			fmt.Fprintf(w, "  %s /s, p50 %s, p99 %s", perSecond(r, x), latency(x.Cell.P50), latency(x.Cell.P99))
		}
		fmt.Fprintln(w)
	}
	for _, c := range ranking.Cannot {
		fmt.Fprintf(w, "- %-28s %s\n", c.Contender, shorten(c.Cannot, 66))
	}
}

// interval is the confidence interval relative to the median.
func interval(x row) string {
	if x.Lo == x.Hi || x.Mid == 0 {
		return ""
	}
	return fmt.Sprintf("%+.0f%% to %+.0f%%", (x.Lo/x.Mid-1)*100, (x.Hi/x.Mid-1)*100)
}

// latency is the median of samples in microseconds.
func latency(s showdown.Samples) string {
	if len(s) == 0 {
		return "unknown"
	}
	return duration(s.Summary().Center * 1e3)
}

func terminalBars(w io.Writer, bars []showdown.BarResult) {
	if len(bars) == 0 {
		return
	}
	fmt.Fprintf(w, "\npromises\n")
	for _, b := range bars {
		fmt.Fprintf(w, "%-4s %-52s %-21s to %-20s %s\n", verdict(b), b.Scenario, b.Mode, b.Peer, barFigures(b))
	}
}

func verdict(b showdown.BarResult) string {
	if b.Holds() {
		return "yes"
	}
	return "no"
}

func barFigures(b showdown.BarResult) string {
	if b.Failed != "" {
		return b.Failed
	}
	sign := "<="
	if b.AtLeast {
		sign = ">="
	}
	return fmt.Sprintf("%.2f, wanted %s %.2f", b.Ratio, sign, b.Bar)
}

func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-3], "") + "..."
}

// machineLine says where, when and with what.
func machineLine(r *showdown.Run) string {
	return fmt.Sprintf("%s, %d cores, %s, %s, %s", r.Machine.CPU, r.Machine.Cores, r.Machine.System, r.Machine.Go,
		r.Started.Format("2 January 2006"))
}

// inClass returns the contenders of the class by the order of the run.
func inClass(r *showdown.Run, class contender.Class) (out []showdown.Entry) {
	for _, e := range r.Contenders {
		if e.In(class) {
			out = append(out, e)
		}
	}
	return out
}
