package load

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// This file sends the requests: with wrk over HTTP/1.1, with h2load over HTTP/2,
// and with net/http's client at a constant rate, which h2load doesn't keep within
// 10 ms and wrk not at all.

// tool returns the program that a case needs, or "".
func (c Case) tool() string {
	switch {
	case c.PerSecond > 0:
		return ""
	case c.Protocol.HTTP2():
		return "h2load"
	}
	return "wrk"
}

// send sends requests for the time d, and returns the number of responses, all of
// which were successful. rate is the number of requests per second to expect, 0
// for a few requests only. Only h2load needs it: it gets a number of requests,
// because it doesn't count those that are under way at the end of a time.
func (c Case) send(ctx context.Context, address string, d time.Duration, rate float64) (requests int, r Round, err error) {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return 0, r, err
	}
	defer os.RemoveAll(dir)
	switch c.tool() {
	case "wrk":
		return c.wrk(ctx, address, d, filepath.Join(dir, "request.lua"))
	case "h2load":
		return c.h2load(ctx, address, max(10*c.Connections*c.Streams, int(rate*d.Seconds())), dir)
	}
	return c.paced(ctx, address, d)
}

// url returns the URL of the case's requests.
func (c Case) url(address string) string {
	if c.Protocol == H2TLS || c.Protocol == HTTPS {
		return "https://" + address + c.Path
	}
	return "http://" + address + c.Path
}

// output runs a tool and finds its figures, one for each expression.
func output(cmd *exec.Cmd, figures ...string) ([]string, error) {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", cmd.Args[0], err, out)
	}
	return parse(cmd.Args[0], string(out), figures...)
}

// failed matches what wrk and h2load print if responses are missing or have
// another status than 2xx.
var failed = regexp.MustCompile(`Socket errors: .*|Non-2xx.*|requests: .*(?: [1-9]\d* (?:failed|errored|timeout)).*|status codes: .* [1-9]\d* [345]xx.*`)

func parse(tool, out string, figures ...string) (found []string, err error) {
	if m := failed.FindString(out); m != "" {
		return nil, fmt.Errorf("%s: %s", tool, m)
	}
	for _, figure := range figures {
		m := regexp.MustCompile(figure).FindStringSubmatch(out)
		if m == nil {
			return nil, fmt.Errorf("%s printed no figures: %q", tool, out)
		}
		found = append(found, m[1])
	}
	return found, nil
}

// wrk takes at least a second, and longer for many handshakes.
func (c Case) wrk(ctx context.Context, address string, d time.Duration, script string) (requests int, r Round, err error) {
	one := c.method() + " " + c.Path + " HTTP/1.1\r\nHost: localhost\r\n"
	for _, f := range c.fields() {
		one += f[0] + ": " + f[1] + "\r\n"
	}
	if body := works[c.Path].body; body != "" {
		one += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	one += "\r\n" + works[c.Path].body
	lua := fmt.Sprintf(`local one, batch, n = %q, %d, 0
function request()
	local all = {}
	for i = 1, batch do n = n + 1; all[i] = one:format(n) end
	return table.concat(all)
end
function done(summary, latency)
	for _, p in ipairs{50, 99, 99.9} do print("latency", latency:percentile(p)) end
end
`, one, c.Pipeline)
	if err := os.WriteFile(script, []byte(lua), 0o666); err != nil {
		return 0, r, err
	}
	if c.Protocol == HTTPS {
		d = max(d, time.Duration(c.Connections)*2*time.Millisecond)
	}
	out, err := output(exec.CommandContext(ctx, "wrk", "-t1", "-c", strconv.Itoa(c.Connections), "-d", fmt.Sprintf("%.0fs", max(1, math.Ceil(d.Seconds()))),
		"--timeout", "30s", "-s", script, c.url(address)), `(\d+) requests in`, `Requests/sec: +([\d.]+)`, `(?s)latency\s(.*)$`)
	if err != nil {
		return 0, r, err
	}
	figures := strings.ReplaceAll(strings.Join(out, " "), "latency", "")
	_, err = fmt.Sscan(figures, &requests, &r.PerSecond, &r.P50, &r.P99, &r.P999)
	return requests, r, err
}

func (c Case) h2load(ctx context.Context, address string, n int, dir string) (requests int, r Round, err error) {
	log, body := filepath.Join(dir, "log"), filepath.Join(dir, "body")
	args := []string{"-n", strconv.Itoa(n), "-c", strconv.Itoa(c.Connections), "-m", strconv.Itoa(c.Streams), "--log-file", log}
	for _, f := range c.fields() {
		args = append(args, "-H", strings.ToLower(f[0])+": "+f[1])
	}
	if text := works[c.Path].body; text != "" {
		if err := os.WriteFile(body, []byte(text), 0o666); err != nil {
			return 0, r, err
		}
		args = append(args, "-d", body)
	}
	out, err := output(exec.CommandContext(ctx, "h2load", append(args, c.url(address))...), `(?m)^finished in \S+, ([\d.]+) req/s`, `(\d+) succeeded`)
	if err != nil {
		return 0, r, err
	}
	lines, err := os.ReadFile(log)
	if err != nil {
		return 0, r, err
	}
	var took []float64
	for line := range strings.Lines(string(lines)) {
		if f := strings.Fields(line); len(f) == 3 && f[1] == "200" {
			us, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				return 0, r, err
			}
			took = append(took, us)
		}
	}
	_, err = fmt.Sscan(strings.Join(out, " "), &r.PerSecond, &requests)
	return requests, r.withLatencies(took), err
}

