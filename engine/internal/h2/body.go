package h2

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
)

// A body is the body of a request. The reader appends what arrives. It never
// waits for the handler, because the windows limit what the client sends. A body
// is closed after its handler returned, and never reused.
type body struct {
	conn     *Conn
	id       uint32      // of the stream
	declared http.Header // the request's Trailer; only the handler uses its content

	mu       sync.Mutex
	wake     sync.Cond // signaled when data arrives or the body ends
	data     []byte    // data[read:] is unread
	read     int
	err      error // after the data
	closed   bool
	expects  bool        // the first Read asks the client to continue
	unacked  int64       // bytes read, to add to the stream's window
	trailers http.Header // received
}

// Format implements [fmt.Formatter], because the fields must not be read while
// they change.
func (b *body) Format(s fmt.State, _ rune) { io.WriteString(s, "engine.body") }

func (b *body) begin(s *stream, r *parsedRequest, req *http.Request) {
	b.conn, b.id, b.declared, b.expects = s.conn, s.id, req.Trailer, r.expects
	b.wake.L = &b.mu
}

// append appends data. It reports false if the body isn't read any more.
func (b *body) append(p []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.err != nil {
		return false
	}
	if b.read > len(b.data)/8 && len(b.data)+len(p) > cap(b.data) { // not for a few bytes: moving a megabyte takes long
		b.data = b.data[:copy(b.data, b.data[b.read:])]
		b.read = 0
	}
	if b.data == nil && len(p) <= smallBuffer {
		b.data = newSmallBuffer()
	}
	old := b.data
	if b.data = append(b.data, p...); cap(b.data) != cap(old) {
		giveBack(old)
	}
	b.wake.Signal()
	return true
}

// complete records that the body has arrived completely.
func (b *body) complete() { b.end(io.EOF) }

// fail makes Read return err after the data that has arrived.
func (b *body) fail(err error) { b.end(err) }

// reset makes Read return err, because the stream was reset. An incomplete body
// loses the data that no handler has read: it must not keep the connection's
// window from other streams.
func (b *body) reset(err error) {
	b.mu.Lock()
	n := 0
	if b.err == nil {
		n, b.err = b.drop(), err
	}
	b.wake.Broadcast()
	b.mu.Unlock()
	b.conn.consume(b, int64(n), 0)
}

// drop drops the unread data and returns its length. The caller holds b.mu.
func (b *body) drop() int {
	n := len(b.data) - b.read
	giveBack(b.data)
	b.data, b.read = nil, 0
	return n
}

// timeout makes Read fail because a deadline has passed.
func (b *body) timeout() { b.end(fmt.Errorf("%w", os.ErrDeadlineExceeded)) }

func (b *body) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
	b.wake.Broadcast()
}

// addTrailers keeps the trailers, if the request has declared any. It is called
// before complete.
func (b *body) addTrailers(fields []hpack.Field) {
	if b.declared == nil {
		return
	}
	t := make(http.Header)
	for i := range fields {
		t[fields[i].Key] = append(t[fields[i].Key], fields[i].Value)
	}
	b.mu.Lock()
	b.trailers = t
	b.mu.Unlock()
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	if b.expects {
		b.expects = false
		b.mu.Unlock()
		b.conn.sendContinue(b)
		b.mu.Lock()
	}
	for b.read == len(b.data) && b.err == nil && !b.closed && len(p) > 0 {
		b.wake.Wait()
	}
	if b.closed {
		b.mu.Unlock()
		return 0, http.ErrBodyReadAfterClose
	}
	n := copy(p, b.data[b.read:])
	if b.read += n; b.read < len(b.data) {
		b.wake.Signal() // another Read may wait

		// The windows count only the rest.
		if rest := b.data[b.read:]; cap(b.data) > 64<<10 && len(rest) < cap(b.data)/4 {
			b.data, b.read = slices.Clone(rest), 0
		}
	} else {
		b.data, b.read = b.data[:0], 0
		if b.err != nil || cap(b.data) > 64<<10 {
			giveBack(b.data)
			b.data = nil
		}
	}
	var err error
	if b.read == len(b.data) {
		if err = b.err; err == io.EOF {
			for k, v := range b.trailers {
				if _, ok := b.declared[k]; ok {
					b.declared[k] = v
				}
			}
			b.trailers = nil
		}
	}
	b.unacked += int64(n)
	var window int64 // to add to the stream's
	if b.err == nil && b.unacked >= b.conn.server.streamWindow/4 {
		window, b.unacked = b.unacked, 0
	}
	b.mu.Unlock()
	b.conn.consume(b, int64(n), window)
	return n, err
}

// Close implements [io.Closer]. What arrives later is dropped.
func (b *body) Close() error {
	b.close()
	return nil
}

func (b *body) close() {
	b.mu.Lock()
	n := b.drop()
	b.closed = true
	b.wake.Broadcast()
	b.mu.Unlock()
	b.conn.consume(b, int64(n), 0)
}

// sendContinue sends the status 100, unless the response has begun.
func (c *Conn) sendContinue(b *body) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[b.id]; s != nil && !s.sentHead {
		start := c.beginFields()
		c.out = c.encoder.AppendStatus(c.out, http.StatusContinue)
		c.endFields(start, s.id, 0)
		c.control += len(c.out) - start
		c.flush()
	}
}

// consume lets the client send n more bytes on the connection. If window isn't
// 0, the stream gets that many more, too.
//
// To save frames, c.consumed collects up to a quarter of the connection's
// window. It is shared by all streams: if each could collect as much as it
// wants, many slow uploads would stop each other. It never collects as much as
// the client may still send: where unread bodies take most of the window, uploads
// would wait forever.
func (c *Conn) consume(b *body, n, window int64) {
	if n == 0 || c.consumed.Add(n) < c.refresh.Load() && window == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.appendWindow()
	if s := c.streams[b.id]; window > 0 && s != nil && !s.recvEnd {
		c.widen(s, window)
	}
	c.flush()
}

// widen lets the client send n more bytes on a stream. The caller holds c.mu.
func (c *Conn) widen(s *stream, n int64) {
	s.recvWindow += n
	c.appendControl(appendWindowUpdate(nil, s.id, n))
}

// giveBack lets the client send n more bytes, instead of those that the reader
// has dropped.
func (c *Conn) giveBack(n int64) error {
	if c.consumed.Add(n) >= c.refresh.Load() {
		c.mu.Lock()
		c.appendWindow()
		c.mu.Unlock()
	}
	return nil
}

// appendWindow appends a WINDOW_UPDATE for the connection. The caller holds
// c.mu.
func (c *Conn) appendWindow() {
	if n := c.consumed.Swap(0); n > 0 {
		c.changeWindow(n)
		c.appendControl(appendWindowUpdate(nil, 0, n))
	}
}

// changeWindow changes what the client may still send. The caller holds c.mu.
func (c *Conn) changeWindow(n int64) {
	c.recvWindow += n
	c.refresh.Store(max(min(c.server.connWindow/4, c.recvWindow), 1))
}
