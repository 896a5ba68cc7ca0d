package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is the data for the template.
type page struct {
	Run      *showdown.Run
	Machine  string
	Date     string
	Warnings []string
	Lead     []leadView
	Groups   []groupView
	Cannot   []cannotView
}

// leadView is one line of the overview: our best mode compared to the best
// other routers with native and with plain handlers.
type leadView struct {
	Scenario, Ours string
	Peers          []leadPeer
}

type leadPeer struct {
	Name, Ratio string
	Behind      bool
}

// groupView is a section with bars or charts.
type groupView struct {
	ID, Title, About string
	Cards            []cardView
	Charts           []chartView
}

// cardView is the bar chart of one scenario.
type cardView struct {
	Title, Note string
	Bars        []barView
	Cannot      []string
}

type barView struct {
	Name, Kind, Value, Ratio, Detail string
	Allocs                           string // bytes and allocations per request, "" for none
	Ours, Floor, Cut                 bool
	Width, Lo, Span                  float64 // in percent of the longest bar shown
	HasInterval                      bool
}

type chartView struct {
	Title string
	SVG   template.HTML
}

type cannotView struct{ Contender, What, Why string }

// HTML renders the report as one self-contained file.
func HTML(r *showdown.Run) (string, error) {
	p := page{Run: r, Machine: machineLine(r), Date: r.Started.Format("15:04 MST"), Warnings: warnings(r), Lead: leads(r), Cannot: cannot(r)}
	p.Groups = []groupView{
		bars(r, showdown.Serving, "One request at a time",
			"Time per request in one process on one core, without a network. In scenarios with many routes, all are requested. "+
				"Bytes and allocations per request, if any, follow the name."),
		curves(r),
		bars(r, showdown.Parallel, "All cores at once",
			"One route with one parameter, served by one goroutine per core: wall-clock time divided by all requests."),
		bars(r, showdown.Heap, "Memory of the loaded routes",
			"Heap bytes in use after registering the routes and serving one request."),
		loadBars(r, showdown.Load, "Routers under load",
			"Each router with net/http's server in a separate process, with keep-alive connections and interleaved rounds. The ratio is relative to a "+
				"server without a router; longer is better. The difference between rows with the same number is not significant."),
		loadBars(r, showdown.Servers, "HTTP servers under load",
			"Each server in a separate process. Those with plain handlers serve the same handlers with muxmaster. The ratio is relative to "+
				"net/http; longer is better. The difference between rows with the same number is not significant."),
	}
	var out strings.Builder
	err := pageTemplate.Execute(&out, p)
	return out.String(), err
}

// cannot lists the scenarios that contenders don't support: all serving
// scenarios, but only one entry per router for each other kind of measurement.
func cannot(r *showdown.Run) []cannotView {
	var out []cannotView
	seen := map[string]bool{}
	add := func(name, what, why, key string) {
		if !seen[family(name)+key] {
			seen[family(name)+key] = true
			out = append(out, cannotView{family(name), what, why})
		}
	}
	for _, c := range r.Cells {
		if c.Cannot == "" || r.Entry(c.Contender).In(contender.Floor) {
			continue
		}
		what := string(c.Section) + ", " + scenarioTitle(c.Scenario)
		switch c.Section {
		case showdown.Serving:
			add(c.Contender, scenarioTitle(c.Scenario), c.Cannot, what)
		case showdown.Scaling, showdown.Registration:
			add(c.Contender, "generated API of "+strings.TrimPrefix(c.Scenario, "Scale")+" routes", c.Cannot, "scaling")
		default:
			add(c.Contender, what, c.Cannot, what)
		}
	}
	for _, e := range r.Contenders {
		if e.NotStdlib != "" {
			add(e.Name, "plain handlers with parameters", e.NotStdlib, "plain")
		}
	}
	for _, m := range r.Missing {
		add(m.Name, "everything", m.Reason, "")
	}
	return out
}

// leads compares our best mode with the best other router in each scenario.
func leads(r *showdown.Run) []leadView {
	var out []leadView
	for _, scenario := range scenarios(r, showdown.Serving) {
		var ours *row
		peers := map[string]*row{}
		ranking := rank(r, r.In(showdown.Serving, scenario))
		for i := range ranking.Rows {
			x := &ranking.Rows[i]
			switch {
			case x.Floor:
			case x.Ours && ours == nil:
				ours = x
			case !x.Ours && peers[x.Kind] == nil:
				peers[x.Kind] = x
			}
		}
		if ours == nil || len(peers) == 0 {
			continue
		}
		lead := leadView{Scenario: scenarioTitle(scenario), Ours: ours.Name + ", " + figure.Duration(ours.Mid)}
		for _, kind := range []string{"native", "plain"} {
			var p leadPeer
			if x := peers[kind]; x != nil {
				ratio := ours.Mid / x.Mid
				p = leadPeer{Name: x.Name + ", " + figure.Duration(x.Mid), Ratio: fmt.Sprintf("%.2f", ratio), Behind: ratio > 1}
			}
			lead.Peers = append(lead.Peers, p)
		}
		out = append(out, lead)
	}
	return out
}

