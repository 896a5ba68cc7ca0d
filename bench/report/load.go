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
	Place      int     // rows without a significant difference have the same place
	Ratio      float64 // to the base: the median of the rounds
	Lo, Hi     float64 // its confidence interval
	PerCPU     float64 // requests per second of the server's CPU time, or NaN if it is unknown
	PerSecond  float64
	P50, P99   float64 // nanoseconds
}

// loadRanking is one case of load.
type loadRanking struct {
	Base   string // server to which the ratios are relative
	ByCPU  bool   // the ratios compare requests per second of CPU time, otherwise per second
	Rows   []loadRow
	Cannot []showdown.Cell
}

// rankLoad compares every server with the base in the same round, so load on
// the machine affects both. If the CPU time is known, it compares requests per
// second of CPU time, which other programs affect least.
func rankLoad(r *showdown.Run, section showdown.Section, scenario string) loadRanking {
	out := loadRanking{Base: "no router", ByCPU: true}
	if section != showdown.Load {
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
			out.Cannot = append(out.Cannot, showdown.Cell{Contender: c.Contender, Cannot: "has fewer rounds than " + out.Base})
			continue
		}
		out.Rows = append(out.Rows, x)
	}
	places(out.Rows)
	return out
}

// row returns the row of a server.
func (l loadRanking) row(server string) (loadRow, bool) {
	for _, x := range l.Rows {
		if x.Name == server {
			return x, true
		}
	}
	return loadRow{}, false
}

// loadKind returns the kind of a server's handlers, and whether the server is
// ours.
func loadKind(r *showdown.Run, section showdown.Section, name string) (kindOf string, ours bool) {
	if section != showdown.Load {
		// HTTP/2 servers have the names of HTTP/1.1 servers, or other names.
		for _, s := range slices.Concat(load.HTTPServers, load.HTTP2Servers) {
			if s.Name == name {
				return s.Handler, s.Ours
			}
		}
	}
	e := r.Entry(name)
	return kind(e), e.Ours
}

// places sorts the rows in descending order and sets their places. A row has
// the same place as the previous one unless its interval is completely below
// that of the first row with that place. Rows with the same place are sorted by
// name.
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

// difference summarizes the ranking in one sentence.
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
		return "There is no significant difference."
	}
	if first == 1 {
		return fmt.Sprintf("%s is ahead. Rows with the same place don't differ significantly.", l.Rows[0].Name)
	}
	return fmt.Sprintf("There is no significant difference between the first %d. Rows with the same place don't differ significantly.", first)
}
