package against

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/against/race"
	"github.com/seed-1954dcaa/muxmaster/bench/against/side"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Options define what to compare and for how long.
type Options struct {
	Ref   string // a git commit
	Rows  []side.Row
	Plan  measure.Plan // rounds are spread over both layouts of the binary
	Limit float64      // a row whose ratio is above it is worse
	Tags  string       // build tags for both versions
}

// retries is how often a row that seems worse is measured again. This lowers
// both minimums, and also the ratio unless the difference is real.
const retries = 3

// Compare builds the binaries in dir, measures the rows, prints a line for
// each, and returns the number of rows that are worse.
func Compare(ctx context.Context, w io.Writer, dir string, o Options) (worse int, err error) {
	root, err := Root(ctx)
	if err != nil {
		return 0, err
	}
	old, err := commit(ctx, root, o.Ref)
	if err != nil {
		return 0, err
	}
	var binaries []string
	for i, newFirst := range []bool{true, false} {
		binary, err := build(ctx, filepath.Join(dir, fmt.Sprint("layout", i+1)), root, old, newFirst, o.Tags)
		if err != nil {
			return 0, err
		}
		binaries = append(binaries, binary)
	}
	plan := o.Plan
	plan.Rounds = max(1, plan.Rounds/len(binaries))
	width := len("row")
	for _, row := range o.Rows {
		width = max(width, len(row.Name))
	}
	fmt.Fprintf(w, "%-*s %9s %9s %9s %9s  %s\n", width, "row", "new", "old", "minimum", "median", "B, allocs")
	unknown := 0
	for _, row := range o.Rows {
		order := race.Order{Row: row.Name, Plan: plan}
		if row.Slow {
			order.Plan.Round *= 10
		}
		r, err := measureRow(ctx, binaries, order, o.Limit)
		if err != nil {
			return worse, err
		}
		if r.Unknown != "" {
			unknown++
			reason, _, _ := strings.Cut(r.Unknown, "\n")
			fmt.Fprintf(w, "%-*s unknown to the old version: %s\n", width, row.Name, reason)
			continue
		}
		mark := ""
		if isWorse(r, o.Limit) {
			mark = "  WORSE"
			worse++
		}
		fmt.Fprintf(w, "%-*s %9.1f %9.1f %9.3f %9.3f  %s%s\n", width, row.Name, measure.Min(r.Samples[0]), measure.Min(r.Samples[1]),
			minimumRatio(r), medianRatio(r), counts(r), mark)
	}
	fmt.Fprintf(w, `
Nanoseconds per request, the minimum of each version. Ratios are new to old, less
is better: of the minimums, and the median of the rounds' own ratios. A row is
worse if both are above %v: %d of %d rows.
`, o.Limit, worse, len(o.Rows)-unknown)
	return worse, nil
}

// measureRow measures a row with all binaries, again if it seems worse.
func measureRow(ctx context.Context, binaries []string, o race.Order, limit float64) (all race.Result, err error) {
	for try := 0; try == 0 || try <= retries && isWorse(all, limit); try++ {
		for _, binary := range binaries {
			r, err := measureWith(ctx, binary, o)
			if err != nil || r.Unknown != "" {
				return r, err
			}
			for i := range r.Samples {
				all.Samples[i] = append(all.Samples[i], r.Samples[i]...)
			}
			all.Bytes, all.Allocs = r.Bytes, r.Allocs
		}
	}
	return all, nil
}

// measureWith measures a row with one binary.
func measureWith(ctx context.Context, binary string, o race.Order) (r race.Result, err error) {
	order, err := json.Marshal(o)
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, binary, string(order))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err == nil && r.Err != "" {
		err = errors.New(r.Err)
	}
	if err != nil {
		return r, fmt.Errorf("against: %s: %w", o.Row, err)
	}
	return r, nil
}

// isWorse reports whether both ratios are above the limit. A single fast round
// affects only the minimum, and a slow phase of the machine only the median.
func isWorse(r race.Result, limit float64) bool {
	return minimumRatio(r) > limit && medianRatio(r) > limit
}

func minimumRatio(r race.Result) float64 {
	return measure.Min(r.Samples[0]) / measure.Min(r.Samples[1])
}

// medianRatio returns the median of the ratios of each round, because load on
// the machine affects both versions in the same round.
func medianRatio(r race.Result) float64 {
	return measure.Median(measure.Ratios(r.Samples[0], r.Samples[1]))
}

// counts returns the new version's bytes and allocations, and in brackets the
// old version's if they differ.
func counts(r race.Result) string {
	s := fmt.Sprintf("%v, %v", r.Bytes[0], r.Allocs[0])
	if r.Bytes[0] != r.Bytes[1] || r.Allocs[0] != r.Allocs[1] {
		s += fmt.Sprintf(" (%v, %v)", r.Bytes[1], r.Allocs[1])
	}
	return s
}