// bars returns a section with a card for each scenario.
func bars(r *showdown.Run, section showdown.Section, title, about string) groupView {
	g := groupView{ID: string(section), Title: title, About: about}
	for _, scenario := range scenarios(r, section) {
		ranking := rank(r, r.In(section, scenario))
		card := cardView{Title: scenarioTitle(scenario), Bars: cardBars(section, ranking)}
		for _, c := range ranking.Cannot {
			card.Cannot = append(card.Cannot, c.Contender)
		}
		g.Cards = append(g.Cards, card)
	}
	return g
}

// loadBars returns a section with a card for each case of load.
func loadBars(r *showdown.Run, section showdown.Section, title, about string) groupView {
	g := groupView{ID: string(section), Title: title, About: about}
	for _, scenario := range scenarios(r, section) {
		l := rankLoad(r, section, scenario)
		longest := 0.0
		for _, x := range l.Rows {
			longest = max(longest, x.Hi)
		}
		card := cardView{Title: upperFirst(scenario), Note: l.difference()}
		for _, x := range l.Rows {
			card.Bars = append(card.Bars, barView{
				Name: fmt.Sprintf("%d %s", x.Place, x.Name), Kind: x.Kind, Value: fmt.Sprintf("%.2f", x.Ratio), Ours: x.Ours, Floor: x.Base,
				Detail: fmt.Sprintf("%s /s, p50 %s, p99 %s", figure.Count(x.PerSecond), figure.Duration(x.P50), figure.Duration(x.P99)),
				Width:  x.Ratio / longest * 100, HasInterval: x.Hi > x.Lo, Lo: x.Lo / longest * 100, Span: (x.Hi - x.Lo) / longest * 100,
			})
		}
		for _, c := range l.Cannot {
			card.Cannot = append(card.Cannot, c.Contender)
		}
		g.Cards = append(g.Cards, card)
	}
	return g
}

// cutAt is the maximum length of a bar, as a multiple of the shortest. Longer
// bars are cut, because the shortest would otherwise be invisible.
const cutAt = 8

func cardBars(section showdown.Section, ranking ranking) []barView {
	longest, best := 0.0, 0.0
	for _, x := range ranking.Rows {
		longest = max(longest, x.Hi)
		if x.Ratio == 1 {
			best = x.Mid
		}
	}
	if best > 0 {
		longest = min(longest, cutAt*best)
	}
	var out []barView
	for _, x := range ranking.Rows {
		b := barView{Name: x.Name, Kind: x.Kind, Value: amount(section, x), Ratio: figure.Times(x.Ratio), Ours: x.Ours, Floor: x.Floor}
		b.Cut = x.Mid > longest
		b.Width = min(100, x.Mid/longest*100)
		if !b.Cut && x.Hi > x.Lo {
			b.HasInterval = true
			b.Lo = x.Lo / longest * 100
			b.Span = min(100, x.Hi/longest*100) - b.Lo
		}
		if section == showdown.Serving && x.Allocs > 0 {
			b.Allocs = figure.Compact(x.Bytes) + " B / " + figure.Compact(x.Allocs)
		}
		if x.Floor {
			b.Ratio = ""
		}
		out = append(out, b)
	}
	return out
}

// curves returns the charts of lookup and registration times by number of
// routes.
func curves(r *showdown.Run) groupView {
	g := groupView{ID: string(showdown.Scaling), Title: "From ten routes to a hundred thousand",
		About: "Lookups in a generated API with the given number of routes, in random order, one contender after the other. Both axes are " +
			"logarithmic. Contenders are omitted from the size at which registration would take too long."}
	for _, s := range []struct {
		section showdown.Section
		title   string
	}{{showdown.Scaling, "Time per lookup"}, {showdown.Registration, "Time to register, per route"}} {
		var all []series
		for _, e := range r.Contenders {
			if e.Name != family(e.Name) || e.In(contender.Floor) {
				continue // plain handlers make little difference here
			}
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
			g.Charts = append(g.Charts, chartView{s.title, logChart(all, s.title)})
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
