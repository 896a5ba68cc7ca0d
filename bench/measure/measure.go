// Package measure measures tasks: their time, as Go benchmarks, their allocations
// and the memory that they retain. It also describes the machine.
package measure

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// Task is a task to measure. Run repeats it the given number of times; each
// repetition is Ops operations.
type Task struct {
	Run func(times int)
	Ops int
	// Timed, if not nil, is like Run but returns the time of the operations,
	// without the time for preparing them.
	Timed func(times int) time.Duration
}

// Time runs t and returns how long it took.
func (t Task) Time(times int) time.Duration {
	if t.Timed != nil {
		return t.Timed(times)
	}
	start := time.Now()
	t.Run(times)
	return time.Since(start)
}

// Median returns the median, or NaN if there are no samples.
func Median(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(samples))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// Ratios returns the ratio of a to b for each round.
func Ratios(a, b []float64) []float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return ratios
}

// Allocs returns the bytes and allocations per operation, averaged over enough
// operations to make one-time allocations negligible. It disables the garbage
// collector, which would empty pools.
func Allocs(t Task) (bytes, allocs float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	t.Run(1)
	times := max(1, 20_000/t.Ops)
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	t.Run(1) // refill pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	t.Run(times)
	runtime.ReadMemStats(&after)
	n := float64(times * t.Ops)
	// Less than a thousandth comes from background goroutines.
	round := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	return round(float64(after.TotalAlloc-before.TotalAlloc) / n), round(float64(after.Mallocs-before.Mallocs) / n)
}

// Heap returns the bytes that a result of load retains, averaged over enough
// copies to make noise negligible.
func Heap(load func() any) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	load() // one-time allocations of packages
	one := heapOf(load, 1)
	copies := int(min(200, max(4, 8<<20/max(one, 1))))
	return heapOf(load, copies)
}

func heapOf(load func() any, copies int) float64 {
	keep := make([]any, copies)
	before := liveHeap()
	for i := range keep {
		keep[i] = load()
	}
	after := liveHeap()
	runtime.KeepAlive(keep)
	return max(0, float64(after)-float64(before)) / float64(copies)
}

// liveHeap runs the garbage collector until pools are empty and finalizers have
// run, and returns the size of the heap.
func liveHeap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Benchmark runs a task as a Go benchmark: complete passes over all requests.
// It reports only the time of the requests.
func Benchmark(b *testing.B, task Task) {
	task.Run(1)
	passes := (b.N + task.Ops - 1) / task.Ops
	b.ReportAllocs()
	b.ResetTimer()
	took := task.Time(passes)
	b.ReportMetric(float64(took.Nanoseconds())/float64(passes*task.Ops), "ns/op")
}

// NewRequest returns a request like one from net/http's server.
func NewRequest(method, path string) *http.Request {
	r, err := http.NewRequest(method, "http://example.com"+path, nil)
	if err != nil {
		panic(err)
	}
	r.RequestURI = path
	r.RemoteAddr = "192.0.2.1:1234"
	return r
}

// Writer is an http.ResponseWriter that discards everything except the status.
type Writer struct {
	header http.Header
	Status int
}

// NewWriter returns a Writer with an empty header.
func NewWriter() *Writer { return &Writer{header: http.Header{}, Status: http.StatusOK} }

func (w *Writer) Header() http.Header               { return w.header }
func (w *Writer) WriteHeader(status int)            { w.Status = status }
func (w *Writer) Write(b []byte) (int, error)       { return len(b), nil }
func (w *Writer) WriteString(s string) (int, error) { return len(s), nil }

// Machine describes the machine of a measurement.
type Machine struct {
	CPU    string
	Cores  int
	System string // "linux/amd64, kernel 6.1"
	Go     string
}

// ThisMachine describes this machine, as far as known.
func ThisMachine() Machine {
	m := Machine{CPU: "unknown processor", Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if proc, err := procfs.NewDefaultFS(); err == nil {
		if cpus, err := proc.CPUInfo(); err == nil && len(cpus) > 0 {
			m.CPU = cpus[0].ModelName
		}
	}
	if data, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.System += ", kernel " + strings.TrimSpace(string(data))
	}
	return m
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s, %s", m.CPU, m.Cores, m.System, m.Go)
}

// ProgramCPU returns the CPU time of another process, or 0 if it is unknown.
func ProgramCPU(pid int) (used time.Duration) {
	threads, _ := procfs.AllThreads(pid)
	for _, t := range threads {
		if s, err := t.Schedstat(); err == nil {
			used += time.Duration(s.RunningNanoseconds)
		}
	}
	return used
}

// KernelCPU returns the part of a process's CPU time that it has spent in the
// kernel, in steps of 10 ms, or 0 if it is unknown.
func KernelCPU(pid int) time.Duration {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0
	}
	stat, _ := p.Stat()
	return time.Duration(stat.STime) * (time.Second / 100) // USER_HZ
}

// Resident returns the resident memory of a process in bytes, or 0 if it is
// unknown.
func Resident(pid int) float64 {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0
	}
	stat, _ := p.Stat()
	return float64(stat.ResidentMemory())
}

// MachineTime returns how long the processors were busy since the system
// started, in all, and the part of it that the host of this virtual machine has
// taken for others. Both are 0 if they are unknown.
func MachineTime() (busy, stolen time.Duration) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, 0
	}
	stat, err := proc.Stat()
	if err != nil {
		return 0, 0
	}
	c := stat.CPUTotal
	return time.Duration((c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ + c.Steal) * 1e9), time.Duration(c.Steal * 1e9)
}
