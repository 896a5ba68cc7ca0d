package h2

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/alarm"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/turns"
)

// A Transport is a connection of the engine. Only the goroutine that serves the
// connection calls Read and Discard; Write and TryWrite are not called concurrently
// either.
type Transport interface {
	// Read waits for input and returns all input that wasn't discarded. need
	// is the number of bytes that the caller waits for.
	Read(need int) ([]byte, error)
	// Discard removes n bytes of input.
	Discard(n int)
	// Write writes all of p.
	Write(p []byte) (int, error)
	// TryWrite writes what it can without waiting.
	TryWrite(p []byte) (int, error)

	// SetReadDeadline ends all reads and writes if the deadline has passed
	// and the connection has none.
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	CloseWrite()

	// SetState tells the program's ConnState hook.
	SetState(http.ConnState)
	// CountRequest counts a request for the statistics.
	CountRequest()
}

// A Conn is an HTTP/2 connection.
//
// The mutex guards what the reader shares with handlers: the streams, the
// windows and the output. It is locked after the mutex of a response, and
// before nothing else.
type Conn struct {
	server    *Server
	transport Transport
	template  *http.Request // has the fields that all requests share
	ctx       context.Context

	// Used by the reader only.
	decoder  hpack.Decoder
	head     fieldBlock
	need     int      // bytes that the next frame needs
	ready    []uint32 // streams whose handlers wait until all input is parsed
	starting []job    // reused
	settled  bool     // the first SETTINGS arrived
	leaving  bool     // the client has sent GOAWAY with an error, which was logged
	proxied  bool     // several clients may share the connection: ignore their Priority headers
	fieldsBy int64    // deadline of an incomplete block of fields, or 0
	limits   limits
	turns    turns.Counter
	parsing  atomic.Bool  // input is being parsed
	consumed atomic.Int64 // bytes of bodies that the client may send again
	refresh  atomic.Int64 // the number of consumed bytes from which on the client is told

	timer alarm.Timer

	mu       sync.Mutex
	streams  map[uint32]*stream
	closed   int                // of streams, those that both sides have ended
	early    map[uint32]*stream // whose response was complete before the request; their frames are only checked
	past     history
	lastID   uint32 // of the streams that the client opened
	isIdle   bool   // without streams, and all responses are written
	running  int    // handlers
	queue    []uint32
	acked    bool  // the client has acknowledged our SETTINGS
	err      error // why the connection ended
	lostPing bool  // because the client didn't answer a PING
	times    times
	stopping shutdownState

	output

	stateMu sync.Mutex // for the order of calls of SetState
	active  bool       // the last state was StateActive
}

var (
	errDisconnected = errors.New("client disconnected")
	errStreamReset  = errors.New("http2: stream closed")
	errClosed       = errors.New("http2: connection closed")
)

// NewConn returns a connection. The template has the fields that all requests
// of the connection share. ctx is the parent of their contexts.
func (s *Server) NewConn(t Transport, template *http.Request, ctx context.Context) *Conn {
	c := &Conn{server: s, transport: t, template: template, ctx: ctx, streams: make(map[uint32]*stream)}
	template.Proto, template.ProtoMajor, template.ProtoMinor = "HTTP/2.0", 2, 0
	c.decoder.Reset(s.largestTable)
	c.output.init(s)
	c.changeWindow(0)
	c.appendSettings()
	return c
}

// Serve serves the connection until it ends. It doesn't close the transport.
func (c *Conn) Serve() {
	c.server.workers.attach()
	defer c.server.workers.detach()
	err := errors.New("http2: the reader panicked")
	defer func() { c.end(err) }() // whatever happens, or handlers wait for ever
	if err = c.checkTLS(); err == nil {
		c.begin()
		err = c.read()
	}
}

func (c *Conn) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.becameIdle()
	c.flush()
}

// read reads frames until the connection ends.
func (c *Conn) read() error {
	clock := c.server.clock
	c.limits.lastDecay = clock.Now()
	c.setReadBy(c.limits.lastDecay + int64(prefaceTimeout))
	c.need = len(preface)
	began := false
	for {
		b, err := c.transport.Read(c.need)
		if err != nil {
			return err
		}
		c.parsing.Store(true)
		n, settled := 0, c.settled
		if !began {
			if began, err = c.readPreface(b); began {
				n = len(preface)
				c.leaveNew()
				c.setReadBy(clock.Now() + int64(settingsTimeout))
			}
		}
		if began {
			n, err = c.parse(b, n)
		}
		if c.settled {
			if !settled {
				c.setReadBy(0)
			}
			c.watchRead(b[n:])
		}
		c.transport.Discard(n)
		c.decoder.Release()
		lerr := c.parsed()
		c.parsing.Store(false)
		if err == nil {
			err = lerr
		}
		if err != nil {
			return err
		}
		c.turns.Yield()
	}
}

