package middleware

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// connection is a ResponseWriter with the interfaces of net/http's, which
// reuses its header for the next call.
type connection struct {
	h           http.Header
	wroteHeader bool
}

func (c *connection) Header() http.Header                          { return c.h }
func (c *connection) WriteHeader(int)                              {}
func (c *connection) Write(p []byte) (int, error)                  { return len(p), nil }
func (c *connection) Flush()                                       {}
func (c *connection) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, nil }
func (c *connection) ReadFrom(src io.Reader) (int64, error)        { return io.Copy(io.Discard, src) }

// task returns a task that serves the pair's request with m.
func (p pair) task(m func(http.Handler) http.Handler) measure.Task {
	handler := p.handler
	if handler == nil {
		handler = ok
	}
	h, w, r := m(handler), &connection{h: http.Header{}}, httptest.NewRequest("GET", "/users/42?q=1", nil)
	r.Body = http.NoBody // like the server
	if p.prepare != nil {
		p.prepare(r)
	}
	saved := new(http.Request)
	*saved = *r
	return measure.Task{Ops: 1, Run: func(times int) {
		for range times {
			if p.reset != nil {
				p.reset(r, saved)
			}
			h.ServeHTTP(w, r)
		}
	}}
}

func bare(h http.Handler) http.Handler { return h }

func TestNoMoreAllocationsThanCounterparts(t *testing.T) {
	for _, p := range pairs {
		_, ours := measure.Allocs(p.task(p.ours))
		_, theirs := measure.Allocs(p.task(p.their))
		if ours > theirs+p.more+0.1 { // a background goroutine may allocate, too
			t.Errorf("%s: %v allocations, %s has %v", p.name, ours, p.peer, theirs)
		}
	}
}

var update = flag.Bool("update", false, "measure, and write the table into docs/middleware.md")

const document = "../../docs/middleware.md"

// TestFigures compares the names in the document's table with the pairs; with
// -update it measures and writes the table.
func TestFigures(t *testing.T) {
	if *update {
		if err := figure.ReplaceIn(document, "figures", figures()); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if !strings.Contains(string(text), fmt.Sprintf("| %s | %s |", p.name, p.peer)) {
			t.Errorf("%s lacks %s against %s; run with -update", document, p.name, p.peer)
		}
	}
}

// plan has rounds that are long enough to include the garbage collections that
// a contender causes.
var plan = measure.Plan{Rounds: 40, Round: 10 * time.Millisecond}

// bar is the target: the maximum ratio of our time to a counterpart's.
const bar = 0.6

func figures() string {
	var b, short strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n\n", time.Now().UTC().Format("2 January 2006"), measure.ThisMachine())
	b.WriteString("| middleware | compared to | time | added time | allocations | its allocations | differences of the other |\n|---|---|---|---|---|---|---|\n")
	within, added := 0, 0
	for _, p := range pairs {
		tasks := []measure.Task{p.task(p.ours), p.task(p.their)}
		_, ourAllocs := measure.Allocs(tasks[0])
		_, theirAllocs := measure.Allocs(tasks[1])
		p.handler = nil
		tasks = append(tasks, p.task(bare))
		if p.least != nil {
			tasks = append(tasks, p.task(p.least.m))
		}
		samples := measure.Rounds(tasks, plan, nil)
		our, their, none := measure.Min(samples[0]), measure.Min(samples[1]), measure.Min(samples[2])
		if testing.Verbose() {
			fmt.Printf("%-46s %-8s ours %6.1f theirs %6.1f bare %5.1f\n", p.name, p.peer, our, their, none)
		}
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.2f | %v | %v | %s |\n", p.name, p.peer, our/their, (our-none)/(their-none), ourAllocs, theirAllocs, p.note)
		if our <= bar*their {
			within++
		}
		if our-none <= bar*(their-none) {
			added++
		}
		if our > bar*their && p.least != nil {
			floor := measure.Min(samples[3])
			fmt.Fprintf(&short, "| %s | %s | %.2f | %s | %.2f | %.0f %% |\n", p.name, p.peer, our/their, p.least.name, floor/their, 100*floor/our)
		}
	}
	fmt.Fprintf(&b, "\nOf the %d rows, %d have a time of at most %v, and %d an added time of at most %v.\n", len(pairs), within, bar, added, bar)
	if short.Len() > 0 {
		b.WriteString("In some rows, most of the time is spent in code of the standard library. This table shows that part, measured separately:\n\n" +
			"| middleware | compared to | time | this part | its time | share of ours |\n|---|---|---|---|---|---|\n" + short.String())
	}
	return b.String() + "\n" + idFigures()
}
