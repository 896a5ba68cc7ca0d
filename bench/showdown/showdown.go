// Package showdown measures every contender in every scenario. It writes the
// results to a file after each unit, so a run can be stopped, resumed, and
// compared with another run.
package showdown

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Options define what to run.
type Options struct {
	File   string // where to store the run; "" for nowhere
	Quick  bool
	Resume bool           // continue the run in File
	Only   *regexp.Regexp // of unit keys such as "serving/GitHub"; nil for all

	Command    string   // to be named in reports; "" for that of showdown
	Contenders []string // measure only these; nil for all
	Plan       *Plan    // instead of the usual one

	// Progress is called after each step with a description of the work, the time
	// done so far, and the estimated total time.
	Progress func(doing string, done, all time.Duration)
}

// Start measures the units until all are done or the context ends, and returns
// the run. It writes the run to the file after each unit. If the context ends,
// it returns the context's error, and the run without the current unit.
func Start(ctx context.Context, o Options) (*Run, error) {
	r := &Run{
		Started: time.Now().UTC().Truncate(time.Second), Quick: o.Quick,
		Command: cmp.Or(o.Command, "go run ./cmd/showdown"), Machine: measure.ThisMachine(), Tool: "package load",
	}
	if o.Quick {
		r.Command += " -quick"
	}
	contenders := contender.All()
	if o.Contenders != nil {
		contenders = slices.DeleteFunc(contenders, func(c contender.Contender) bool { return !slices.Contains(o.Contenders, c.Name) })
	}
	plan := Usual(o.Quick)
	if o.Plan != nil {
		plan = *o.Plan
	}
	every := units(contenders, plan)
	us := slices.DeleteFunc(slices.Clone(every), func(u unit) bool { return o.Only != nil && !o.Only.MatchString(u.key) })
	if len(us) == 0 {
		return nil, fmt.Errorf("showdown: no unit matches %q; some are %q", o.Only, []string{every[0].key, every[len(every)-1].key})
	}
	safe := ""
	if o.Contenders == nil {
		dir, err := os.MkdirTemp("", "showdown")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if safe, err = buildSafe(ctx, dir); err != nil {
			r.Missing = []Missing{{safeName, "its binary could not be built: " + oneLine(err)}}
		}
	}
	for i, c := range contenders {
		if safe != "" && !c.Ours && (i == 0 || contenders[i-1].Ours) { // after our other modes
			r.Contenders = append(r.Contenders, entry(contender.Muxmaster(safeName, false, false)))
		}
		r.Contenders = append(r.Contenders, entry(c))
	}
	if o.Resume {
		var err error
		if r, err = Resume(o.File, r); err != nil {
			return nil, err
		}
	}
	us = slices.DeleteFunc(us, func(u unit) bool { return slices.Contains(r.Done, u.key) })
	var done, all time.Duration
	for _, u := range us {
		all += u.cost
	}
	for _, u := range us {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		step := func(part float64) { o.Progress(u.key, done+time.Duration(part*float64(u.cost)), all) }
		step(0)
		others := watchOthers()
		if err := runUnit(ctx, u, r, safe, plan, step); err != nil {
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			return r, fmt.Errorf("showdown: %s: %w", u.key, err)
		}
		r.Done = append(r.Done, u.key)
		r.Others = max(r.Others, others.share())
		if len(r.Done) == len(every) {
			r.Finished = time.Now().UTC().Truncate(time.Second)
		}
		if o.File != "" {
			if err := r.Write(o.File); err != nil {
				return r, err
			}
		}
		done += u.cost
		o.Progress(u.key, done, all)
	}
	return r, nil
}

// runUnit runs a unit here and, unless safe is "" or it is a unit of load, in
// that worker. If it returns an error, the run is unchanged.
func runUnit(ctx context.Context, u unit, r *Run, safe string, plan Plan, step func(float64)) error {
	if section, _, _ := strings.Cut(u.key, "/"); safe == "" || Section(section).UnderLoad() {
		return u.run(ctx, r, step)
	}
	cells, err := measureSafe(ctx, safe, order{u.key, plan, r})
	if err != nil {
		return err
	}
	if err := u.run(ctx, r, step); err != nil {
		return err
	}
	r.Cells = append(r.Cells, cells...)
	return nil
}

func entry(c contender.Contender) Entry {
	return Entry{c.Name, c.Version(), c.Style, c.Classes, c.Ours, c.NotStdlib}
}
