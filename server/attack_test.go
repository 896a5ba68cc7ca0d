package server_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

var attackTable = flag.Bool("attacktable", false, "measure the table of attacks and write it to docs/server.md")

// An attack holds a connection as long as the server permits.
type attack struct {
	name string
	v    variant // plain, overTLS or http2c
	send string  // sent first
	drip string  // then sent every 100 ms; empty for nothing
	read bool    // read the responses
}

const (
	headUpload = "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n"
	headBig    = "GET /big HTTP/1.1\r\nHost: x\r\n\r\n"
	headHello  = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

	headUpgrade = "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\n\r\n"
)

// Header blocks for GET /big and POST /upload on http://x (RFC 7541).
const (
	blockBig    = "\x82\x86\x04\x04/big\x41\x01x"
	blockUpload = "\x83\x86\x04\x07/upload\x41\x01x"
)

func attacks() []attack {
	h2 := clientPreface + settings(1<<20)
	burst := strings.Repeat("x", 4200) // slightly more than StallTimeout requires
	get := frame(frameHeaders, flagEndHeaders|flagEndStream, 1, headersGET)
	ping := frame(framePing, 0, 0, "muxmastr")
	return []attack{
		{"connects, sends nothing", plain, "", "", true},
		{"no TLS handshake", overTLS, "", "", true},
		{"slow head", plain, "GET / HTTP/1.1\r\nX: ", "x", true},
		{"slow body", plain, headUpload + burst, "x", true},
		{"slow read", plain, headBig, "", false},
		{"idle after a request", plain, headHello, "", true},
		{"requests that offer an upgrade", plain, headUpgrade, headUpgrade, true},
		{"HTTP/2, slow head", http2c, h2 + frame(frameHeaders, 0, 1, "\x82"), "", true},
		{"HTTP/2, slow body", http2c, h2 + frame(frameHeaders, flagEndHeaders, 1, blockUpload) + frame(frameData, 0, 1, burst), frame(frameData, 0, 1, "x"), true},
		{"HTTP/2, slow read", http2c, clientPreface + settings(0) + frame(frameHeaders, flagEndHeaders|flagEndStream, 1, blockBig), frame(frameWindowUpdate, 0, 1, "\x00\x00\x00\x01"), true},
		{"HTTP/2, slow read, many streams", http2c, clientPreface + settings(0) + manyStreams(50), ping, true},
		{"HTTP/2, nothing read at all", http2c, clientPreface + settings(1<<31-1) + frame(frameWindowUpdate, 0, 0, "\x7f\x00\x00\x00") + frame(frameHeaders, flagEndHeaders|flagEndStream, 1, blockBig), "", false},
		{"HTTP/2, idle", http2c, h2 + get, ping, true},
		{"HTTP/2, only pings", http2c, h2, strings.Repeat(ping, 60), true},
	}
}

func manyStreams(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(frame(frameHeaders, flagEndHeaders|flagEndStream, uint32(2*i+1), blockBig))
	}
	return b.String()
}

// onEngine returns the same attack for a server that runs on the engine.
func (a attack) onEngine() attack {
	a.name += " on the engine"
	a.v = onEngine(a.v)
	return a
}

// run attacks addr with one connection until the server closes it or ctx ends.
func (a attack) run(ctx context.Context, addr string) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer func() { stop(); c.Close() }()
	if _, err := io.WriteString(c, a.send); err != nil {
		return
	}
	closed := make(chan bool)
	go func() {
		defer close(closed)
		if a.read {
			io.Copy(io.Discard, c)
			return
		}
		// Read one byte per second to detect the end of the connection, with the
		// smallest possible window.
		c.(*net.TCPConn).SetReadBuffer(4 << 10)
		for p := make([]byte, 1); ; {
			if _, err := c.Read(p); err != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-closed:
			return
		case <-tick.C:
			if _, err := io.WriteString(c, a.drip); err != nil {
				return
			}
		}
	}
}

// A suffered contains the figures of one attack.
type suffered struct {
	requests, cutOff, unserved int
	median, worst              time.Duration
}

// underAttackLongest is how long a request may take. Attackers that the server
// sends as much as it can keep a busy machine busier.
const underAttackLongest = 5 * longest

