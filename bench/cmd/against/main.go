// Command against compares the speed of the router in the working tree with
// that of a git commit. It builds the Go benchmarks of package bench with both
// and runs them in turns. It measures rows that seem slower again, and exits
// with status 1 if they remain so.
//
//	go run ./cmd/against main
//	go run ./cmd/against -run 'Showdown/muxmaster$/(Param|GitHub)' -rounds 30 HEAD~3
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/seed-1954dcaa/muxmaster/bench/command"
)

func main() {
	expr := flag.String("run", "(Showdown|Scale|Register|Ours)/muxmaster", "compare the benchmarks that match this `expression`")
	rounds := flag.Int("rounds", 10, "rounds for each benchmark")
	round := flag.Duration("round", 50e6, "time for each benchmark in a round")
	limit := flag.Float64("limit", 1.02, "mark ratios above this `factor`")
	tags := flag.String("tags", "", "build `tags` for both versions")
	command.Main(func(ctx context.Context) (worse bool, err error) {
		dir, err := os.MkdirTemp("", "against")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		if err := build(ctx, dir, flag.Arg(0), *tags); err != nil {
			return false, err
		}
		t := table{}
		for try, expr := 0, *expr; expr != "" && try < 3; try, expr = try+1, t.worse(*limit) {
			for i := range *rounds * (try + 1) {
				for k := range versions {
					version := versions[(i+k)%len(versions)]
					out, err := run(ctx, "env", "GOMAXPROCS=1", filepath.Join(dir, version+".test"), "-test.run", "^$", "-test.bench", expr, "-test.benchtime", round.String())
					if err != nil {
						return false, err
					}
					t.add(version, bytes.NewReader(out))
				}
			}
		}
		if len(t) == 0 {
			return false, fmt.Errorf("against: no benchmark matches %q", *expr)
		}
		return t.print(os.Stdout, *limit), nil
	}, "git ref")
}

var versions = []string{"new", "old"}

// build builds the benchmarks of this directory into dir: with the router of the
// working tree, and with that of a commit.
func build(ctx context.Context, dir, ref, tags string) error {
	old := filepath.Join(dir, "muxmaster")
	if _, err := run(ctx, "git", "worktree", "add", "--detach", old, ref); err != nil {
		return err
	}
	defer run(context.WithoutCancel(ctx), "git", "worktree", "remove", "--force", old)
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	sums, err := os.ReadFile("go.work.sum")
	if err != nil {
		return fmt.Errorf("against: run the command in bench/: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.work.sum"), sums, 0o666); err != nil {
		return err
	}
	work := fmt.Appendf(nil, "go 1.26.0\n\nuse %q\n\nreplace github.com/seed-1954dcaa/muxmaster => %q\n", here, old)
	if err := os.WriteFile(filepath.Join(dir, "go.work"), work, 0o666); err != nil {
		return err
	}
	for version, workspace := range map[string]string{"new": filepath.Join(here, "go.work"), "old": filepath.Join(dir, "go.work")} {
		if _, err := run(ctx, "env", "GOWORK="+workspace, "go", "test", "-c", "-tags", tags, "-o", filepath.Join(dir, version+".test"), "."); err != nil {
			return fmt.Errorf("%s version: %w", version, err)
		}
	}
	return nil
}

// run runs a program and returns its output.
func run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("against: %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return out, nil
}

// A table has the samples of each benchmark by version and unit.
type table map[string]map[string][]float64

// add adds the output of go test -bench.
func (t table) add(version string, out io.Reader) {
	for r := benchfmt.NewReader(out, version); r.Scan(); {
		if result, ok := r.Result().(*benchfmt.Result); ok {
			name := string(result.Name.Full())
			if t[name] == nil {
				t[name] = map[string][]float64{}
			}
			for _, v := range result.Values {
				t[name][version+" "+v.Unit] = append(t[name][version+" "+v.Unit], v.Value)
			}
		}
	}
}

// compare compares the times of a benchmark. The new version is worse if the
// difference is significant and both the ratio of the minimums and that of the
// medians are above the limit: one fast round affects only the first, and a slow
// phase of the machine only the second.
func (t table) compare(name string, limit float64) (old, new benchmath.Summary, c benchmath.Comparison, worse bool) {
	sample := func(version string) *benchmath.Sample {
		thresholds := benchmath.DefaultThresholds
		return benchmath.NewSample(slices.Clone(t[name][version+" sec/op"]), &thresholds)
	}
	a, b := sample("old"), sample("new")
	if len(a.Values) == 0 || len(b.Values) == 0 {
		return old, new, c, false
	}
	old, new, c = benchmath.AssumeNothing.Summary(a, 0.95), benchmath.AssumeNothing.Summary(b, 0.95), benchmath.AssumeNothing.Compare(a, b)
	return old, new, c, c.P < c.Alpha && new.Center/old.Center > limit && b.Values[0]/a.Values[0] > limit
}

// worse returns an expression for the benchmarks that are worse, or "".
func (t table) worse(limit float64) string {
	var names []string
	for name := range t {
		if _, _, _, worse := t.compare(name, limit); worse {
			names = append(names, "^"+strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^")+"$")
		}
	}
	return strings.Join(names, "|")
}

// print prints the table. It reports whether a benchmark is worse.
func (t table) print(w io.Writer, limit float64) (anyWorse bool) {
	fmt.Fprintf(w, "%-58s %9s %9s %9s  %s\n", "ns per request, median", "old", "new", "change", "B, allocations")
	var names []string
	for name := range t {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		old, new, c, worse := t.compare(name, limit)
		mark := ""
		if worse {
			mark, anyWorse = " WORSE", true
		}
		count := func(unit string) string {
			values := []float64{0, 0}
			for i, version := range []string{"old", "new"} {
				if all := t[name][version+" "+unit]; len(all) > 0 {
					values[i] = slices.Min(all)
				}
			}
			if values[0] == values[1] {
				return fmt.Sprint(values[1])
			}
			return fmt.Sprintf("%v → %v", values[0], values[1])
		}
		fmt.Fprintf(w, "%-58s %9.1f %9.1f %9s  %s, %s%s\n", name, old.Center*1e9, new.Center*1e9, c.FormatDelta(old.Center, new.Center), count("B/op"), count("allocs/op"), mark)
	}
	return anyWorse
}
