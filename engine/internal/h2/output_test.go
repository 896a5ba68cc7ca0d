package h2

import (
	"context"
	"net/http"
	"os"
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

// TestWriteGivesBack checks that a connection keeps no buffers when its output is
// written, even if a handler runs, which may wait for long.
func TestWriteGivesBack(t *testing.T) {
	s := newMemoryServer(false, nil)
	c := s.NewConn(new(memory), &http.Request{}, context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = 1
	c.grow(2 * smallBuffer)
	c.write(0)
	if n := cap(c.out) + cap(c.spare); n > 0 {
		t.Errorf("the connection keeps %d bytes", n)
	}
}

// TestStopUpload checks that a complete response is written before the reset that
// asks the client not to send the rest of its request: curl 7.88 discards a
// response that arrives together with it.
func TestStopUpload(t *testing.T) {
	for text, writes := range map[string]int{"": 1, "response": 2} {
		m := new(memory)
		c := newMemoryServer(false, nil).NewConn(m, &http.Request{}, context.Background())
		c.mu.Lock()
		c.out = append(c.out[:0], text...)
		c.stopUpload(1)
		c.write(0)
		c.mu.Unlock()
		want := text + string(appendReset(nil, 1, noError))
		if string(m.out) != want || m.writes != writes {
			t.Errorf("%q: got %q in %d writes, want %q in %d", text, m.out, m.writes, want, writes)
		}
	}
}

// A slowClient is a Transport whose client takes a byte before each deadline,
// and a while later nothing any more.
type slowClient struct {
	memory
	left int
}

func (s *slowClient) Write(p []byte) (int, error) {
	n := min(1, s.left)
	s.left -= n
	return n, os.ErrDeadlineExceeded
}

// TestSendSlowly checks that WriteByteTimeout ends writes only if no byte was
// written.
func TestSendSlowly(t *testing.T) {
	s := newMemoryServer(false, nil)
	s.writeByte = int64(time.Minute)
	for _, left := range []int{99, 100} {
		c := s.NewConn(&slowClient{left: left}, &http.Request{}, context.Background())
		if err := c.send(make([]byte, 100)); (err == nil) != (left == 100) {
			t.Errorf("100 bytes to a client that takes %d: got error %v", left, err)
		}
	}
}
