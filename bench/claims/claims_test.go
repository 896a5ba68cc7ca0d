package claims

import (
	"bufio"
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		page, measured float64
		premise        bool
		want           string
	}{
		{10, 10, true, Holds},
		{10, 5.5, true, Holds},
		{10, 5.4, true, Direction},
		{10, 1.15, true, Direction},
		{10, 1.14, true, DoesNotHold},
		{1.8, 1.0, true, DoesNotHold},
		{1.8, 1.5, true, Holds},
		{10, 0.1, true, DoesNotHold},
		{10, 20, false, PremiseFalse},
	} {
		if got := verdict(c.page, c.measured, c.premise); got != c.want {
			t.Errorf("verdict(%v, %v, %v) = %q, want %q", c.page, c.measured, c.premise, got, c.want)
		}
	}
}

// TestAllClaimsRun checks that all claims can be measured, and that the page
// lists them.
func TestAllClaimsRun(t *testing.T) {
	var results []Result
	for i, c := range All() {
		if c.Number != i+1 || c.Title == "" || c.Why == nil || c.Page <= 1 {
			t.Errorf("claim %d is incomplete: %+v", i+1, c)
		}
		r := Result{Claim: c}
		for range 5 { // on a busy machine, a server may close its connections late
			r.Rows = Run(c, measure.Plan{Rounds: 1, Round: time.Millisecond}, true)
			if h := r.Rows[0].Held; h == nil || h[1] == 0 && h[2] == 0 {
				break
			}
		}
		for _, row := range r.Rows {
			if row.Held == nil && (row.Before.NS <= 0 || row.After.NS <= 0 || (row.Ours == nil) != (c.Ours == "")) {
				t.Errorf("claim %d, %s: %+v", c.Number, row.Case, row)
			}
			if row.Held != nil && (row.Held[0] == 0 || row.Held[1] != 0 || row.Held[2] != 0) {
				t.Errorf("claim %d, %s: %v connections held; want many, none, none", c.Number, row.Case, row.Held)
			}
		}
		results = append(results, r)
	}
	// The number of connections doesn't depend on the speed of the machine.
	for _, n := range []int{1, 9, 10} {
		if got := results[n-1].Verdict(); got != PremiseFalse {
			t.Errorf("claim %d: %s, want %s: net/http reuses connections here", n, got, PremiseFalse)
		}
	}
	for _, n := range []int{1, 10} {
		if got := results[n-1].Rows[1].ConnsPerOp; got != 1 {
			t.Errorf("claim %d with a new transport: %v connections for each request, want 1", n, got)
		}
	}
	var page bytes.Buffer
	Markdown(&page, results, "go run ./cmd/claims", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	for _, want := range []string{"- Date: 2026-01-02\n", "`go run ./cmd/claims`", "| 1 | A new http.Client for each call | 70× | ", "| 14 | time.Now for request ids | 4.0× | "} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for line := range strings.Lines(page.String()) {
		if n := strings.Count(line, "|"); n != 0 && n != 8 {
			t.Errorf("a table's line has %d bars, want 8: %s", n, line)
		}
	}
}

// TestWhyMatchesResult checks that the explanations match the measured times.
func TestWhyMatchesResult(t *testing.T) {
	for _, c := range All() {
		texts := map[string]bool{}
		for _, o := range []struct {
			ratio float64
			says  string
		}{{5, "5.0× as fast"}, {1, "as fast as before"}, {0.5, "2.0× as slow"}} {
			rows := make([]Row, len(c.Cases))
			for i := range rows {
				f := Figure{Bytes: 1000 * o.ratio, Allocs: o.ratio}
				rows[i] = Row{Before: f, After: f, Ours: &f, Ratio: o.ratio, OursRatio: o.ratio, ConnsPerOp: o.ratio, Held: []int{int(o.ratio), 0, 0}}
			}
			text := c.Why(rows)
			texts[text] = true
			if c.Number != 9 && c.Number != 13 && !strings.Contains(text, o.says) {
				t.Errorf("claim %d, %vx: %q lacks %q", c.Number, o.ratio, text, o.says)
			}
			if strings.ContainsAny(text, "|\n") || strings.Contains(text, "%!") {
				t.Errorf("claim %d: %q", c.Number, text)
			}
		}
		if len(texts) < 2 {
			t.Errorf("claim %d: the explanation is the same for every result: %v", c.Number, texts)
		}
	}
}

// TestPitfalls checks the statements about mistakes in the page's code.
func TestPitfalls(t *testing.T) {
	for _, target := range []string{"DELETE /api/v1/users/1", "GET /admin/health-secrets"} {
		method, path, _ := strings.Cut(target, " ")
		w := httptest.NewRecorder()
		comparisons(w, httptest.NewRequest(method, path, nil))
		if w.Code != 200 {
			t.Errorf("the chain responds to %s with %d, want the wrong 200", target, w.Code)
		}
	}
	var got []string
	pagesLines(bufio.NewReader(strings.NewReader("one\ntwo")), func(line string) { got = append(got, line) })
	if len(got) != 1 {
		t.Errorf("the page's loop finds %q, want it to lose the last", got)
	}
	literal := http.Header{"X-Trace-ID": {"1"}}
	if got := literal.Get("X-Trace-ID"); got != "" {
		t.Errorf("Get finds %q in a literal whose key isn't canonical", got)
	}
	dump, err := httputil.DumpRequest(&http.Request{Method: "GET", URL: &url.URL{Path: "/"}, Header: http.Header{"Authorization": {"secret"}}}, true)
	if err != nil || !strings.Contains(string(dump), "secret") {
		t.Errorf("the dump has no Authorization: %q, %v", dump, err)
	}
}
