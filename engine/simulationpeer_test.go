package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing/iotest"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
)

// A link is one direction of a simulated connection.
type link struct {
	mu      sync.Mutex
	changed sync.Cond
	rnd     *rand.Rand
	pieces  int // reads return at most this many bytes
	piece   int // bytes until reads are split, wherever the reader is late or early
	room    int
	buf     []byte
	ended   bool  // the writer has closed it
	rerr    error // of reads at once
	werr    error // of writes at once

	readBy, writeBy linkDeadline
}

type linkDeadline struct {
	set    int // how often it was set
	passed bool
}

func newLink(rnd *rand.Rand, pieces, room int) *link {
	l := &link{rnd: rand.New(rand.NewPCG(rnd.Uint64(), 0)), pieces: pieces, room: room}
	l.changed.L = &l.mu
	return l
}

// change changes the link under its lock.
func (l *link) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	l.changed.Broadcast()
}

func (l *link) setDeadline(d *linkDeadline, t time.Time) error {
	l.change(func() {
		d.set++
		d.passed = !t.IsZero() && time.Until(t) <= 0
		if set := d.set; !t.IsZero() && !d.passed {
			time.AfterFunc(time.Until(t), func() { l.change(func() { d.passed = d.passed || d.set == set }) })
		}
	})
	return nil
}

func (l *link) read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		switch {
		case l.rerr != nil:
			return 0, l.rerr
		case l.readBy.passed:
			return 0, os.ErrDeadlineExceeded
		case len(p) == 0:
			return 0, nil
		case len(l.buf) > 0:
			if l.piece == 0 {
				l.piece = 1 + l.rnd.IntN(l.pieces)
			}
			n := copy(p[:min(len(p), l.piece)], l.buf)
			l.piece -= n
			l.buf = l.buf[n:]
			l.changed.Broadcast()
			return n, nil
		case l.ended:
			return 0, io.EOF
		}
		l.changed.Wait()
	}
}

func (l *link) write(p []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		switch {
		case l.werr != nil:
			return n, l.werr
		case l.ended:
			return n, net.ErrClosed
		case l.writeBy.passed:
			return n, os.ErrDeadlineExceeded
		case n == len(p):
			return n, nil
		case len(l.buf) < l.room:
			m := min(len(p)-n, l.room-len(l.buf))
			l.buf = append(l.buf, p[n:n+m]...)
			n += m
			l.changed.Broadcast()
			continue
		}
		l.changed.Wait()
	}
}

// A simConn is an end of a simulated connection. It behaves as TCP: who closes it
// with unread input resets it.
type simConn struct {
	in, out *link
	closed  atomic.Bool
}

func (c *simConn) Read(p []byte) (int, error)         { return c.in.read(p) }
func (c *simConn) Write(p []byte) (int, error)        { return c.out.write(p) }
func (c *simConn) LocalAddr() net.Addr                { return handoverAddr{} }
func (c *simConn) RemoteAddr() net.Addr               { return handoverAddr{} }
func (c *simConn) SetReadDeadline(t time.Time) error  { return c.in.setDeadline(&c.in.readBy, t) }
func (c *simConn) SetWriteDeadline(t time.Time) error { return c.out.setDeadline(&c.out.writeBy, t) }
func (c *simConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}
func (c *simConn) CloseWrite() error { c.out.change(func() { c.out.ended = true }); return nil }

func (c *simConn) Close() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	unread := false
	c.in.change(func() { unread, c.in.rerr, c.in.werr = len(c.in.buf) > 0, net.ErrClosed, io.ErrClosedPipe })
	if unread {
		return c.reset()
	}
	return c.CloseWrite()
}

var errSimReset = errors.New("simulated: connection reset")

// reset ends the connection at once for both sides.
func (c *simConn) reset() error {
	for _, l := range []*link{c.in, c.out} {
		l.change(func() { l.rerr, l.werr = errSimReset, errSimReset })
	}
	return nil
}

