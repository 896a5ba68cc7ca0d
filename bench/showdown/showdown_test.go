package showdown

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// few returns contenders of different kinds.
func few() []contender.Contender {
	return slices.DeleteFunc(contender.All(), func(c contender.Contender) bool {
		return !slices.Contains([]string{"http.ServeMux", "httprouter", "gin", "bone", "no router"}, c.Name)
	})
}

var tiny = measure.Plan{Rounds: 3, Round: 50 * time.Microsecond}

// TestUnits checks that units fill their cells, and that interrupted ones leave
// nothing.
func TestUnits(t *testing.T) {
	contenders := few()
	for _, tt := range []struct {
		unit    unit
		cells   int
		samples int
		cannot  map[string]string // contender to the beginning of the reason
	}{
		{raceUnit(Serving, "Static", scenario("Static"), 1, contenders, tiny), 5, 3, map[string]string{"bone": "GET /articles/wiki/: reached route 31"}},
		{heapUnit(contenders[:4], "gplus"), 4, 1, nil},
		{scalingUnit(contenders[:4], 1, 10, nil, Plan{Scaling: tiny, Registrations: 3}), 8, 3, map[string]string{"bone": "GET /"}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, last := new(Run), -1.0
		if err := tt.unit.run(ctx, r, func(float64) { cancel() }); !errors.Is(err, context.Canceled) || len(r.Cells) != 0 {
			t.Errorf("%s, interrupted: error %v and %d cells, want the context's and none", tt.unit.key, err, len(r.Cells))
		}
		if err := tt.unit.run(t.Context(), r, func(part float64) { last = part }); err != nil {
			t.Fatalf("%s: %v", tt.unit.key, err)
		}
		if len(r.Cells) != tt.cells || last < 0.5 || last > 1 {
			t.Errorf("%s: %d cells, %v done at last; want %d", tt.unit.key, len(r.Cells), last, tt.cells)
		}
		for _, c := range r.Cells {
			reason := tt.cannot[c.Contender]
			if c.Section == Registration {
				reason = "" // what can't be proven can still be registered
			}
			if reason != "" {
				if !strings.HasPrefix(c.Cannot, reason) || len(c.Samples) != 0 {
					t.Errorf("%s: %+v, want Cannot %s", tt.unit.key, c, reason)
				}
				continue
			}
			if c.Cannot != "" || len(c.Samples) != tt.samples || c.Samples.Min() <= 0 {
				t.Errorf("%s: %+v, want %d samples", tt.unit.key, c, tt.samples)
			}
		}
	}
}

func TestSlowRegistrationIsOmitted(t *testing.T) {
	r := new(Run)
	for _, c := range []struct {
		name        string
		at10, at100 float64 // ns per route
	}{
		{"linear", 1e6, 1e6}, {"quadratic", 1e5, 1e6}, {"faster with more", 1e7, 1e6},
	} {
		r.Cells = append(r.Cells,
			Cell{Section: Registration, Scenario: "Scale10", Contender: c.name, Samples: Samples{c.at10}},
			Cell{Section: Registration, Scenario: "Scale100", Contender: c.name, Samples: Samples{c.at100, 2 * c.at100}})
	}
	r.Cells = append(r.Cells, Cell{Section: Registration, Scenario: "Scale100", Contender: "never", Cannot: "because"})
	for _, tt := range []struct{ name, want string }{
		{"linear", ""},
		{"quadratic", "left out: registering 100 routes took 100ms"},
		{"faster with more", ""},
		{"never", "left out: has no figure at 10 routes"},
		{"newcomer", "left out: has no figure at 10 routes"},
	} {
		if got := tooSlow(r, tt.name, 1000, []int{10, 100, 500}, 8*time.Second); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := tooSlow(new(Run), "anybody", 1000, []int{10, 100}, 0); got != "" {
		t.Errorf("with nothing to go by: %q, want to try it", got)
	}
}

func sampleRun() *Run {
	return &Run{
		Started: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Command: "go run ./cmd/showdown", Done: []string{"serving/Param1"},
		Machine: measure.Machine{CPU: "Z80", Cores: 1, System: "cp/m", Go: "go1.26.8"}, Tool: "wrk",
		Contenders: []Entry{{Name: "a", Version: "v1.0.0", Classes: []contender.Class{contender.Native}}},
		Cells:      []Cell{{Section: Serving, Scenario: "Param1", Contender: "a", Samples: Samples{100, 101, 102, 99, 98, 100}}},
	}
}

func TestResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "run.json")
	fresh := sampleRun()
	fresh.Done, fresh.Cells = nil, nil
	if got, err := Resume(file, fresh); err != nil || got != fresh {
		t.Errorf("without a file: %v, %v; want to start fresh", got, err)
	}
	if err := sampleRun().Write(file); err != nil {
		t.Fatal(err)
	}
	if got, err := Resume(file, fresh); err != nil || !reflect.DeepEqual(got, sampleRun()) {
		t.Errorf("with a file: %+v, %v; want what it holds", got, err)
	}
	for _, change := range []func(*Run){
		func(r *Run) { r.Command += " -quick" },
		func(r *Run) { r.Machine.Go = "go1.99" },
		func(r *Run) { r.Machine.CPU = "6502" },
		func(r *Run) { r.Contenders = []Entry{{Name: "a", Version: "v2.0.0"}} },
	} {
		other := sampleRun()
		change(other)
		if _, err := Resume(file, other); err == nil || !strings.Contains(err.Error(), "can't be resumed") {
			t.Errorf("%+v: error %v", other, err)
		}
	}
}

