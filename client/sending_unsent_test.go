package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptrace"
	"os"
	"testing"
	"time"
)

// TestUnsentAttemptsDontCount checks that attempts of net/http don't count if
// nothing was written to the connection.
func TestUnsentAttemptsDontCount(t *testing.T) {
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

// TestConnDeadlines checks that StallTimeout doesn't apply while a deadline was
// set by another package.
func TestConnDeadlines(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	c := &conn{Conn: a, stall: 10 * time.Millisecond}
	write := func() error {
		_, err := c.Write([]byte("nobody reads"))
		return err
	}
	c.SetDeadline(time.Now().Add(time.Hour))
	c.SetWriteDeadline(time.Now().Add(-time.Hour))
	if err := write(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after a deadline of another package: %v", err)
	}
	c.SetDeadline(time.Time{})
	if err := write(); !errors.As(err, new(*StalledError)) {
		t.Errorf("without a deadline: %v, want a StalledError", err)
	}
	if err := write(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after a stall: %v, want no further write", err)
	}
	c = &conn{Conn: a, stall: time.Millisecond}
	c.unbound()
	done := make(chan error)
	go func() { done <- write() }()
	time.Sleep(20 * time.Millisecond)
	io.ReadFull(b, make([]byte, 12))
	if err := <-done; err != nil {
		t.Errorf("unbound: %v", err)
	}
}

// TestSetupLimit checks that the limit for a new connection ends when it is used.
func TestSetupLimit(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	c := &conn{Conn: a}
	c.limitSetup(time.Millisecond)
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("without a request: %v", err)
	}
	new(sending).gotConn(httptrace.GotConnInfo{Conn: c})
	go b.Write([]byte("x"))
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Errorf("with a request: %v", err)
	}
}
