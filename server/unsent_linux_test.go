//go:build !muxmaster_portable

package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestUnsent checks that a connection whose client receives a response slowly
// doesn't give way to another one after the handler has written the response: the
// system still holds most of it. As a client of a closed connection sends
// something, such as a PING, the rest is lost.
func TestUnsent(t *testing.T) {
	for _, v := range []variant{http2c, onEngine(http2c)} {
		for _, idle := range []bool{false, true} {
			t.Run(fmt.Sprint(v.name, ", idle before: ", idle), func(t *testing.T) {
				t.Parallel()
				for try := 1; ; try++ {
					err := receiveSlowly(t, v, idle)
					if err == nil {
						return
					}
					if try == 5 { // a busy machine may not run the client for a second
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// receiveSlowly receives a response while another client waits for a place. If
// idle is set, the connection was idle when the server looked for a connection
// to close, and closed another one.
func receiveSlowly(t *testing.T, v variant, idle bool) error {
	const size = 256 << 10
	written, other := make(chan bool, 1), make(chan error, 1)
	s, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/big" {
			w.Write(make([]byte, size))
			written <- true
		}
	}), func(s *server.Server) {
		v.configure(t, s)
		s.MaxConns, s.HTTP.ReadHeaderTimeout = 1, longest
		if idle {
			s.MaxConns = 2
		}
	})
	wait := func(d time.Duration) { awaitPulse(t, s, d) }
	if idle {
		readResponse(t, send(t, addr, "/"))
		wait(300 * time.Millisecond)
	}
	c := dial(t, addr)
	asked := false
	defer func() {
		if c.Close(); asked {
			<-other
		}
	}()
	c.(*net.TCPConn).SetReadBuffer(4 << 10)
	io.WriteString(c, clientPreface+settings(1<<31-1)+frame(frameWindowUpdate, 0, 0, "\x7f\x00\x00\x00"))
	if idle {
		wait(1500 * time.Millisecond)
		readResponse(t, send(t, addr, "/")) // in the place of the first
	}
	io.WriteString(c, frame(frameHeaders, flagEndHeaders|flagEndStream, 1, blockBig))
	<-written
	began := server.Pulse(s)
	for n, b := 0, make([]byte, 4<<10); n < size; {
		if !asked && (!idle || server.Pulse(s)-began > 1200*time.Millisecond) {
			asked = true
			go func() {
				tr := v.transport()
				defer tr.CloseIdleConnections()
				other <- get(&http.Client{Transport: tr}, v.scheme+addr)
			}()
		}
		m, err := c.Read(b)
		if n += m; err != nil {
			return fmt.Errorf("after %d bytes: %w", n, err)
		}
		io.WriteString(c, frame(framePing, 0, 0, "muxmastr"))
		<-time.After(25 * time.Millisecond)
	}
	return nil
}
