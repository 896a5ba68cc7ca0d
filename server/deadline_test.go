package server

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// A counted is a connection that counts how often its deadlines are set.
type counted struct {
	net.Conn
	sets    atomic.Int64
	timeout error // returned instead of os.ErrDeadlineExceeded, if set
}

func (c *counted) Read(p []byte) (int, error)  { n, err := c.Conn.Read(p); return n, c.replace(err) }
func (c *counted) Write(p []byte) (int, error) { n, err := c.Conn.Write(p); return n, c.replace(err) }

func (c *counted) replace(err error) error {
	if c.timeout != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		return c.timeout
	}
	return err
}

// A muxTimeout is an error for a deadline as streams of yamux and smux return.
type muxTimeout struct{}

func (muxTimeout) Error() string   { return "i/o deadline reached" }
func (muxTimeout) Timeout() bool   { return true }
func (muxTimeout) Temporary() bool { return false }

func (c *counted) SetReadDeadline(t time.Time) error {
	c.sets.Add(1)
	return c.Conn.SetReadDeadline(t)
}

func (c *counted) SetWriteDeadline(t time.Time) error {
	c.sets.Add(1)
	return c.Conn.SetWriteDeadline(t)
}

// stoppedPulse returns a connection whose server's pulse doesn't run, as if the
// host didn't run this process, and its peer.
func stoppedPulse(t *testing.T, limit time.Duration) (c *conn, socket *counted, peer net.Conn) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if peer, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	nc, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	srv := New("", nil)
	srv.StallTimeout = limit
	l := newListener(nil, srv)
	socket = &counted{Conn: nc}
	c = &conn{Conn: socket, l: l}
	l.add(c)
	t.Cleanup(func() { c.Close(); peer.Close() })
	return c, socket, peer
}

// TestPausesOfTheHostDontCount checks that a client isn't disconnected because
// of time in which the host didn't run the server.
func TestPausesOfTheHostDontCount(t *testing.T) {
	read := func(c *conn) error { _, err := c.Read(make([]byte, 1)); return err }
	write := func(c *conn) error {
		for {
			if _, err := c.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
		}
	}
	for _, io := range []struct {
		name    string
		call    func(*conn) error
		timeout error
	}{
		{"read", read, nil},
		{"write", write, nil},
		{"read from a multiplexer", read, muxTimeout{}},
		{"write to a multiplexer", write, muxTimeout{}},
	} {
		c, socket, _ := stoppedPulse(t, 10*time.Millisecond)
		socket.timeout = io.timeout
		c.setState(http.StateActive)
		c.handlerBegins(nil, true)
		failed := make(chan error, 1)
		go func() { failed <- io.call(c) }()
		for socket.sets.Load() < 20 { // StallTimeout passes as often
			select {
			case err := <-failed:
				t.Fatalf("%s: %v, although the pulse didn't run", io.name, err)
			case <-time.After(time.Millisecond):
			}
		}
		if waited, _ := c.waited(); waited != 0 {
			t.Errorf("%s: the connection has waited for %v, so it could be closed for another", io.name, waited)
		}
		for waits := true; waits; { // between two system calls, an advance doesn't count
			c.l.pulse.elapsed.Add(int64(time.Second))
			select {
			case err := <-failed:
				if waits = false; !isTimeout(err) {
					t.Errorf("%s: %v when the pulse had advanced, want a deadline error", io.name, err)
				}
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

// TestDeadlinesAreSetRarely checks that the deadlines of requests that don't
// wait are not all set on the socket, and that the actual deadline ends a read.
func TestDeadlinesAreSetRarely(t *testing.T) {
	c, socket, peer := stoppedPulse(t, time.Hour)
	b := make([]byte, 1)
	const requests = 1000
	for range requests { // as net/http does
		c.l.pulse.latest.Store(int64(time.Since(c.l.pulse.start))) // however long it takes
		c.SetReadDeadline(time.Now().Add(time.Hour))
		peer.Write(b)
		if _, err := c.Read(b); err != nil {
			t.Fatal(err)
		}
		c.setState(http.StateActive)
		c.SetReadDeadline(time.Time{})
		c.handlerBegins(nil, false)
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
		c.handlerReturns(false)
		c.SetWriteDeadline(time.Time{})
		if _, err := io.ReadFull(peer, b); err != nil {
			t.Fatal(err)
		}
		c.setState(http.StateIdle)
		c.SetReadDeadline(time.Now().Add(2 * time.Hour))
	}
	if n := socket.sets.Load(); n > requests/4 {
		t.Errorf("%d deadlines set for %d requests", n, requests)
	}
	c.SetReadDeadline(time.Now().Add(time.Millisecond)) // earlier than the socket's
	if _, err := c.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read with a deadline: %v", err)
	}
	c.SetReadDeadline(time.Time{}) // the socket's has passed
	peer.Write(b)
	if _, err := c.Read(b); err != nil {
		t.Errorf("a read after it: %v", err)
	}
}

// TestDeadlinesEndCallsInProgress checks that a deadline ends a read that has
// begun, as net/http expects.
func TestDeadlinesEndCallsInProgress(t *testing.T) {
	c, _, _ := stoppedPulse(t, time.Hour)
	failed := make(chan error, 1)
	go func() { _, err := c.Read(make([]byte, 1)); failed <- err }()
	for {
		c.mu.Lock()
		reading := c.reads.calls > 0
		c.mu.Unlock()
		if reading {
			break
		}
		time.Sleep(time.Millisecond)
	}
	c.SetReadDeadline(past)
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the read: %v, want a deadline error", err)
	}
}

// TestWriteDeadlineOfAHandlerEndsWithIt checks that StallTimeout limits what is
// written after a handler that has set its own write deadline: none here.
func TestWriteDeadlineOfAHandlerEndsWithIt(t *testing.T) {
	c, _, _ := stoppedPulse(t, time.Millisecond)
	c.setState(http.StateActive)
	c.handlerBegins(nil, false)
	c.SetWriteDeadline(time.Time{})
	if c.writes.left(c.l.s.StallTimeout) != 0 {
		t.Error("StallTimeout applies while the handler runs")
	}
	c.handlerReturns(false)
	c.SetWriteDeadline(time.Time{}) // by the engine, for the next request
	done := make(chan struct{})
	defer close(done)
	go c.l.pulse.run(done)
	for { // the peer never reads
		if _, err := c.Write(make([]byte, 1<<20)); err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("after the handler: %v, want a deadline error", err)
			}
			return
		}
	}
}