// readPreface checks the client's connection preface (RFC 9113 section 3.4). It
// reports whether it is complete.
func (c *Conn) readPreface(b []byte) (bool, error) {
	n := min(len(b), len(preface))
	if string(b[:n]) != preface[:n] {
		return false, connError{protocolError, "bad_preface"}
	}
	return n == len(preface), nil
}

// parse processes the complete frames in b, from b[n] on. It returns where the
// first incomplete one starts.
func (c *Conn) parse(b []byte, n int) (int, error) {
	for len(b)-n >= headLen {
		h := b[n:]
		f := frame{kind: h[3], flags: h[4], stream: uint32(h[5]&0x7f)<<24 | uint32(h[6])<<16 | uint32(h[7])<<8 | uint32(h[8])}
		length := frameLen(h)
		if length > c.server.maxFrame {
			return n, connError{frameSizeError, "frame_size"}
		}
		if c.head.stream != 0 && (f.kind != frameContinuation || f.stream != c.head.stream) {
			return n, connError{protocolError, "headers_interrupted"}
		}
		if len(h) < headLen+length {
			c.need = headLen + length
			return n, nil
		}
		f.payload = h[headLen : headLen+length]
		n += headLen + length
		if err := c.process(&f); err != nil {
			return n, err
		}
		if c.fieldsBy != 0 && c.head.stream == 0 { // the block is complete
			c.fieldsBy = 0
			c.setReadBy(0)
		}
	}
	c.need = headLen
	return n, nil
}

// parsed is called when all input is parsed. It starts the handlers of the new
// requests, whose bodies are complete if they came with them, appends what waited
// for a larger window, and arranges that output is written. The reader itself
// never writes: a client that sends without reading would stop both sides.
func (c *Conn) parsed() error {
	c.mu.Lock()
	err := c.startHandlers()
	if c.control > maxControl {
		c.broken = true // don't wait for a client that doesn't read
		err = connError{enhanceYourCalm, "too_many_control_frames"}
	}
	c.pump()
	c.flush()
	c.mu.Unlock()
	return err
}

// startHandlers starts the handlers of the new requests. The caller holds c.mu.
func (c *Conn) startHandlers() error {
	if len(c.ready) == 0 {
		return nil
	}
	start := c.starting[:0]
	for _, id := range c.ready {
		switch s := c.streams[id]; {
		case s == nil: // it was reset meanwhile
		case c.running < c.server.maxStreams:
			c.handlerStarts(s)
			start = append(start, s)
		default:
			c.queue = append(c.queue, id)
		}
	}
	c.limits.succeeded(c.completed)
	c.completed = 0
	c.ready = c.ready[:0]
	c.server.workers.start(start...)
	clear(start)
	c.starting = start
	if len(c.queue) > maxWaiting*c.server.maxStreams {
		return connError{enhanceYourCalm, "too_many_early_resets"}
	}
	return nil
}

// handlerStarts counts a handler that is about to start. The caller holds c.mu.
func (c *Conn) handlerStarts(s *stream) {
	s.started = true
	c.join(s)
	c.running++
	c.transport.CountRequest()
}

// handlerReturned makes room for another handler. The caller holds c.mu.
func (c *Conn) handlerReturned() {
	c.running--
	for len(c.queue) > 0 && c.running < c.server.maxStreams {
		id := c.queue[0]
		if c.queue = c.queue[1:]; len(c.queue) == 0 {
			c.queue = nil
		}
		if s := c.streams[id]; s != nil {
			c.handlerStarts(s)
			c.server.workers.start(s)
		}
	}
}

// leaveNew tells the program's hook that the connection isn't new any more, as
// net/http does.
func (c *Conn) leaveNew() {
	c.stateMu.Lock()
	defer c.stateMu.Unlock()
	c.transport.SetState(http.StateActive)
	c.transport.SetState(http.StateIdle)
}

// setState calls the program's hook if the connection became active, or idle and
// all output is written. It must be called without holding c.mu.
func (c *Conn) setState() {
	if c.server.HTTP.ConnState == nil {
		return
	}
	c.stateMu.Lock()
	defer c.stateMu.Unlock()
	c.mu.Lock()
	active := len(c.streams) > 0 || c.active && (c.writing || c.unwritten())
	ended := c.err != nil
	c.mu.Unlock()
	if active == c.active || ended {
		return
	}
	c.active = active
	if active {
		c.transport.SetState(http.StateActive)
	} else {
		c.transport.SetState(http.StateIdle)
	}
}
