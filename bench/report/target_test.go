package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// TestTargets checks that a run has a unit for the figures of each target.
func TestTargets(t *testing.T) {
	keys := showdown.Units(false)
	for _, target := range targets() {
		for _, p := range []place{target.ours, target.theirs} {
			if p == (place{}) {
				continue
			}
			if !slices.Contains(TargetContenders, p.contender) {
				t.Errorf("%s: no contender %q", target.what, p.contender)
			}
			if !slices.ContainsFunc(keys, regexp.MustCompile(unitOf(p)).MatchString) {
				t.Errorf("%s: no unit for %+v", target.what, p)
			}
		}
	}
	all := regexp.MustCompile(TargetUnits)
	for _, key := range keys {
		if wanted := regexp.MustCompile(UnitsOf(regexp.MustCompile(""))).MatchString(key); wanted && !all.MatchString(key) {
			t.Errorf("TargetUnits doesn't match %s", key)
		}
	}
}

// TestRun measures a few targets for a very short time.
func TestTargetsAreMeasured(t *testing.T) {
	match := regexp.MustCompile("heap after loading parse|405 on|two processors")
	plan := showdown.Usual(false)
	plan.Serving = measure.Plan{Rounds: 1, Round: time.Microsecond}
	r, err := showdown.Start(t.Context(), showdown.Options{
		Contenders: []string{defaultMode, pooled, "httprouter", "http.ServeMux"}, Only: regexp.MustCompile(UnitsOf(match)),
		Plan: &plan, Progress: func(string, time.Duration, time.Duration) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Check(r) {
		if match.MatchString(l.What) && !(l.Value > 0) {
			t.Errorf("%+v", l)
		}
	}
}

func TestCheck(t *testing.T) {
	r := &showdown.Run{Command: "go run", Machine: measure.Machine{CPU: "Z80"}}
	add := func(section showdown.Section, scenario, contender string, ns, allocs float64) {
		r.Cells = append(r.Cells, showdown.Cell{Section: section, Scenario: scenario, Contender: contender, Samples: showdown.Samples{ns, 2 * ns}, Allocs: allocs, Bytes: 16.25})
	}
	add(showdown.Serving, "Param1", defaultMode, 90, 0.016)
	add(showdown.Serving, "Param1", "gin", 100, 0)
	add("two processors", "Param1", pooled, 10, 0)
	add("caused collections", "Param1", pooled, 20, 0)
	text := TargetTables(r)
	for _, want := range []string{
		"targets are met. Z80, 0 cores, , , 1 January 0001.\n`go run`",
		"| 1 parameter | default | gin | ≤ 0.80 | 0.90 | **no** |",
		"| 1 parameter | pooled | bunrouter | ≤ 1.00 | – | **no** |",
		"| 1 parameter, bytes per request | default | – | ≤ 17.0 B | 16.2 B | yes |",
		"| 1 parameter, allocations per request | default | – | ≤ 0.02 | 0.016 | yes |",
		"| 1 parameter, time with two processors | pooled | itself on one | ≤ 0.53 | 0.50 | yes |",
		"| 1 parameter | 90.0 | – | 100.0 | – |",
		"*fresh requests*",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