// TestHijackedConnectionsKeepDeadlines checks that a handler that hijacks a
// connection and uses the socket finds the deadlines that were set.
func TestHijackedConnectionsKeepDeadlines(t *testing.T) {
	c, socket, peer := stoppedPulse(t, time.Hour)
	c.SetReadDeadline(time.Now().Add(time.Millisecond))
	peer.Write([]byte("ab"))
	io.ReadFull(c, make([]byte, 1))
	c.SetDeadline(time.Time{}) // by net/http
	c.setState(http.StateHijacked)
	time.Sleep(5 * time.Millisecond)
	if _, err := socket.Read(make([]byte, 1)); err != nil {
		t.Errorf("a read from the socket: %v", err)
	}
	c.SetReadDeadline(past)
	if _, err := socket.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read from the socket after SetReadDeadline: %v", err)
	}
}

// TestWritesThatDontWaitNeedNoDeadline checks that a write sets a deadline only
// if it has to wait, and that nothing is lost or repeated when it does.
func TestWritesThatDontWaitNeedNoDeadline(t *testing.T) {
	if !resumableWrites {
		return // writes set a deadline on this system
	}
	c, socket, peer := stoppedPulse(t, time.Hour)
	c.Conn = socket.Conn
	c.direct()
	c.setState(http.StateActive)
	c.handlerBegins(nil, false)
	large := make([]byte, 8<<20)
	for i := range large {
		large[i] = byte(i * i >> 8)
	}
	for i, p := range [][]byte{[]byte("small"), large, []byte("small")} {
		c.Write(p[:1])
		if !c.writes.socket.IsZero() {
			t.Errorf("write %d has a deadline", i)
		}
		written := make(chan bool)
		go func() { c.Write(p[1:]); close(written) }()
		got := make([]byte, len(p))
		if _, err := io.ReadFull(peer, got); err != nil || !bytes.Equal(got, p) {
			t.Errorf("write %d: %v, equal %v", i, err, bytes.Equal(got, p))
		}
		<-written
	}
	c.SetWriteDeadline(past)
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write after its deadline: %v", err)
	}
}