// A peer is a client with a connection of its own. One goroutine sends, another
// one receives.
type peer struct {
	*simulation
	client    *simConn
	name      string
	http2     bool
	begin     time.Duration // when it connects
	connected bool
	rnd       *rand.Rand // of the goroutine that sends
	server    *simConn
	requests  []*simRequest
	running   atomic.Int32 // handlers

	// Faults.
	breakAt    int64         // it breaks after so many bytes; 0 for never
	breaks     int           // how
	stallAt    int64         // bytes after which it doesn't read
	stall      time.Duration // for how long
	slow       time.Duration // how long each of its reads takes
	resets     int           // RST_STREAM
	cancels    bool          // there are some
	mayFail    atomic.Bool   // not everything is answered
	halfCloses bool          // when all is sent
	ahead      bool          // over HTTP/1.1, sends the head of the next request before it waits for the response
	alternates bool          // over HTTP/1.1, sends no request before the last response
	handed     bool          // net/http serves a request of it
	leaves     bool          // closes the connection at the end

	bytes    atomic.Int64 // sent and received
	breaking atomic.Bool
	probing  atomic.Bool  // in probeUpload: each frame is read before the next one is sent
	broken   atomic.Int64 // when it has broken
	answered chan struct{}
	end      error       // of receiving; to be read when answered is closed
	stalled  atomic.Bool // it isn't reading
	left     atomic.Bool // it has closed the connection
	down, up *simRequest // of probeDownload and probeUpload
	next     chan bool   // a response has arrived
	done     sync.WaitGroup
}

func (p *peer) errorf(format string, args ...any) {
	p.Errorf("%s: %s", p.name, fmt.Sprintf(format, args...))
}

// count counts bytes, and breaks the connection when it is time.
func (p *peer) count(n int) {
	if p.bytes.Add(int64(n)) < p.breakAt || p.breakAt == 0 || p.breaking.Swap(true) {
		return
	}
	switch p.breaks {
	case 0:
		p.client.CloseWrite()
		return
	case 1:
		p.client.Close()
	case 2:
		p.client.reset()
	}
	p.broken.Store(time.Now().UnixNano())
}

// Read is how the peer reads its connection.
func (p *peer) Read(b []byte) (int, error) {
	if p.stall > 0 && !p.probing.Load() && p.bytes.Load() >= p.stallAt {
		p.stalled.Store(true)
		time.Sleep(p.stall)
		p.stalled.Store(false)
		p.stall = 0
	}
	time.Sleep(p.slow)
	n, err := p.client.Read(b)
	p.count(n)
	return n, err
}

// send sends b in pieces. It reports false if the connection has ended.
func (p *peer) send(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), 1+p.rnd.IntN(p.pieces))
		if _, err := p.client.Write(b[:n]); err != nil {
			return false
		}
		p.count(n)
		b = b[n:]
		if p.rnd.IntN(16) == 0 {
			time.Sleep(time.Duration(p.rnd.IntN(15)) * time.Millisecond)
		}
	}
	return true
}

// serve runs the peer.
func (p *peer) serve() {
	limit, x := 5*time.Minute+p.stall, &http2Peer{peer: p}
	timer := time.AfterFunc(limit, func() {
		p.errorf("not everything is answered after %v", limit)
		x.list()
		p.mayFail.Store(true)
		p.client.reset()
	})
	defer p.done.Done()
	defer timer.Stop()
	time.Sleep(p.begin)
	select {
	case p.listener.conns <- p.server:
		p.connected = true
	case <-p.listener.closed:
		p.server.Close()
	}
	if p.http2 {
		x.serve()
		return
	}
	p.done.Go(func() {
		var texts [][]byte
		for _, q := range p.requests {
			texts = append(texts, q.http1())
		}
		for i, b := range texts {
			if p.ahead && i+1 < len(texts) {
				next := texts[i+1]
				n := bytes.Index(next, []byte("\r\n\r\n")) + 4
				b, texts[i+1] = append(b, next[:n]...), next[n:]
			}
			if !p.send(b) {
				return
			}
			if p.alternates || p.ahead {
				select {
				case <-p.next:
				case <-p.answered:
					if p.handed { // net/http waits for the rest of the body, without a limit
						p.client.CloseWrite()
					}
					return
				}
			}
		}
		if p.halfCloses {
			p.client.CloseWrite()
		}
	})
	p.receiveHTTP1(timer)
}

