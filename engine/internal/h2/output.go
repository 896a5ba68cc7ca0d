package h2

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
)

// An output is the sending side of a connection. Conn.mu guards it.
//
// Handlers append frames to out. Fields are compressed there, too, so the
// client's table agrees with ours. While more than maxOut bytes wait, handlers
// wait as well, and so do handlers whose windows are used up.
type output struct {
	out     []byte // frames to be written
	spare   []byte // the buffer that was written last
	later   []byte // frames to be written after out, not with it
	queued  int64  // since when a goroutine of the pool is about to write out, or 0
	writing bool   // a goroutine writes out
	broken  bool   // writing has failed
	began   int64  // when the current write began, or 0
	control int    // bytes of control frames in out

	encoder       hpack.Encoder
	initialWindow int64 // of the client for new streams
	widest        int64 // at least the largest sendWindow of a stream
	sendWindow    int64 // of the client for the connection
	recvWindow    int64 // ours for the connection
	waiting       []*stream
	credit        int // useful WINDOW_UPDATEs and PINGs that the client may send, see limits
	completed     int // responses; the reader resets it

	flushed atomic.Bool // a handler has flushed a part of its response
}

// A queued is what a stream waits to send.
type queued struct {
	data       []byte // the rest of a handler's Write
	end        bool   // data is followed by END_STREAM
	wake       chan struct{}
	isWaiting  bool
	urgency    uint8 // of RFC 9218, smaller is more urgent
	sequential bool  // not to be mixed with other streams of the same urgency
}

const (
	maxOut     = 64 << 10 // bytes in out that make handlers wait
	maxDataLen = 16 << 10 // bytes of a DATA frame
)

func (o *output) init(s *Server) {
	o.encoder.Reset()
	if s.encoderTable < hpack.DefaultTableSize {
		o.encoder.Resize(s.encoderTable)
	}
	o.initialWindow, o.sendWindow, o.recvWindow = defaultWindow, defaultWindow, s.connWindow
}

// appendSettings appends the frames that every connection begins with.
func (c *Conn) appendSettings() {
	s := c.server
	c.grow(100)
	start := len(c.out)
	out := appendHead(c.out, 0, frameSettings, 0, 0)
	out = appendSetting(out, settingMaxFrame, uint32(s.maxFrame))
	out = appendSetting(out, settingMaxStreams, uint32(s.maxStreams))
	out = appendSetting(out, settingMaxHeaderBytes, uint32(s.maxList))
	out = appendSetting(out, settingTableSize, uint32(s.decoderTable))
	out = appendSetting(out, settingWindow, uint32(s.streamWindow))
	out = appendSetting(out, settingPriorities, 1) // those of RFC 7540 are ignored
	setLen(out[start:], len(out)-start-headLen)
	if more := s.connWindow - defaultWindow; more > 0 {
		out = appendWindowUpdate(out, 0, more)
	}
	c.out = out
}

// grow makes sure that out has room for n more bytes, or is large.
func (c *Conn) grow(n int) {
	if c.out == nil {
		c.out, c.spare = c.spare, nil
	}
	switch {
	case cap(c.out)-len(c.out) >= n, cap(c.out) >= largeBuffer:
	case c.out == nil && n <= smallBuffer:
		c.out = newSmallBuffer()
	default:
		old := c.out
		c.out = append(newLargeBuffer(), old...)
		giveBack(old)
	}
}

// appendControl appends a frame that answers one of the client.
func (c *Conn) appendControl(frame []byte) {
	c.grow(len(frame))
	c.out = append(c.out, frame...)
	c.control += len(frame)
}

// flush arranges that the output is written by a goroutine of the pool, after
// the handlers that wait to start. So what they write is written together, and
// so is what a handler writes until it returns or waits. The caller holds c.mu.
func (c *Conn) flush() {
	if len(c.out) > 0 && !c.writing && c.queued == 0 {
		c.queued = c.server.clock.Now()
		c.server.workers.start(c)
	}
}

// maxDelay is how long, in nanoseconds, output waits for handlers that wait to
// start.
const maxDelay = 200_000

// flushLate is flush for handlers that have ended. If they took long, it writes
// the output, and else leaves that to a goroutine of the pool.
func (c *Conn) flushLate() {
	switch now := c.server.clock.Now(); {
	case len(c.out) == 0 || c.writing:
	case c.queued == 0:
		c.queued = now
		c.server.workers.add(c)
	case now-c.queued > maxDelay:
		c.queued = now
		c.write(fewBytes)
	}
}

// run writes the output. It runs in a goroutine of the pool. It may first let
// others run: the reader often finds more requests, and who has flushed a part of
// a response often sends the next part at once. grpc-go does that in a goroutine
// of its own.
func (c *Conn) run() {
	if c.parsing.Load() || c.flushed.Swap(false) {
		runtime.Gosched()
	}
	c.mu.Lock()
	if c.queued = 0; !c.writing {
		c.write(fewBytes)
	}
	idle := len(c.streams) == 0
	c.mu.Unlock()
	if idle {
		c.setState()
	}
}

// fewBytes is output that isn't worth another write while handlers run.
const fewBytes = 16 << 10

