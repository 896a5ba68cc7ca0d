//go:build !muxmaster_portable

package engine

import (
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestFill reads 300 requests that have arrived already, and counts how often
// reading lets another goroutine run first. It must do so often, and not always:
// the scheduler asks the poller for connections with input only when no
// goroutine can run.
func TestFill(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	nc, client := acceptOne(t, onFreePort(t))

	var turns, stop atomic.Int64
	go func() {
		for stop.Load() == 0 {
			turns.Add(1)
			runtime.Gosched()
		}
	}()
	defer stop.Store(1)

	c := &conn{server: New(&http.Server{}), nc: nc}
	c.raw = newRawIO(c)
	c.requests.Store(1)
	yields := 0
	for range 300 {
		if _, err := client.Write([]byte("request")); err != nil {
			t.Fatal(err)
		}
		before := turns.Load()
		if err := c.fill(); err != nil {
			t.Fatal(err)
		}
		if turns.Load() > before {
			yields++
		}
		c.r = c.w
	}
	// With the race detector, reads are ordinary system calls, which also let
	// other goroutines run.
	if yields < 100 || yields > 250 && !raceEnabled {
		t.Errorf("%d of 300 reads let another goroutine run, want 200", yields)
	}
}

// TestLaneReadWaits checks that a connection over HTTP/2 has no buffer while it
// waits, and a large one again when it goes on receiving much.
func TestLaneReadWaits(t *testing.T) {
	nc, client := acceptOne(t, onFreePort(t))
	c := &conn{nc: nc}
	c.raw = newRawIO(c)
	l := &lane{conn: c, begun: true}
	large := false
	for i, size := range []int{100, 10_000, 10_000, 100, 100} {
		if c.raw.readable(fdOf(t, nc)) || c.in != nil {
			t.Fatalf("part %d: there is input or a buffer while the connection waits", i)
		}
		if _, err := client.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		first := true
		for have := 0; have < size; first = false {
			b, err := l.Read(size)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(c.in.b) == largeBuffer; first && got != large {
				t.Errorf("part %d of %d bytes: the first read had a large buffer: %v", i, size, got)
			}
			have = len(b)
		}
		large = c.manyInput
		l.Discard(size)
	}
}

// fdOf returns the descriptor of a socket.
func fdOf(t *testing.T, nc net.Conn) (fd uintptr) {
	t.Helper()
	raw := rawSocket(nc)
	if err := raw.Control(func(n uintptr) { fd = n }); err != nil {
		t.Fatal(err)
	}
	return fd
}