func (p *peer) receiveHTTP1(timer *time.Timer) {
	defer p.client.Close()
	br := bufio.NewReader(p)
	err := error(nil)
	for _, q := range p.requests {
		var res *http.Response
		for res == nil || res.StatusCode < 200 {
			if res, err = http.ReadResponse(br, &http.Request{Method: q.method}); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
		var body []byte
		body, err = io.ReadAll(res.Body)
		q.check(res.StatusCode, res.Header, res.Trailer, body, err == nil)
		q.received.Store(time.Now().UnixNano())
		if err != nil || q.last {
			break
		}
		p.next <- true
	}
	timer.Stop()
	p.end = err
	close(p.answered)
	if err == nil {
		if p.left.Store(p.leaves); p.leaves {
			return
		}
		if b, _ := br.ReadByte(); b != 0 && !p.mayFail.Load() {
			p.errorf("bytes after the last response: %q", b)
		}
	}
}

// http1 returns the request for HTTP/1.1.
func (q *simRequest) http1() []byte {
	r := &http.Request{Method: q.method, URL: &url.URL{Scheme: "http", Host: "h", Path: fmt.Sprint("/", q.id)}, Header: http.Header{"X-Fill": {q.fill}, "User-Agent": {""}}}
	if q.expects {
		r.Header.Set("Expect", "100-continue")
	}
	if q.size > 0 {
		r.Body, r.ContentLength = io.NopCloser(iotest.HalfReader(bytes.NewReader(q.body()))), -1
		if q.size < 3000 { // chunks of a byte
			r.Body = io.NopCloser(iotest.OneByteReader(bytes.NewReader(q.body())))
		}
		if q.declared {
			r.ContentLength = int64(q.size)
		}
		if q.trailer {
			r.Trailer = http.Header{"X-Sum": {strconv.Itoa(q.size)}}
		}
	}
	var b bytes.Buffer
	if q.odd { // net/http serves it
		r.WriteProxy(&b)
	} else {
		r.Write(&b)
	}
	return b.Bytes()
}

// An http2Peer is a peer over HTTP/2. Only the goroutine that sends writes; what
// received frames require, it sends later.
type http2Peer struct {
	*peer
	dec    hpack.Decoder
	fields []byte // of an incomplete block
	next   int    // of the requests
	extras int    // frames that help nobody
	most   int    // bytes of DATA

	mu        sync.Mutex // guards the rest; not held during reads and writes
	streams   []*simStream
	answers   []byte // frames to send
	maxOpen   int    // the server's limit
	window    int64  // of what we may send
	initial   int64
	mine      int64 // window of what we receive
	myInitial int64
	acks      []int64 // values of myInitial that the server hasn't acknowledged
	owed      int64   // what mine may be increased by
	away      bool    // GOAWAY arrived
	ended     bool    // the connection
	holds     bool    // the connection's window isn't increased before it is used up
	updates   int     // of the connection's window, during probeUpload
}

// A simStream is a stream as the client sees it.
type simStream struct {
	*simRequest
	id               uint32
	rest             []byte // of the request's body
	window           int64  // of what we may send
	mine, owed       int64
	sentEnd, gotEnd  bool
	wasReset         bool // by either side
	status           int
	header, trailers http.Header
	got              []byte
}

func (s *simStream) over() bool { return s.wasReset || s.gotEnd }

// serve sends.
func (x *http2Peer) serve() {
	x.window, x.initial, x.mine = 65535, 65535, 65535
	x.dec.Reset(hpack.DefaultTableSize)
	x.extras, x.most = x.rnd.IntN(30), 20+x.rnd.IntN(min(3*x.pieces, 16_000))
	x.myInitial = x.rnd.Int64N([]int64{2, 20_000, 200_000}[x.rnd.IntN(3)])
	x.acks = []int64{x.myInitial}
	x.done.Go(x.receive)
	ok := x.send(appendTestFrame([]byte(clientPreface), fSettings, 0, 0, settingsText([]uint32{4, uint32(x.myInitial)}))) && x.exchange()
	if ok && !x.mayFail.Load() && x.stopAt == 0 {
		x.probeDownload()
		x.probeUpload()
	}
	close(x.answered)
	if x.leaves {
		x.left.Store(true)
		x.client.Close()
	}
}

// exchange sends until all responses have arrived. It reports false if the
// connection has ended.
func (x *http2Peer) exchange() (ok bool) {
	ok = true
	for wait := time.Duration(1); ok; {
		b, canceled, all := x.act()
		if all {
			break
		}
		wait = min(2*wait, time.Second)
		if len(b) > 0 {
			wait = 1 + time.Duration(x.rnd.IntN(500))*time.Microsecond
		}
		if x.probing.Load() {
			wait = 20*time.Millisecond + 4*x.slow
		}
		ok = x.send(b)
		if canceled != nil {
			canceled.resetAt.Store(time.Now().UnixNano())
		}
		time.Sleep(wait)
	}
	for !ok && !x.hasEnded() { // what has arrived is still to be read
		time.Sleep(time.Second)
	}
	return ok && !x.hasEnded()
}

func (x *http2Peer) hasEnded() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ended
}

