package showdown

import (
	"context"
	"errors"
	"io"
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
	fresh.Contenders[0].Version = "v2.0.0"
	if _, err := Resume(file, fresh); err == nil || !strings.Contains(err.Error(), "can't be resumed") {
		t.Errorf("another version of a router: error %v", err)
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

// TestStart measures a few units. A run that is stopped before its end is
// returned with the context's error and without the current unit, and can be
// resumed.
func TestStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{
		File: filepath.Join(t.TempDir(), "run.json"), Contenders: []string{"http.ServeMux", "gin", "bone", "gorilla/mux", "no router"},
		Only: regexp.MustCompile("^(serving|heap)/(?i)static|(scaling|registration)/Scale10$|^parallel"), Plan: &Plan{Rounds: 3, Round: time.Millisecond, Few: 2},
	}
	o.Log = writerFunc(func(line string) {
		if strings.Contains(line, " parallel/") {
			cancel()
		}
	})
	r, err := Start(ctx, o)
	if !errors.Is(err, context.Canceled) || !slices.Equal(r.Done, []string{"serving/Static"}) || !r.Finished.IsZero() {
		t.Fatalf("stopped in the second unit: %v, %+v", err, r)
	}
	o.Resume, o.Log = true, io.Discard
	if r, err = Start(t.Context(), o); err != nil || len(r.Done) != 5 || len(r.Cells) != 5+4*4 {
		t.Fatalf("resumed: %v, done %q with %d cells", err, r.Done, len(r.Cells))
	}
	cannot := map[string]string{"serving bone": "GET /articles/wiki/: reached route 31", "scaling bone": "GET /"}
	samples := map[Section]int{Serving: 3, Parallel: 3, Scaling: 2, Registration: 2, Heap: 1}
	for _, c := range r.Cells {
		reason := cannot[string(c.Section)+" "+c.Contender]
		if reason != "" && (!strings.HasPrefix(c.Cannot, reason) || len(c.Samples) != 0) {
			t.Errorf("%+v, want Cannot %s", c, reason)
		}
		if reason == "" && (c.Cannot != "" || len(c.Samples) != samples[c.Section] || c.Samples.Min() <= 0) {
			t.Errorf("%+v, want %d samples", c, samples[c.Section])
		}
	}
	o.Only = regexp.MustCompile("nosuch")
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), `no unit matches "nosuch"`) {
		t.Errorf("no unit: %v", err)
	}
}

type writerFunc func(string)

func (f writerFunc) Write(b []byte) (int, error) { f(string(b)); return len(b), nil }

func TestPassesOfLoadAddUp(t *testing.T) {
	r := new(Run)
	rounds := []load.Round{{PerSecond: 5, P50: 1000, P99: 2000, CPU: 13, Kernel: 8, Memory: 9}, {PerSecond: 6, CPU: math.NaN()}}
	for range 2 {
		r.AddLoad(Load, load.Parameter, "a", load.Result{Rounds: rounds})
		r.AddLoad(Load, load.Parameter, "b", load.Result{Cannot: "broken"})
	}
	want := []Cell{{
		Section: Load, Scenario: "1 parameter, 1 core", Contender: "a", Samples: Samples{5, 6, 5, 6},
		P50: Samples{1000, 0, 1000, 0}, P99: Samples{2000, 0, 2000, 0}, P999: Samples{0, 0, 0, 0}, Memory: Samples{9, 0, 9, 0}, CPU: Samples{13, 13}, Kernel: Samples{8, 8},
	}, {Section: Load, Scenario: "1 parameter, 1 core", Contender: "b", Cannot: "broken"}}
	if !reflect.DeepEqual(r.Cells, want) {
		t.Errorf("got %+v, want %+v", r.Cells, want)
	}
}
