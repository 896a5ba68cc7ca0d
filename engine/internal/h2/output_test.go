package h2

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// TestFlushLate checks that a handler that ends writes output that has waited
// for long, and that later output then waits again: one write for each of many
// handlers would be slow.
func TestFlushLate(t *testing.T) {
	s := newMemoryServer(false, nil)
	m := new(memory)
	c := s.NewConn(m, &http.Request{}, context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	old := s.clock.Now() - int64(time.Hour)
	c.queued, c.running = old, 2
	if c.flushLate(); len(m.out) == 0 {
		t.Error("no output was written")
	}
	if c.queued < old+int64(time.Hour) {
		t.Error("later output doesn't wait")
	}
}

// TestWait checks that a handler writes the output itself if that is full, even
// if a goroutine of the pool is about to: on a busy machine, that one may not run
// for long.
func TestWait(t *testing.T) {
	s := newMemoryServer(false, nil)
	c := s.NewConn(new(memory), &http.Request{}, context.Background())
	c.queued = s.clock.Now()
	st := &stream{conn: c, id: 1, sendWindow: maxWindow}
	c.sendWindow = maxWindow
	sent := make(chan error)
	go func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		sent <- c.sendData(st, make([]byte, 3*maxOut), false)
	}()
	select {
	case err := <-sent:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the handler waits")
	}
}
