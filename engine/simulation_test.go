package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var (
	seedFlag      = flag.Uint64("seed", 0, "replay TestSimulation with this seed")
	simulateFlag  = flag.Duration("simulate", 0, "run TestSimulation with new seeds for this time")
	mutationsFlag = flag.Bool("mutations", false, "run TestSimulationFinds")
	stuckFlag     = flag.Duration("stuck", time.Minute, "TestSimulation fails if a run does nothing for this time")
)

// TestSimulation serves clients over simulated connections, in simulated time.
// A seed decides what the server's settings are, what the clients ask for in
// which pieces, what the handlers do, and which faults there are: connections
// that break, clients that don't read, canceled streams, a shutdown. The
// simulation checks each byte of the responses (simRequest.check), what the
// handlers get (ServeHTTP), windows and frames (http2Peer), the states of
// connections, and that nothing remains at the end.
//
// To replay a seed, pass -seed. Not decided by the seed is the order in which
// goroutines run that are ready at the same simulated time, the choice of select,
// and the order of maps. Half of the seeds use one processor, where that order
// seldom differs; with -count, others can be tried several times.
//
// Not simulated are TLS, and the raw system calls for sockets.
func TestSimulation(t *testing.T) {
	var progress atomic.Int64
	var seed atomic.Uint64
	over := make(chan bool)
	defer close(over)
	go func() { // outside of the bubble: a goroutine that waits for a mutex stops its clock
		for last, since := int64(-1), time.Now(); ; {
			select {
			case <-over:
				return
			case <-time.After(time.Second):
			}
			if n := progress.Load(); n != last {
				last, since = n, time.Now()
			} else if time.Since(since) > *stuckFlag {
				buf := make([]byte, 1<<20)
				panic(fmt.Sprintf("%s is stuck\n\n%s", replay(seed.Load()), buf[:runtime.Stack(buf, true)]))
			}
		}
	}()
	run := func(n uint64) bool {
		seed.Store(n)
		return t.Run(fmt.Sprint(n), func(t *testing.T) { simulate(t, n, &progress) })
	}
	switch {
	case *seedFlag != 0:
		run(*seedFlag)
	case *simulateFlag != 0:
		first := uint64(time.Now().UnixMilli())
		n := uint64(0)
		for start := time.Now(); time.Since(start) < *simulateFlag && run(first+n); n++ {
		}
		t.Logf("%d seeds from %d on", n, first)
	default:
		for n := range uint64(300) {
			run(1 + n)
		}
	}
}

func replay(seed uint64) string {
	return fmt.Sprintf("go test ./engine -run Simulation -seed %d", seed)
}

func simulate(t *testing.T, seed uint64, progress *atomic.Int64) {
	t.Log(replay(seed)) // before a goroutine panics
	if seed%2 == 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	synctest.Test(t, func(t *testing.T) {
		s := &simulation{T: t, progress: progress, states: make(map[net.Conn]http.ConnState)}
		s.plan(rand.New(rand.NewPCG(seed, 0)))
		s.run()
	})
}

// A simulation is one run.
type simulation struct {
	*testing.T
	progress *atomic.Int64
	server   *Server
	srv      *http.Server
	pieces   int // the most bytes that are written at once
	requests []*simRequest
	peers    []*peer
	listener *chanListener

	stopAt   time.Duration // when the server stops during requests; 0 for never
	closes   bool          // by Close, not by Shutdown
	stopping atomic.Bool

	mu     sync.Mutex
	states map[net.Conn]http.ConnState
}

// noise is what bodies consist of.
var noise = func() []byte {
	b := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}()

