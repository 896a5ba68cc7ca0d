package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptrace"
	"testing"
)

// What was never written to a connection doesn't count as sent, however often
// net/http tries.
func TestUnsentTriesAreFree(t *testing.T) {
	s := &sending{Context: context.Background(), max: 2}
	a, b := net.Pipe()
	defer a.Close()
	go io.Copy(io.Discard, b)
	for i, step := range []struct {
		write bool
		ok    bool
		times int
	}{{false, true, 1}, {false, true, 1}, {true, true, 1}, {false, true, 2}, {true, true, 2}, {false, false, 2}} {
		if err := s.begin(); (err == nil) != step.ok || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("step %d: %v", i, err)
		}
		if got := s.times(); got != step.times {
			t.Errorf("step %d: sent %d times, want %d", i, got, step.times)
		}
		c := &conn{Conn: a}
		c.Write([]byte("of an earlier request"))
		s.gotConn(httptrace.GotConnInfo{Conn: c})
		if step.write {
			c.Write([]byte("GET"))
		}
	}
}
