package showdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// The files of the runs from which the project's pages are generated: of the
// showdown, and of the HTTP/2 servers.
const (
	File      = "published.json"
	HTTP2File = "http2.json"
)

// Run contains the results so far.
type Run struct {
	Started    time.Time
	Finished   time.Time // zero if units are missing
	Command    string
	Quick      bool
	Machine    measure.Machine
	Tool       string        // the load generator
	Others     float64       // the largest share of CPU time that other processes used during a unit
	StolenTime time.Duration // that the host of this virtual machine took for others
	Took       time.Duration // of all units and processors
	Contenders []Entry
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

// Section names a kind of measurement.
type Section string

const (
	Serving      Section = "serving"      // ns per request as go test -bench reports it, with the cost of garbage collections
	Parallel     Section = "parallel"     // ns per request, all cores
	Scaling      Section = "scaling"      // ns per request to a generated API
	Registration Section = "registration" // ns per route
	Heap         Section = "heap"         // bytes
	Load         Section = "load"         // requests per second over real sockets, one router after net/http's server
	Servers      Section = "servers"      // the same, one server before our router
	HTTP2        Section = "http2"        // the same, over HTTP/2; only the command engine measures them
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
	P50       Samples `json:",omitempty"` // microseconds, where Section is Load, Servers or HTTP2
	P99       Samples `json:",omitempty"`
	P999      Samples `json:",omitempty"`
	Memory    Samples `json:",omitempty"` // megabytes that are resident, the same
	CPU       Samples `json:",omitempty"` // microseconds of the server's CPU time per request
	Kernel    Samples `json:",omitempty"` // the part of CPU in the kernel
}

// Samples are the figures of the rounds. In the file, they have four
// significant digits.
type Samples []float64

func (s Samples) MarshalJSON() ([]byte, error) {
	rounded := make([]float64, len(s))
	for i, v := range s {
		var err error
		if rounded[i], err = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64); err != nil {
			return nil, err
		}
	}
	return json.Marshal(rounded)
}

// Summary returns the median with its 95 % confidence interval, which is
// infinite with few samples.
func (s Samples) Summary() benchmath.Summary {
	thresholds := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(s), &thresholds), 0.95) // it sorts its argument
}

// Min returns the smallest sample, or NaN if there is none.
func (s Samples) Min() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	return slices.Min(s)
}

// In returns the cells of a section and scenario, or of all scenarios for "".
func (r *Run) In(section Section, scenario string) []Cell {
	var cells []Cell
	for _, c := range r.Cells {
		if c.Section == section && (scenario == "" || c.Scenario == scenario) {
			cells = append(cells, c)
		}
	}
	return cells
}

// Cell returns the cell of a contender, and whether it has figures.
func (r *Run) Cell(section Section, scenario, contender string) (Cell, bool) {
	for _, c := range r.Cells {
		if c.Section == section && c.Scenario == scenario && c.Contender == contender {
			return c, len(c.Samples) > 0
		}
	}
	return Cell{}, false
}

// Entry returns the description of a contender.
func (r *Run) Entry(name string) Entry {
	for _, e := range r.Contenders {
		if e.Name == name {
			return e
		}
	}
	return Entry{Name: name}
}

// MachineLine describes the machine and the date of the run.
func (r *Run) MachineLine() string {
	return fmt.Sprintf("%s, %s.", r.Machine, r.Started.Format("2 January 2006"))
}

// In reports whether the contender belongs to the class.
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

// encode encodes the run as JSON with one line per cell.
func (r *Run) encode() ([]byte, error) {
	out, err := json.Marshal(r)
	if err != nil || len(r.Cells) == 0 {
		return append(out, '\n'), err
	}
	const cell = `{"Section":` // only cells begin so, and strings can't contain it
	out = bytes.ReplaceAll(out, []byte(cell), []byte("\n"+cell))
	return append(bytes.TrimSuffix(out, []byte("]}")), "\n]}\n"...), nil
}

// Rounded returns the run with the digits that its file has.
func (r *Run) Rounded() (*Run, error) {
	data, err := r.encode()
	if err != nil {
		return nil, err
	}
	rounded := new(Run)
	return rounded, json.Unmarshal(data, rounded)
}

// Write writes the run to the file atomically.
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

// Resume reads the run in file, or returns the fresh one if there is none. It
// returns an error if the command, the machine or the contenders differ.
func Resume(file string, fresh *Run) (*Run, error) {
	old, err := Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return nil, err
	}
	what := func(r *Run) string {
		text := fmt.Sprint(r.Command, ", ", r.Machine.CPU, ", ", r.Machine.Go)
		for _, e := range fresh.Contenders { // the run of the file may have one more
			text += fmt.Sprint(", ", e.Name, " ", r.Entry(e.Name).Version)
		}
		return text
	}
	if was, is := what(old), what(fresh); was != is {
		return nil, fmt.Errorf("showdown: %s can't be resumed: it is a run of %s, now it would be %s; start a new run without -resume", file, was, is)
	}
	return old, nil
}

// Stolen returns the share of the processors' time that the host of this virtual
// machine took for others during the run.
func (r *Run) Stolen() float64 { return float64(r.StolenTime) / float64(max(r.Took, 1)) }

// Base returns the server to which the ratios of a section under load are relative.
func (s Section) Base() string {
	if s == Load {
		return "no router"
	}
	return load.HTTPServers[0].Name
}

// UnderLoad reports whether servers under load are measured.
func (s Section) UnderLoad() bool { return s == Load || s == Servers || s == HTTP2 }
