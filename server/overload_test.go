package server_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

var overloadTable = flag.Bool("overloadtable", false, "measure the table of overload and write it to docs/server.md")

// overloadServer is the main function of a child process. Its handlers burn the
// CPU for 10 ms, or hold one of 20 places for 100 ms.
func overloadServer() {
	least := time.Hour
	for range 1000 {
		start := time.Now()
		burn(10)
		least = min(least, time.Since(start))
	}
	steps := int(10 * 10 * time.Millisecond / least)
	places := make(chan bool, 20)
	mux := http.NewServeMux()
	mux.HandleFunc("/CPU", func(w http.ResponseWriter, r *http.Request) {
		burn(steps)
		hello(w, r)
	})
	mux.HandleFunc("/pool", func(w http.ResponseWriter, r *http.Request) {
		select { // as database/sql
		case places <- true:
		case <-r.Context().Done():
			return
		}
		time.Sleep(100 * time.Millisecond)
		<-places
		hello(w, r)
	})
	s := server.New("127.0.0.1:0", mux)
	s.MaxConns = 0
	s.Log = discardLog
	s.HTTP.Protocols.SetUnencryptedHTTP2(true)
	s.Engine = strings.HasPrefix(os.Getenv("TEST_OVERLOAD"), "engine")
	if os.Getenv("TEST_OVERLOAD_SHED") != "" {
		s.Shed = new(server.Shed)
	}
	ctx := context.Background()
	ln, err := s.Listen(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(ln.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	s.Serve(ctx, ln)
}

var burned atomic.Uint64

func burn(steps int) {
	x := burned.Load() | 1
	for range steps * 10_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	burned.Store(x)
}

// A sample is one request of a load.
type sample struct {
	at, took time.Duration // since the load began
	ok       bool          // 200 in time
	refused  bool
}

// An overloader sends requests to one handler and records them.
type overloader struct {
	c   *http.Client
	url string

	mu      sync.Mutex
	start   time.Time
	samples []sample
}

// overloadTimeout is how long clients wait for a response.
const overloadTimeout = time.Second

// send sends one request. It returns how long the client should wait before the
// next one.
func (l *overloader) send() time.Duration {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), overloadTimeout)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", l.url, nil)
	resp, err := l.c.Do(r)
	s := sample{at: began.Sub(l.start)}
	var wait time.Duration
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		s.ok = err == nil && resp.StatusCode == 200
		s.refused = resp.StatusCode == 503
		wait, _ = time.ParseDuration(resp.Header.Get("Retry-After") + "s")
	}
	s.took = time.Since(began)
	l.mu.Lock()
	l.samples = append(l.samples, s)
	l.mu.Unlock()
	return wait
}

// closed runs n clients, each of which sends its next request when it has got
// the response, or when the response says so.
func (l *overloader) closed(n int, d time.Duration) []sample {
	return l.run(func(work *sync.WaitGroup) {
		for range n {
			work.Go(func() {
				for time.Since(l.start) < d {
					time.Sleep(min(l.send(), max(0, d-time.Since(l.start))))
				}
			})
		}
	})
}

// open sends requests at random times, rate each second.
func (l *overloader) open(rate float64, d time.Duration) []sample {
	return l.run(func(work *sync.WaitGroup) {
		for at := 0.0; at < d.Seconds(); at += rand.ExpFloat64() / rate {
			time.Sleep(time.Duration(at*1e9) - time.Since(l.start))
			work.Go(func() { l.send() })
		}
	})
}

func (l *overloader) run(f func(*sync.WaitGroup)) []sample {
	l.start, l.samples = time.Now(), nil
	var work sync.WaitGroup
	f(&work)
	work.Wait()
	return l.samples
}

// rate returns the responses in time per second of those requests that were
// sent between two times.
func rate(s []sample, from, to time.Duration) float64 {
	n := 0
	for _, s := range s {
		if end := s.at + s.took; s.ok && end >= from && end < to {
			n++
		}
	}
	return float64(n) / (to - from).Seconds()
}

