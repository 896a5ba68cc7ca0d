package h2

import (
	"context"
	"net"
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
		s.res.begin(s, "GET")
		c.register(s, s.id, "")
		c.writing = true // and is stuck, so that nothing else is written
		if tt.set {
			s.w.SetWriteDeadline(tt.deadline)
		}
		c.began = srv.clock.Now() - int64(time.Hour)
		if c.Fire(); m.closed != tt.cut {
			t.Errorf("%s: the connection ended: %v, want %v", name, m.closed, tt.cut)
		}
	}
}

// TestFieldsTimeout checks that ReadHeaderTimeout applies to each block of fields
// alone: while a client sends much, each read may end within a block.
func TestFieldsTimeout(t *testing.T) {
	get := string(appendFrame(nil, frameHeaders, flagEndStream|flagEndHeaders, 1, getRequest))
	part := string(appendFrame(nil, frameHeaders, flagEndStream, 1, getRequest)) // without END_HEADERS
	for _, tt := range []struct{ first, more, want string }{
		{get[:5], "", "as before"},
		{get[:5], get[5:], "none"},
		{get[:5], get[5:] + get[:5], "new"},
		{get[:5], get[5:] + part, "new"},
		{part[:5], part[5:], "as before"},
		{part[:5], part[5:] + get[:5], "as before"},
	} {
		srv := newMemoryServer(false, http.NotFoundHandler())
		srv.timeouts.Head = int64(time.Minute)
		c := srv.NewConn(new(memory), &http.Request{}, context.Background())
		defer c.timer.Stop()
		c.settled = true
		c.watchRead([]byte(tt.first))
		c.fieldsBy, c.times.read = 1, 1
		b := []byte(tt.first + tt.more)
		n, _ := c.parse(b, 0)
		c.watchRead(b[n:])
		got := map[int64]string{0: "none", 1: "as before"}[c.times.read]
		if got == "" {
			got = "new"
		}
		if got != tt.want {
			t.Errorf("%q and then %q: the deadline is %s, want %s", tt.first, tt.more, got, tt.want)
		}
	}
}

// TestLostPing checks that the hook for an unanswered PING runs without c.mu, and
// its name, which is net/http's.
func TestLostPing(t *testing.T) {
	srv := newMemoryServer(false, nil)
	var c *Conn
	var got []string
	srv.countError = func(name string) { c.Shutdown(); got = append(got, name) }
	c = srv.NewConn(new(memory), &http.Request{}, context.Background())
	c.times.ping, c.times.pinged = 1, true
	c.Fire()
	if c.Serve(); len(got) != 1 || got[0] != "conn_close_lost_ping" {
		t.Errorf("got %q", got)
	}
}

// A slowHook is a Transport whose hook for an idle connection waits until a call
// returns.
type slowHook struct {
	memory
	idle           func()
	returned, done chan bool
}

func (h *slowHook) SetState(state http.ConnState) {
	if state != http.StateIdle {
		return
	}
	h.idle()
	select {
	case <-h.returned:
		h.done <- true
	case <-time.After(10 * time.Second):
		h.done <- false
	}
}

// TestDeadlineHook checks that SetWriteDeadline doesn't wait for the hook, which
// may wait for a lock of the handler.
func TestDeadlineHook(t *testing.T) {
	srv := newMemoryServer(false, nil)
	srv.HTTP.ConnState = func(net.Conn, http.ConnState) {}
	h := &slowHook{returned: make(chan bool), done: make(chan bool, 1)}
	c := srv.NewConn(h, &http.Request{}, context.Background())
	s := c.newStream()
	s.id, s.body, s.started = 1, &body{conn: c}, true
	c.register(s, 1, "")
	s.res.begin(s, "POST")
	s.body.mu.Lock() // SetDeadline waits for it after the reset of the stream
	h.idle = s.body.mu.Unlock
	c.SetDeadline(&s.w.Writer, time.Unix(1, 0), true)
	close(h.returned)
	if !<-h.done {
		t.Error("SetDeadline waits for the hook")
	}
}
