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
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client := dial(t, ln.Addr().String())
	nc, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()

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
	if yields < 150 || yields > 250 && !raceEnabled {
		t.Errorf("%d of 300 reads let another goroutine run, want 200", yields)
	}
}
