// Package measure measures tasks: their time, as Go benchmarks, and the memory that
// they retain. It also describes the machine.
package measure

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
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
}

// Ratios returns the ratio of a to b for each round.
func Ratios(a, b []float64) []float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return ratios
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
func Benchmark(b *testing.B, task Task) {
	task.Run(1)
	passes := (b.N + task.Ops - 1) / task.Ops
	b.ReportAllocs()
	b.ResetTimer()
	task.Run(passes)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(passes*task.Ops), "ns/op")
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

// Process returns the CPU time of a process, the part of it that the process has
// spent in the kernel, in steps of 10 ms, and its resident memory in bytes. What is
// unknown is 0.
func Process(pid int) (used, kernel time.Duration, resident int) {
	threads, _ := procfs.AllThreads(pid)
	for _, t := range threads {
		if s, err := t.Schedstat(); err == nil {
			used += time.Duration(s.RunningNanoseconds)
		}
	}
	if p, err := procfs.NewProc(pid); err == nil {
		stat, _ := p.Stat()
		kernel = time.Duration(stat.STime) * (time.Second / 100) // USER_HZ
		resident = stat.ResidentMemory()
	}
	return used, kernel, resident
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