// probeDownload checks that the server uses the connection's window to the last
// byte: else bytes got lost, such as those of canceled streams.
func (x *http2Peer) probeDownload() {
	x.mu.Lock()
	x.extras, x.resets, x.holds = 0, 0, true
	x.down.out = int(min(x.mine+1000, 500_000))
	x.requests = append(x.requests, x.down)
	x.mu.Unlock()
	x.exchange()
}

// probeUpload checks that the server has given back each byte of the connection's
// window, when all bodies are read.
func (x *http2Peer) probeUpload() {
	time.Sleep(10 * time.Second) // handlers of canceled requests end
	for x.stalled.Load() {       // or it would see several updates at once
		time.Sleep(time.Second)
	}
	x.mu.Lock()
	x.requests = append(x.requests, x.up)
	x.most = 500
	x.probing.Store(true)
	x.mu.Unlock()
	if x.exchange() && x.updates == 0 {
		x.errorf("the server hasn't given back any window")
	}
}

// connLimit is the window of the server for the connection.
func (x *http2Peer) connLimit() int64 { return int64(x.srv.HTTP2.MaxReceiveBufferPerConnection) }

// list logs what isn't over.
func (x *http2Peer) list() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, q := range x.streams {
		if !q.over() || !q.sentEnd && !q.wasReset {
			x.Logf("%v: windows %d (connection %d) and %d (%d), %d bytes left, %d received", q.simRequest, q.window, x.window, q.mine, x.mine, len(q.rest), len(q.got))
		}
	}
}

// act returns frames to send, the stream that they cancel, and whether nothing is
// left to do.
func (x *http2Peer) act() (b []byte, canceled *simStream, all bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	b, x.answers = x.answers, nil
	open := 0
	var can []func()
	for _, s := range x.streams {
		if !s.wasReset && !(s.gotEnd && s.sentEnd) {
			open++
			if !s.sentEnd && (len(s.rest) == 0 || min(s.window, x.window) > 0) {
				can = append(can, func() { b = x.upload(b, s) })
			}
			if x.resets > 0 && (x.stalled.Load() || x.rnd.IntN(10) == 0) {
				can = append(can, func() {
					b = appendTestFrame(b, fReset, 0, s.id, u32(8))
					x.resets--
					s.wasReset, canceled = true, s
					s.canceled.Store(true)
				})
			}
		}
		if s.owed > 0 && !s.over() {
			can = append(can, func() { b = x.grant(b, s.id, &s.owed, &s.mine) })
		}
	}
	more := x.next < len(x.requests) && !x.away
	if more && open < x.maxOpen {
		can = append(can, func() { b = x.open(b) })
	}
	if x.owed > 0 && !(x.holds && x.mine > 0 && open > 0) {
		can = append(can, func() { b = x.grant(b, 0, &x.owed, &x.mine) })
	}
	if x.extras > 0 && x.maxOpen > 0 {
		can = append(can, func() { b = x.extra(b) })
	}
	if len(can) > 0 {
		can[x.rnd.IntN(len(can))]()
	}
	return b, canceled, x.ended || !more && open == 0 && len(b) == 0
}

