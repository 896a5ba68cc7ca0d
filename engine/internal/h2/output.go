package h2

import (
	"cmp"
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
// wait as well, and so do handlers whose windows are used up. What is sent without
// such a wait is counted: if it becomes too much, because the client doesn't read,
// the connection ends. So these are all that append to out:
//
//	waitForRoom, sendData    fields, trailers, informational responses and DATA of handlers
//	appendControl            the rest: answers to frames, WINDOW_UPDATE, RST_STREAM, status 100
type output struct {
	out     []byte // frames to be written
	batch   batch  // frames that are being written
	spare   []byte // the buffer that was written last
	later   []byte // frames to be written after out, not with it
	queued  int64  // since when a goroutine of the pool is about to write out, or 0
	writing bool   // a goroutine writes out
	broken  bool   // writing has failed
	began   int64  // when the current write began, or 0
	control int    // bytes in out that nobody has waited for

	encoder       hpack.Encoder
	initialWindow int64     // of the client for new streams
	widest        int64     // at least the largest sendWindow of a stream
	sendWindow    int64     // of the client for the connection
	recvWindow    int64     // ours for the connection
	waiting       []*stream // in the order of their urgency, and of their turns
	round         int       // its streams share the output, see share
	sharing       int       // streams that share the output: their handlers began or waited not long ago
	served        int       // those of them that have sent DATA in this round
	held          bool      // streams wait until others have had their share
	credit        int       // useful WINDOW_UPDATEs and PINGs that the client may send, see limits
	completed     int       // responses; the reader resets it

	flushed atomic.Bool // a handler has flushed a part of its response
}

// A batch is output that is written together.
type batch struct {
	frames []byte
	sent   int    // bytes of frames that are written
	after  []byte // frames to be written afterwards
}

// A queued is what a stream waits to send.
type queued struct {
	data       []byte // the rest of a handler's Write
	end        bool   // data is followed by END_STREAM
	wake       chan struct{}
	isWaiting  bool
	urgency    uint8 // of RFC 9218, smaller is more urgent
	sequential bool  // not to be mixed with other streams of the same urgency
	sharing    bool  // see output
	round      int   // when it has sent DATA
	taken      int   // bytes of DATA in that round
	missed     int   // rounds that have begun without it, in sequence
}

const (
	maxOut     = 64 << 10   // bytes in out that make handlers wait
	maxDataLen = 16 << 10   // bytes of a DATA frame
	maxRound   = 2 * maxOut // bytes that streams share, in turns
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
	if s.Connect {
		out = appendSetting(out, settingConnect, 1)
	}
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

// appendControl appends a frame for which nobody waits until there is room.
func (c *Conn) appendControl(frame []byte) {
	c.grow(len(frame))
	c.out = append(c.out, frame...)
	c.control += len(frame)
}

// flush arranges that the output is written by a goroutine of the pool, after
// the handlers that wait to start. So what they write is written together, and
// so is what a handler writes until it returns or waits. The caller holds c.mu.
func (c *Conn) flush() {
	if (c.unwritten() || c.held || c.stopping.closing && !c.stopping.closed) && !c.writing && c.queued == 0 {
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
	case !c.unwritten() || c.writing:
	case c.queued == 0:
		c.queued = now
		c.server.workers.add(c)
	case now-c.queued > maxDelay:
		c.queued = now
		c.write(nil)
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
		c.write(nil)
	}
	idle := len(c.streams) == 0
	c.mu.Unlock()
	if idle {
		c.setState()
	}
}

// fewBytes is output that isn't worth another write while handlers run.
const fewBytes = 16 << 10

// unwritten reports whether there is output.
func (c *Conn) unwritten() bool { return len(c.batch.frames)+len(c.out) > 0 }

// write writes the output until none is left. But if few bytes come while it
// writes, it leaves them to a goroutine of the pool, after the handlers that
// wait to start.
//
// A handler passes its stream, and leaves the rest to the pool when that doesn't
// wait any more, or when the client doesn't read: it couldn't return otherwise,
// although its stream has ended.
func (c *Conn) write(s *stream) {
	c.writing = true
	if c.stopping.closed { // such as the response to a PING
		c.out, c.control = c.out[:0], 0
	}
	b := &c.batch
	for first := true; (c.unwritten() || c.held) && !c.broken; first = false {
		if s == nil && !first && len(c.out) < fewBytes && c.running > 1 && !c.held || s != nil && (!s.isWaiting || !c.unwritten()) {
			c.writing = false
			c.flush()
			return
		}
		if !c.unwritten() {
			if c.awaitOthers(); c.writing {
				return
			}
			c.writing = true
			continue
		}
		if len(b.frames) == 0 {
			*b = batch{frames: c.out, after: c.later}
			c.out, c.spare, c.later, c.control = c.spare, nil, nil, 0
			c.pump()
			c.beginWrite()
		}
		rest := b.frames[b.sent:]
		c.mu.Unlock()
		n, err := len(rest), error(nil)
		if s == nil {
			err = c.send(rest)
		} else {
			n, err = c.transport.TryWrite(rest)
		}
		c.mu.Lock()
		b.sent += n
		switch {
		case err != nil:
			c.cut()
		case b.sent < len(b.frames):
			c.writing = false
			c.flush()
			return
		}
		c.endBatch()
	}
	c.checkIdle()
	if s == nil {
		c.wroteAll()
	} else if c.isIdle {
		c.server.workers.start(c) // for the hook, and wroteAll, which may wait for the client
	}
	c.writing = false
	if !c.unwritten() { // the next output may be far away, even if handlers run
		giveBack(c.out)
		giveBack(c.spare)
		c.out, c.spare = nil, nil
	}
}

// endBatch is called when a batch is written.
func (c *Conn) endBatch() {
	b := &c.batch
	c.began = 0
	if c.spare == nil {
		c.spare = b.frames[:0]
	} else {
		giveBack(b.frames)
	}
	if len(b.after) > 0 {
		c.grow(len(b.after))
		c.out = append(c.out, b.after...)
	}
	*b = batch{}
}

// awaitOthers lets the handlers run whose streams haven't had their share of this
// round. If they don't send anything, the next round begins. After a few such
// rounds, the others don't wait for them any more.
func (c *Conn) awaitOthers() {
	c.writing, c.queued = false, c.server.clock.Now()
	c.mu.Unlock()
	runtime.Gosched()
	c.mu.Lock()
	c.queued = 0
	if c.unwritten() || c.writing || !c.held {
		return
	}
	for _, s := range c.streams {
		switch {
		case !s.sharing:
		case s.round == c.round && s.taken > 0:
			s.missed = 0
		default:
			if s.missed++; s.missed == maxMissed {
				c.leave(s)
			}
		}
	}
	c.nextRound()
	c.pump()
}

// maxMissed is how many rounds wait for a handler that sends nothing.
const maxMissed = 4

func (c *Conn) nextRound() {
	c.round++
	c.served = 0
}

// join adds s to the streams that share the output, in a new round.
func (c *Conn) join(s *stream) {
	if !s.sharing {
		s.sharing, s.missed = true, 0
		c.sharing++
		c.nextRound()
	}
}

// leave removes s from the streams that share the output.
func (c *Conn) leave(s *stream) {
	if s.sharing {
		s.sharing = false
		c.sharing--
		if s.round == c.round && s.taken > 0 {
			c.served--
		}
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

// wait waits until it was the turn of s, whose data is in the output then, or
// until the stream ends. If nobody writes the output, wait does so, unless a
// goroutine of the pool is about to and the output isn't full.
func (c *Conn) wait(s *stream) {
	s.isWaiting = true
	c.enqueue(s)
	if s.wake == nil {
		s.wake = make(chan struct{}, 1)
	}
	c.pump() // those before s may wait for windows of their own
	if s.isWaiting && len(s.data) > 0 {
		c.join(s)
	}
	for s.isWaiting {
		if len(c.out) > 0 && (c.queued == 0 || len(c.out) >= maxOut || c.served >= c.sharing) && len(c.batch.frames) == 0 && !c.writing && !c.broken {
			c.write(s)
			continue
		}
		c.flush()
		c.mu.Unlock()
		<-s.wake
		c.mu.Lock()
	}
}

// enqueue adds a stream to those that wait, behind others of its urgency.
func (c *Conn) enqueue(s *stream) {
	i, _ := slices.BinarySearchFunc(c.waiting, s.urgency+1, func(s *stream, u uint8) int { return cmp.Compare(s.urgency, u) })
	c.waiting = slices.Insert(c.waiting, i, s)
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

// share returns how much a stream may append in this round. Streams that have much
// to send share the output in rounds, because those whose handlers don't run now
// would get little of it: on a busy machine, that is most of the time, while one
// handler and the goroutine that writes wake each other.
func (c *Conn) share(s *stream) int64 {
	if s.round != c.round {
		s.round, s.taken = c.round, 0
	}
	if s.sequential {
		return maxDataLen
	}
	return int64(min(max(maxRound/max(c.sharing, 1), maxDataLen)-s.taken, maxDataLen))
}

// appendData appends the next DATA frame of s. It reports false if there is no
// room or no window, or s has used its share.
func (c *Conn) appendData(s *stream) bool {
	n := min(int64(len(s.data)), c.share(s), c.sendWindow, c.window(s))
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
	if s.sharing && s.taken == 0 && n > 0 {
		c.served++
	}
	s.taken += int(n)
	c.credit = min(c.credit+2+int(n)/bytesPerCredit, maxCredit)
	return true
}

// pump appends what waiting handlers want to send, as far as there is room, and
// wakes those that need not wait any more. Streams take turns, a frame each,
// unless their priority says otherwise.
func (c *Conn) pump() {
	c.held = false
	for len(c.waiting) > 0 && len(c.out) < maxOut && !c.broken {
		best, ready := -1, false
		for i, s := range c.waiting {
			if ready || best >= 0 && s.urgency > c.waiting[best].urgency {
				break
			}
			if len(s.data) > 0 && (c.window(s) <= 0 || c.sendWindow <= 0) {
				continue
			}
			if ready = len(s.data) == 0 || c.share(s) > 0; ready || best < 0 {
				best = i
			}
		}
		switch {
		case ready:
		case best >= 0 && c.served >= c.sharing:
			c.nextRound()
			continue
		default:
			c.held = best >= 0
			return
		}
		s := c.waiting[best]
		if len(s.data) > 0 || s.end && !s.sendEnd {
			c.appendData(s)
		}
		if len(s.data) == 0 {
			c.unqueue(s)
		} else if !s.sequential {
			c.waiting = slices.Delete(c.waiting, best, best+1)
			c.enqueue(s)
		}
	}
}
