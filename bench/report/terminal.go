package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// Terminal prints the run as tables of 100 columns.
func Terminal(w io.Writer, r *showdown.Run) {
	fmt.Fprintln(w, machineLine(r))
	for _, warning := range warnings(r) {
		fmt.Fprintln(w, warning)
	}
	for _, section := range []showdown.Section{showdown.Serving, showdown.Parallel, showdown.Scaling, showdown.Registration, showdown.Heap} {
		for _, scenario := range scenarios(r, section) {
			fmt.Fprintf(w, "\n%s: %s\n", section, scenarioTitle(scenario))
			terminalRows(w, section, rank(r, r.In(section, scenario)))
		}
	}
	for _, section := range []showdown.Section{showdown.Load, showdown.Servers} {
		for _, scenario := range scenarios(r, section) {
			terminalLoad(w, section, scenario, rankLoad(r, section, scenario))
		}
	}
	for _, m := range r.Missing {
		fmt.Fprintf(w, "\nnot here: %s: %s\n", m.Name, m.Reason)
	}
}

func terminalRows(w io.Writer, section showdown.Section, ranking ranking) {
	for _, x := range ranking.Rows {
		mark := " "
		if x.Ours {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %-26s %-6s %12s  %-15s %7s", mark, x.Name, x.Kind, amount(section, x), interval(x), figure.Times(x.Ratio))
		if section == showdown.Serving {
			fmt.Fprintf(w, "  %7s B %5s allocs", figure.Compact(x.Bytes), figure.Compact(x.Allocs))
		}
		fmt.Fprintln(w)
	}
	for _, c := range ranking.Cannot {
		fmt.Fprintf(w, "- %-26s %s\n", c.Contender, shorten(c.Cannot, 66))
	}
}

func terminalLoad(w io.Writer, section showdown.Section, scenario string, l loadRanking) {
	fmt.Fprintf(w, "\n%s: %s, %s to %s\n%s\n", section, scenario, l.rate(), l.Base, l.difference())
	for _, x := range l.Rows {
		mark := " "
		if x.Ours {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %2d %-26s %-6s %.2f [%.2f, %.2f]  %9s /s, p50 %s, p99 %s\n", mark, x.Place, x.Name, x.Kind,
			x.Ratio, x.Lo, x.Hi, figure.Count(x.PerSecond), figure.Duration(x.P50), figure.Duration(x.P99))
	}
	for _, c := range l.Cannot {
		fmt.Fprintf(w, "-    %-26s %s\n", c.Contender, shorten(c.Cannot, 66))
	}
}

// interval returns the confidence interval relative to the median.
func interval(x row) string {
	if x.Lo == x.Hi || x.Mid == 0 {
		return ""
	}
	return fmt.Sprintf("%+.0f%% to %+.0f%%", (x.Lo/x.Mid-1)*100, (x.Hi/x.Mid-1)*100)
}

func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-3], "") + "..."
}
