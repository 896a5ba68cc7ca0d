package claims

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// A Result is a claim with what was measured of it.
type Result struct {
	Claim
	Rows []Row
}

// Verdict judges the page's own scenario.
func (r Result) Verdict() string { return verdict(r.Page, r.Rows[0].Ratio, r.Rows[0].Premise) }

// Print writes one result for a terminal.
func Print(w io.Writer, r Result) {
	fmt.Fprintf(w, "%2d %s\n   page %s, here %s: %s\n   %s\n", r.Number, r.Title, times3(r.Page), ratioText(r.Rows[0]), r.Verdict(), r.Why(r.Rows))
	for _, row := range r.Rows {
		fmt.Fprintf(w, "     %-42s %s\n", row.Case, strings.Join(cells(row), "   "))
	}
}

// Markdown writes docs/claims.md.
func Markdown(w io.Writer, results []Result, command string, now time.Time) {
	fmt.Fprintf(w, `# Fourteen claims about net/http, measured

A page about optimizing net/http names fourteen habits that cost time, memory or
connections, and by how much. This page measures each of them. *Before* and *after*
are that page's own code, *ours* is what this project offers. It is generated; don't
edit it.

- Machine: %s, %d processors, %s/%s
- Go: %s
- Date: %s
- Command, in bench/: `+"`%s`"+`

Client and server are one process on the loopback interface. Bytes and allocations
count both, per operation. The sides take turns in short rounds. A ratio is the
median of the rounds' ratios, with their range in brackets. Compare times only within
a row. Over a real network, handshakes weigh more.

A claim **holds** if at least half of its gain is there, and **holds in direction**
from 1.15x on. If the claim is that each request opens a connection, the connections
are counted; if fewer than every second request opens one, the **premise is false**.

| # | claim | page | measured | verdict | why | ours |
|---|---|---|---|---|---|---|
`, cpu(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), now.UTC().Format(time.DateOnly), command)
	for _, r := range results {
		fmt.Fprintf(w, "| %d | %s | %s | %s | **%s** | %s | %s |\n", r.Number, r.Title, times3(r.Page), ratioText(r.Rows[0]), r.Verdict(), r.Why(r.Rows), orDash(code(r.Ours)))
	}
	fmt.Fprint(w, `
## Each case

Per operation: time, B, allocs.

| # | case | before | after | ours | before/after | before/ours |
|---|---|---|---|---|---|---|
`)
	for _, r := range results {
		for _, row := range r.Rows {
			fmt.Fprintf(w, "| %d | %s | %s |\n", r.Number, row.Case, strings.Join(cells(row), " | "))
		}
	}
}

// cells are before, after, ours and the two ratios.
func cells(row Row) []string {
	if row.Held != nil {
		held := func(i int) string { return fmt.Sprintf("%d connections held", row.Held[i]) }
		return []string{held(0), held(1), held(2), "", ""}
	}
	before := row.Before.String()
	if row.ConnsPerOp >= 0 {
		before += fmt.Sprintf(", %.2f new connections", row.ConnsPerOp)
	}
	ours, oursRatio := "", ""
	if row.Ours != nil {
		ours, oursRatio = row.Ours.String(), times3(row.OursRatio)
	}
	return []string{before, row.After.String(), orDash(ours), ratioText(row), orDash(oursRatio)}
}

func (f Figure) String() string {
	return fmt.Sprintf("%v, %s B, %.0f", round3(f.NS), grouped(int64(f.Bytes+0.5)), f.Allocs)
}

func ratioText(row Row) string {
	if row.Held != nil {
		return fmt.Sprintf("%d connections held before, %d after", row.Held[0], row.Held[1])
	}
	return fmt.Sprintf("%s [%s to %s]", times3(row.Ratio), times3(row.Least), times3(row.Most))
}

// times3 writes a ratio with no more digits than it deserves.
func times3(v float64) string {
	switch {
	case v >= 10:
		return fmt.Sprintf("%.0fx", v)
	case v >= 1:
		return fmt.Sprintf("%.1fx", v)
	}
	return fmt.Sprintf("%.2gx", v)
}

func round3(ns float64) time.Duration {
	d := time.Duration(ns)
	unit := time.Duration(1)
	for unit*1000 <= d {
		unit *= 10
	}
	return d.Round(unit)
}

func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func code(names string) string {
	if names == "" {
		return ""
	}
	return "`" + names + "`"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// cpu is the processor's name, as far as the system tells.
func cpu() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
