package server_test

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestQuietConnectionsGiveWay checks which connection is closed to make room:
// the one that was idle for longest, but not one with a handler at work, and not
// one that stalls within a request, even if it has waited for longer.
func TestQuietConnectionsGiveWay(t *testing.T) {
	t.Parallel()
	release, failed := make(chan bool), make(chan error, 1)
	s, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/busy":
			<-release
		case "/upload":
			_, err := io.Copy(io.Discard, r.Body)
			failed <- err
		}
		hello(w, r)
	}), func(s *server.Server) { s.MaxConns = 4 })
	wait := func(d time.Duration) { awaitPulse(t, s, d) } // so that the server's pulse tells connections apart
	busy, stalled := send(t, addr, "/busy"), dial(t, addr)
	io.WriteString(stalled, headUpload)
	eventually(t, longest, "both are in", func() bool { return s.Stats().Open == 2 })
	first := send(t, addr, "/")
	readResponse(t, first)
	wait(300 * time.Millisecond)
	second := send(t, addr, "/")
	readResponse(t, second)
	wait(1200 * time.Millisecond) // all have waited long enough to be closed
	third := send(t, addr, "/")
	if readResponse(t, third); s.Stats().Evicted != 1 {
		t.Errorf("%d connections evicted, want 1", s.Stats().Evicted)
	}
	first.SetReadDeadline(time.Now().Add(longest))
	if _, err := io.Copy(io.Discard, first); err != nil {
		t.Errorf("the connection that was idle for longest: %v, want a clean end", err)
	}
	select {
	case err := <-failed:
		t.Errorf("the stalled request ended too: %v", err)
	default:
	}
	close(release)
	if resp := readResponse(t, busy); resp.StatusCode != 200 {
		t.Errorf("the busy connection: %s", resp.Status)
	}
	// The only connection gives way too.
	_, addr, _ = start(t, http.HandlerFunc(hello), func(s *server.Server) { s.MaxConns = 1 })
	for range 2 {
		readResponse(t, send(t, addr, "/"))
	}
}

// TestLongestIdleGivesWay checks that a connection that was about to be closed, but
// has served a request since, isn't closed before one that has been idle for longer.
func TestLongestIdleGivesWay(t *testing.T) {
	t.Parallel()
	s, addr, _ := start(t, http.HandlerFunc(hello), func(s *server.Server) { s.MaxConns = 3 })
	wait := func(d time.Duration) { awaitPulse(t, s, d) }
	request := func(c net.Conn) {
		t.Helper()
		io.WriteString(c, headHello)
		readResponse(t, c)
	}
	var idle []net.Conn
	for range 3 {
		idle = append(idle, dial(t, addr))
		request(idle[len(idle)-1])
		wait(300 * time.Millisecond)
	}
	wait(1200 * time.Millisecond)
	request(dial(t, addr)) // in the place of the first
	request(idle[1])
	wait(1200 * time.Millisecond)
	request(dial(t, addr)) // in the place of the third
	request(idle[1])
}
