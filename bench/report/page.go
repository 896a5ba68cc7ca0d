package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is the data for the templates: all results of a run.
type page struct {
	Run      *showdown.Run
	Machine  string
	Warnings []string
	Groups   []groupView
	Cannot   []cannotView
}

// groupView is a section, with a bar chart for each scenario.
type groupView struct {
	ID    showdown.Section
	Title string
	Cards []cardView
}

type cardView struct {
	Title, Note string
	Bars        []barView
	Cannot      []string
}

type barView struct {
	row
	Value, RatioText, Detail string
	Width                    float64 // in percent of the longest bar
}

type cannotView struct{ Contender, What, Why string }

var groups = []groupView{
	{ID: showdown.Serving, Title: "One request at a time"},
	{ID: showdown.Scaling, Title: "Lookups in large APIs"},
	{ID: showdown.Registration, Title: "Registration"},
	{ID: showdown.Parallel, Title: "All cores at once"},
	{ID: showdown.Heap, Title: "Memory of the loaded routes"},
	{ID: showdown.Load, Title: "Routers under load"},
	{ID: showdown.Servers, Title: "HTTP servers under load"},
}

func newPage(r *showdown.Run) page {
	p := page{Run: r, Machine: r.MachineLine(), Warnings: warnings(r), Cannot: cannot(r)}
	for _, g := range groups {
		for _, scenario := range scenarios(r, g.ID) {
			l := rank(r, g.ID, scenario)
			card := cardView{Title: upperFirst(scenarioTitle(scenario)), Bars: bars(g.ID, l)}
			if g.ID.UnderLoad() {
				card.Note = fmt.Sprintf("Ratio of %s to %s. %s", l.Rate(), l.Base, l.Difference())
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
func HTML(r *showdown.Run) string {
	var out strings.Builder
	if err := pageTemplate.Execute(&out, newPage(r)); err != nil {
		panic(err) // the template is part of the program
	}
	return out.String()
}

// Terminal returns the report as text, and which targets the run meets.
func Terminal(r *showdown.Run) string {
	return document("terminal", r, fields{"Page": newPage(r), "Targets": Targets(r)})
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
		key := what
		switch c.Section {
		case showdown.Serving:
			what = scenarioTitle(c.Scenario)
		case showdown.Scaling, showdown.Registration:
			what, key = "generated API of "+strings.TrimPrefix(c.Scenario, "Scale")+" routes", "scaling"
		}
		add(c.Contender, what, c.Cannot, key)
	}
	for _, e := range r.Contenders {
		if e.NotStdlib != "" {
			add(e.Name, "plain handlers with parameters", e.NotStdlib, "plain")
		}
	}
	return out
}

// bars returns the bars of a ranking. Those that are more than 8 times as long as
// the shortest are cut, because the shortest would otherwise be invisible.
func bars(section showdown.Section, l ranking) (out []barView) {
	longest, best := 0.0, 0.0
	for _, x := range l.Rows {
		longest = max(longest, x.Mid)
		if x.Ratio == 1 {
			best = x.Mid
		}
	}
	if best > 0 && !section.UnderLoad() {
		longest = min(longest, 8*best)
	}
	for _, x := range l.Rows {
		b := barView{row: x, Width: min(100, x.Mid/longest*100)}
		switch {
		case section.UnderLoad():
			b.Value = fmt.Sprintf("%.2f", x.Ratio)
			b.Detail = fmt.Sprintf("#%d, %.2f to %.2f, %s /s, p50 %s, p99 %s", x.Place, x.Lo, x.Hi, figure.Count(x.PerSecond()), figure.Duration(x.P50()), figure.Duration(x.P99()))
		case section == showdown.Heap:
			b.Value = figure.Count(x.Mid) + " B"
		default:
			b.Value = figure.Duration(x.Mid)
			b.Detail = fmt.Sprintf("%+.0f%% to %+.0f%%", (x.Lo/x.Mid-1)*100, (x.Hi/x.Mid-1)*100)
		}
		if section == showdown.Serving && x.Cell.Allocs > 0 {
			b.Detail += ", " + figure.Compact(x.Cell.Bytes) + " B / " + figure.Compact(x.Cell.Allocs)
		}
		if !section.UnderLoad() && !x.Floor {
			b.RatioText = figure.Times(x.Ratio)
		}
		out = append(out, b)
	}
	return out
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