// open opens a stream for the next request.
func (x *http2Peer) open(b []byte) []byte {
	q := x.requests[x.next]
	x.next++
	q.opened = time.Now()
	s := &simStream{simRequest: q, id: uint32(2*len(x.streams) + 1), rest: q.body(), window: x.initial, mine: x.myInitial, owed: max(0, 1-x.myInitial), sentEnd: q.size == 0}
	x.streams = append(x.streams, s)
	fields := []string{"x-fill=" + q.fill}
	if q.declared && q.size > 0 {
		fields = append(fields, fmt.Sprint("content-length=", q.size))
	}
	if q.trailer {
		fields = append(fields, "trailer=X-Sum")
	}
	if q.expects {
		fields = append(fields, "expect=100-continue")
	}
	flags := uint8(endHeaders)
	if s.sentEnd {
		flags |= endStream
	}
	return appendTestFrame(b, fHeaders, flags, s.id, reqBlock(q.method, fmt.Sprint("/", q.id), fields...))
}

// upload sends a part of the body, or its end.
func (x *http2Peer) upload(b []byte, s *simStream) []byte {
	n := int(min(int64(1+x.rnd.IntN(x.most)), s.window, x.window, int64(len(s.rest))))
	n = max(n, 0)
	flags, payload := uint8(0), string(s.rest[:n])
	if s.rest = s.rest[n:]; len(s.rest) == 0 {
		switch {
		case s.trailer && n == 0:
			s.sentEnd = true
			return appendTestFrame(b, fHeaders, endHeaders|endStream, s.id, block(fmt.Sprint("x-sum=", s.size)))
		case !s.trailer && (n == 0 || x.rnd.IntN(2) == 0):
			s.sentEnd, flags = true, endStream
		}
	}
	if pad := x.rnd.IntN(20); !x.holds && x.rnd.IntN(4) == 0 && int64(len(payload)+1+pad) <= min(s.window, x.window) {
		flags |= padded
		payload = string(byte(pad)) + payload + strings.Repeat("\x00", pad)
	}
	s.window -= int64(len(payload))
	x.window -= int64(len(payload))
	return appendTestFrame(b, fData, flags, s.id, payload)
}

// grant increases a window by a part of what is owed, or by more.
func (x *http2Peer) grant(b []byte, id uint32, owed, mine *int64) []byte {
	n := 1 + x.rnd.Int64N(*owed+[]int64{1, 1, 5000}[x.rnd.IntN(3)])
	*owed = max(0, *owed-n)
	*mine += n
	return appendTestFrame(b, fWindow, 0, id, u32(uint32(n)))
}

// extra sends a frame that no request needs.
func (x *http2Peer) extra(b []byte) []byte {
	x.extras--
	switch x.rnd.IntN(8) {
	case 0, 1:
		return appendTestFrame(b, fPing, 0, 0, "simulate")
	case 2:
		id := 1 + 2*x.rnd.Uint32N(uint32(x.next+2))
		return appendTestFrame(appendTestFrame(b, fPriority, 0, id, u32(0)+"x"), 0x10, 0, 0, u32(id)+fmt.Sprint("u=", x.rnd.IntN(8)))
	}
	v := x.rnd.Int64N(100_000)
	x.acks = append(x.acks, v)
	if v > x.myInitial {
		x.setInitial(v)
	}
	return appendTestFrame(b, fSettings, 0, 0, settingsText([]uint32{1, x.rnd.Uint32N(5000), 4, uint32(v), 5, 1<<14 + x.rnd.Uint32N(1<<20)}))
}

func (x *http2Peer) setInitial(v int64) {
	for _, s := range x.streams {
		s.mine += v - x.myInitial
		if s.mine <= 0 {
			s.owed = max(s.owed, 1-s.mine)
		}
	}
	x.myInitial = v
}

