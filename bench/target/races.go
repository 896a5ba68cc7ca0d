package target

import (
	"fmt"

	"github.com/seed-1954dcaa/muxmaster/bench"
)

// Races lists the races in the order of the report.
func Races() []Race {
	const gin, httprouter, bunrouter, serveMux = "gin", "httprouter", "bunrouter", "http.ServeMux"
	var races []Race
	add := func(scenario string, c Condition, targets ...Target) {
		s, err := bench.ScenarioNamed(scenario)
		if err != nil {
			panic(err)
		}
		races = append(races, Race{Scenario: func() bench.Scenario { return s }, Title: s.Title, Condition: c, Targets: targets})
	}
	add("Static", usual, Target{defaultMode, httprouter, 0.27}, Target{pooled, httprouter, 0.27})
	add("GitHub", usual, Target{defaultMode, gin, 0.95}, Target{pooled, gin, 0.46}, Target{pooled, bunrouter, 0.50})
	add("GPlus", usual, Target{defaultMode, gin, 0.80}, Target{pooled, bunrouter, 0.80})
	add("Parse", usual, Target{defaultMode, gin, 0.80}, Target{pooled, bunrouter, 0.80})
	add("Param1", usual, Target{defaultMode, gin, 0.80}, Target{defaultMode, httprouter, 0.62},
		Target{pooled, bunrouter, 1.00}, Target{fastPooled, bunrouter, 1.05})
	add("Param5", usual, Target{defaultMode, gin, 1.10}, Target{pooled, bunrouter, 0.55})
	add("Param20", usual, Target{defaultMode, gin, 1.50}, Target{pooled, gin, 0.75})
	add("ParamRead", usual, Target{defaultMode, serveMux, 0.28}, Target{pooled, serveMux, 0.23})
	add("ParamWrite", usual, Target{defaultMode, gin, 0.75})
	add("CatchAll", usual, Target{defaultMode, gin, 0.90}, Target{pooled, httprouter, 0.60})
	add("NotFound", usual, Target{defaultMode, httprouter, 0.40})
	add("MethodNotAllowed", usual, Target{defaultMode, httprouter, 0.50}, Target{defaultMode, serveMux, 0.25})
	for _, c := range Conditions() {
		add("Param1", c)
		add("GitHub", c)
	}
	for _, n := range []int{10_000, 50_000} {
		races = append(races, Race{
			Scenario: func() bench.Scenario { return bench.ScaleScenario(n) },
			Title:    fmt.Sprintf("%d routes, random lookups", n), Condition: usual,
			Peers:   []string{httprouter}, // some of the others take minutes to register them
			Targets: []Target{{pooled, httprouter, 0.60}},
		})
	}
	return races
}