// write writes the output until none is left. But if few bytes come while it
// writes, it leaves them to a goroutine of the pool, after the handlers that
// wait to start.
func (c *Conn) write(few int) {
	c.writing = true
	if c.stopping.closed { // such as the response to a PING
		c.out, c.control = c.out[:0], 0
	}
	for first := true; len(c.out) > 0 && !c.broken; first = false {
		if !first && len(c.out) < few && c.running > 1 {
			c.writing = false
			c.flush()
			return
		}
		b, later := c.out, c.later
		c.out, c.spare, c.later, c.control = c.spare, nil, nil, 0
		c.beginWrite()
		c.mu.Unlock()
		err := c.send(b)
		c.mu.Lock()
		c.began = 0
		if c.spare == nil {
			c.spare = b[:0]
		} else {
			giveBack(b)
		}
		if err != nil {
			c.cut()
		}
		if len(later) > 0 {
			c.grow(len(later))
			c.out = append(c.out, later...)
		}
		c.pump()
	}
	c.checkIdle()
	c.wroteAll()
	c.writing = false
	if len(c.out) == 0 { // the next output may be far away, even if handlers run
		giveBack(c.out)
		giveBack(c.spare)
		c.out, c.spare = nil, nil
	}
}

// send writes b. With WriteByteTimeout, each part has a timeout of its own, and
// so has the rest of a part of which some bytes were written.
func (c *Conn) send(b []byte) error {
	limit := c.server.writeByte
	if limit == 0 {
		_, err := c.transport.Write(b)
		return err
	}
	for len(b) > 0 {
		c.transport.SetWriteDeadline(time.Now().Add(time.Duration(limit)))
		n, err := c.transport.Write(b[:min(len(b), maxDataLen)])
		if err != nil && (n == 0 || !errors.Is(err, os.ErrDeadlineExceeded)) {
			return err
		}
		b = b[n:]
	}
	c.transport.SetWriteDeadline(time.Time{})
	return nil
}

// sendData sends p as DATA frames, waiting for room and windows. If end is true,
// it ends the stream. The caller holds c.mu, which is unlocked meanwhile.
func (c *Conn) sendData(s *stream, p []byte, end bool) error {
	s.data, s.end = p, end
	for s.gone == nil && (len(s.data) > 0 || s.end && !s.sendEnd) {
		if len(c.waiting) > 0 || !c.appendData(s) {
			c.wait(s)
		}
	}
	s.data = nil
	return s.gone
}

// waitForRoom waits for the turn of s if there is much output.
func (c *Conn) waitForRoom(s *stream) error {
	if s.gone == nil && len(c.out) >= maxOut {
		c.wait(s)
	}
	return s.gone
}

// wait waits until it was the turn of s, which has sent its data then, or until
// the stream ends. If nobody writes the output, wait does so, unless a goroutine
// of the pool is about to and the output isn't full.
func (c *Conn) wait(s *stream) {
	s.isWaiting = true
	c.waiting = append(c.waiting, s)
	if s.wake == nil {
		s.wake = make(chan struct{}, 1)
	}
	c.pump() // those before s may wait for windows of their own
	for s.isWaiting {
		if len(c.out) > 0 && (c.queued == 0 || len(c.out) >= maxOut) && !c.writing && !c.broken {
			c.write(0)
			continue
		}
		c.mu.Unlock()
		<-s.wake
		c.mu.Lock()
	}
}

// unqueue removes a stream from those that wait, and wakes its handler.
func (c *Conn) unqueue(s *stream) {
	if !s.isWaiting {
		return
	}
	i := slices.Index(c.waiting, s)
	c.waiting = slices.Delete(c.waiting, i, i+1)
	s.isWaiting = false
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// window returns how much a stream may send.
func (c *Conn) window(s *stream) int64 { return c.initialWindow + s.sendWindow }

// appendData appends the next DATA frame of s. It reports false if there is no
// room or no window.
func (c *Conn) appendData(s *stream) bool {
	n := min(int64(len(s.data)), maxDataLen, c.sendWindow, c.window(s))
	if len(c.out) >= maxOut || n <= 0 && (len(s.data) > 0 || !s.end) {
		return false
	}
	n = max(n, 0)
	flags := uint8(0)
	if s.end && n == int64(len(s.data)) {
		flags = flagEndStream
		c.endSent(s)
	}
	c.grow(headLen + int(n))
	c.out = append(appendHead(c.out, int(n), frameData, flags, s.id), s.data[:n]...)
	s.data = s.data[n:]
	c.sendWindow -= n
	s.sendWindow -= n
	c.credit = min(c.credit+2+int(n)/bytesPerCredit, maxUseless)
	return true
}

// pump appends what waiting handlers want to send, as far as there is room, and
// wakes those that need not wait any more. Streams take turns, a frame each,
// unless their priority says otherwise.
func (c *Conn) pump() {
	for len(c.waiting) > 0 && len(c.out) < maxOut && !c.broken {
		best := -1
		for i, s := range c.waiting {
			able := len(s.data) == 0 || c.window(s) > 0 && c.sendWindow > 0
			if able && (best < 0 || s.urgency < c.waiting[best].urgency) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		s := c.waiting[best]
		if len(s.data) > 0 || s.end && !s.sendEnd {
			c.appendData(s)
		}
		if len(s.data) == 0 {
			c.unqueue(s)
		} else if !s.sequential {
			c.waiting = append(slices.Delete(c.waiting, best, best+1), s)
		}
	}
}