// plan decides what happens.
func (s *simulation) plan(rnd *rand.Rand) {
	pick := func(list ...int) int { return list[rnd.IntN(len(list))] }
	chance := func(percent int) bool { return rnd.IntN(100) < percent }
	some := func(d time.Duration) time.Duration { return time.Duration(rnd.Int64N(int64(d))) }

	large := chance(30)
	most, room := 3000, pick(1, 100, 4000)
	s.pieces = pick(1, 20, 500, 5000)
	streamWindow := pick(0, 100, 5000)
	if large {
		most, room, s.pieces, streamWindow = 150_000, pick(5000, 70_000), pick(3000, 60_000), pick(0, 5000, 70_000)
	}
	s.srv = &http.Server{Handler: s, ErrorLog: log.New(s, "", 0), ConnState: s.connState, Protocols: protocols(true, false, true),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1 + rnd.IntN(8), MaxReceiveBufferPerConnection: pick(1<<16, 90_000, 200_000), MaxReceiveBufferPerStream: streamWindow}}
	timeouts := chance(15)
	if timeouts {
		for _, d := range []*time.Duration{&s.srv.ReadTimeout, &s.srv.ReadHeaderTimeout, &s.srv.WriteTimeout, &s.srv.IdleTimeout, &s.srv.HTTP2.SendPingTimeout, &s.srv.HTTP2.PingTimeout, &s.srv.HTTP2.WriteByteTimeout} {
			if chance(50) {
				*d = 1 + some(time.Second)
			}
		}
	}
	if chance(20) {
		s.stopAt, s.closes = 1+some(300*time.Millisecond), chance(30)
	}
	s.server = New(s.srv)
	s.server.Recycle = chance(50)
	s.listener = &chanListener{conns: make(chan net.Conn), closed: make(chan struct{})}

	for i := range 1 + rnd.IntN(5) {
		out, in := newLink(rnd, s.pieces, room), newLink(rnd, s.pieces, room)
		http2 := rnd.IntN(2)
		p := &peer{simulation: s, client: &simConn{in: in, out: out}, server: &simConn{in: out, out: in}, name: fmt.Sprintf("peer %d, HTTP/%d,", i, 1+http2), http2: http2 == 1,
			begin: some(50 * time.Millisecond), rnd: rand.New(rand.NewPCG(rnd.Uint64(), 0)), answered: make(chan struct{}), next: make(chan bool, 100), alternates: chance(50), ahead: chance(20), halfCloses: chance(20), leaves: chance(50)}
		p.alternates = p.alternates && !p.ahead
		if chance(25) {
			p.stallAt, p.stall = 1+rnd.Int64N(int64(most)), some(time.Duration(pick(1, 1, 100))*3*time.Second)
			if !p.http2 && !p.alternates {
				// A handler may wait for the mutex of its response while earlier
				// responses are sent. That would stop the bubble's clock.
				in.room = 1 << 30
			}
		}
		p.mayFail.Store(timeouts)
		p.breaks = rnd.IntN(3)
		if large && p.http2 && chance(25) {
			p.slow = some(100 * time.Millisecond)
		}
		if chance(25) {
			p.mayFail.Store(true)
			p.breakAt = 1 + rnd.Int64N(int64(pick(300, 3*most)))
		}
		if p.resets = max(0, rnd.IntN(8)-4); p.http2 && p.stall > 6*time.Second {
			p.resets = 3
		}
		p.cancels = p.resets > 0
		for range 1 + rnd.IntN(12) {
			kind := rnd.IntN(len(simKinds))
			q := &simRequest{peer: p, id: len(s.requests), method: "POST", kind: simKinds[kind], last: kind >= simLast, aborts: kind >= simLast && simKinds[kind] != "hijacks",
				size: rnd.IntN(most), out: rnd.IntN(most), declared: chance(50), trailer: chance(30), expects: chance(10), odd: chance(3), follows: chance(20),
				echoes: chance(30), parts: 1 + rnd.IntN(5), waits: time.Second, pause: some(time.Duration(pick(1, 1, 40)) * time.Millisecond), fill: strings.Repeat("x", rnd.IntN(50))}
			if kind < 5 {
				q.early, q.hints, q.sized, q.flushes = chance(20), chance(10), chance(30), chance(40)
			}
			if p.http2 {
				q.waits = 20 * time.Second
			}
			if q.kind == "hijacks" && p.http2 {
				continue
			}
			if chance(50) {
				q.size, q.method = 0, []string{"GET", "GET", "HEAD"}[rnd.IntN(3)]
			}
			if !p.http2 && q.kind == "late" {
				p.mayFail.Store(true) // earlier responses may be late, too
			}
			q.expects = q.expects && q.size > 0 && !q.early && q.kind != "mirror" // as with net/http, the connection would end
			q.trailer = q.trailer && q.size > 0 && (p.http2 || !q.declared)
			s.requests = append(s.requests, q)
			p.requests = append(p.requests, q)
			p.handed = p.handed || q.odd || q.trailer
			if !p.http2 && (q.last || p.handed && q.size > 0 && !q.declared) {
				break // the engine makes net/http's server close the connection after a chunked body
			}
		}
		p.down = &simRequest{peer: p, id: len(s.requests), method: "GET", kind: simKinds[0], parts: 5}
		p.up = &simRequest{peer: p, id: len(s.requests) + 1, method: "POST", kind: simKinds[0], parts: 5, size: 60_000, out: 1000}
		s.requests = append(s.requests, p.down, p.up)
		s.peers = append(s.peers, p)
	}
}

