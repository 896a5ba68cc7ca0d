package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	texttemplate "text/template"

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

// groupView is a section.
type groupView struct {
	ID, Title, About string
	Cards            []cardView
}

// cardView is the bar chart of one scenario.
type cardView struct {
	Title, Note string
	Bars        []barView
	Cannot      []string
}

type barView struct {
	Name, Kind, Value, Ratio, Detail string
	Interval                         string // confidence interval, "" if it is unknown
	Allocs                           string // bytes and allocations per request, "" for none
	Ours, Floor, Cut                 bool
	Width, Lo, Span                  float64 // in percent of the longest bar shown
	HasInterval                      bool
}

type cannotView struct{ Contender, What, Why string }

// newPage returns all results of a run.
func newPage(r *showdown.Run) page {
	p := page{Run: r, Machine: machineLine(r), Date: r.Started.Format("15:04 MST"), Warnings: warnings(r), Lead: leads(r), Cannot: cannot(r)}
	p.Groups = []groupView{
		bars(r, showdown.Serving, "One request at a time",
			"Time per request in one process on one core, without a network. In scenarios with many routes, all are requested. "+
				"Bytes and allocations per request, if any, follow the name."),
		bars(r, showdown.Scaling, "Lookups in large APIs",
			"Time per lookup in a generated API with the given number of routes, in random order, one contender after the other. Contenders "+
				"are omitted from the size at which registration would take too long."),
		bars(r, showdown.Registration, "Registration", "Time per route to register the generated API and serve one request."),
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
	return p
}

// HTML renders the report as one self-contained file.
func HTML(r *showdown.Run) (string, error) {
	var out strings.Builder
	err := pageTemplate.Execute(&out, newPage(r))
	return out.String(), err
}

//go:embed terminal.tmpl
var terminalText string

var terminalTemplate = texttemplate.Must(texttemplate.New("terminal").Parse(terminalText))

// Terminal prints the report as text.
func Terminal(w io.Writer, r *showdown.Run) error { return terminalTemplate.Execute(w, newPage(r)) }

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
		card := cardView{Title: upperFirst(scenario), Note: fmt.Sprintf("Ratio of %s to %s. %s", l.rate(), l.Base, l.difference())}
		for _, x := range l.Rows {
			card.Bars = append(card.Bars, barView{
				Name: fmt.Sprintf("%d %s", x.Place, x.Name), Kind: x.Kind, Value: fmt.Sprintf("%.2f", x.Ratio), Ours: x.Ours, Floor: x.Base,
				Interval: fmt.Sprintf("%.2f to %.2f", x.Lo, x.Hi),
				Detail:   fmt.Sprintf("%s /s, p50 %s, p99 %s", figure.Count(x.PerSecond), figure.Duration(x.P50), figure.Duration(x.P99)),
				Width:    x.Ratio / longest * 100, HasInterval: x.Hi > x.Lo, Lo: x.Lo / longest * 100, Span: (x.Hi - x.Lo) / longest * 100,
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
		if x.Lo < x.Hi {
			b.Interval = fmt.Sprintf("%+.0f%% to %+.0f%%", (x.Lo/x.Mid-1)*100, (x.Hi/x.Mid-1)*100)
		}
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