// underAttack measures the requests of honest clients to a server that has more
// attackers than places for connections. Attackers reconnect whenever they are
// disconnected. No timeout ends an attack: the server closes connections only
// to make room. A client that is disconnected tries again. That happens if it
// takes more than a second to send its request on a busy machine.
func underAttack(t *testing.T, a attack, places, attackers, clients, requests int) suffered {
	t.Helper()
	s, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/upload":
			io.Copy(io.Discard, r.Body)
		case "/big":
			endless(w, r)
		default:
			hello(w, r)
		}
	}), func(s *server.Server) {
		a.v.configure(t, s)
		s.MaxConns = places
		s.StallTimeout, s.HTTP.ReadHeaderTimeout, s.HTTP.IdleTimeout = time.Hour, time.Hour, time.Hour
		s.DrainTimeout = 0
	})
	ctx, cancel := context.WithCancel(context.Background())
	var attack, work sync.WaitGroup
	for range attackers {
		attack.Go(func() {
			for ctx.Err() == nil {
				a.run(ctx, addr)
			}
		})
	}
	defer attack.Wait()
	defer cancel()
	eventually(t, longest, "all places are taken", func() bool { return s.Stats().Open >= places })

	var mu sync.Mutex
	var got suffered
	var took []time.Duration
	for i := range clients {
		work.Go(func() {
			tr := a.v.transport()
			if a.v.scheme == "http://" && i%2 == 0 {
				tr = plain.transport()
			}
			c := &http.Client{Transport: tr, Timeout: underAttackLongest}
			for range requests {
				began := time.Now()
				cutOff := 0
				err := get(c, a.v.scheme+addr)
				for ; err != nil && time.Since(began) < underAttackLongest; err = get(c, a.v.scheme+addr) {
					cutOff++
				}
				tr.CloseIdleConnections() // a new connection each time
				mu.Lock()
				took = append(took, time.Since(began))
				got.cutOff += cutOff
				if err != nil {
					got.unserved++
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	slices.Sort(took)
	got.requests, got.median, got.worst = len(took), took[len(took)/2], took[len(took)-1]
	return got
}

// TestHonestClientsUnderAttack checks that honest clients get responses during
// each attack, with twice as many attackers as places for connections.
func TestHonestClientsUnderAttack(t *testing.T) {
	few := make(chan bool, 8) // limits parallel attacks, which slow the machine down
	list := attacks()
	for _, a := range attacks() {
		list = append(list, a.onEngine())
	}
	for _, a := range list {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			few <- true
			defer func() { <-few }()
			got := underAttack(t, a, 40, 80, 8, 2)
			t.Logf("%+v", got)
			if got.unserved > 0 {
				t.Errorf("%d of %d requests got no response within %v", got.unserved, got.requests, underAttackLongest)
			}
		})
	}
}

const (
	tableBegin = "<!-- generated: go test ./server -run AttackTable -attacktable -->\n"
	tableEnd   = "<!-- end of generated -->\n"
)

// TestAttackTable checks that the table in docs/server.md has a row for each
// attack. With -attacktable, it measures the figures and updates the table.
func TestAttackTable(t *testing.T) {
	const doc = "../docs/server.md"
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegin)
	table, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", doc, tableBegin, tableEnd)
	}
	if !*attackTable {
		for _, a := range attacks() {
			if !strings.Contains(table, "| "+a.name+" |") {
				t.Errorf("%s has no figures for the attack %q; run go test ./server -run AttackTable -attacktable", doc, a.name)
			}
		}
		return
	}
	const places, attackers, clients, requests = 100, 200, 20, 3
	var b strings.Builder
	fmt.Fprintf(&b, "\n| %d attackers, %d places | honest requests | cut off | median and longest wait | on the engine: cut off | median and longest wait |\n|---|---|---|---|---|---|\n", attackers, places)
	for _, a := range attacks() {
		n := underAttack(t, a, places, attackers, clients, requests)
		e := underAttack(t, a.onEngine(), places, attackers, clients, requests)
		fmt.Fprintf(&b, "| %s | %d | %d | %.1f s, %.1f s | %d | %.1f s, %.1f s |\n", a.name, n.requests, n.cutOff, n.median.Seconds(), n.worst.Seconds(), e.cutOff, e.median.Seconds(), e.worst.Seconds())
	}
	b.WriteByte('\n')
	if err := os.WriteFile(doc, []byte(before+tableBegin+b.String()+tableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
