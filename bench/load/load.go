// Package load measures servers under load, each in a separate process, over
// keep-alive connections, in interleaved rounds. It compares routers with
// net/http's server, and HTTP servers with the same handler: requests per
// second, latencies, and the CPU time of the server's process per request.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"syscall"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// A Case is one kind of load.
type Case struct {
	Path        string
	Browser     bool // ten headers with a cookie that changes, or one header
	Connections int
	Pipeline    int // requests that are sent together over HTTP/1.1
	Cores       int // processors of the server

	Protocol  Protocol
	Streams   int  // requests at a time on each HTTP/2 connection
	PerSecond int  // requests that are sent one at a time, or 0 for as many as possible
	H2load    bool // h2load sends the requests
}

// The paths of cases.
const (
	helloPath    = "/hello"
	jsonPath     = "/json"
	echoPath     = "/echo"
	downloadPath = "/download"
	paramPath    = "/some/page/123"
)

// Parameter returns the case in which routers are compared: a GET request whose
// response is the path's last segment.
func Parameter(connections, cores int) Case {
	return Case{Path: paramPath, Connections: connections, Pipeline: 1, Cores: cores}
}

// Cases returns the cases in which HTTP servers are compared: six with 64
// connections, and some with more connections and with pipelining.
func Cases() (cases []Case) {
	for _, browser := range []bool{false, true} {
		for _, path := range []string{helloPath, jsonPath, echoPath} {
			cases = append(cases, Case{Path: path, Browser: browser, Connections: 64, Pipeline: 1, Cores: 1})
		}
	}
	return append(cases, Case{Path: helloPath, Connections: 512, Pipeline: 1, Cores: 1},
		Case{Path: helloPath, Browser: true, Connections: 512, Pipeline: 1, Cores: 1},
		Case{Path: helloPath, Connections: 64, Pipeline: 16, Cores: 1})
}

func (c Case) String() string {
	if c.Protocol != HTTP1 {
		return c.Work() + ", " + c.Shape()
	}
	if c.Path == paramPath {
		if c.Cores == 1 {
			return "1 parameter, 1 core"
		}
		return fmt.Sprintf("1 parameter, %d cores", c.Cores)
	}
	headers := "minimal"
	if c.Browser {
		headers = "browser"
	}
	s := fmt.Sprintf("%s, %s headers, %d connections", c.Path[1:], headers, c.Connections)
	if c.Pipeline > 1 {
		s += fmt.Sprintf(", %d pipelined", c.Pipeline)
	}
	return s
}

// works are the requests and responses of the paths.
var works = map[string]struct {
	name string // in an HTTP/2 table
	body string // of the requests
	want string // the body of the responses
}{
	helloPath:    {"hello", "", hello},
	jsonPath:     {"browser JSON", "", document},
	echoPath:     {"echo 1 KB", echoed, echoed},
	downloadPath: {"download 100 KB", "", download},
	paramPath:    {"", "", "123"},
	connectPath:  {"gRPC to connect-go", message, message},
	grpcPath:     {"gRPC to grpc-go", message, message},
}

func (c Case) body() string { return works[c.Path].body }
func (c Case) want() string { return works[c.Path].want }

func (c Case) method() string {
	if c.body() != "" {
		return http.MethodPost
	}
	return http.MethodGet
}

// Plan says how long to load each server.
type Plan struct {
	Rounds   int
	Round    time.Duration // length of a round
	Requests int           // of a round, instead of its length; 0 for the length
	WarmUp   bool          // one more round that isn't counted
}

// Round is what one round of load on one server came to.
type Round struct {
	PerSecond float64
	P50, P99  time.Duration
	CPU       float64 // microseconds of the server process per request, NaN where the system doesn't tell
}

// Result is all rounds of one server, or why there are none.
type Result struct {
	Rounds []Round
	Cannot string
}

