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

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed terminal.tmpl
	terminalText string

	pageTemplate     = template.Must(template.New("page").Parse(pageText))
	terminalTemplate = texttemplate.Must(texttemplate.New("terminal").Parse(terminalText))
)

// page is the data for the templates: all results of a run.
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

// groupView is a section, with a bar chart for each scenario.
type groupView struct {
	ID           showdown.Section
	Title, About string
	Cards        []cardView
}

type cardView struct {
	Title, Note string
	Bars        []barView
	Cannot      []string
}

type barView struct {
	row
	Label, Value, RatioText, Detail string
	Interval                        string // confidence interval, "" if it is unknown
	Allocs                          string // bytes and allocations per request, "" for none
	Cut, HasInterval                bool
	Width, Left, Span               float64 // in percent of the longest bar shown
}

type cannotView struct{ Contender, What, Why string }

var groups = []groupView{
	{ID: showdown.Serving, Title: "One request at a time",
		About: "Time per request in one process on one core, without a network. In scenarios with many routes, all are requested. " +
			"Bytes and allocations per request, if any, follow the name."},
	{ID: showdown.Scaling, Title: "Lookups in large APIs",
		About: "Time per lookup in a generated API with the given number of routes, in random order, one contender after the other. Contenders " +
			"are omitted from the size at which registration would take too long."},
	{ID: showdown.Registration, Title: "Registration", About: "Time per route to register the generated API and serve one request."},
	{ID: showdown.Parallel, Title: "All cores at once",
		About: "One route with one parameter, served by one goroutine per core: wall-clock time divided by all requests."},
	{ID: showdown.Heap, Title: "Memory of the loaded routes",
		About: "Heap bytes in use after registering the routes and serving one request."},
	{ID: showdown.Load, Title: "Routers under load",
		About: "Each router with net/http's server in a separate process, with keep-alive connections and interleaved rounds. The ratio is relative to a " +
			"server without a router; longer is better. The difference between rows with the same number is not significant."},
	{ID: showdown.Servers, Title: "HTTP servers under load",
		About: "Each server in a separate process. Those with plain handlers serve the same handlers with muxmaster. The ratio is relative to " +
			"net/http; longer is better. The difference between rows with the same number is not significant."},
}

func newPage(r *showdown.Run) page {
	p := page{Run: r, Machine: r.MachineLine(), Date: r.Started.Format("15:04 MST"), Warnings: warnings(r), Lead: leads(r), Cannot: cannot(r)}
	for _, g := range groups {
		for _, scenario := range scenarios(r, g.ID) {
			l := rank(r, g.ID, scenario)
			card := cardView{Title: upperFirst(scenarioTitle(scenario)), Bars: bars(g.ID, l)}
			if g.ID.UnderLoad() {
				card.Note = fmt.Sprintf("Ratio of %s to %s. %s", l.rate(), l.Base, l.difference())
			}
			for _, c := range l.Cannot {
				card.Cannot = append(card.Cannot, c.Contender)
			}
			g.Cards = append(g.Cards, card)
		}
		p.Groups = append(p.Groups, g)
	}
	return p
}

// HTML renders the report as one self-contained file.
func HTML(r *showdown.Run) (string, error) {
	var out strings.Builder
	err := pageTemplate.Execute(&out, newPage(r))
	return out.String(), err
}

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
func leads(r *showdown.Run) (out []leadView) {
	for _, scenario := range scenarios(r, showdown.Serving) {
		best := map[string]row{} // ours, and the peers by kind
		for _, x := range rank(r, showdown.Serving, scenario).Rows {
			key := x.Kind
			if x.Ours {
				key = "ours"
			}
			if _, ok := best[key]; !ok {
				best[key] = x
			}
		}
		ours, ok := best["ours"]
		lead := leadView{Scenario: scenarioTitle(scenario), Ours: ours.Name + ", " + figure.Duration(ours.Mid)}
		measured := false
		for _, kind := range []string{"native", "plain"} {
			var p leadPeer
			if x, ok := best[kind]; ok {
				measured = true
				ratio := ours.Mid / x.Mid
				p = leadPeer{Name: x.Name + ", " + figure.Duration(x.Mid), Ratio: fmt.Sprintf("%.2f", ratio), Behind: ratio > 1}
			}
			lead.Peers = append(lead.Peers, p)
		}
		if ok && measured {
			out = append(out, lead)
		}
	}
	return out
}

// cutAt is the maximum length of a bar, as a multiple of the shortest. Longer
// bars are cut, because the shortest would otherwise be invisible.
const cutAt = 8

func bars(section showdown.Section, l ranking) (out []barView) {
	longest, best := 0.0, 0.0
	for _, x := range l.Rows {
		longest = max(longest, x.Hi)
		if x.Ratio == 1 {
			best = x.Mid
		}
	}
	if best > 0 && !section.UnderLoad() {
		longest = min(longest, cutAt*best)
	}
	for _, x := range l.Rows {
		b := barView{row: x, Label: x.Name, Cut: x.Mid > longest, Width: min(100, x.Mid/longest*100)}
		if b.HasInterval = !b.Cut && x.Hi > x.Lo; b.HasInterval {
			b.Left = x.Lo / longest * 100
			b.Span = min(100, x.Hi/longest*100) - b.Left
		}
		if section.UnderLoad() {
			b.Label = fmt.Sprintf("%d %s", x.Place, x.Name)
			b.Value = fmt.Sprintf("%.2f", x.Ratio)
			b.Interval = fmt.Sprintf("%.2f to %.2f", x.Lo, x.Hi)
			b.Detail = fmt.Sprintf("%s /s, p50 %s, p99 %s", figure.Count(x.perSecond()), figure.Duration(x.p50()), figure.Duration(x.p99()))
			out = append(out, b)
			continue
		}
		b.Value = figure.Duration(x.Mid)
		if section == showdown.Heap {
			b.Value = figure.Count(x.Mid) + " B"
		}
		if x.Lo < x.Hi {
			b.Interval = fmt.Sprintf("%+.0f%% to %+.0f%%", (x.Lo/x.Mid-1)*100, (x.Hi/x.Mid-1)*100)
		}
		if section == showdown.Serving && x.Cell.Allocs > 0 {
			b.Allocs = figure.Compact(x.Cell.Bytes) + " B / " + figure.Compact(x.Cell.Allocs)
		}
		if !x.Floor {
			b.RatioText = figure.Times(x.Ratio)
		}
		out = append(out, b)
	}
	return out
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
