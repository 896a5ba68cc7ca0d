package load

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2/hpack"
)

// TestMain runs the test binary as a server if it is started as a child, like
// the command.
func TestMain(m *testing.M) {
	if name, ok := Asked(); ok {
		if err := Serve(name); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	servers := append([]string{"http.ServeMux", "no router"}, Entrants(Parameter(1, 1))...)
	servers = append(servers, "nobody")
	for _, c := range []Case{Parameter(4, 1), Parameter(4, 2)} {
		part := 0.0
		var results []Result
		// In a short round on a busy machine, there may be no response.
		for round, sensible := 50*time.Millisecond, false; !sensible; round *= 8 {
			plan := Plan{Rounds: 2, Round: round, WarmUp: c.Cores == 2}
			var err error
			if results, err = Run(t.Context(), servers, c, plan, func(p float64) { part = p }); err != nil {
				t.Fatal(err)
			}
			sensible = true
			for i, r := range results[:len(servers)-1] {
				if r.Cannot != "" || len(r.Rounds) != 2 {
					t.Errorf("%s, %s: %d rounds, %q", servers[i], c, len(r.Rounds), r.Cannot)
					continue
				}
				if one := r.Rounds[0]; one.PerSecond <= 0 || one.P50 <= 0 || one.P99 < one.P50 || one.CPU <= 0 {
					sensible = false
					if round > time.Second {
						t.Fatalf("%s, %s: no sensible figures: %+v", servers[i], c, one)
					}
				}
			}
		}
		if got := results[len(servers)-1].Cannot; !strings.Contains(got, "the server of nobody didn't start") {
			t.Errorf("an unknown server: %q", got)
		}
		if part != 1 {
			t.Errorf("reported %v as the last part, want 1", part)
		}
	}
}

// TestCases checks the responses of every server in every case.
func TestCases(t *testing.T) {
	cases := append(Cases(), HTTP2Cases()...)
	if HasH2load() {
		cases = append(cases, H2loadCases()...)
	}
	for _, c := range cases {
		switch {
		case c.Protocol == HTTP1:
			c.Connections = 2
		case c.PerSecond == 0 && c.Streams != 100: // the same with fewer requests at a time
			continue
		}
		servers := Entrants(c)
		if len(servers) < 2 {
			t.Errorf("%s: only %d servers", c, len(servers))
		}
		results, err := Run(t.Context(), servers, c, Plan{Rounds: 1, Requests: 20}, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			switch {
			case r.Cannot != "" || len(r.Rounds) != 1:
				t.Errorf("%s, %s: %d rounds, %q", servers[i], c, len(r.Rounds), r.Cannot)
			case r.Rounds[0].PerSecond <= 0 || r.Rounds[0].CPU <= 0 || !c.H2load && r.Rounds[0].P50 <= 0:
				t.Errorf("%s, %s: no sensible figures: %+v", servers[i], c, r.Rounds[0])
			}
		}
	}
}

// TestHTTP2Client checks that wrong responses are errors.
func TestHTTP2Client(t *testing.T) {
	for _, tt := range []struct{ name, path, want string }{
		{"another body", jsonPath, `a wrong response: body "{\"items\":[{\"id\":12345,\"name\":\"somebody\"}"`},
		{"another status", "/none", "a wrong response: its fields begin with"},
		{"a short body", helloPath, "a wrong response: 13 bytes, want 14"},
	} {
		c := Case{Path: helloPath, Protocol: H2C, Connections: 1, Streams: 1}
		target, err := start("engine", c)
		if err != nil {
			t.Fatal(err)
		}
		defer target.stop()
		connection, err := newHTTP2Client(target.process.address, c)
		if err != nil {
			t.Fatal(err)
		}
		cl := connection.(*http2Client)
		defer cl.conn.Close()
		cl.want = []byte(hello + "!")
		var block bytes.Buffer
		enc := hpack.NewEncoder(&block)
		for _, f := range (Case{Path: tt.path, Protocol: H2C}).fields() {
			f.Sensitive = true // not to be added to the table
			enc.WriteField(f)
		}
		cl.fields = block.Bytes()
		if err := cl.exchange(1, noMore); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestParseH2load(t *testing.T) {
	const out = `finished in 182.69ms, 27368.36 req/s, 1.07MB/s
requests: 5000 total, 5000 started, 5000 done, 5000 succeeded, 0 failed, 0 errored, 0 timeout
`
	requests, r, err := parseH2load(out)
	if err != nil || requests != 5000 || r.PerSecond != 27368.36 {
		t.Errorf("got %d, %+v, %v", requests, r, err)
	}
	for in, want := range map[string]string{
		"": `h2load printed no figures: ""`,
		strings.Replace(out, "5000 succeeded, 0 failed", "4999 succeeded, 1 failed", 1): "h2load: requests: 5000 total, 5000 started, 5000 done, 4999 succeeded, 1 failed, 0 errored, 0 timeout",
	} {
		if _, _, err := parseH2load(in); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, []string{"http.ServeMux"}, Parameter(1, 1), Plan{Rounds: 1000, Round: time.Millisecond},
		func(float64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestCheckRejectsWrongResponses(t *testing.T) {
	target, err := start("no router", Parameter(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer target.stop()
	err = check(target.process.address, Cases()[0])
	if want := `response 200 "123", want 200 "Hello, World!"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestServerThatFailsUnderLoadIsReported(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "h2load"), []byte("#!/bin/sh\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	c := H2loadCases()[0]
	results, err := Run(t.Context(), []string{"engine"}, c, Plan{Rounds: 2, Round: time.Millisecond}, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	if got := results[0]; !strings.HasPrefix(got.Cannot, "h2load: ") || got.Rounds != nil {
		t.Errorf("got %+v, want h2load's error and no rounds", got)
	}
}
