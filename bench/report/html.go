package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is what the template shows.
type page struct {
	Run      *showdown.Run
	Machine  string
	Date     string
	Warnings []string
	Classes  []classView
	Lead     []leadView
	Groups   []groupView
	Promises []promiseView
	Cannot   []cannotView
}

type classView struct {
	ID, Title, About string
}

// leadView is one line of the overview: our best mode in the class against the best of the others.
type leadView struct {
	Class, Scenario, Mode, Peer, Ours, Theirs, Ratio string
	Behind                                           bool
}

// groupView is a chapter of charts.
type groupView struct {
	ID, Title, About string
	Cards            []cardView
	Charts           []chartView
}

// cardView is one scenario of one class as bars.
type cardView struct {
	Class, Title, Note string
	Bars               []barView
	Cannot             []string
}

type barView struct {
	Name, Value, Ratio, Detail string
	Allocs                     string // bytes and allocations per request, "" for none
	Ours, Floor, Cut           bool
	Width, Lo, Span            float64 // in percent of the longest bar shown
	HasInterval                bool
}

type chartView struct {
	Class, Title string
	SVG          template.HTML
}

type promiseView struct {
	Scenario, Mode, Peer, Wanted, Measured, Detail string
	Holds                                          bool
}

type cannotView struct{ Contender, What, Why string }

// HTML renders the report as one file without references to others.
func HTML(r *showdown.Run) (string, error) {
	p := page{Run: r, Machine: machineLine(r), Date: r.Started.Format("2 January 2006, 15:04 MST"), Warnings: warnings(r)}
	for _, c := range showdown.ClassNames {
		p.Classes = append(p.Classes, classView{string(c.Class), c.Title, c.About})
		p.Lead = append(p.Lead, leads(r, c.Class)...)
	}
	p.Groups = []groupView{
		bars(r, showdown.Serving, "One request at a time",
			"Time per request in one process on one core, without a network. A list of routes is requested route after route. "+
				"Behind a name stand bytes and allocations per request, where there are any."),
		curves(r),
		bars(r, showdown.Parallel, "All cores at once",
			"One route with one parameter, served by one goroutine and by one per core: wall-clock time divided by all requests."),
		bars(r, showdown.Heap, "Memory of the loaded routes",
			"Bytes that stay alive after the routes were registered and a first request was served."),
		bars(r, showdown.Load, "Under load, over real sockets",
			"One server process per contender, keep-alive connections, rounds in turn. Bars are requests per second of the server's "+
				"CPU time, which other programs on the machine change least; longer is better. The ratio is to a server without a router."),
	}
	for _, b := range r.Bars {
		sign := "at most"
		if b.AtLeast {
			sign = "at least"
		}
		v := promiseView{Scenario: b.Scenario, Mode: b.Mode, Peer: b.Peer, Holds: b.Holds(), Detail: b.Detail,
			Wanted: fmt.Sprintf("%s %.2f", sign, b.Bar), Measured: fmt.Sprintf("%.2f", b.Ratio)}
		if b.Failed != "" {
			v.Measured, v.Detail = "–", b.Failed
		}
		p.Promises = append(p.Promises, v)
	}
	p.Cannot = cannot(r)
	var out strings.Builder
	err := pageTemplate.Execute(&out, p)
	return out.String(), err
}

// cannot lists what contenders can't do, once for each reason.
func cannot(r *showdown.Run) []cannotView {
	var out []cannotView
	for _, c := range r.Cells {
		if c.Cannot == "" || r.Entry(c.Contender).In(contender.Floor) {
			continue
		}
		out = append(out, cannotView{c.Contender, string(c.Section) + ", " + scenarioTitle(c.Scenario), c.Cannot})
	}
	for _, e := range r.Contenders {
		if e.NotStdlib != "" {
			out = append(out, cannotView{e.Name, "plain http.HandlerFunc with parameters", e.NotStdlib})
		}
	}
	for _, m := range r.Missing {
		out = append(out, cannotView{m.Name, "everything", m.Reason})
	}
	return out
}

// leads holds our best mode against the best of the others, scenario by scenario.
func leads(r *showdown.Run, class contender.Class) []leadView {
	var out []leadView
	for _, scenario := range scenarios(r, showdown.Serving) {
		var ours, theirs *row
		ranking := rank(r, r.In(showdown.Serving, scenario), class, false)
		for i, x := range ranking.Rows {
			switch {
			case x.Floor:
			case x.Ours && ours == nil:
				ours = &ranking.Rows[i]
			case !x.Ours && theirs == nil:
				theirs = &ranking.Rows[i]
			}
		}
		if ours == nil || theirs == nil {
			continue
		}
		ratio := ours.Mid / theirs.Mid
		out = append(out, leadView{
			Class: string(class), Scenario: scenarioTitle(scenario), Mode: ours.Name, Peer: theirs.Name,
			Ours: duration(ours.Mid), Theirs: duration(theirs.Mid), Ratio: fmt.Sprintf("%.2f", ratio), Behind: ratio > 1,
		})
	}
	return out
}

