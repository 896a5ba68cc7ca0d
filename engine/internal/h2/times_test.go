package h2

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// TestFire checks that a write that takes longer than WriteTimeout ends the
// connection, but not while a handler has another deadline, or none.
func TestFire(t *testing.T) {
	for name, tt := range map[string]struct {
		set      bool
		deadline time.Time
		cut      bool
	}{
		"WriteTimeout":    {cut: true},
		"no deadline":     {set: true},
		"later deadline":  {set: true, deadline: time.Now().Add(time.Hour)},
		"passed deadline": {set: true, deadline: time.Now(), cut: true},
	} {
		srv := newMemoryServer(false, nil)
		srv.timeouts.Write = int64(time.Minute)
		m := new(memory)
		c := srv.NewConn(m, &http.Request{}, context.Background())
		defer c.timer.Stop()
		s := freeStreams.New().(*stream)
		s.conn, s.id, s.w = c, 1, new(writer)
		s.res.begin(s, false)
		c.register(s, s.id, "")
		if tt.set {
			s.w.SetWriteDeadline(tt.deadline)
		}
		c.began = srv.clock.Now() - int64(time.Hour)
		if c.Fire(); m.closed != tt.cut {
			t.Errorf("%s: the connection ended: %v, want %v", name, m.closed, tt.cut)
		}
	}
}
