package h2

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/internal/steady"
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

// TestWriteGivesBack checks that a connection keeps no buffers when its output is
// written, even if a handler runs, which may wait for long.
func TestWriteGivesBack(t *testing.T) {
	s := newMemoryServer(false, nil)
	c := s.NewConn(new(memory), &http.Request{}, context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = 1
	c.grow(2 * smallBuffer)
	c.write(nil)
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
		c.stopUpload(&stream{id: 1})
		c.write(nil)
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

// A canceled is a Transport whose client resets stream 1 while a handler writes.
type canceled struct {
	memory
	conn  *Conn
	state chan http.ConnState
}

func (m *canceled) TryWrite(p []byte) (int, error) {
	m.conn.reset(&frame{kind: frameReset, stream: 1, payload: make([]byte, 4)})
	return m.memory.TryWrite(p)
}

func (m *canceled) SetState(state http.ConnState) { m.state <- state }

// TestStateAfterReset checks that the hook learns that the connection is idle when
// the client has reset the last stream, although its handler goes on.
func TestStateAfterReset(t *testing.T) {
	srv := newMemoryServer(false, nil)
	srv.HTTP.ConnState = func(net.Conn, http.ConnState) {}
	m := &canceled{state: make(chan http.ConnState, 3)}
	c := srv.NewConn(m, &http.Request{}, context.Background())
	m.conn = c
	s := c.newStream()
	s.id, s.started = 1, true
	c.register(s, 1, "")
	c.mu.Lock()
	c.sendData(s, make([]byte, 2*maxOut), false)
	c.mu.Unlock()
	for _, want := range []http.ConnState{http.StateActive, http.StateIdle} {
		if got := steady.Receive(t, "a state", m.state); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// An unread is a Transport of a client that sends requests and reads nothing.
type unread struct {
	memory
	conn   *Conn
	frames func(id uint32) []byte // a request, and what the client sends for it
	left   int                    // requests
	id     uint32
	most   int           // bytes that wait to be written
	end    chan struct{} // closed at the end
	ended  sync.Once
}

// Read returns more requests when the handlers of the last ones have returned or
// wait.
func (u *unread) Read(int) ([]byte, error) {
	c := u.conn
	for {
		c.mu.Lock()
		busy := c.running > len(c.waiting)
		u.most = max(u.most, len(c.batch.frames)+len(c.out)+len(c.later))
		c.mu.Unlock()
		if !busy {
			break
		}
		time.Sleep(10 * time.Microsecond)
	}
	if u.left <= 0 {
		return nil, io.EOF
	}
	if u.id == 0 {
		u.in = append([]byte(preface), appendFrame(nil, frameSettings, 0, 0, "")...)
		u.id = 1
	}
	for range 20 {
		u.in = append(u.in, u.frames(u.id)...)
		u.id += 2
		u.left--
	}
	return u.in, nil
}

func (u *unread) Write([]byte) (int, error) {
	<-u.end
	return 0, io.ErrClosedPipe
}

func (u *unread) TryWrite([]byte) (int, error) { return 0, nil }

// SetWriteDeadline is called when the connection ends.
func (u *unread) SetWriteDeadline(time.Time) error {
	u.ended.Do(func() { close(u.end) })
	return nil
}

// TestBoundedOutput checks that no output grows while the client reads nothing.
func TestBoundedOutput(t *testing.T) {
	request := func(id uint32, flags uint8, fields ...string) []byte {
		var e hpack.Encoder
		e.Reset()
		b := e.Begin(nil)
		for i := 0; i < len(fields); i += 2 {
			b = e.AppendField(b, fields[i], fields[i+1], false)
		}
		return appendFrame(nil, frameHeaders, flagEndHeaders|flags, id, "\x82\x86\x84\x41\x01h"+string(b))
	}
	get := func(id uint32) []byte { return request(id, flagEndStream) }
	reset := func(b []byte, id uint32) []byte { return appendReset(b, id, 8) }
	read := func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }
	for name, tt := range map[string]struct {
		frames func(id uint32) []byte
		h      http.HandlerFunc
	}{
		"responses":     {get, func(w http.ResponseWriter, r *http.Request) {}},
		"large fields":  {get, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", string(make([]byte, 1000))) }},
		"panics":        {get, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }},
		"short bodies":  {get, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "9") }},
		"informational": {get, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); panic(http.ErrAbortHandler) }},
		"flushes":       {get, func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); panic(http.ErrAbortHandler) }},
		"trailers":      {get, func(w http.ResponseWriter, r *http.Request) { w.Header().Set(http.TrailerPrefix+"T", "x") }},
		"deadlines": {get, func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
		}},
		"canceled": {func(id uint32) []byte { return reset(get(id), id) }, func(w http.ResponseWriter, r *http.Request) {}},
		"expectations": {func(id uint32) []byte {
			return appendFrame(request(id, 0, "Expect", "100-continue"), frameData, flagEndStream, id, "x")
		}, func(w http.ResponseWriter, r *http.Request) { read(w, r); panic(http.ErrAbortHandler) }},
		"refused bodies": {func(id uint32) []byte { return request(id, 0) }, func(w http.ResponseWriter, r *http.Request) {}},
		"bodies": {func(id uint32) []byte {
			return appendFrame(request(id, 0), frameData, flagEndStream, id, string(make([]byte, 1000)))
		}, read},
		"PINGs":      {func(id uint32) []byte { return appendFrame(nil, framePing, 0, 0, "12345678") }, nil},
		"SETTINGS":   {func(id uint32) []byte { return appendFrame(nil, frameSettings, 0, 0, "") }, nil},
		"own errors": {func(id uint32) []byte { return appendFrame(get(id), frameWindowUpdate, 0, id, "\x00\x00\x00\x00") }, read},
	} {
		for _, recycle := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newMemoryServer(recycle, tt.h)
				u := &unread{frames: tt.frames, left: 50_000, end: make(chan struct{})}
				u.conn = s.NewConn(u, &http.Request{}, context.Background())
				u.conn.Serve()
				if limit := 2*maxOut + maxControl + largeBuffer; u.most > limit {
					t.Errorf("%d bytes wait, want at most %d", u.most, limit)
				}
			})
		}
	}
}