// Run starts the contenders or HTTP servers with these names, as children of a
// program that calls Serve, and loads them in interleaved rounds. Each round
// begins with another server. A round in which the host of a virtual machine
// took more than 5 % of the processors' time for others is repeated, at most
// twice. Run calls step with the completed fraction. If a
// server doesn't start or sends a wrong response, its result has a Cannot. Run
// returns only errors of the context.
func Run(ctx context.Context, servers []string, c Case, p Plan, step func(part float64)) ([]Result, error) {
	if c.Cores == 1 {
		defer pinSelf()()
	}
	results := make([]Result, len(servers))
	targets := make([]*target, len(servers))
	for i, s := range servers {
		t, err := start(s, c)
		if err != nil {
			results[i].Cannot = err.Error()
			continue
		}
		defer t.stop()
		targets[i] = t
	}
	first := 0
	if p.WarmUp {
		first = -1
	}
	for round := first; round < p.Rounds; round++ {
		for k := range servers {
			i := (round - first + k) % len(servers)
			if targets[i] == nil {
				continue
			}
			r, err := targets[i].undisturbed(ctx, p)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				results[i] = Result{Cannot: err.Error()}
				targets[i] = nil
				continue
			}
			if round >= 0 {
				results[i].Rounds = append(results[i].Rounds, r)
				step((float64(round) + float64(k+1)/float64(len(servers))) / float64(p.Rounds))
			}
		}
	}
	return results, nil
}

// A source sends requests to one server for a round. It returns the number of
// correct responses.
type source interface {
	round(ctx context.Context, p Plan) (requests int, r Round, err error)
	close()
}

// open returns the source of load for the server at addr.
func open(addr string, c Case) (source, error) {
	if c.H2load {
		return newH2load(addr, c)
	}
	return dial(addr, c)
}

// A target is a server with its source of load.
type target struct {
	process *process
	c       Case
	source  source
}

// start starts the server and checks its response.
func start(server string, c Case) (*target, error) {
	p, err := startProcess(c.Protocol.serving(server), c.Cores)
	if err != nil {
		return nil, err
	}
	err = check(p.address, c)
	// hertz closes our listener and opens its own.
	for range 100 {
		if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
			break
		}
		time.Sleep(50 * time.Millisecond)
		err = check(p.address, c)
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	return &target{process: p, c: c}, nil
}

func (t *target) stop() {
	if t.source != nil {
		t.source.close()
	}
	t.process.stop()
}

// The host of a virtual machine may take processor time for others. That also
// makes the time that is left count for more, because caches are lost.
const (
	disturbed = 0.05 // the share of the processors' time from which on a round is repeated
	attempts  = 3    // of a round at most
)

// undisturbed loads the server for a round, and repeats a round in which the
// host took too much time.
func (t *target) undisturbed(ctx context.Context, p Plan) (r Round, err error) {
	for range attempts {
		began := time.Now()
		_, before := measure.MachineTime()
		r, err = t.load(ctx, p)
		_, after := measure.MachineTime()
		all := time.Since(began) * time.Duration(runtime.NumCPU())
		if err != nil || (after-before).Seconds() < disturbed*all.Seconds() {
			break
		}
	}
	return r, err
}

// load loads the server for a round. The first opens the connections, because
// some servers close those without requests while others still start.
func (t *target) load(ctx context.Context, p Plan) (_ Round, err error) {
	if t.source == nil {
		if t.source, err = open(t.process.address, t.c); err != nil {
			return Round{}, err
		}
	}
	before, err := t.process.cpu()
	if err != nil {
		return Round{}, err
	}
	requests, r, err := t.source.round(ctx, p)
	if err != nil {
		return Round{}, err
	}
	after, err := t.process.cpu()
	if err != nil {
		return Round{}, err
	}
	r.CPU = math.NaN()
	if after > before {
		r.CPU = (after - before) / float64(requests)
	}
	return r, nil
}

// check sends one request, or one batch, and compares the response.
func check(address string, c Case) error {
	c.Connections = 1
	g, err := dial(address, c)
	if err != nil {
		return err
	}
	defer g.close()
	first := g.connections[0]
	first.state().conn.SetDeadline(time.Now().Add(10 * time.Second))
	return first.exchange(1, noMore)
}
