package target

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

var tiny = measure.Plan{Rounds: 1, Round: time.Microsecond}

// TestRaces measures every race for a very short time, to find wrong names,
// contenders that can't route, and conditions that don't end.
func TestRaces(t *testing.T) {
	cannot := []string{"bunrouter"} // has no 405
	for _, race := range Races() {
		if strings.HasPrefix(race.Title, "50000") {
			continue // like the one with 10,000, but Prove takes seconds
		}
		r := race.Measure(tiny)
		if r.Err != nil {
			t.Errorf("%s: %v", race.title(), r.Err)
			continue
		}
		for _, name := range race.Contenders() {
			if reason := r.Cannot[name]; reason != "" && !slices.Contains(cannot, name) {
				t.Errorf("%s: %s", race.title(), reason)
			} else if reason == "" && r.Times[name] <= 0 {
				t.Errorf("%s: %s takes %v ns", race.title(), name, r.Times[name])
			}
		}
		if lines := r.Lines(); len(lines) != len(race.Targets) {
			t.Errorf("%s: %d lines for %d targets", race.title(), len(lines), len(race.Targets))
		}
	}
}

func TestChecks(t *testing.T) {
	for _, c := range Checks() {
		if line := c.Run(tiny); line.Err != nil {
			t.Errorf("%s: %v", c.What, line.Err)
		}
	}
}

func TestMet(t *testing.T) {
	for _, tt := range []struct {
		line Line
		want bool
	}{
		{Line{Bound: 0.5, Value: 0.5}, true},
		{Line{Bound: 0.5, Value: 0.51}, false},
		{Line{Bound: 1.9, Value: 1.8, AtLeast: true}, false},
		{Line{Bound: 1.9, Value: 2, AtLeast: true}, true},
		{Line{Bound: 1, Value: 0, Err: errors.New("not measured")}, false},
	} {
		if got := tt.line.Met(); got != tt.want {
			t.Errorf("%+v: met is %v, want %v", tt.line, got, tt.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	race := Race{Title: "1 parameter", Targets: []Target{{defaultMode, "gin", 0.8}, {pooled, "bunrouter", 1}}}
	result := RaceResult{
		Race: race, Times: map[string]float64{defaultMode: 90, pooled: 25, "gin": 100}, Cannot: map[string]string{"bunrouter": "it can't"},
	}
	r := Results{Races: []RaceResult{result}, Lines: append(result.Lines(), Line{What: "memory", Mode: defaultMode, Bound: 17, Value: 16.25, Unit: "B"})}
	text := Markdown(r, "Z80.", "go run")
	for _, want := range []string{
		"1 of 3 targets are met. Z80.",
		"| 1 parameter | default | gin | ≤ 0.80 | 0.90 | **no** |",
		"| 1 parameter | pooled | bunrouter | ≤ 1.00 | – | **no** |",
		"| memory | default | – | ≤ 17.0 B | 16.2 B | yes |",
		"| 1 parameter | 90.0 | 25.0 | 100.0 | – |",
		"*fresh requests*",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
