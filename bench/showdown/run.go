package showdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Run holds what has been measured so far.
type Run struct {
	Started    time.Time
	Finished   time.Time // zero while units are missing
	Command    string
	Quick      bool
	Machine    measure.Machine
	Tool       string  // that makes the load
	Others     float64 // the largest share of the machine that other processes used in a unit
	Contenders []Entry
	Missing    []Missing
	Done       []string // keys of the finished units
	Cells      []Cell   `json:",omitempty"`
}

// Entry describes a contender as it was in the run.
type Entry struct {
	Name, Version, Style string
	Classes              []contender.Class
	Ours                 bool
	NotStdlib            string
}

// Missing is a router or part that couldn't take part.
type Missing struct{ Name, Reason string }

// Section names a kind of measurement.
type Section string

const (
	Serving      Section = "serving"      // ns per request, in process
	Parallel     Section = "parallel"     // ns per request of all cores together
	Scaling      Section = "scaling"      // ns per request of a generated API
	Registration Section = "registration" // ns per route
	Heap         Section = "heap"         // bytes
	Load         Section = "load"         // requests per second over real sockets, one router after net/http's server
	Servers      Section = "servers"      // the same, one server before our router
)

// Cell is one contender in one scenario.
type Cell struct {
	Section   Section
	Scenario  string
	Contender string
	Cannot    string  `json:",omitempty"` // why there is no figure
	Samples   Samples `json:",omitempty"`
	Bytes     float64 `json:",omitempty"` // per request, where Section is Serving
	Allocs    float64 `json:",omitempty"`
	P50       Samples `json:",omitempty"` // microseconds, where Section is Load or Servers
	P99       Samples `json:",omitempty"`
	CPU       Samples `json:",omitempty"` // microseconds of the server's CPU time per request
}

// Samples are the figures of the rounds; in the file they have four significant
// digits.
type Samples []float64

func (s Samples) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range s {
		if i > 0 {
			out = append(out, ',')
		}
		// Through a float again: JSON would keep the exponent of %g as it is,
		// but 1e+06 is hard to read.
		short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
		if err != nil {
			return nil, err
		}
		out = strconv.AppendFloat(out, short, 'f', -1, 64)
	}
	return append(out, ']'), nil
}

// Summary is the median with its confidence interval at 95 %; few samples make
// it infinite.
func (s Samples) Summary() benchmath.Summary {
	return benchmath.AssumeNothing.Summary(s.sample(), 0.95)
}

// Min is the best of the samples.
func (s Samples) Min() float64 { return slices.Min(s) }

func (s Samples) sample() *benchmath.Sample {
	thresholds := benchmath.DefaultThresholds
	return benchmath.NewSample(slices.Clone(s), &thresholds) // it sorts what it gets
}

// In returns the cells of a section and scenario; "" stands for any scenario.
func (r *Run) In(section Section, scenario string) []Cell {
	var cells []Cell
	for _, c := range r.Cells {
		if c.Section == section && (scenario == "" || c.Scenario == scenario) {
			cells = append(cells, c)
		}
	}
	return cells
}

// Cell finds one cell with figures.
func (r *Run) Cell(section Section, scenario, contender string) (Cell, bool) {
	for _, c := range r.Cells {
		if c.Section == section && c.Scenario == scenario && c.Contender == contender && len(c.Samples) > 0 {
			return c, true
		}
	}
	return Cell{}, false
}

// Entry finds the description of a contender.
func (r *Run) Entry(name string) Entry {
	for _, e := range r.Contenders {
		if e.Name == name {
			return e
		}
	}
	return Entry{Name: name}
}

// In tells whether the contender belongs to the class.
func (e Entry) In(class contender.Class) bool { return slices.Contains(e.Classes, class) }

// Read loads a run from its file.
func Read(file string) (*Run, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Run)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("showdown: %s is not the file of a run: %w", file, err)
	}
	return r, nil
}

// encode writes the run as JSON with a line for each cell.
func (r *Run) encode() ([]byte, error) {
	head := *r
	head.Cells = nil
	out, err := json.Marshal(head)
	if err != nil || len(r.Cells) == 0 {
		return append(out, '\n'), err
	}
	out = append(out[:len(out)-1], `,"Cells":[`...)
	for i, c := range r.Cells {
		line, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '\n'), line...)
	}
	return append(out, "\n]}\n"...), nil
}

// Write saves the run. Whatever happens, the file is either the old or the new
// one.
func (r *Run) Write(file string) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", data, 0o666); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// Resume reads the run in file if it can be carried on with: the same program,
// contenders and plan.
func Resume(file string, fresh *Run) (*Run, error) {
	old, err := Read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fresh, nil
	case err != nil:
		return nil, err
	}
	differs := func(what string, was, is any) error {
		return fmt.Errorf("showdown: %s can't be resumed: its %s is %v, now it is %v; start anew without -resume", file, what, was, is)
	}
	switch {
	case old.Quick != fresh.Quick:
		return nil, differs("-quick", old.Quick, fresh.Quick)
	case old.Machine.Go != fresh.Machine.Go:
		return nil, differs("Go", old.Machine.Go, fresh.Machine.Go)
	case old.Machine.CPU != fresh.Machine.CPU || old.Machine.Cores != fresh.Machine.Cores:
		return nil, differs("machine", old.Machine.CPU, fresh.Machine.CPU)
	}
	was, is := names(old.Contenders), names(fresh.Contenders)
	gone := slices.DeleteFunc(slices.Clone(was), func(n string) bool { return slices.Contains(is, n) })
	come := slices.DeleteFunc(slices.Clone(is), func(n string) bool { return slices.Contains(was, n) })
	if len(gone)+len(come) > 0 {
		return nil, differs("list of contenders", fmt.Sprintf("with %q", gone), fmt.Sprintf("with %q", come))
	}
	return old, nil
}

func names(entries []Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Name+" "+e.Version)
	}
	return out
}