// Write gets what the server logs.
func (s *simulation) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte("simulated")) {
		s.Errorf("the server has logged: %s", line)
	}
	return len(line), nil
}

// connState checks the order of states.
func (s *simulation) connState(nc net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.states[nc]
	ok := known && old != http.StateClosed && old != http.StateHijacked && state != http.StateNew && (old != http.StateNew || state == http.StateActive || state == http.StateClosed)
	if ok = ok || !known && state == http.StateNew; !ok {
		s.Errorf("a connection is %v after %v", state, old)
	}
	s.states[nc] = state
}

func (s *simulation) run() {
	served := make(chan error)
	go func() { served <- s.server.Serve(s.listener) }()
	for _, p := range s.peers {
		p.done.Add(1)
		go p.serve()
	}
	stopped := make(chan error, 1)
	stop := func() {
		if s.closes {
			for _, p := range s.peers {
				p.mayFail.Store(true)
			}
			stopped <- s.server.Close()
			return
		}
		s.stopping.Store(true)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		stopped <- s.server.Shutdown(ctx)
	}
	if s.stopAt > 0 {
		time.AfterFunc(s.stopAt, stop)
	}
	for _, p := range s.peers {
		<-p.answered
	}
	time.Sleep(10 * time.Second) // handlers of requests without an answer end
	synctest.Wait()
	for _, q := range s.requests {
		q.checkEnd()
	}
	if s.stopAt == 0 {
		go stop()
	}
	if err := <-stopped; err != nil {
		s.Errorf("stopping the server: %v", err)
	}
	if err := <-served; err != http.ErrServerClosed {
		s.Errorf("Serve returned %v, want ErrServerClosed", err)
	}
	for _, p := range s.peers {
		p.done.Wait()
	}
	time.Sleep(10 * time.Second)
	synctest.Wait()
	for _, p := range s.peers {
		if p.connected && !p.server.closed.Load() {
			p.errorf("the server hasn't closed the connection")
		}
	}
	for _, state := range s.states {
		if state != http.StateClosed && state != http.StateHijacked {
			s.Errorf("a connection is %v at the end", state)
		}
	}
	if n := len(s.server.conns); n > 0 {
		s.Errorf("the server has %d connections at the end", n)
	}
}