// bars makes a chapter of cards, one for each scenario and class.
func bars(r *showdown.Run, section showdown.Section, title, about string) groupView {
	g := groupView{ID: string(section), Title: title, About: about}
	for _, scenario := range scenarios(r, section) {
		for _, class := range showdown.ClassNames {
			cells, moreIsBetter := cellsOf(r, section, scenario)
			ranking := rank(r, cells, class.Class, moreIsBetter)
			if onlyFloor(ranking.Rows) {
				continue
			}
			card := cardView{Class: string(class.Class), Title: scenarioTitle(scenario), Bars: cardBars(r, section, ranking)}
			for _, c := range ranking.Cannot {
				card.Cannot = append(card.Cannot, c.Contender)
			}
			g.Cards = append(g.Cards, card)
		}
	}
	return g
}

// cutAt is how many times the best's length a bar may have; beyond it is cut, since the leaders would vanish beside it.
const cutAt = 8

func cardBars(r *showdown.Run, section showdown.Section, ranking ranking) []barView {
	longest, best, floor := 0.0, 0.0, 0.0
	for _, x := range ranking.Rows {
		longest = max(longest, x.Hi)
		if x.Ratio == 1 {
			best = x.Mid
		}
		if x.Floor {
			floor = x.Mid
		}
	}
	if section != showdown.Load && best > 0 {
		longest = min(longest, cutAt*best)
	}
	var out []barView
	for _, x := range ranking.Rows {
		b := barView{Name: x.Name, Value: amount(section, x), Ratio: times(x.Ratio), Ours: x.Ours, Floor: x.Floor}
		b.Cut = x.Mid > longest
		b.Width = min(100, x.Mid/longest*100)
		if !b.Cut && x.Hi > x.Lo {
			b.HasInterval = true
			b.Lo = x.Lo / longest * 100
			b.Span = min(100, x.Hi/longest*100) - b.Lo
		}
		switch section {
		case showdown.Serving:
			if x.Allocs > 0 {
				b.Allocs = compact(x.Bytes) + " B / " + compact(x.Allocs)
			}
		case showdown.Load:
			b.Detail = fmt.Sprintf("%s /s, CPU %s, p50 %s, p99 %s", perSecond(r, x), latency(x.Cell.CPU), latency(x.Cell.P50), latency(x.Cell.P99))
			b.Ratio = ""
			if floor > 0 {
				b.Ratio = fmt.Sprintf("%.2f", x.Mid/floor)
			}
		}
		if x.Floor && section != showdown.Load {
			b.Ratio = ""
		}
		out = append(out, b)
	}
	return out
}

// curves draws lookups and registration over the number of routes.
func curves(r *showdown.Run) groupView {
	g := groupView{ID: string(showdown.Scaling), Title: "From ten routes to a hundred thousand",
		About: "A generated API of that many routes, looked up in random order, one contender after the other. Both axes are " +
			"logarithmic. Who would take too long to register is left out from there on."}
	for _, class := range showdown.ClassNames {
		for _, s := range []struct {
			section showdown.Section
			title   string
		}{{showdown.Scaling, "Time per lookup"}, {showdown.Registration, "Time to register, per route"}} {
			var all []series
			for _, e := range inClass(r, class.Class) {
				line := series{Name: e.Name, Ours: e.Ours}
				for _, c := range r.In(s.section, "") {
					n, err := strconv.ParseFloat(strings.TrimPrefix(c.Scenario, "Scale"), 64)
					if err == nil && c.Contender == e.Name && len(c.Samples) > 0 {
						line.X = append(line.X, n)
						line.Y = append(line.Y, c.Samples.Summary().Center)
					}
				}
				if len(line.X) > 0 {
					all = append(all, line)
				}
			}
			if sizes(all) > 1 {
				g.Charts = append(g.Charts, chartView{string(class.Class), s.title, logChart(all, s.title+", "+class.Title)})
			}
		}
	}
	return g
}

// sizes counts the distinct numbers of routes.
func sizes(all []series) int {
	xs := map[float64]bool{}
	for _, s := range all {
		for _, x := range s.X {
			xs[x] = true
		}
	}
	return len(xs)
}
