package claims

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// A Result is a claim with its measured cases.
type Result struct {
	Claim
	Rows []Row
}

// Verdict returns the verdict for the page's own scenario.
func (r Result) Verdict() string {
	return verdict(r.Page, r.Rows[0].Ratio, r.Rows[0].ConnsPerOp < 0 || r.Rows[0].ConnsPerOp > 0.5)
}

// Print writes one result for a terminal.
func Print(w io.Writer, r Result) {
	fmt.Fprintf(w, "%2d %s\n   page %s, here %s: %s\n   %s\n", r.Number, r.Title, figure.Times(r.Page), ratioText(r.Rows[0]), r.Verdict(), r.Why(r.Rows))
	for _, row := range r.Rows {
		fmt.Fprintf(w, "     %-42s %s\n", row.Case, strings.Join(cells(row), "   "))
	}
}

// Markdown writes docs/claims.md.
func Markdown(w io.Writer, results []Result, command string, now time.Time) {
	fmt.Fprintf(w, `# Fourteen claims about net/http, measured

A page about optimizing net/http lists fourteen habits that cost time, memory or
connections, and how much. This document measures each of them. *Before* and *after*
are that page's own code, *ours* is this project's solution. It is generated; don't
edit it.

- Machine: %s
- Date: %s
- Command, in bench/: `+"`%s`"+`

Client and server are in one process and use the loopback interface. Bytes and
allocations are those of both, per operation. The sides run in short interleaved
rounds. A ratio is the median of the rounds' ratios, with their range in brackets.
Compare times only within a row. Over a real network, handshakes take longer.

A claim **holds** if at least half of its gain is measured, and **holds in direction**
from 1.15×. Some claims say that each request opens a connection. If fewer than half
of the requests do, the **premise is false**.

| # | claim | page | measured | verdict | why | ours |
|---|---|---|---|---|---|---|
`, measure.ThisMachine(), now.UTC().Format(time.DateOnly), command)
	for _, r := range results {
		ours := "-"
		if r.Ours != "" {
			ours = "`" + r.Ours + "`"
		}
		fmt.Fprintf(w, "| %d | %s | %s | %s | **%s** | %s | %s |\n", r.Number, r.Title, figure.Times(r.Page), ratioText(r.Rows[0]), r.Verdict(), r.Why(r.Rows), ours)
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

// cells returns the columns before, after, ours and the two ratios.
func cells(row Row) []string {
	if row.Held != nil {
		held := func(i int) string { return fmt.Sprintf("%d connections held", row.Held[i]) }
		return []string{held(0), held(1), held(2), "", ""}
	}
	before := row.Before.String()
	if row.ConnsPerOp >= 0 {
		before += fmt.Sprintf(", %.2f new connections", row.ConnsPerOp)
	}
	ours, oursRatio := "-", "-"
	if row.Ours != nil {
		ours, oursRatio = row.Ours.String(), figure.Times(row.OursRatio)
	}
	return []string{before, row.After.String(), ours, ratioText(row), oursRatio}
}

func (f Figure) String() string {
	return fmt.Sprintf("%v, %s B, %.0f", figure.Duration(f.NS), figure.Count(f.Bytes), f.Allocs)
}

func ratioText(row Row) string {
	if row.Held != nil {
		return fmt.Sprintf("%d connections held before, %d after", row.Held[0], row.Held[1])
	}
	return fmt.Sprintf("%s [%s to %s]", figure.Times(row.Ratio), figure.Times(row.Least), figure.Times(row.Most))
}
