package load

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// h2load is a source that starts h2load, of nghttp2, for each round. A round
// includes the opening of its connections.
type h2load struct {
	program, url string
	c            Case
}

// HasH2load reports whether h2load is installed.
func HasH2load() bool {
	_, err := exec.LookPath("h2load")
	return err == nil
}

func newH2load(addr string, c Case) (*h2load, error) {
	program, err := exec.LookPath("h2load")
	return &h2load{program, "http://" + addr + c.Path, c}, err
}

func (h *h2load) close() {}

func (h *h2load) round(ctx context.Context, p Plan) (requests int, r Round, err error) {
	n := p.Requests
	if n == 0 {
		n = int(20_000 * p.Round.Seconds())
	}
	n = max(n, 10*h.c.Connections*h.c.Streams)
	cmd := exec.CommandContext(ctx, h.program, "-n", strconv.Itoa(n), "-c", strconv.Itoa(h.c.Connections), "-m", strconv.Itoa(h.c.Streams), h.url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, Round{}, fmt.Errorf("h2load: %w: %s", err, out)
	}
	return parseH2load(string(out))
}

var (
	h2loadRate     = regexp.MustCompile(`(?m)^finished in \S+, ([\d.]+) req/s`)
	h2loadRequests = regexp.MustCompile(`(?m)^requests: (\d+) total, .* (\d+) succeeded, .*`)
)

// parseH2load parses the output of h2load, which has no percentiles.
func parseH2load(out string) (requests int, r Round, err error) {
	rate, count := h2loadRate.FindStringSubmatch(out), h2loadRequests.FindStringSubmatch(out)
	if rate == nil || count == nil {
		return 0, Round{}, fmt.Errorf("h2load printed no figures: %q", out)
	}
	if count[1] != count[2] {
		return 0, Round{}, fmt.Errorf("h2load: %s", count[0])
	}
	if requests, err = strconv.Atoi(count[1]); err != nil {
		return 0, Round{}, err
	}
	r.PerSecond, err = strconv.ParseFloat(rate[1], 64)
	return requests, r, err
}