func TestWatch(t *testing.T) {
	r, w := new(Run), watch()
	w.started = w.started.Add(-10 * time.Second / time.Duration(runtime.NumCPU())) // as if others had taken 3 s of 10 s, and the host 1 s
	w.all -= 3 * time.Second
	w.stolen -= time.Second
	w.addTo(r)
	if runtime.GOOS == "linux" && (r.Others < 0.25 || r.Stolen() < 0.09 || r.Stolen() > 0.2) {
		t.Errorf("others used %v, and %v was stolen; want 0.3 and 0.1", r.Others, r.Stolen())
	}
}

// TestStart checks that a run stopped before its end is returned with the
// context's error, and that a mistake in an expression measures nothing.
func TestStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	file := filepath.Join(t.TempDir(), "run.json")
	o := Options{File: file, Contenders: []string{"no router", "http.ServeMux"}, Only: regexp.MustCompile("^serving/Param"), Plan: &Plan{Serving: tiny}}
	o.Progress = func(doing string, done, all time.Duration) {
		if doing == "serving/Param5" {
			cancel()
		}
	}
	r, err := Start(ctx, o)
	if !errors.Is(err, context.Canceled) || !slices.Equal(r.Done, []string{"serving/Param1"}) || !r.Finished.IsZero() {
		t.Errorf("stopped in the second unit: %v, done %q", err, r.Done)
	}
	o.Resume, o.Progress = true, func(doing string, done, all time.Duration) {}
	if r, err = Start(t.Context(), o); err != nil || len(r.Done) != 5 || len(r.Cells) != 10 {
		t.Errorf("resumed: %v, done %q with %d cells", err, r.Done, len(r.Cells))
	}
	o.Only = regexp.MustCompile("nosuch")
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), `no unit matches "nosuch"`) {
		t.Errorf("no unit: %v", err)
	}
}

func TestPassesOfLoadAddUp(t *testing.T) {
	r := new(Run)
	rounds := []load.Round{{PerSecond: 5, P50: time.Millisecond, P99: 2 * time.Millisecond, CPU: 13}, {PerSecond: 6, CPU: math.NaN()}}
	for range 2 {
		r.AddLoad(Load, load.Parameter(1, 1), "a", load.Result{Rounds: rounds})
		r.AddLoad(Load, load.Parameter(1, 1), "b", load.Result{Cannot: "broken"})
	}
	want := []Cell{{
		Section: Load, Scenario: "1 parameter, 1 core", Contender: "a", Samples: Samples{5, 6, 5, 6},
		P50: Samples{1000, 0, 1000, 0}, P99: Samples{2000, 0, 2000, 0}, CPU: Samples{13, 13},
	}, {Section: Load, Scenario: "1 parameter, 1 core", Contender: "b", Cannot: "broken"}}
	if !reflect.DeepEqual(r.Cells, want) {
		t.Errorf("got %+v, want %+v", r.Cells, want)
	}
}
