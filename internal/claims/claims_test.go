package claims

import (
	"bufio"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// A measured case of a claim. open starts its servers and clients.
type measured struct {
	name string
	open func(w *world) sides
}

// sides are the implementations to compare: the code that the page calls slow
// (before), the code that it calls fast (after) and, if there is one, this
// project's solution (ours). Each runs the given number of times and panics if it
// fails.
type sides struct{ before, after, ours func(times int) }

func cases() (all []measured) {
	for _, claim := range [][]measured{
		perCallClient(), readAllProxy(), idleConns(), encoder(), bodyBuffer(), routing(), headerLiteral(),
		lineReader(), idleTimeout(), tlsPerRequest(), dumpRequest(), drain(), requestID(),
	} {
		all = append(all, claim...)
	}
	return all
}

// BenchmarkClaims measures all cases with real servers on the loopback interface,
// and those about handlers also without a connection:
//
//	go test -bench . -count 10 ./internal/claims | tee new.txt
//	go run golang.org/x/perf/cmd/benchstat@latest -col /side new.txt
//
// Bytes and allocations are those of client and server. The metric conns/op is
// the number of new connections for each request.
func BenchmarkClaims(b *testing.B) {
	for _, c := range cases() {
		b.Run(c.name, func(b *testing.B) {
			w := &world{b: b}
			s := c.open(w)
			for side, f := range s.all() {
				b.Run("side="+side, func(b *testing.B) {
					f(1)
					b.ReportAllocs()
					opened := w.conns.Load()
					b.ResetTimer()
					f(b.N)
					b.ReportMetric(float64(w.conns.Load()-opened)/float64(b.N), "conns/op")
				})
			}
		})
	}
}

// all yields the sides that there are, with their names.
func (s sides) all() iter.Seq2[string, func(int)] {
	return func(yield func(string, func(int)) bool) {
		_ = yield("before", s.before) && yield("after", s.after) && (s.ours == nil || yield("ours", s.ours))
	}
}

// TestClaims runs all sides, and checks how many connections the code before
// opens, which is the premise of three claims.
func TestClaims(t *testing.T) {
	premises := map[string]int64{
		"01 new Client, TLS": 0, "01 new Transport, TLS": 1, "09 requests over kept connections": 0, "10 new Client, TLS": 0, "10 a handshake for each request": 1,
	}
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			w := &world{b: t, quick: true}
			for side, f := range c.open(w).all() {
				f(1)
				opened := w.conns.Load()
				f(5)
				if want, ok := premises[c.name]; ok && side == "before" && w.conns.Load()-opened != 5*want {
					t.Errorf("5 requests opened %d connections, want %d for each", w.conns.Load()-opened, want)
				}
			}
		})
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
	if got := (http.Header{"X-Trace-ID": {"1"}}).Get("X-Trace-ID"); got != "" {
		t.Errorf("Get finds %q in a literal whose key isn't canonical", got)
	}
	dump, err := httputil.DumpRequest(&http.Request{Method: "GET", URL: &url.URL{Path: "/"}, Header: http.Header{"Authorization": {"secret"}}}, true)
	if err != nil || !strings.Contains(string(dump), "secret") {
		t.Errorf("the dump has no Authorization: %q, %v", dump, err)
	}
}