// p99 returns the 99th percentile of the time that requests took which weren't
// refused, if they were sent after a time.
func p99(s []sample, from time.Duration) time.Duration {
	var took []time.Duration
	for _, s := range s {
		if s.at >= from && !s.refused {
			took = append(took, s.took)
		}
	}
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// A surge is a row of the table: a load that a handler can't serve.
type surge struct {
	backend, handler, kind string
	times                  int // the capacity
}

func surges() (rows []surge) {
	for _, backend := range []string{"net/http, HTTP/1.1", "engine, HTTP/2"} {
		for _, handler := range []string{"CPU", "pool"} {
			for _, kind := range []string{"closed", "open"} {
				rows = append(rows, surge{backend, handler, kind, 2}, surge{backend, handler, kind, 10})
			}
		}
	}
	return rows
}

func (s surge) String() string {
	return fmt.Sprintf("%s | %s, %s, %d times |", s.backend, s.handler, s.kind, s.times)
}

const (
	surgeTime   = 8 * time.Second
	surgeOnset  = 3 * time.Second // not part of the figures
	surgeWindow = 4 * time.Second // after the load
)

// measure runs the load against a new process, and then a third of its capacity.
// It returns the figures, and whether the machine had time for it.
func (s surge) measure(t *testing.T, shed bool) (figures string, quiet bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "TEST_OVERLOAD="+s.backend)
	if shed {
		cmd.Env = append(cmd.Env, "TEST_OVERLOAD_SHED=on")
	}
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); cmd.Wait() }()
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	v := plain
	if strings.HasPrefix(s.backend, "engine") {
		v = http2c
	}
	tr := v.transport()
	tr.MaxIdleConnsPerHost = 10_000
	l := &overloader{c: &http.Client{Transport: tr}, url: v.scheme + strings.TrimSpace(addr) + "/" + s.handler}
	places, ideal := 1, 100.0
	if s.handler == "pool" {
		places, ideal = 20, 200
	}
	idle := p99(l.closed(1, 2*time.Second), 0)
	peak := rate(l.closed(places, 2*time.Second), 500*time.Millisecond, 2*time.Second)
	var got []sample
	if s.kind == "closed" {
		got = l.closed(places*s.times, surgeTime)
	} else {
		got = l.open(peak*float64(s.times), surgeTime)
	}
	recovered := time.Duration(0)
	for _, s := range l.open(peak/3, surgeWindow) {
		if !s.ok || s.took > 5*idle {
			recovered = max(recovered, s.at)
		}
	}
	goodput, p := rate(got, surgeOnset, surgeTime)/peak, p99(got, surgeOnset)
	t.Logf("%v shed %v: peak %.0f/s, idle p99 %v, %d requests, onset %.2f, goodput %.2f, p99 %v, recovered %v", s, shed, peak, idle, len(got), rate(got, 0, surgeOnset)/peak, goodput, p, recovered)
	after := fmt.Sprintf("%.1f s", recovered.Seconds())
	if recovered > surgeWindow*9/10 {
		after = "later"
	}
	return fmt.Sprintf(" %.0f %% | %.1f× | %s |", 100*goodput, float64(p)/float64(idle), after), peak > 0.9*ideal
}

const surgeBegin = "<!-- generated: go test ./server -timeout 1h -run OverloadTable -overloadtable -->\n"

// TestOverloadTable checks that the table in docs/server.md has a row for each
// surge. With -overloadtable, it measures the figures and updates the table.
func TestOverloadTable(t *testing.T) {
	const doc = "../docs/server.md"
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), surgeBegin)
	table, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", doc, surgeBegin, tableEnd)
	}
	var b strings.Builder
	b.WriteString("\n| server | handler, load | goodput | p99 | recovery | with `Shed`: goodput | p99 | recovery |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range surges() {
		if !*overloadTable {
			if !strings.Contains(table, "| "+s.String()) {
				t.Errorf("%s has no figures for %v; run go test ./server -timeout 1h -run OverloadTable -overloadtable", doc, s)
			}
			continue
		}
		b.WriteString("| " + s.String())
		for _, shed := range []bool{false, true} {
			figures, quiet := s.measure(t, shed)
			for range 2 {
				if !quiet { // other processes used the processors
					figures, quiet = s.measure(t, shed)
				}
			}
			b.WriteString(figures)
		}
		b.WriteString("\n")
	}
	const picture = "../docs/overload.svg"
	if *overloadTable {
		table = b.String()
		err1 := os.WriteFile(doc, []byte(before+surgeBegin+table+"\n"+tableEnd+after), 0o644)
		err2 := os.WriteFile(picture, []byte(surgePicture(table)), 0o644)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(picture); err != nil || string(got) != surgePicture(table) {
		t.Errorf("%s doesn't show the table of %s (%v)", picture, doc, err)
	}
}

// surgePicture draws the goodput in the table, without and with Shed.
func surgePicture(table string) string {
	var b strings.Builder
	y := 46
	text := func(x int, class, s string) {
		fmt.Fprintf(&b, "<text x=%q y=\"%d\" class=%q>%s</text>\n", fmt.Sprint(x), y, class, s)
	}
	bar := func(class, cell string) {
		percent, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(cell), " %"))
		fmt.Fprintf(&b, "<rect x=\"330\" y=\"%d\" width=\"%d\" height=\"8\" class=%q/>\n", y-9, max(2, 3*percent), class)
		text(338+max(2, 3*percent), "small", fmt.Sprint(percent, " %"))
		y += 11
	}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 8 && strings.Contains(cells[2], " times") {
			text(0, "", strings.TrimSpace(cells[1])+": "+strings.TrimSpace(cells[2]))
			bar("off", cells[3])
			bar("on", cells[6])
			y += 9
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="760" height="%d" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Goodput of overloaded handlers, without and with Shed, as in the table below.">
<style>
text { fill: #1d2126 } .small { font-size: 11px } .off { fill: #b4bcc7 } .on { fill: #0b6e5f }
@media (prefers-color-scheme: dark) { text { fill: #e8e8e4 } .off { fill: #5a6472 } .on { fill: #35c2a6 } }
</style>
<text x="0" y="16" font-weight="bold">Requests served in time, of the capacity</text>
<rect x="330" y="7" width="10" height="10" class="off"/><text x="346" y="16">without Shed</text>
<rect x="440" y="7" width="10" height="10" class="on"/><text x="456" y="16">with Shed</text>
%s</svg>
`, y, b.String())
}
