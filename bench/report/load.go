package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// loadRow is one server under load.
type loadRow struct {
	Name, Kind string
	Ours, Base bool
	Place      int     // rows that can't be told apart have the same place
	Ratio      float64 // to the base: the median of the rounds
	Lo, Hi     float64 // its confidence interval
	PerCPU     float64 // requests per second of the server's processor time, NaN where the system doesn't tell
	PerSecond  float64
	P50, P99   float64 // nanoseconds
}

// loadRanking is one case of load.
type loadRanking struct {
	Base   string // what the ratios are to
	ByCPU  bool   // the ratios are of requests per second of processor time, else per second
	Rows   []loadRow
	Cannot []showdown.Cell
}

// rankLoad holds every server against the base, round by round: rounds take
// turns, so what slows the machine slows both. Where the system tells processor
// time, the ratio is of requests for each second of it, which other programs
// disturb least.
func rankLoad(r *showdown.Run, section showdown.Section, scenario string) loadRanking {
	out := loadRanking{Base: "no router", ByCPU: true}
	if section == showdown.Servers {
		out.Base = load.HTTPServers[0].Name
	}
	cells := r.In(section, scenario)
	for _, c := range cells {
		if len(c.Samples) > 0 && len(c.CPU) != len(c.Samples) {
			out.ByCPU = false
		}
	}
	rates := func(c showdown.Cell) showdown.Samples {
		if !out.ByCPU {
			return c.Samples
		}
		var perCPU showdown.Samples
		for _, micros := range c.CPU {
			perCPU = append(perCPU, 1e6/micros)
		}
		return perCPU
	}
	base, haveBase := r.Cell(section, scenario, out.Base)
	for _, c := range cells {
		if len(c.Samples) == 0 {
			out.Cannot = append(out.Cannot, c)
			continue
		}
		x := loadRow{Name: c.Contender, Base: c.Contender == out.Base, Ratio: math.NaN(), PerCPU: math.NaN(),
			PerSecond: c.Samples.Summary().Center, P50: c.P50.Summary().Center * 1e3, P99: c.P99.Summary().Center * 1e3}
		x.Kind, x.Ours = loadKind(r, section, c.Contender)
		if out.ByCPU {
			x.PerCPU = rates(c).Summary().Center
		}
		if haveBase && len(base.Samples) == len(c.Samples) {
			var ratios showdown.Samples
			own, its := rates(c), rates(base)
			for i := range own {
				ratios = append(ratios, own[i]/its[i])
			}
			x.Ratio, x.Lo, x.Hi = summary(ratios)
		} else {
			out.Cannot = append(out.Cannot, showdown.Cell{Contender: c.Contender, Cannot: "has not as many rounds as " + out.Base})
			continue
		}
		out.Rows = append(out.Rows, x)
	}
	places(out.Rows)
	return out
}

// loadKind tells what handlers a server has, and whether it is ours.
func loadKind(r *showdown.Run, section showdown.Section, name string) (kindOf string, ours bool) {
	if section == showdown.Servers {
		for _, s := range load.HTTPServers {
			if s.Name == name {
				return s.Handler, s.Ours
			}
		}
	}
	e := r.Entry(name)
	return kind(e), e.Ours
}

// places sorts the rows, most first, and gives a new place only to a row whose
// interval lies wholly below that of the first row of the place before. Rows of
// one place are in the order of their names.
func places(rows []loadRow) {
	slices.SortStableFunc(rows, func(a, b loadRow) int { return cmp.Compare(b.Ratio, a.Ratio) })
	place, least := 0, math.Inf(1)
	for i := range rows {
		if rows[i].Hi < least {
			place, least = i+1, rows[i].Lo
		}
		rows[i].Place = place
	}
	slices.SortStableFunc(rows, func(a, b loadRow) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)))
	})
}

// difference says what the ranking shows, in one sentence.
func (l loadRanking) difference() string {
	if len(l.Rows) == 0 {
		return ""
	}
	first := 0
	for _, x := range l.Rows {
		if x.Place == 1 {
			first++
		}
	}
	if first == len(l.Rows) {
		return "There is no difference beyond the intervals."
	}
	if first == 1 {
		return fmt.Sprintf("%s is ahead; rows with the same place can't be told apart.", l.Rows[0].Name)
	}
	return fmt.Sprintf("There is no difference between the first %d; rows with the same place can't be told apart.", first)
}
