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

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Tool generates the load with wrk if it is installed, otherwise with the
// library vegeta in this process.
type Tool struct {
	wrk     string // its path, or ""
	taskset string // its path if the generator must not use the server's core, or ""
	Version string
}

// FindTool looks for wrk and taskset.
func FindTool() Tool {
	t := Tool{Version: "vegeta (library)"}
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

// load sends requests for one round and returns the number of responses with
// status 200.
func (t Tool) load(ctx context.Context, url string, c Case, p Plan) (requests int, r Round, err error) {
	if t.wrk == "" {
		return attack(ctx, url, p)
	}
	threads := 1
	if c.Cores > 1 {
		threads = c.Cores
	}
	args := []string{
		t.wrk, "-t", strconv.Itoa(threads), "-c", strconv.Itoa(p.Connections),
		"-d", fmt.Sprintf("%.0fs", math.Ceil(p.Round.Seconds())), "--latency", url, // wrk accepts only whole seconds
	}
	if c.Cores == 1 && t.taskset != "" {
		args = append([]string{t.taskset, "-c", "1"}, args...)
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

// attack sends requests with one worker per connection, as fast as possible.
func attack(ctx context.Context, url string, p Plan) (requests int, r Round, err error) {
	attacker := vegeta.NewAttacker(
		vegeta.Workers(uint64(p.Connections)), vegeta.MaxWorkers(uint64(p.Connections)), vegeta.Connections(p.Connections),
		vegeta.KeepAlive(true), vegeta.Timeout(5*time.Second),
	)
	stop := context.AfterFunc(ctx, func() { attacker.Stop() })
	defer stop()
	var m vegeta.Metrics
	target := vegeta.NewStaticTargeter(vegeta.Target{Method: "GET", URL: url})
	for res := range attacker.Attack(target, vegeta.Rate{}, p.Round, "showdown") {
		m.Add(res)
	}
	m.Close()
	if len(m.Errors) > 0 {
		return 0, Round{}, fmt.Errorf("vegeta: %s", m.Errors[0])
	}
	return int(math.Round(m.Success * float64(m.Requests))), Round{PerSecond: m.Throughput, P50: m.Latencies.P50, P99: m.Latencies.P99}, nil
}
