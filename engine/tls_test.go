package engine

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A stuckConn is a connection whose writes wait for a client that doesn't read,
// while stuck is set: until a deadline, unless deaf is set.
type stuckConn struct {
	net.Conn
	stuck   *atomic.Bool
	deaf    bool
	over    atomic.Bool // closed, or the deadline has passed
	reached chan bool   // gets a value when a write begins to wait
}

func (c *stuckConn) Write(p []byte) (int, error) {
	for c.stuck.Load() && (c.deaf || !c.over.Load()) {
		select {
		case c.reached <- true:
		case <-time.After(time.Millisecond):
		}
	}
	if c.over.Load() {
		return 0, os.ErrDeadlineExceeded
	}
	return c.Conn.Write(p)
}

func (c *stuckConn) SetWriteDeadline(t time.Time) error {
	if c.stuck.Load() && !t.IsZero() && time.Until(t) <= 0 {
		c.over.Store(true)
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *stuckConn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

func (c *stuckConn) Close() error {
	c.over.Store(true)
	return c.Conn.Close()
}

// TestStuckTLS ends connections over TLS that wait to write to a client which
// reads nothing: an alert because they end, or one about a malformed record,
// for which Read waits. No Shutdown may take longer than its context says.
func TestStuckTLS(t *testing.T) {
	const manyTimes = "Shutdown, many times"
	for protocol, request := range map[string]string{
		"http/1.1": "GET /received HTTP/1.1\r\nHost: h\r\n\r\n",
		"h2":       http2Hello + "\x00\x00\x08\x06\x00\x00\x00\x00\x00received",
	} {
		for by, end := range map[string]func(s *Server) error{
			"a timeout": func(*Server) error { return nil },
			"Shutdown":  func(s *Server) error { return s.Shutdown(context.Background()) },
			"Close":     (*Server).Close,
			manyTimes: func(s *Server) error {
				for range 30 {
					ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
					s.Shutdown(ctx)
					cancel()
				}
				return nil
			},
		} {
			t.Run(protocol+", by "+by, func(t *testing.T) {
				t.Parallel()
				closed, ended := make(chan bool, 1), make(chan error, 1)
				srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.WriteString(w, r.URL.Path)
				}), ConnState: func(_ net.Conn, state http.ConnState) {
					if state == http.StateClosed {
						closed <- true
					}
				}}
				if by == "a timeout" {
					srv.IdleTimeout = 2 * time.Second
				}
				var client *tls.Config
				srv.TLSConfig, client = certificate(t)
				s := New(quiet(srv))
				var stuck atomic.Bool
				defer stuck.Store(false)
				reached := make(chan bool, 1)
				nc := dial(t, startTLSOn(t, wrapper{onFreePort(t), func(nc net.Conn) net.Conn {
					return &stuckConn{Conn: nc, stuck: &stuck, deaf: by == manyTimes, reached: reached}
				}}, s))

				client.NextProtos, client.ServerName = []string{protocol}, "example.com"
				c := tls.Client(nc, client)
				io.WriteString(c, request)
				for got, b := "", make([]byte, 1000); !strings.Contains(got, "received"); {
					n, err := c.Read(b)
					if got += string(b[:n]); err != nil {
						t.Fatal(err)
					}
				}
				stuck.Store(true)
				if by != manyTimes {
					io.WriteString(nc, "\x17\x03\x03\x00\x01x")
					eventually(t, "a write that waits", reached)
				}
				go func() { ended <- end(s) }()
				if err := eventually(t, "the end of "+by, ended); err != nil {
					t.Error(err)
				}
				if by == manyTimes {
					eventually(t, "a write that waits", reached)
					stuck.Store(false)
				}
				eventually(t, "the end of the connection", closed)
			})
		}
	}
}
