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
