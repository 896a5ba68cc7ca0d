package server

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// deadlines is a writer that counts calls that set deadlines.
type deadlines struct {
	http.ResponseWriter
	n int
}

func (d *deadlines) SetReadDeadline(time.Time) error  { d.n++; return nil }
func (d *deadlines) SetWriteDeadline(time.Time) error { d.n++; return nil }

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
		s.begin(&s.reads, time.Now()) // in another goroutine, which continues to read
		if reset {
			cancel()
		}
		s.finish()
		// One deadline limits net/http's last flush, if there is one.
		if want := map[bool]int{false: 1, true: 0}[reset]; w.n != want {
			t.Errorf("reset %v: %d deadlines set by finish, want %d", reset, w.n, want)
		}
		w.n = 0
		s.stalled(&s.reads) // a timer that has already fired
		if err := s.SetReadDeadline(time.Time{}); err != net.ErrClosed {
			t.Errorf("a late SetReadDeadline: %v, want %v", err, net.ErrClosed)
		}
		if err := s.SetWriteDeadline(time.Time{}); err != net.ErrClosed {
			t.Errorf("a late SetWriteDeadline: %v, want %v", err, net.ErrClosed)
		}
		if w.n != 0 {
			t.Errorf("reset %v: %d deadlines set after the handler", reset, w.n)
		}
		if s.begin(&s.reads, time.Now()) || s.reads.timer != nil && s.reads.timer.Stop() {
			t.Error("a late read arms a timer")
		}
	}
}
