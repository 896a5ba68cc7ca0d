package load

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Tool generates the load: wrk if it is installed and suits the case, otherwise
// this process, or h2load if the case says so.
type Tool struct {
	wrk     string // its path, or ""
	taskset string // its path if wrk must not use the server's core, or ""
	Version string
}

// FindTool looks for wrk and taskset.
func FindTool() Tool {
	t := Tool{Version: "package load"}
	if wrk, err := exec.LookPath("wrk"); err == nil {
		t.wrk = wrk
		// wrk prints its version with its usage and then fails.
		out, _ := exec.Command(wrk, "-v").CombinedOutput()
		t.Version = strings.Join(strings.Fields(string(out) + " wrk")[:2], " ")
	}
	if taskset, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 1 {
		t.taskset = taskset
	}
	return t
}

// A source sends requests to one server for a round. It returns the number of
// correct responses.
type source interface {
	round(ctx context.Context, p Plan) (requests int, r Round, err error)
	close()
}

// open returns the source of load for the server at addr.
func (t Tool) open(addr string, c Case) (source, error) {
	switch {
	case c.H2load:
		return newH2load(addr, c)
	case c.Protocol != HTTP1:
		return dialHTTP2(addr, c)
	case t.wrk == "":
		return dial(addr, c)
	}
	return &wrk{t, addr, c}, nil
}

// wrk is a source that starts wrk for each round.
type wrk struct {
	Tool
	addr string
	c    Case
}

func (w *wrk) close() {}

func (w *wrk) round(ctx context.Context, p Plan) (requests int, r Round, err error) {
	args := []string{
		w.wrk, "-t", strconv.Itoa(w.c.Cores), "-c", strconv.Itoa(w.c.Connections), // wrk accepts only whole seconds
		"-d", fmt.Sprintf("%.0fs", math.Ceil(p.Round.Seconds())), "--latency", "http://" + w.addr + w.c.Path,
	}
	if w.c.Cores == 1 && w.taskset != "" {
		args = append([]string{w.taskset, "-c", fmt.Sprintf("0-%d", runtime.NumCPU()-2)}, args...)
	}
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return 0, Round{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	return parseWrk(string(out))
}

var (
	wrkRequests = regexp.MustCompile(`(\d+) requests in`)
	wrkRate     = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	wrkLatency  = regexp.MustCompile(`(?m)^\s+(50|99)%\s+([\d.]+)(us|ms|s|m)\s*$`)
	wrkErrors   = regexp.MustCompile(`(?m)^\s*(Socket errors:.*|Non-2xx or 3xx responses:.*)$`)
)

// parseWrk parses the output of wrk.
func parseWrk(out string) (requests int, r Round, err error) {
	if m := wrkErrors.FindStringSubmatch(out); m != nil {
		return 0, Round{}, fmt.Errorf("wrk: %s", m[1])
	}
	count, rate := wrkRequests.FindStringSubmatch(out), wrkRate.FindStringSubmatch(out)
	if count == nil || rate == nil {
		return 0, Round{}, fmt.Errorf("wrk printed no figures: %q", out)
	}
	if requests, err = strconv.Atoi(count[1]); err != nil {
		return 0, Round{}, err
	}
	if r.PerSecond, err = strconv.ParseFloat(rate[1], 64); err != nil {
		return 0, Round{}, err
	}
	for _, m := range wrkLatency.FindAllStringSubmatch(out, -1) {
		d, err := time.ParseDuration(m[2] + m[3])
		if err != nil {
			return 0, Round{}, err
		}
		if m[1] == "50" {
			r.P50 = d
		} else {
			r.P99 = d
		}
	}
	return requests, r, nil
}