// A simRequest is a request, and what is known of its response.
type simRequest struct {
	*peer
	kind     string
	last     bool // over HTTP/1.1, the connection ends with it
	aborts   bool // its response isn't complete
	id       int
	rnd      *rand.Rand // of the goroutine that sends
	method   string
	size     int           // of the body
	out      int           // of the response, unless the kind decides
	declared bool          // with Content-Length
	trailer  bool          // with a trailer
	expects  bool          // Expect: 100-continue
	odd      bool          // net/http serves it, over HTTP/1.1
	follows  bool          // the handler uses its context
	fill     string        // a header
	pause    time.Duration // before it flushes

	echoes  bool          // the handler writes the request's body
	early   bool          // without reading it
	hints   bool          // after a status 103
	sized   bool          // with Content-Length
	flushes bool          // each part
	parts   int           // how many
	waits   time.Duration // how long it waits

	answered atomic.Bool // completely
	opened   time.Time   // over HTTP/2
	canceled atomic.Bool
	resetAt  atomic.Int64 // when it was canceled
	received atomic.Int64 // when the last byte of the response arrived
	started  atomic.Bool
	returned atomic.Int64
	ended    atomic.Bool // the context
}

func (q *simRequest) String() string {
	return fmt.Sprintf("%s request %d (%s %s, %d bytes, response %d)", q.name, q.id, q.kind, q.method, q.size, q.out)
}

func (q *simRequest) body() []byte { return noise[q.id*61:][:q.size] }

// fault reports an error, unless faults allow it.
func (q *simRequest) fault(format string, args ...any) {
	if !q.mayFail.Load() && !q.canceled.Load() && !(q.left.Load() && q.answered.Load()) {
		q.Errorf("%v: %s", q, fmt.Sprintf(format, args...))
	}
}

// simKinds are the kinds of handlers. Over HTTP/1.1, the connection ends with
// those after simLast.
var simKinds = strings.Fields("writes writes writes writes trailers mirror empty waits panics breaks short late hijacks")

const simLast = 8

// handle is the handler.
func (q *simRequest) handle(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	if q.hints {
		w.WriteHeader(http.StatusEarlyHints)
	}
	switch {
	case q.kind == "mirror":
		rc.EnableFullDuplex()
		q.read(r, func(p []byte) { q.write(w, p, len(p), true) })
		return
	case !q.early:
		q.read(r, func([]byte) {})
	case q.http2:
		go io.Copy(io.Discard, r.Body) // outlives the handler
	}
	b := q.want()
	switch q.kind {
	case "trailers":
		w.Header().Set("Trailer", "X-Sum")
		defer w.Header().Set("X-Sum", strconv.Itoa(len(b)))
	case "empty":
		w.WriteHeader(http.StatusNoContent)
	case "waits":
		select {
		case <-r.Context().Done():
			if !q.halfCloses {
				q.fault("the context ended: %v", r.Context().Err())
			}
		case <-time.After(q.waits):
		}
	case "panics":
		panic("simulated")
	case "breaks":
		defer panic(http.ErrAbortHandler)
	case "short":
		w.Header().Set("Content-Length", strconv.Itoa(len(b)+1))
	case "late":
		rc.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		time.Sleep(50 * time.Millisecond)
		w.Write(b)
		if err := rc.Flush(); err == nil {
			q.Errorf("%v: Flush succeeds after the deadline", q)
		}
		return
	case "hijacks":
		nc, _, err := rc.Hijack()
		if err != nil {
			q.Errorf("%v: Hijack: %v", q, err)
			return
		}
		defer nc.Close()
		fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nX-Id: %d\r\nContent-Length: %d\r\n\r\n", q.id, len(b))
		if q.method != "HEAD" {
			nc.Write(b)
		}
		return
	default:
		if q.sized {
			w.Header().Set("Content-Length", strconv.Itoa(len(b)))
		}
	}
	q.write(w, b, 1+len(b)/q.parts, q.flushes)
}

// want returns what the handler writes.
func (q *simRequest) want() []byte {
	switch {
	case q.kind == "empty" || q.kind == "panics":
		return nil
	case q.echoes || q.kind == "mirror":
		return q.body()
	}
	return noise[q.id*67:][:q.out]
}