// receive receives until the connection ends.
func (x *http2Peer) receive() {
	br := bufio.NewReader(x)
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(br, head); err != nil {
			break
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if len(payload) > 16<<10 {
			if x.mayFail.Load() && string(head[:4]) == "HTTP" {
				break // the preface was cut
			}
			x.errorf("the server sent a frame of %d bytes", len(payload))
		}
		if _, err := io.ReadFull(br, payload); err != nil {
			break
		}
		x.mu.Lock()
		if err := x.process(head[3], head[4], binary.BigEndian.Uint32(head[5:]), payload); err != nil {
			x.errorf("%v, frame type %d, flags %#x, stream %d", err, head[3], head[4], binary.BigEndian.Uint32(head[5:]))
		}
		x.mu.Unlock()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
	for _, s := range x.streams {
		if !s.over() {
			s.check(s.status, s.header, s.trailers, s.got, false)
		}
	}
	x.client.Close()
}

// process processes a frame, and returns what is wrong with it.
func (x *http2Peer) process(kind, flags uint8, id uint32, payload []byte) error {
	var s *simStream
	if id > 0 && int(id/2) < len(x.streams) && id%2 == 1 {
		s = x.streams[id/2]
	}
	n := int64(len(payload))
	value := func() int64 { return int64(binary.BigEndian.Uint32(payload)) }
	if s == nil && (kind <= fReset || id > 0) {
		return errors.New("a frame of an idle stream")
	}
	if s != nil && s.gotEnd && kind != fReset && kind != fWindow {
		return errors.New("a frame after the end of a stream")
	}
	switch kind {
	case fData:
		x.mine -= n
		x.owed += n
		s.mine -= n
		s.owed += n
		if x.mine < 0 || s.mine < 0 && n > 0 {
			return fmt.Errorf("the windows are %d and %d", x.mine, s.mine)
		}
		if s.wasReset {
			return nil
		}
		if s.status == 0 {
			return errors.New("DATA before HEADERS")
		}
		if s.got = append(s.got, payload...); len(s.got) == len(s.want()) {
			s.received.CompareAndSwap(0, time.Now().UnixNano())
		}
		if flags&endStream != 0 {
			s.end()
		}
	case fHeaders, fContinuation:
		if kind == fHeaders {
			x.fields = nil
			if flags&endStream != 0 {
				defer s.end()
			}
		}
		if x.fields = append(x.fields, payload...); flags&endHeaders == 0 {
			return nil
		}
		list, _, err := x.dec.Decode(x.fields, 1<<20)
		if err != nil {
			return err
		}
		h := make(http.Header)
		for _, f := range list {
			h.Add(f.Key, f.Value)
		}
		switch status, _ := strconv.Atoi(h.Get(":status")); {
		case s.status != 0:
			s.trailers = h
		case status >= 200:
			s.status, s.header = status, h
		}
	case fReset:
		if s.wasReset {
			return nil // at the same time as ours
		}
		s.wasReset = true
		switch code := value(); {
		case !s.gotEnd:
			s.check(s.status, s.header, s.trailers, s.got, false)
			if !s.aborts {
				s.fault("reset with code %d", code)
			}
		case code != 0:
			s.fault("reset with code %d after the response", code)
		}
	case fSettings:
		if flags&ack != 0 {
			x.setInitial(x.acks[0])
			x.acks = x.acks[1:]
			return nil
		}
		x.answers = appendTestFrame(x.answers, fSettings, ack, 0, "")
		for ; len(payload) >= 6; payload = payload[6:] {
			switch v := int64(binary.BigEndian.Uint32(payload[2:])); payload[1] {
			case 3:
				x.maxOpen = int(v)
			case 4:
				x.initial = v
			}
		}
	case fPing:
		if flags&ack == 0 {
			x.answers = appendTestFrame(x.answers, fPing, ack, 0, string(payload))
		}
	case fGoAway:
		if code := binary.BigEndian.Uint32(payload[4:]); code != 0 && !x.mayFail.Load() || code == 0 && !x.stopping.Load() && !x.mayFail.Load() {
			return fmt.Errorf("GOAWAY with code %d", code)
		}
		x.away = true
		for _, s := range x.streams {
			s.wasReset = s.wasReset || int64(s.id) > value()
		}
	case fWindow:
		w, limit := &x.window, x.connLimit()
		if s != nil {
			w, limit = &s.window, x.initial
		} else {
			defer func() {
				if x.probing.Load() {
					if x.updates++; x.window != limit {
						x.errorf("the server has given back %d bytes of %d", x.window, limit)
					}
				}
			}()
		}
		if *w += value(); *w > limit {
			return fmt.Errorf("the window becomes %d, although the server's limit is %d", *w, limit)
		}
	default:
		return errors.New("unexpected")
	}
	return nil
}

// end records END_STREAM.
func (s *simStream) end() {
	s.gotEnd = true
	if !s.wasReset {
		s.check(s.status, s.header, s.trailers, s.got, true)
	}
}
