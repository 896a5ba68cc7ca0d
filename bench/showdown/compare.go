package showdown

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchmath"
)

// Compare prints the medians and the change of every cell that both runs have.
// It prints "~" if the difference isn't significant (Mann-Whitney U test at 5
// %).
func Compare(w io.Writer, old, new *Run) {
	fmt.Fprintf(w, "old: %s, %s, %s\nnew: %s, %s, %s\n", old.Started.Format("2006-01-02 15:04"), old.Machine.CPU, old.Machine.Go,
		new.Started.Format("2006-01-02 15:04"), new.Machine.CPU, new.Machine.Go)
	title := ""
	for _, n := range new.Cells {
		o, ok := old.Cell(n.Section, n.Scenario, n.Contender)
		if !ok || len(n.Samples) == 0 {
			continue
		}
		if t := fmt.Sprintf("%s, %s (%s)", n.Section, n.Scenario, n.Section.Unit()); t != title {
			title = t
			fmt.Fprintf(w, "\n%s\n", title)
		}
		a, b := o.Samples.Summary(), n.Samples.Summary()
		if n.Section == Heap {
			delta := "~"
			if a.Center != b.Center {
				delta = fmt.Sprintf("%+.2f%%", (b.Center/a.Center-1)*100)
			}
			fmt.Fprintf(w, "  %-28s %10.4g        %10.4g        %8s\n", n.Contender, a.Center, b.Center, delta)
			continue
		}
		c := benchmath.AssumeNothing.Compare(o.Samples.sample(), n.Samples.sample())
		fmt.Fprintf(w, "  %-28s %10.4g ±%5s %10.4g ±%5s %8s  %s%s\n", n.Contender,
			a.Center, spread(a), b.Center, spread(b), c.FormatDelta(a.Center, b.Center), c, warnings(c.Warnings))
	}
}

// spread returns the confidence interval in the format of benchmath, without
// the sign.
func spread(s benchmath.Summary) string { return strings.TrimPrefix(s.PctRangeString(), "±") }

func warnings(errs []error) string {
	if len(errs) == 0 {
		return ""
	}
	return " (" + errs[0].Error() + ")"
}

// Unit returns the unit of the section's samples.
func (s Section) Unit() string {
	switch s {
	case Registration:
		return "ns/route"
	case Heap:
		return "B"
	case Load, Servers:
		return "requests/s"
	}
	return "ns/request"
}

// UnderLoad reports whether servers under load are measured.
func (s Section) UnderLoad() bool { return s == Load || s == Servers || s == HTTP2 }
