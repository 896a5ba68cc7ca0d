package h2

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// A halfClosed is a Transport whose client answers the PING of a shutdown, and
// sends a PING of its own after CloseWrite.
type halfClosed struct {
	memory
	conn *Conn
	shut sync.WaitGroup // until CloseWrite
	late int            // writes after CloseWrite
	done bool
}

func (h *halfClosed) Read(n int) ([]byte, error) {
	if b, err := h.memory.Read(n); err == nil {
		return b, nil
	}
	if h.done {
		time.Sleep(10 * time.Millisecond) // for a late write
		return nil, io.EOF
	}
	h.shut.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = true
	h.in = append(h.in, appendFrame(nil, framePing, 0, 0, "12345678")...)
	return h.in, nil
}

func (h *halfClosed) CloseWrite() { h.shut.Done() }

func (h *halfClosed) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done && len(p) > 0 {
		h.late++
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// TestPingAfterCloseWrite checks that nothing is written after CloseWrite: the
// error would close the connection at once, and destroy output on its way.
func TestPingAfterCloseWrite(t *testing.T) {
	s := newMemoryServer(false, http.NotFoundHandler())
	h := &halfClosed{}
	h.shut.Add(1)
	h.parts = [][]byte{[]byte(begin), appendFrame(nil, framePing, flagAck, 0, string(shutdownPing[:]))}
	c := s.NewConn(h, &http.Request{RemoteAddr: "test"}, context.Background())
	c.Shutdown()
	c.Serve()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.late > 0 {
		t.Errorf("%d writes after CloseWrite", h.late)
	}
}

// TestRequestAfterPing checks that a request is served whose client has just
// answered the PING of a shutdown: it may have chosen the connection before.
func TestRequestAfterPing(t *testing.T) {
	served := make(chan bool, 1)
	s := newMemoryServer(false, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served <- true }))
	input := appendFrame([]byte(begin), framePing, flagAck, 0, string(shutdownPing[:]))
	m := &memory{parts: [][]byte{appendFrame(input, frameHeaders, flagEndStream|flagEndHeaders, 1, getRequest)}}
	c := s.NewConn(m, &http.Request{RemoteAddr: "test"}, context.Background())
	c.Shutdown()
	c.Serve()
	steady.Receive(t, "the request is served", served)
}

// TestLastStream checks that the connection is closed at once when the last stream
// ends during a shutdown, although there is nothing to write.
func TestLastStream(t *testing.T) {
	for name, end := range map[string]func(*Conn, *stream){
		"the client resets it": func(c *Conn, _ *stream) {
			c.reset(&frame{kind: frameReset, stream: 1, payload: make([]byte, 4)})
			c.parsed()
		},
		"its handler returns later than the response was written": func(_ *Conn, s *stream) { s.complete(false) },
	} {
		h := &halfClosed{}
		h.shut.Add(1)
		c := newMemoryServer(false, nil).NewConn(h, &http.Request{}, context.Background())
		c.timer.Stop() // it would close the connection a second later
		s := c.newStream()
		s.id, s.recvEnd = 1, true
		s.res.begin(s, "HEAD")
		c.register(s, 1, "")
		c.mu.Lock()
		c.handlerStarts(s)
		s.res.SentHead = true
		c.endSent(s)
		c.finalGoAway()
		c.write(nil)
		c.mu.Unlock()
		end(c, s)
		closed := make(chan bool)
		go func() { h.shut.Wait(); close(closed) }()
		steady.Receive(t, name+": the connection is closed", closed)
	}
}

// TestSilentClient checks that a connection which is idle when a shutdown begins is
// closed a second later if the client says nothing, as by net/http, but not at once
// after the last GOAWAY.
func TestSilentClient(t *testing.T) {
	c := newMemoryServer(false, nil).NewConn(new(memory), &http.Request{}, context.Background())
	c.timer.Stop() // instead, each step ends at once
	c.begin()
	c.Shutdown()
	limit := c.server.clock.Now() + int64(closeDelay)
	for _, closing := range []bool{false, true} {
		c.mu.Lock()
		if at := c.times.goodbye; c.stopping.closing != closing || at <= 1 || at > limit {
			t.Errorf("closing: %v, want %v, until %d, want at most %d", c.stopping.closing, closing, at, limit)
		}
		c.times.goodbye, c.stopping.by = 1, 1 // as on a slow machine
		c.mu.Unlock()
		c.Fire()
	}
	if !c.broken {
		t.Error("the connection isn't closed")
	}
}

// An oddEnd is a Transport whose Read calls end when all parts are read and the
// handlers run.
type oddEnd struct {
	memory
	conn    *Conn
	started sync.WaitGroup
	end     func(*Conn) error
}

func (o *oddEnd) Read(n int) ([]byte, error) {
	if b, err := o.memory.Read(n); err == nil {
		return b, nil
	}
	o.started.Wait()
	return nil, o.end(o.conn)
}

// TestReaderEnds checks that contexts are canceled and reads of bodies fail
// however the reader ends.
func TestReaderEnds(t *testing.T) {
	pan, exit := func(string) { panic("test") }, func(string) { runtime.Goexit() }
	streamErr := func(c *Conn) error { return c.streamError(5, protocolError, "test") }
	connErr := func(*Conn) error { return connError{protocolError, "test"} }
	for name, tt := range map[string]struct {
		end   func(*Conn) error
		count func(string)
	}{
		"EOF":                 {func(*Conn) error { return io.EOF }, nil},
		"panic":               {func(*Conn) error { panic("test") }, nil},
		"Goexit":              {func(*Conn) error { runtime.Goexit(); return nil }, nil},
		"CountError panics":   {streamErr, pan},
		"CountError exits":    {streamErr, exit},
		"the last one panics": {connErr, pan},
		"the last one exits":  {connErr, exit},
		"a lost PING panics":  {func(c *Conn) error { c.lostPing = true; return io.EOF }, pan},
	} {
		o := &oddEnd{end: tt.end}
		o.started.Add(2)
		ended := make(chan bool, 2)
		s := newMemoryServer(false, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if o.started.Done(); r.Method == "POST" {
				io.ReadAll(r.Body)
			} else {
				<-r.Context().Done()
			}
			ended <- true
		}))
		s.countError = tt.count
		input := appendFrame([]byte(begin), frameHeaders, flagEndStream|flagEndHeaders, 1, getRequest)
		o.parts = [][]byte{appendFrame(input, frameHeaders, flagEndHeaders, 3, "\x83"+getRequest[1:])}
		o.conn = s.NewConn(o, &http.Request{RemoteAddr: "test"}, context.Background())
		served := make(chan bool)
		go func() {
			defer close(served)
			defer func() { recover() }()
			o.conn.Serve()
		}()
		<-served
		for range 2 {
			steady.Receive(t, name+": the end of a handler", ended)
		}
	}
}
