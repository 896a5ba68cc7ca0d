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
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Options define what to run.
type Options struct {
	File   string // where to store the run; "" for nowhere
	Quick  bool
	Resume bool           // continue the run in File
	Only   *regexp.Regexp // of unit keys such as "serving/GitHub"; nil for all

	Command    string       // to be named in reports; "" for that of showdown
	Contenders []string     // measure only these; nil for all
	Serving    measure.Plan // of one scenario, instead of the usual plan

	// Progress is called after each step with a description of the work, the time
	// done so far, and the estimated total time.
	Progress func(doing string, done, all time.Duration)
}

// Start measures the units until all are done or the context ends, and returns
// the run. It writes the run to the file after each unit.
func Start(ctx context.Context, o Options) (*Run, error) {
	entrants, missing, stop, err := assemble(o.Contenders)
	if err != nil {
		return nil, err
	}
	defer stop()
	r := &Run{
		Started: time.Now().UTC().Truncate(time.Second), Quick: o.Quick, Missing: missing,
		Command: cmp.Or(o.Command, "go run ./cmd/showdown"), Machine: measure.ThisMachine(), Tool: "package load",
	}
	if o.Quick {
		r.Command += " -quick"
	}
	for _, e := range entrants {
		r.Contenders = append(r.Contenders, e.Entry)
	}
	if o.Resume {
		if r, err = Resume(o.File, r); err != nil {
			return nil, err
		}
	}
	p := newPlan(o.Quick)
	if o.Serving.Rounds > 0 {
		p.serving = o.Serving
	}
	us := units(entrants, p)
	var done, all time.Duration
	for _, u := range us {
		all += u.cost
	}
	for _, u := range us {
		if slices.Contains(r.Done, u.key) || o.Only != nil && !o.Only.MatchString(u.key) {
			all -= u.cost
			continue
		}
		if ctx.Err() != nil {
			return r, nil
		}
		step := func(part float64) { o.Progress(u.key, done+time.Duration(part*float64(u.cost)), all) }
		step(0)
		others := watchOthers()
		if err := u.run(ctx, r, step); err != nil {
			if ctx.Err() != nil {
				return r, nil
			}
			return r, fmt.Errorf("showdown: %s: %w", u.key, err)
		}
		r.Done = append(r.Done, u.key)
		r.Others = max(r.Others, others.share())
		if len(r.Done) == len(us) {
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

// assemble returns the named contenders, or all for nil, and those that are
// missing with the reason.
func assemble(only []string) (entrants []entrant, missing []Missing, stop func(), err error) {
	entrants, err = localEntrants()
	if err != nil {
		return nil, nil, nil, err
	}
	if only != nil {
		entrants = slices.DeleteFunc(entrants, func(e entrant) bool { return !slices.Contains(only, e.Name) })
		return entrants, nil, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "showdown")
	if err != nil {
		return nil, nil, nil, err
	}
	safe, end, err := safeEntrant(dir)
	stop = func() {
		if end != nil {
			end()
		}
		os.RemoveAll(dir)
	}
	if err != nil {
		missing = append(missing, Missing{"muxmaster safe", "its binary could not be built: " + oneLine(err)})
		return entrants, missing, stop, nil
	}
	// Insert it after our other modes, before the peers.
	at := 0
	for at < len(entrants) && entrants[at].Ours {
		at++
	}
	return slices.Insert(entrants, at, safe), missing, stop, nil
}
