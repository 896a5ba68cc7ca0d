package load

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain runs the test binary as a server if it is started as a child, like
// the command.
func TestMain(m *testing.M) {
	Help()
	m.Run()
}

// TestRun loads every server in every kind of case, and routers.
func TestRun(t *testing.T) {
	cases := []Case{{Path: paramPath, Connections: 4, Pipeline: 1}}
	for _, c := range append(Cases(), HTTP2Cases()...) {
		// The others are the same with another number of requests at a time.
		if !c.Protocol.HTTP2() && (c.Pipeline > 1 || c.Browser && c.Connections == 64 && c.Path != helloPath) || c.PerSecond > 0 || c.Streams == 100 {
			cases = append(cases, c)
		}
	}
	for _, c := range cases {
		servers := append(Entrants(c), "nobody")
		if c.Path == paramPath {
			servers = []string{"http.ServeMux", "no router", "nobody"}
		}
		var results []Result
		var err error
		silent := func(r Result) bool { return r.Cannot == "no response in a round" }
		for range 5 { // on a busy machine, a round may end before the handshakes
			results, err = Run(t.Context(), servers, c, Plan{Rounds: 1, Round: 100 * time.Millisecond})
			if !slices.ContainsFunc(results, silent) {
				break
			}
		}
		if err != nil || len(servers) < 3 {
			t.Fatalf("%s: %v, servers %q", c, err, servers)
		}
		for i, r := range results[:len(servers)-1] {
			if r.Cannot != "" || len(r.Rounds) != 1 {
				t.Errorf("%s, %s: %d rounds, %q", servers[i], c, len(r.Rounds), r.Cannot)
			} else if one := r.Rounds[0]; one.PerSecond <= 0 || one.P50 <= 0 || one.P99 < one.P50 && one.P99 != 0 || one.CPU <= 0 || one.Memory <= 1 { // on a busy machine, wrk may print a last percentile of 0
				t.Errorf("%s, %s: no sensible figures: %+v", servers[i], c, one)
			}
		}
		if got := results[len(servers)-1].Cannot; !strings.Contains(got, "nobody didn't start") {
			t.Errorf("an unknown server: %q", got)
		}
	}
}

func TestParse(t *testing.T) {
	const (
		h2load = "finished in 182.69ms, 27368.36 req/s, 1.07MB/s\nrequests: 5000 total, 5000 started, 5000 done, 5000 succeeded, 0 failed, 0 errored, 0 timeout\n" +
			"status codes: 5000 2xx, 0 3xx, 0 4xx, 0 5xx\n"
		wrk = "  43210 requests in 1.00s, 5.3MB read\nRequests/sec:  43123.45\n"
	)
	for _, tt := range []struct{ out, figure, want string }{
		{h2load, `(\d+) succeeded`, "5000"},
		{wrk, `(\d+) requests in`, "43210"},
		{"", `(\d+) requests in`, `tool printed no figures: ""`},
		{strings.Replace(h2load, "0 failed", "1 failed", 1), "", "tool: requests: 5000 total, 5000 started, 5000 done, 5000 succeeded, 1 failed, 0 errored, 0 timeout"},
		{strings.Replace(h2load, "0 4xx", "12 4xx", 1), "", "tool: status codes: 5000 2xx, 0 3xx, 12 4xx, 0 5xx"},
		{wrk + "  Non-2xx or 3xx responses: 7\n", "", "tool: Non-2xx or 3xx responses: 7"},
		{wrk + "  Socket errors: connect 0, read 3, write 0, timeout 0\n", "", "tool: Socket errors: connect 0, read 3, write 0, timeout 0"},
	} {
		found, err := parse("tool", tt.out, tt.figure)
		if got := strings.Join(found, ""); got != tt.want && (err == nil || err.Error() != tt.want) {
			t.Errorf("%q: got %q, %v, want %s", tt.out, got, err, tt.want)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := Run(ctx, []string{"http.ServeMux"}, Parameter, Plan{Rounds: 1000, Round: time.Millisecond})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestRunRejectsWrongResponses(t *testing.T) {
	results, err := Run(t.Context(), []string{"no router"}, Cases()[0], Plan{Rounds: 1})
	if want := `response 200 "123", want 200 "Hello, World!"`; err != nil || results[0].Cannot != want {
		t.Errorf("got %+v, %v, want %s", results, err, want)
	}
}