// withLatencies adds the percentiles of latencies in microseconds.
func (r Round) withLatencies(took []float64) Round {
	if n := len(took); n > 0 {
		slices.Sort(took)
		r.P50, r.P99, r.P999 = took[n/2], took[n*99/100], took[n*999/1000]
	}
	return r
}

// paced sends requests one at a time, over one connection after the other, or over
// HTTP/1.1 on all connections at once. Waiting for the next time, it doesn't sleep:
// that would take up to a millisecond.
func (c Case) paced(ctx context.Context, address string, d time.Duration) (requests int, r Round, err error) {
	clients := make([]*http.Client, c.Connections)
	for i := range clients {
		clients[i] = c.client()
		defer clients[i].CloseIdleConnections()
		if err := c.exchange(ctx, clients[i], address); err != nil {
			return 0, r, err
		}
	}
	batch := 1
	if !c.Protocol.HTTP2() {
		batch = c.Connections
	}
	began, took := time.Now(), []float64{}
	errs := make([]error, batch)
	for next := began; ctx.Err() == nil && next.Sub(began) < d; next = next.Add(time.Second * time.Duration(batch) / time.Duration(c.PerSecond)) {
		for time.Now().Before(next) {
		}
		n, sent := len(took), time.Now()
		took = append(took, make([]float64, batch)...)
		var wg sync.WaitGroup
		for i := range batch {
			wg.Go(func() {
				errs[i] = c.exchange(ctx, clients[(n+i)%len(clients)], address)
				took[n+i] = time.Since(sent).Seconds() * 1e6
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			return 0, r, err
		}
	}
	r.PerSecond = float64(len(took)) / time.Since(began).Seconds()
	return len(took) + len(clients), r.withLatencies(took), ctx.Err()
}

// beside opens the idle and the slow connections of the case, and returns a
// function that closes them, also after an error.
func (c Case) beside(address string) (stop func(), err error) {
	var conns []net.Conn
	stop = func() {
		for _, nc := range conns {
			nc.(*net.TCPConn).SetLinger(0) // or their ports would stay in use
			nc.Close()
		}
	}
	for i := range c.Idle + c.Slow {
		nc, err := net.Dial("tcp", address)
		if err != nil {
			return stop, err
		}
		conns = append(conns, nc)
		get := func(path, want string, pause time.Duration) error {
			if _, err := fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path); err != nil {
				return err
			}
			resp, err := http.ReadResponse(bufio.NewReaderSize(nc, 1<<10), nil)
			if err != nil {
				return err
			}
			for n := 0; n < len(want); time.Sleep(pause) {
				k, err := resp.Body.Read(make([]byte, 1<<10))
				if n += k; err != nil && err != io.EOF {
					return err
				}
			}
			return nil
		}
		if i < c.Idle {
			err = get(helloPath, hello, 0)
		} else {
			nc.(*net.TCPConn).SetReadBuffer(4 << 10)
			go func() {
				for get(downloadPath, download, 20*time.Millisecond) == nil {
				}
			}()
		}
		if err != nil {
			return stop, err
		}
	}
	return stop, nil
}

// client returns a client with one connection.
func (c Case) client() *http.Client {
	t := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, Protocols: c.Protocol.protocols(), DisableCompression: true}
	return &http.Client{Transport: t, Timeout: 10 * time.Second}
}

// exchange sends one request and checks the response.
func (c Case) exchange(ctx context.Context, client *http.Client, address string) error {
	work := works[c.Path]
	req, err := http.NewRequestWithContext(ctx, c.method(), c.url(address), strings.NewReader(work.body))
	if err != nil {
		return err
	}
	for _, f := range c.fields() {
		req.Header.Set(f[0], f[1])
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || string(body) != work.want {
		err = errors.Join(err, fmt.Errorf("response %d %.40q, want 200 %.40q", resp.StatusCode, body, work.want))
	}
	return err
}