// ServeHTTP checks a request and calls its handler.
func (s *simulation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.progress.Add(1)
	id, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil || id >= len(s.requests) {
		s.Errorf("unknown request: %s", r.URL)
		return
	}
	q := s.requests[id]
	if q.started.Swap(true) {
		q.Errorf("%v is served twice", q)
	}
	limit := int32(1)
	if q.http2 {
		if late := time.Since(q.opened); late > 10*time.Second && !q.cancels { // canceled streams make others wait
			q.Errorf("%v: the handler starts after %v", q, late)
		}
		limit = int32(s.srv.HTTP2.MaxConcurrentStreams)
	}
	if n := q.running.Add(1); n > limit {
		q.Errorf("%v: %d handlers run at once", q, n)
	}
	defer func() {
		q.running.Add(-1)
		q.returned.Store(time.Now().UnixNano())
		s.progress.Add(1)
	}()
	length := int64(q.size)
	if q.size > 0 && !q.declared {
		length = -1
	}
	n := 0
	for key := range r.Header {
		if strings.HasPrefix(key, "X-") {
			n++
		}
	}
	if r.Method != q.method || r.Header.Get("X-Fill") != q.fill || n != 1 || r.ContentLength != length || r.Host != "h" || (r.ProtoMajor == 2) != q.http2 || r.Context().Err() != nil && !q.halfCloses {
		q.fault("got %s %s %v, length %d, context %v", r.Method, r.Host, r.Header, r.ContentLength, r.Context().Err())
	}
	if q.follows {
		context.AfterFunc(r.Context(), func() { q.ended.Store(true) })
	}
	w.Header().Set("X-Id", strconv.Itoa(q.id))
	q.handle(w, r)
}

// read reads the body and checks it.
func (q *simRequest) read(r *http.Request, f func([]byte)) {
	buf, got := make([]byte, 1+q.out), 0
	for {
		n, err := r.Body.Read(buf)
		q.progress.Add(1)
		if got+n > q.size || !bytes.Equal(buf[:n], q.body()[got:got+n]) {
			q.Errorf("%v: the handler got wrong bytes", q)
		}
		f(buf[:n])
		got += n
		switch {
		case err == io.EOF && got == q.size:
			if sum := r.Trailer.Get("X-Sum"); q.trailer && sum != strconv.Itoa(q.size) {
				q.Errorf("%v: the handler got the trailer %q", q, sum)
			}
			return
		case err == io.EOF:
			q.Errorf("%v: the handler got EOF after %d bytes", q, got)
			panic(http.ErrAbortHandler)
		case err != nil:
			q.fault("Read: %v", err)
			panic(http.ErrAbortHandler)
		}
	}
}

// write writes p in pieces.
func (q *simRequest) write(w http.ResponseWriter, p []byte, piece int, flush bool) {
	for len(p) > 0 {
		n := min(len(p), piece)
		_, err := w.Write(p[:n])
		q.progress.Add(1)
		if p = p[n:]; flush && err == nil {
			time.Sleep(q.pause)
			err = http.NewResponseController(w).Flush()
		}
		if err != nil {
			q.fault("Write: %v", err)
			return
		}
	}
}

// check checks a response that is complete or a part.
func (q *simRequest) check(status int, header, trailer http.Header, body []byte, complete bool) {
	want, wantStatus := []byte(nil), 200
	switch {
	case q.kind == "empty":
		wantStatus = 204
	case q.method != "HEAD":
		want = q.want()
	}
	switch {
	case q.answered.Load():
		q.Errorf("%v is answered twice", q)
	case status == 0 && !complete: // nothing came
	case status == 400 && q.mayFail.Load(): // to a request that was cut
		complete = false
	case status != wantStatus || header.Get("X-Id") != strconv.Itoa(q.id):
		q.Errorf("%v: got status %d, header %v", q, status, header)
	case len(body) > len(want) || !bytes.Equal(body, want[:len(body)]) || complete && len(body) < len(want):
		q.Errorf("%v: got %d bytes of %d, or wrong ones", q, len(body), len(want))
	case complete && q.kind == "trailers" && q.method != "HEAD" && trailer.Get("X-Sum") != strconv.Itoa(len(want)):
		q.Errorf("%v: got the trailers %v", q, trailer)
	case complete && q.aborts && q.method != "HEAD":
		q.Errorf("%v: the response is complete", q)
	}
	q.answered.Store(complete)
}

