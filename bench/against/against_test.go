package against

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/against/race"
	"github.com/seed-1954dcaa/muxmaster/bench/against/side"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// TestRows measures each row for a very short time, with the router of the
// working tree on both sides, to find rows with a wrong path or status.
func TestRows(t *testing.T) {
	rows := side.Rows()
	if len(rows) < 60 {
		t.Fatalf("%d rows, want at least 60", len(rows))
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row.Name] {
			t.Errorf("two rows are named %q", row.Name)
		}
		seen[row.Name] = true
		r := race.Measure(race.Order{Row: row.Name, Plan: measure.Plan{Rounds: 1, Round: time.Microsecond}}, side.Task, side.Task)
		if r.Err != "" || r.Samples[0][0] <= 0 || r.Samples[1][0] <= 0 {
			t.Errorf("%s: %+v", row.Name, r)
		}
	}
}

// TestMeasure checks that a version with wrong responses isn't measured: a new
// one is an error, and an old one doesn't know the row.
func TestMeasure(t *testing.T) {
	lost := func(string) (measure.Task, error) { return measure.Task{}, errors.New("status 404") }
	order := race.Order{Row: side.Rows()[0].Name, Plan: measure.Plan{Rounds: 1, Round: time.Microsecond}}
	if r := race.Measure(order, side.Task, lost); r.Unknown != "status 404" || r.Err != "" || r.Samples[0] != nil {
		t.Errorf("an old version: %+v", r)
	}
	if r := race.Measure(order, lost, side.Task); r.Err != "status 404" || r.Samples[0] != nil {
		t.Errorf("a new version: %+v", r)
	}
}

// TestCompare builds both versions and compares one row. It uses a new
// repository with the router's sources, so it doesn't depend on the history of
// this one.
func TestCompare(t *testing.T) {
	root, err := Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tree := os.DirFS(root)
	files, err := routerSource(tree)
	if err != nil {
		t.Fatal(err)
	}
	repo := t.TempDir()
	if err := copyFiles(repo, tree, strings.NewReplacer(), files...); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "first"},
	} {
		if _, err := git(t.Context(), repo, args...); err != nil {
			t.Fatal(err)
		}
	}
	slow := []byte("package muxmaster\n\nimport \"time\"\n\nfunc init() { time.Sleep(0) }\n")
	if err := os.WriteFile(filepath.Join(repo, "not_committed.go"), slow, 0o666); err != nil {
		t.Fatal(err)
	}
	old, err := commit(t.Context(), repo, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	binary, err := build(t.Context(), dir, repo, old, true, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := filepath.Glob(filepath.Join(dir, "?", "not_committed.go")); err != nil || len(got) != 1 || got[0] != filepath.Join(dir, "a", "not_committed.go") {
		t.Errorf("the change is in %q, %v; the new version must be the working tree, the old one the commit", got, err)
	}
	r, err := measureWith(t.Context(), binary, race.Order{Row: side.Rows()[0].Name, Plan: measure.Plan{Rounds: 2, Round: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Samples[0]) != 2 || len(r.Samples[1]) != 2 {
		t.Errorf("samples %v, want two of each version", r.Samples)
	}
}

func TestIsWorse(t *testing.T) {
	for _, c := range []struct {
		new, old []float64
		want     bool
	}{
		{[]float64{10, 10, 10}, []float64{10, 10, 10}, false},
		{[]float64{11, 11, 11}, []float64{10, 10, 10}, true},
		{[]float64{10, 10, 10}, []float64{10, 10, 5}, false},  // one lucky round
		{[]float64{20, 10, 20}, []float64{10, 10, 10}, false}, // a slow spell
	} {
		if got := isWorse(race.Result{Samples: [2][]float64{c.new, c.old}}, 1.02); got != c.want {
			t.Errorf("isWorse(%v, %v) = %v, want %v", c.new, c.old, got, c.want)
		}
	}
}
