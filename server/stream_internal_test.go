package server

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// deadlines is a writer that counts calls that set deadlines, and keeps the last
// one for writes.
type deadlines struct {
	http.ResponseWriter
	n     int
	write time.Time
}

func (d *deadlines) SetReadDeadline(time.Time) error    { d.n++; return nil }
func (d *deadlines) SetWriteDeadline(t time.Time) error { d.n++; d.write = t; return nil }

// TestStreamsDontUseTheWriterAfterTheHandler checks that a stream doesn't use
// net/http's writer after the handler has returned.
func TestStreamsDontUseTheWriterAfterTheHandler(t *testing.T) {
	srv := New("", nil)
	c := &conn{l: newListener(nil, srv)}
	for _, reset := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		w := &deadlines{ResponseWriter: httptest.NewRecorder()}
		s := newStream(w, httptest.NewRequestWithContext(ctx, "GET", "/", nil), c)
		s.Write([]byte("x"))
		s.begin(&s.reads) // in another goroutine, which continues to read
		if reset {
			cancel()
		}
		s.finish()
		// One deadline limits net/http's last flush, if there is one.
		if want := map[bool]int{false: 1, true: 0}[reset]; w.n != want {
			t.Errorf("reset %v: %d deadlines set by finish, want %d", reset, w.n, want)
		}
		w.n = 0
		s.fire(&s.reads) // a timer that has already fired
		if err := s.SetReadDeadline(time.Time{}); err != net.ErrClosed {
			t.Errorf("a late SetReadDeadline: %v, want %v", err, net.ErrClosed)
		}
		if err := s.SetWriteDeadline(time.Time{}); err != net.ErrClosed {
			t.Errorf("a late SetWriteDeadline: %v, want %v", err, net.ErrClosed)
		}
		if w.n != 0 {
			t.Errorf("reset %v: %d deadlines set after the handler", reset, w.n)
		}
		if s.begin(&s.reads) || s.reads.timer != nil && s.reads.timer.Stop() {
			t.Error("a late read arms a timer")
		}
	}
}

// TestStreamsThatReadAndWriteCountOnce checks that a stream that waits in both
// directions, or still reads after its handler, doesn't make the connection
// seem to wait while the handler of another stream is working.
func TestStreamsThatReadAndWriteCountOnce(t *testing.T) {
	c := &conn{l: newListener(nil, New("", nil))}
	c.http2.Store(true)
	waits := func() bool {
		c.l.pulse.elapsed.Add(int64(time.Second))
		d, _ := c.waited()
		return d > 0
	}
	c.handlerBegins(nil, false) // one that works
	c.handlerBegins(nil, false)
	s := newStream(&deadlines{ResponseWriter: httptest.NewRecorder()}, httptest.NewRequest("GET", "/", nil), c)
	s.begin(&s.reads)
	s.begin(&s.writes)
	if waits() {
		t.Error("a stream that reads and writes counts twice")
	}
	s.end(&s.writes, 0)
	s.finish()
	c.handlerReturns(false)
	if waits() {
		t.Error("a read after the handler counts")
	}
	s.end(&s.reads, 0)
	c.handlerReturns(false)
	if _, idle := c.waited(); !idle {
		t.Error("not idle after both handlers")
	}
}

// TestStreamTimersUseThePulse checks that a stream doesn't end because of time
// in which the host didn't run the server.
func TestStreamTimersUseThePulse(t *testing.T) {
	c := &conn{l: newListener(nil, New("", nil))}
	w := &deadlines{ResponseWriter: httptest.NewRecorder()}
	s := newStream(w, httptest.NewRequest("GET", "/", nil), c)
	s.begin(&s.reads)
	s.fire(&s.reads)
	if w.n != 0 || !s.reads.armed {
		t.Errorf("%d deadlines set by a timer that fired too early, armed again %v; want none, true", w.n, s.reads.armed)
	}
	c.l.pulse.elapsed.Store(int64(time.Hour))
	s.fire(&s.reads)
	if w.n != 1 {
		t.Errorf("%d deadlines set by the timer, want 1", w.n)
	}
}

// TestFinish checks that the deadline for the last flush isn't later than
// WriteTimeout or the handler's deadline.
func TestFinish(t *testing.T) {
	start := time.Now()
	for _, tt := range []struct {
		stall, timeout, own, want time.Duration
	}{
		{time.Minute, 0, 0, time.Minute},
		{time.Minute, time.Hour, 0, time.Minute},
		{time.Hour, time.Minute, 0, time.Minute},
		{time.Hour, time.Minute, 2 * time.Minute, 2 * time.Minute},
	} {
		srv := New("", nil)
		srv.StallTimeout, srv.HTTP.WriteTimeout = tt.stall, tt.timeout
		w := &deadlines{ResponseWriter: httptest.NewRecorder()}
		s := newStream(w, httptest.NewRequest("GET", "/", nil), &conn{l: newListener(nil, srv)})
		s.Write([]byte("x"))
		if tt.own > 0 {
			s.SetWriteDeadline(start.Add(tt.own))
		}
		s.finish()
		if got := w.write.Sub(start).Round(time.Minute); got != tt.want {
			t.Errorf("StallTimeout %v, WriteTimeout %v, deadline %v: the last flush ends after %v, want %v", tt.stall, tt.timeout, tt.own, got, tt.want)
		}
	}
}