// checkEnd checks a request at the end.
func (q *simRequest) checkEnd() {
	started, returned := q.started.Load(), q.returned.Load()
	if (q == q.up || q == q.down) && !started {
		return
	}
	// The server may stop when pipelined requests have arrived. Closing a connection
	// with unread input discards the output that isn't there yet.
	stopped := q.stopping.Load() && (!started || !q.http2 && !q.alternates && q.end != nil)
	if !q.answered.Load() && !q.aborts && !stopped {
		q.fault("no complete response; handler started: %v; %v", started, q.end)
	}
	if started && returned == 0 {
		q.Errorf("%v: the handler doesn't return", q)
	}
	for what, at := range map[string]int64{"stream was reset": q.resetAt.Load(), "connection broke": q.broken.Load(), "last byte was received": q.received.Load()} {
		if late := time.Duration(returned - at); at != 0 && started && late > 5*time.Second {
			q.Errorf("%v: the handler returned %v after its %s", q, late, what)
		}
	}
	if wait := time.Duration(q.received.Load() - returned); returned != 0 && wait > 500*time.Millisecond && !q.http2 && !q.handed && !q.early && q.stallAt == 0 {
		q.Errorf("%v: the response arrives %v after the handler has returned", q, wait)
	}
	if started && q.follows && !q.ended.Load() {
		q.Errorf("%v: the context hasn't ended", q)
	}
}

// simMutations are defects that TestSimulation must find, each a change of a file.
var simMutations = []struct{ name, file, old, new string }{
	{"lost wake-up of a handler that waits to send", "internal/h2/output.go", "case s.wake <- struct{}{}:", "case make(chan struct{}, 1) <- struct{}{}:"},
	{"lost wake-up of a handler that reads", "internal/h2/body.go", "b.wake.Signal()\n\treturn true", "return true"},
	{"write with the mutex of the connection", "internal/h2/output.go", `		c.mu.Unlock()
		n, err := len(rest), error(nil)
		if s == nil {
			err = c.send(rest)
		} else {
			n, err = c.transport.TryWrite(rest)
		}
		c.mu.Lock()
`, `		n, err := len(rest), c.send(rest)
`},
	{"window of unread bodies isn't given back", "internal/h2/body.go", "b.conn.consume(b, int64(n), 0)\n}\n\n// drop", "_ = n\n}\n\n// drop"},
	{"a handler writes for others after its turn", "internal/h2/output.go", "c.write(s)", "c.write(nil)"},
	{"responses to pipelined requests wait for a body", "responsehead.go", "r.flushOut() // earlier", "// earlier"},
}

// TestSimulationFinds checks that TestSimulation finds defects.
func TestSimulationFinds(t *testing.T) {
	if !*mutationsFlag {
		t.Skip("runs only with -mutations")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range simMutations {
		temp, file := t.TempDir(), filepath.Join(here, m.file)
		text, err := os.ReadFile(file)
		if err != nil || strings.Count(string(text), m.old) != 1 {
			t.Errorf("%s: %s isn't as expected: %v", m.name, m.file, err)
			continue
		}
		mutant, overlay := filepath.Join(temp, "mutant.go"), filepath.Join(temp, "overlay.json")
		list, _ := json.Marshal(map[string]map[string]string{"Replace": {file: mutant}})
		os.WriteFile(mutant, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o666)
		os.WriteFile(overlay, list, 0o666)
		out, err := exec.Command("go", "test", "-overlay="+overlay, "-run=^TestSimulation$", ".", "-simulate=10m", "-stuck=10s").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "go test ./engine -run Simulation -seed") {
			t.Errorf("%s: not found: %v\n%.5000s", m.name, err, out)
		}
	}
}
