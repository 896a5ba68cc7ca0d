// Package showdown measures every contender in every scenario. It writes the
// results to a file after each unit, so a run can be stopped and resumed.
package showdown

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
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

	Log io.Writer // gets a line for each unit
}

// Regexp defines a flag for a regular expression. The empty one matches everything.
func Regexp(name, value, usage string) *regexp.Regexp {
	expr := new(regexp.Regexp)
	flag.TextVar(expr, name, regexp.MustCompile(value), usage)
	return expr
}

// Main parses the flags of a command and calls run, whose context ends with Ctrl-C.
// It exits with status 2 after an error or with arguments. In a process that was
// started to be a server under load, it serves instead.
func Main(run func(ctx context.Context) error) {
	load.Help()
	if flag.Parse(); flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unknown arguments %q\n", flag.Args())
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // another Ctrl-C ends the program at once
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// Start measures the units until all are done or the context ends, and returns
// the run. It writes the run to the file after each unit. If the context ends,
// it returns the context's error, and the run without the current unit.
func Start(ctx context.Context, o Options) (*Run, error) {
	r := &Run{
		Started: time.Now().UTC().Truncate(time.Second), Quick: o.Quick,
		Command: cmp.Or(o.Command, "go run ./cmd/showdown"), Machine: measure.ThisMachine(), Tool: "wrk and h2load",
	}
	if o.Quick {
		r.Command += " -quick"
	}
	contenders := contender.All()
	if o.Contenders != nil {
		contenders = slices.DeleteFunc(contenders, func(c contender.Contender) bool { return !slices.Contains(o.Contenders, c.Name) })
	} else {
		ours := slices.IndexFunc(contenders, func(c contender.Contender) bool { return !c.Ours })
		contenders = slices.Insert(contenders, ours, contender.Muxmaster(SafeName, false, false))
	}
	dir, err := os.MkdirTemp("", "showdown")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	every := units(contenders, *cmp.Or(o.Plan, Usual(o.Quick)), dir)
	us := slices.DeleteFunc(slices.Clone(every), func(u unit) bool { return o.Only != nil && !o.Only.MatchString(u.key) })
	if len(us) == 0 {
		return nil, fmt.Errorf("showdown: no unit matches %q; some are %q", o.Only, []string{every[0].key, every[len(every)-1].key})
	}
	for _, c := range contenders {
		r.Contenders = append(r.Contenders, Entry{c.Name, c.Version(), c.Style, c.Classes, c.Ours, c.NotStdlib})
	}
	if o.Resume {
		if r, err = Resume(o.File, r); err != nil {
			return nil, err
		}
	}
	us = slices.DeleteFunc(us, func(u unit) bool { return slices.Contains(r.Done, u.key) })
	for i, u := range us {
		fmt.Fprintf(o.Log, "%d of %d: %s\n", i+1, len(us), u.key)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		w := watch()
		if err := u.run(ctx, r); err != nil {
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			return r, fmt.Errorf("showdown: %s: %w", u.key, err)
		}
		r.Done = append(r.Done, u.key)
		w.addTo(r)
		if len(r.Done) == len(every) {
			r.Finished = time.Now().UTC().Truncate(time.Second)
		}
		if o.File != "" {
			if err := r.Write(o.File); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// SafeName is our router without package unsafe. Its benchmarks are built with the
// tag muxmaster_safe.
const SafeName = "muxmaster safe"

// A watching measures the CPU time that others use during a measurement.
type watching struct {
	started           time.Time
	all, stolen, ours time.Duration
}

func watch() watching {
	all, stolen := measure.MachineTime()
	self, children := measure.CPU()
	return watching{time.Now(), all, stolen, self + children}
}

// addTo adds what others used since watch: other processes, whose share of a unit
// counts, and other virtual machines, whose share of the whole run counts. It is 0
// if it is unknown. Child processes count as ours after they have ended.
func (w watching) addTo(r *Run) {
	now := watch()
	took := now.started.Sub(w.started) * time.Duration(runtime.NumCPU())
	others := (now.all - w.all) - (now.ours - w.ours)
	if now.all > 0 && took > time.Second { // a share of less, as of a case that needs no more rounds, means nothing
		r.Others = max(r.Others, float64(others)/float64(took))
	}
	r.Took += took
	r.StolenTime += now.stolen - w.stolen
}
