package engine

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
)

// Frame types, flags and error codes, as in RFC 9113.
const (
	fData, fHeaders, fPriority, fReset, fSettings, fPush, fPing, fGoAway, fWindow, fContinuation = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

	endStream, endHeaders, padded, prioritized, ack = 1, 4, 8, 0x20, 1
)

// A frameConn sends frames and collects what a server answers.
type frameConn struct {
	net.Conn
	wmu      sync.Mutex
	inFields bool        // HEADERS was sent without END_HEADERS; guarded by wmu
	answers  []byte      // frames to send afterwards, likewise
	mute     atomic.Bool // don't answer frames

	pingData atomic.Bool // send a PING for each DATA frame
	endless  atomic.Bool // open the windows again for each DATA frame; keep only the last

	mu      sync.Mutex
	changed sync.Cond
	streams map[uint32]*frameStream
	goAway  string // code of a GOAWAY frame other than NO_ERROR
	away    bool   // a GOAWAY frame arrived
	pings   int    // sent by ping
	barrier string // data of the last one; "" after its answer
	pinged  int    // received
	closed  bool
	frames  int // received
}

// A frameStream is what a server has sent on a stream.
type frameStream struct {
	blocks []string // of fields
	body   []byte
	end    string // how the stream ended
}

const (
	clientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	http2Hello    = clientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00" // with SETTINGS
)

// dialFrames connects and sends the preface and SETTINGS.
func dialFrames(t testing.TB, addr string, settings ...uint32) *frameConn {
	c := dialSilent(t, addr)
	c.begin(settings...)
	return c
}

// dialSilent connects without sending anything.
func dialSilent(t testing.TB, addr string) *frameConn {
	c := &frameConn{Conn: dial(t, addr), streams: make(map[uint32]*frameStream)}
	c.changed.L = &c.mu
	return c
}

// frame sends a frame.
func (c *frameConn) frame(kind, flags uint8, stream uint32, payload string) {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	b := appendTestFrame(nil, kind, flags, stream, payload)
	if kind == fHeaders || kind == fContinuation {
		if c.inFields = flags&endHeaders == 0; !c.inFields {
			b, c.answers = append(b, c.answers...), nil
		}
	}
	c.Write(b)
}

// answer sends a frame in answer to one of the server, but not between HEADERS
// and CONTINUATION.
func (c *frameConn) answer(kind, flags uint8, stream uint32, payload string) {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	c.answers = appendTestFrame(c.answers, kind, flags, stream, payload)
	if !c.inFields {
		c.Write(c.answers)
		c.answers = nil
	}
}

func appendTestFrame(b []byte, kind, flags uint8, stream uint32, payload string) []byte {
	n := len(payload)
	b = append(b, byte(n>>16), byte(n>>8), byte(n), kind, flags)
	return append(binary.BigEndian.AppendUint32(b, stream), payload...)
}

// begin sends the preface and SETTINGS. It starts reading afterwards: the preface
// precedes all answers.
func (c *frameConn) begin(settings ...uint32) {
	c.Write(appendTestFrame([]byte(clientPreface), fSettings, 0, 0, settingsText(settings)))
	go c.readAll()
}

// settings sends pairs of identifiers and values.
func (c *frameConn) settings(pairs ...uint32) { c.frame(fSettings, 0, 0, settingsText(pairs)) }

func settingsText(pairs []uint32) string {
	var p []byte
	for i := 0; i < len(pairs); i += 2 {
		p = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(p, uint16(pairs[i])), pairs[i+1])
	}
	return string(p)
}

// u32 returns the bytes of a number.
func u32(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// block encodes fields, each a name and a value separated by "=".
func block(fields ...string) string {
	var b []byte
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		if len(name) > 126 || len(value) > 1<<20 {
			panic("too long")
		}
		b = append(b, 0, byte(len(name)))
		b = append(b, name...)
		if n := len(value); n < 127 {
			b = append(b, byte(n))
		} else {
			b = append(b, 127)
			for n -= 127; n >= 128; n >>= 7 {
				b = append(b, byte(n)|0x80)
			}
			b = append(b, byte(n))
		}
		b = append(b, value...)
	}
	return string(b)
}

// reqBlock returns the fields of a request with more fields.
func reqBlock(method, path string, more ...string) string {
	return block(append([]string{":method=" + method, ":scheme=http", ":path=" + path, ":authority=h"}, more...)...)
}

// get sends a request without a body.
func (c *frameConn) get(stream uint32, path string) {
	c.frame(fHeaders, endStream|endHeaders, stream, reqBlock("GET", path))
}

// reset cancels a stream.
func (c *frameConn) reset(stream uint32) { c.frame(fReset, 0, stream, u32(8)) }

func (c *frameConn) readAll() {
	var dec hpack.Decoder
	dec.Reset(4096)
	var fields []byte
	var end bool
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(c, head); err != nil {
			break
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(c, payload); err != nil {
			break
		}
		kind, flags, id := head[3], head[4], binary.BigEndian.Uint32(head[5:])
		c.mu.Lock()
		c.frames++
		s := c.streams[id]
		if s == nil && id != 0 && kind != fWindow {
			s = new(frameStream)
			c.streams[id] = s
		}
		switch kind {
		case fHeaders, fContinuation:
			if kind == fHeaders {
				fields, end = nil, flags&endStream != 0
			}
			if fields = append(fields, payload...); flags&endHeaders == 0 {
				break
			}
			list, _, err := dec.Decode(fields, 1<<24)
			if err != nil {
				c.goAway = "HPACK error"
			}
			s.blocks = append(s.blocks, fieldsText(list))
			if end {
				s.ended("end")
			}
		case fData:
			if c.endless.Load() {
				s.body = s.body[:0]
			}
			s.body = append(s.body, payload...)
			if flags&endStream != 0 {
				s.ended("end")
			}
		case fReset:
			s.ended(fmt.Sprint("reset ", binary.BigEndian.Uint32(payload)))
		case fGoAway:
			c.away = true
			if code := binary.BigEndian.Uint32(payload[4:]); code != 0 {
				c.goAway = fmt.Sprint("GOAWAY ", code)
			}
		case fPing:
			switch {
			case flags&ack == 0:
				c.pinged++
			case string(payload) == c.barrier:
				c.barrier = ""
			}
		}
		c.changed.Broadcast()
		c.mu.Unlock()
		switch {
		case c.mute.Load():
		case kind == fSettings && flags&ack == 0:
			c.answer(fSettings, ack, 0, "")
		case kind == fPing && flags&ack == 0:
			c.answer(fPing, ack, 0, string(payload))
		case kind == fData && c.pingData.Load():
			c.answer(fPing, 0, 0, "received")
		case kind == fData && c.endless.Load() && len(payload) > 0:
			c.answer(fWindow, 0, 0, u32(uint32(len(payload))))
			c.answer(fWindow, 0, id, u32(uint32(len(payload))))
		}
	}
	c.mu.Lock()
	c.closed = true
	c.changed.Broadcast()
	c.mu.Unlock()
}

func (s *frameStream) ended(how string) {
	if s.end != "" {
		s.end += ", "
	}
	s.end += how
}

// fieldsText lists fields in the order of their names, without the Date.
func fieldsText(list []hpack.Field) string {
	var lines []string
	for _, f := range list {
		if f.Key == "Date" {
			f.Value = "X"
		}
		lines = append(lines, f.Key+"="+f.Value)
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

// wait waits until the condition is true or the connection is closed. It
// reports whether the condition is true.
func (c *frameConn) wait(condition func() bool) bool {
	timer := time.AfterFunc(2*time.Minute, func() { c.Close() })
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !condition() && !c.closed {
		c.changed.Wait()
	}
	return condition()
}

// ended waits until streams have ended, or the connection.
func (c *frameConn) ended(streams ...uint32) bool {
	return c.wait(func() bool {
		if c.goAway != "" {
			return true
		}
		for _, id := range streams {
			if s := c.streams[id]; s == nil || s.end == "" {
				return false
			}
		}
		return true
	})
}

// ping waits until the server has processed all frames sent before.
func (c *frameConn) ping() bool {
	c.mu.Lock()
	c.pings++
	data := fmt.Sprintf("ping%04x", c.pings&0xffff)
	c.barrier = data
	c.mu.Unlock()
	c.frame(fPing, 0, 0, data)
	return c.wait(func() bool { return c.barrier != data || c.goAway != "" })
}

// summary describes what the server has sent.
func (c *frameConn) summary() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sb strings.Builder
	for _, id := range slices.Sorted(maps.Keys(c.streams)) {
		s := c.streams[id]
		body := string(s.body)
		if len(body) > 500 {
			body = fmt.Sprintf("%d bytes", len(body))
		}
		fmt.Fprintf(&sb, "stream %d: %s; %q; %s\n", id, strings.Join(s.blocks, " | "), body, s.end)
	}
	switch {
	case c.goAway != "":
		sb.WriteString(c.goAway)
	case c.closed:
		sb.WriteString("closed")
	}
	return sb.String()
}

// A step does something with a connection.
type step func(c *frameConn)

// frame returns the step that sends a frame. The functions below return others.
func frame(kind, flags uint8, stream uint32, payload string) step {
	return func(c *frameConn) { c.frame(kind, flags, stream, payload) }
}

// fields sends HEADERS with END_HEADERS, and then with END_STREAM too; get and
// post, the whole fields of a request, likewise.
func fields(stream uint32, block string) step { return frame(fHeaders, endHeaders, stream, block) }
func fieldsEnd(stream uint32, block string) step {
	return frame(fHeaders, endHeaders|endStream, stream, block)
}
func post(stream uint32, path string, more ...string) step {
	return fields(stream, reqBlock("POST", path, more...))
}
func get(stream uint32, path string, more ...string) step {
	return fieldsEnd(stream, reqBlock("GET", path, more...))
}

func data(stream uint32, text string) step    { return frame(fData, 0, stream, text) }
func dataEnd(stream uint32, text string) step { return frame(fData, endStream, stream, text) }
func window(stream, n uint32) step            { return frame(fWindow, 0, stream, u32(n)) }
func reset(stream uint32) step                { return func(c *frameConn) { c.reset(stream) } }
func settings(pairs ...uint32) step           { return func(c *frameConn) { c.settings(pairs...) } }
func ping(c *frameConn)                       { c.ping() }
func ended(stream uint32) step                { return func(c *frameConn) { c.ended(stream) } }

// received waits for n bytes of a response.
func received(stream uint32, n int) step {
	return func(c *frameConn) {
		c.wait(func() bool { return c.streams[stream] != nil && len(c.streams[stream].body) == n })
	}
}

type streams []uint32

// frameCases are exchanges that net/http and the engine must treat the same, but
// for what differs lists.
var frameCases = []struct {
	name string
	ends streams // that end
	send []step
}{
	{"unknown frame", streams{1}, []step{frame(99, 0xff, 0, "x"), frame(98, 1, 1, "y"), get(1, "/x")}},
	{"frames of later RFCs", streams{1, 3}, []step{get(1, "/x"), frame(10, 0, 1, "x"), frame(11, 0, 0, ""), frame(12, 0, 0, "x"), frame(13, 0, 1, ""), frame(14, 1, 0, "x"), frame(15, 0, 1, ""), get(3, "/x")}},
	{"unknown setting", streams{1}, []step{settings(0x99, 7), get(1, "/x")}},
	{"two requests", streams{1, 5}, []step{get(1, "/x"), get(5, "/y")}},
	{"split fields", streams{1}, []step{frame(fHeaders, endStream, 1, getX[:3]), frame(fContinuation, 0, 1, getX[3:9]), frame(fContinuation, endHeaders, 1, getX[9:])}},
	{"padding and priority", streams{1}, []step{
		frame(fHeaders, endHeaders|padded|prioritized, 1, "\x03"+u32(0)+"\x10"+reqBlock("POST", "/echo")+"\x00\x00\x00"), frame(fData, endStream|padded, 1, "\x02hello\x00\x00")}},
	{"trailers", streams{1}, []step{post(1, "/echo", "trailer=x-a, X-B"), data(1, "hello"), fieldsEnd(1, block("x-a=1", "x-c=2"))}},
	{"cookies", streams{1}, []step{get(1, "/dump", "cookie=a=1", "cookie=b=2", "accept=x", "accept=y")}},
	{"host instead of authority", streams{1}, []step{fieldsEnd(1, block(":method=GET", ":scheme=http", ":path=/dump", "host=other"))}},
	{"host and authority", streams{1}, []step{get(1, "/dump", "host=other")}},
	{"host equal to authority", streams{1}, []step{get(1, "/dump", "host=H")}},
	{"two hosts", streams{1}, []step{fieldsEnd(1, block(":method=GET", ":scheme=http", ":path=/dump", "host=a", "host=b"))}},
	{"expect", streams{1}, []step{post(1, "/echo", "expect=100-continue"), dataEnd(1, "hello")}},
	{"connect", streams{1}, []step{fieldsEnd(1, block(":method=CONNECT", ":authority=h:1"))}},
	{"connect with host", streams{1}, []step{fieldsEnd(1, block(":method=CONNECT", "host=h:1"))}},
	{"connect with path", streams{1}, []step{fieldsEnd(1, reqBlock("CONNECT", "/x"))}},
	{"extended connect", streams{1}, []step{fieldsEnd(1, reqBlock("CONNECT", "/stream", ":protocol=websocket"))}},
	{"extended connect without path", streams{1}, []step{fieldsEnd(1, block(":method=CONNECT", ":scheme=http", ":authority=h", ":protocol=x"))}},
	{"extended connect, odd path", streams{1}, []step{fieldsEnd(1, reqBlock("CONNECT", "x", ":protocol=x"))}},
	{"extended connect twice", streams{1}, []step{fieldsEnd(1, reqBlock("CONNECT", "/x", ":protocol=x", ":protocol=x"))}},
	{"extended connect, late", streams{1}, []step{fieldsEnd(1, reqBlock("CONNECT", "/x", "a=b", ":protocol=x"))}},
	{"no method", streams{1}, []step{fieldsEnd(1, block(":scheme=http", ":path=/x"))}},
	{"empty path", streams{1}, []step{get(1, "")}},
	{"relative path", streams{1}, []step{get(1, "x")}},
	{"odd path", streams{1}, []step{get(1, "/a b%zz")}},
	{"absolute path", streams{1}, []step{get(1, "http://other/dump")}},
	{"asterisk", streams{1}, []step{fieldsEnd(1, reqBlock("OPTIONS", "*"))}},
	{"odd scheme", streams{1}, []step{fieldsEnd(1, block(":method=GET", ":scheme=ftp", ":path=/x"))}},
	{"https without TLS", streams{1}, []step{fieldsEnd(1, block(":method=GET", ":scheme=https", ":path=/dump", ":authority=h"))}},
	{"user in authority", streams{1}, []step{fieldsEnd(1, block(":method=GET", ":scheme=http", ":path=/x", ":authority=u@h"))}},
	{"odd authority", streams{1}, []step{fieldsEnd(1, block(":method=GET", ":scheme=http", ":path=/x", ":authority=h/\\x"))}},
	{"odd method", streams{1}, []step{fieldsEnd(1, reqBlock("G T", "/x"))}},
	{"pseudo twice", streams{1}, []step{get(1, "/x", ":path=/y")}},
	{"empty authority twice", streams{1}, []step{fieldsEnd(1, block(":method=GET", ":scheme=http", ":path=/x", ":authority=", ":authority="))}},
	{"pseudo after others", streams{1}, []step{fieldsEnd(1, block(":method=GET", ":scheme=http", "a=b", ":path=/y"))}},
	{"unknown pseudo", streams{1}, []step{get(1, "/x", ":x=y")}},
	{"response pseudo", streams{1}, []step{get(1, "/x", ":status=200")}},
	{"upper case", streams{1}, []step{get(1, "/x", "X-A=y")}},
	{"odd value", streams{1}, []step{get(1, "/x", "x-a=a\nb")}},
	{"connection", streams{1}, []step{get(1, "/x", "connection=close")}},
	{"te", streams{1}, []step{get(1, "/x", "te=gzip")}},
	{"te trailers", streams{1}, []step{get(1, "/dump", "te=trailers")}},
	{"te trailers twice", streams{1}, []step{get(1, "/dump", "te=trailers", "te=trailers")}},
	{"length too large", streams{1}, []step{post(1, "/slow", "content-length=4"), dataEnd(1, "hello")}},
	{"length without body", streams{1}, []step{fieldsEnd(1, reqBlock("POST", "/x", "content-length=4"))}},
	{"even stream", nil, []step{get(2, "/x")}},
	{"stream 0", nil, []step{get(0, "/x")}},
	{"lower stream", nil, []step{get(5, "/x"), ended(5), get(3, "/x")}},
	{"data on idle stream", nil, []step{data(1, "x")}},
	{"data on stream 0", nil, []step{data(0, "x")}},
	{"data after the end", streams{1}, []step{post(1, "/slow"), dataEnd(1, "x"), data(1, "y")}},
	{"fields after the end", streams{1}, []step{get(1, "/slow"), get(1, "/slow")}},
	{"trailers without end", streams{1}, []step{post(1, "/slow"), fields(1, block("a=b"))}},
	{"trailers with pseudo", streams{1}, []step{post(1, "/slow"), fieldsEnd(1, block(":path=b"))}},
	{"settings on a stream", nil, []step{frame(fSettings, 0, 1, "")}},
	{"settings of 5 bytes", nil, []step{frame(fSettings, 0, 0, "12345")}},
	{"settings ack with payload", nil, []step{frame(fSettings, ack, 0, "123456")}},
	{"too many acks", nil, []step{frame(fSettings, ack, 0, ""), frame(fSettings, ack, 0, "")}},
	{"window of 2^31", nil, []step{settings(4, 1<<31)}},
	{"frame size of 1", nil, []step{settings(5, 1)}},
	{"push of 2", nil, []step{settings(2, 2)}},
	{"connect protocol of 2", nil, []step{settings(8, 2)}},
	{"no priorities of 2", nil, []step{settings(9, 2)}},
	{"ping of 7 bytes", nil, []step{frame(fPing, 0, 0, "1234567")}},
	{"ping on a stream", nil, []step{frame(fPing, 0, 1, "12345678")}},
	{"push promise", nil, []step{frame(fPush, endHeaders, 1, u32(2)+reqBlock("GET", "/x"))}},
	{"continuation alone", nil, []step{frame(fContinuation, endHeaders, 1, "")}},
	{"fields interrupted", nil, []step{frame(fHeaders, 0, 1, ""), frame(fPing, 0, 0, "12345678")}},
	{"fields interrupted by another stream", nil, []step{frame(fHeaders, 0, 1, ""), frame(fContinuation, endHeaders, 3, "")}},
	{"priority of 4 bytes", nil, []step{frame(fPriority, 0, 1, "1234")}},
	{"priority on stream 0", nil, []step{frame(fPriority, 0, 0, "12345")}},
	{"priority on itself", streams{1}, []step{post(1, "/slow"), frame(fPriority, 0, 1, u32(1)+"x")}},
	{"priority of an idle stream on itself", streams{1}, []step{frame(fPriority, 0, 1, u32(1)+"x"), get(1, "/x")}},
	{"reset of idle stream", nil, []step{reset(1)}},
	{"reset, window and data of a skipped stream", streams{3, 5, 7}, []step{get(5, "/x"), ended(5), reset(1), window(1, 8), data(3, "x"), get(7, "/x")}},
	{"reset on stream 0", nil, []step{reset(0)}},
	{"reset of 3 bytes", nil, []step{get(1, "/slow"), frame(fReset, 0, 1, "123")}},
	{"window of 3 bytes", nil, []step{frame(fWindow, 0, 0, "123")}},
	{"window of 0", nil, []step{window(0, 0)}},
	{"window of idle stream", nil, []step{window(1, 1)}},
	{"window of stream of 0", streams{1}, []step{get(1, "/slow"), window(1, 0)}},
	{"window overflow", nil, []step{window(0, 1<<31-1)}},
	{"window overflow of a stream", streams{1}, []step{get(1, "/slow"), window(1, 1<<31-1)}},
	{"window overflow by settings", nil, []step{get(1, "/slow"), window(1, 1<<31-70000), settings(4, 100_000)}},
	{"goaway on a stream", nil, []step{frame(fGoAway, 0, 1, u32(0)+u32(0))}},
	{"goaway of 7 bytes", nil, []step{frame(fGoAway, 0, 0, "1234567")}},
	{"padding too large", nil, []step{post(1, "/slow"), frame(fData, padded, 1, "\x05hello")}},
	{"hpack error", nil, []step{fieldsEnd(1, "\xff\xff\xff\xff\xff\xff")}},
	{"unread body", streams{1, 3}, []step{post(1, "/204"), ended(1), data(1, "in flight"), get(3, "/x")}},
	{"small windows", streams{1, 3}, []step{settings(4, 3), get(1, "/x"), received(1, 2), settings(4, 0), get(3, "/flush"), window(3, 1), window(3, 5)}},
	{"window below 0", nil, []step{settings(4, 100), get(1, "/bigbytes"), received(1, 100), settings(4, 40), window(1, 60), ping, window(1, 7), received(1, 107)}},
	{"padding without data", streams{1}, []step{
		post(1, "/echo"), frame(fData, padded, 1, "\x00"), frame(fData, padded, 1, "\x03\x00\x00\x00"), frame(fData, endStream|padded, 1, "\x01x\x00")}},
	{"padded without padding length", nil, []step{post(1, "/slow"), frame(fData, padded, 1, "")}},
	{"padding of fields too large", nil, []step{frame(fHeaders, endHeaders|padded, 1, "\x05abc")}},
	{"priority of fields too short", nil, []step{frame(fHeaders, endHeaders|prioritized, 1, "abc")}},
	{"fields with priority on itself", streams{1}, []step{frame(fHeaders, endHeaders|endStream|prioritized, 1, u32(1)+"x"+reqBlock("GET", "/x"))}},
	{"reserved bit of the stream", streams{1}, []step{get(1<<31|1, "/x")}},
	{"frame too large", nil, []step{post(1, "/slow"), data(1, strings.Repeat("x", 1<<20+1))}},
	{"data between fields", nil, []step{post(1, "/slow"), frame(fHeaders, 0, 3, ""), data(1, "x")}},
	{"unknown frame between fields", nil, []step{frame(fHeaders, 0, 1, ""), frame(99, 0, 1, "")}},
	{"data after a reset", streams{1}, []step{post(1, "/slow"), reset(1), data(1, "x")}},
	{"reset, window and priority after the end", streams{1, 3}, []step{
		get(1, "/x"), ended(1), reset(1), reset(1), window(1, 8), frame(fPriority, 0, 1, u32(0)+"x"), get(3, "/x")}},
	{"goaway of the client", streams{1}, []step{post(1, "/echo"), ping, frame(fGoAway, 0, 0, u32(0)+u32(0)), dataEnd(1, "hello")}},
	{"length too small", streams{1}, []step{post(1, "/echo", "content-length=6"), dataEnd(1, "hello")}},
	{"different lengths", streams{1}, []step{post(1, "/echo", "content-length=5", "content-length=6"), dataEnd(1, "hello")}},
	{"the same length twice", streams{1}, []step{post(1, "/dump", "content-length=2", "content-length=2"), dataEnd(1, "hi")}},
	{"length with a sign", streams{1}, []step{post(1, "/echo", "content-length=+5"), dataEnd(1, "hello")}},
	{"trailer that isn't one", streams{1}, []step{post(1, "/slow", "trailer=x"), fieldsEnd(1, block("content-length=5"))}},
	{"trailers not declared", streams{1}, []step{post(1, "/echo"), fieldsEnd(1, block("x=5"))}},
	{"request and response at the same time", streams{1}, []step{
		post(1, "/stream"), data(1, "hello"), received(1, 5), data(1, "again"), received(1, 10), dataEnd(1, "")}},
	{"priority of a pushed stream", nil, []step{frame(0x10, 0, 0, u32(2)+"u=1")}},
	{"no settings", nil, nil},
}

var getX = reqBlock("GET", "/x", "accept=*/*")

// frameDiffers says what the engine's summary contains instead of net/http's.
var frameDiffers = map[string]struct {
	text string
	same bool // net/http of this Go release does the same
}{
	"absolute path":                        {"reset 1", since127},                        // RFC 9113 section 8.3.1
	"connect":                              {":status=200 Content-Type", false},          // RFC 9110 section 9.3.6
	"odd authority":                        {"reset 1", false},                           // as in HTTP/1.1
	"odd method":                           {"reset 1", false},                           // as in HTTP/1.1
	"host and authority":                   {"reset 1", false},                           // RFC 9113 section 8.3.1
	"host instead of authority":            {`te []\n"; end`, false},                     // as in HTTP/1.1
	"host equal to authority":              {`te []\n"; end`, false},                     // as in HTTP/1.1
	"two hosts":                            {"reset 1", false},                           // as in HTTP/1.1
	"connection":                           {"end, reset 1", false},                      // RFC 9113 section 8.1.1
	"te":                                   {"end, reset 1", false},                      // RFC 9113 section 8.1.1
	"te trailers twice":                    {"end, reset 1", false},                      // RFC 9113 section 8.1.1
	"length without body":                  {"reset 1", since127},                        // RFC 9113 section 8.1.1
	"no priorities of 2":                   {"GOAWAY 1", since127},                       // RFC 9218 section 2.1
	"priority of 4 bytes":                  {"reset 6", false},                           // RFC 9113 section 6.3
	"unread body":                          {"end, reset 0\n", false},                    // net/http resets it again
	"priority of an idle stream on itself": {`; end`, false},                             // RFC 9113 section 6.4
	"padded without padding length":        {"GOAWAY 1", false},                          // net/http says nothing
	"padding of fields too large":          {"GOAWAY 1", false},                          // RFC 9113 section 6.2
	"priority of fields too short":         {"GOAWAY 6", false},                          // net/http says nothing
	"goaway of the client":                 {"closed", false},                            // net/http waits a second
	"length too small":                     {"reset 1", false},                           // RFC 9113 section 8.1.1
	"different lengths":                    {"reset 1", since127},                        // RFC 9113 section 8.1.1
	"the same length twice":                {`]\nContent-Length: 2\r\n"; end`, since127}, // RFC 9110 section 8.6
	"priority of a pushed stream":          {"GOAWAY 1", false},                          // RFC 9218 section 7.1
	"window overflow by settings":          {"GOAWAY 3", !since("go1.26.9", "go1.27.2")}, // net/http notices it when it sends
}

// comparedHTTP2Servers starts a server of each kind with handler comparedHTTP2.
func comparedHTTP2Servers(t *testing.T) (addrs []string) {
	for _, k := range kinds {
		addrs = append(addrs, startHTTP2(t, k.make, &http.Server{Handler: http.HandlerFunc(comparedHTTP2)}))
	}
	return addrs
}

// TestHTTP2Frames compares the engine's treatment of frames with net/http's.
func TestHTTP2Frames(t *testing.T) {
	addrs := comparedHTTP2Servers(t)
	for _, tt := range frameCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var want string
			differs := frameDiffers[tt.name]
			for i, addr := range addrs {
				c := dialFrames(t, addr)
				c.ping()
				for _, s := range tt.send {
					s(c)
				}
				c.ended(tt.ends...)
				c.ping()
				if i > 0 && differs.text == "closed" {
					c.wait(func() bool { return c.closed })
				}
				got := c.summary()
				c.Close()
				switch {
				case i == 0:
					want = got
				case differs.text != "":
					if !strings.Contains(got, differs.text) || strings.Contains(want, differs.text) != differs.same {
						t.Errorf("%s: got\n%s\nwant %q, unlike net/http:\n%s", kinds[i].name, got, differs.text, want)
					}
				case got != want:
					t.Errorf("%s: got\n%s\nwant\n%s", kinds[i].name, got, want)
				}
			}
		})
	}
}

// TestHTTP2Early checks that the engine notices errors in frames of a stream that
// it has reset, because the response was complete before the request.
func TestHTTP2Early(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		addr, s := start(&http.Server{Handler: http.HandlerFunc(comparedHTTP2)})
		if _, ok := s.(*http.Server); ok {
			return // net/http ignores most of them
		}
		for _, tt := range []struct {
			name string
			send []step
			want string
		}{
			{"the rest", []step{data(1, "x"), frame(fData, padded, 1, "\x01yz"), window(1, 1), fieldsEnd(1, block("a=b")), window(1, 1)}, "end, reset 0"},
			{"window of 0", []step{window(1, 0)}, "end, reset 0, reset 1"},
			{"window overflow", []step{window(1, 1<<31-1)}, "end, reset 0, reset 3"},
			{"second fields", []step{fields(1, block("a=b"))}, "end, reset 0, reset 1"},
			{"pseudo field in trailers", []step{fieldsEnd(1, block(":path=/"))}, "end, reset 0, reset 1"},
			{"too short", []step{dataEnd(1, "x")}, "end, reset 0, reset 1"},
			{"too long", []step{data(1, "1234567890")}, "end, reset 0, reset 1"},
			{"data after its reset", []step{reset(1), data(1, "x")}, "end, reset 0, reset 5"},
			{"fields after its reset", []step{reset(1), fieldsEnd(1, block("a=b"))}, "GOAWAY 5"},
			{"data after its end", []step{dataEnd(1, "12345"), data(1, "x")}, "end, reset 0, reset 5"},
		} {
			c := dialFrames(t, addr)
			c.ping()
			length := "content-length=5"
			if tt.name == "the rest" {
				length = "a=b"
			}
			fields(1, reqBlock("POST", "/x", length))(c)
			c.wait(func() bool { return c.streams[1] != nil && strings.HasSuffix(c.streams[1].end, "reset 0") })
			for _, step := range tt.send {
				step(c)
			}
			c.ping()
			if got := strings.TrimSpace(c.summary()); !strings.HasSuffix(got, tt.want) {
				t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
			}
			c.Close()
		}
	})
}

// differsHTTP2 lists the paths whose responses are not those of net/http, and
// why.
var differsHTTP2 = map[string]string{
	"/short": "the engine resets a stream whose body is shorter than declared",
	"/push":  "the engine never pushes",
	"/long":  "the engine's Write returns http.ErrContentLength, as in HTTP/1.1, and net/http's another error",
}

var laterResets = regexp.MustCompile(`(end|reset 2)(, reset [05])+`)

// TestHTTP2Same compares responses to all kinds of requests with net/http's.
func TestHTTP2Same(t *testing.T) {
	addrs := comparedHTTP2Servers(t)
	sends := []func(method, path string) []step{
		func(method, path string) []step { return []step{fieldsEnd(1, reqBlock(method, path))} },
		func(method, path string) []step {
			return []step{fields(1, reqBlock(method, path, "content-length=5", "a=b")), dataEnd(1, "hello")}
		},
		func(method, path string) []step {
			return []step{fields(1, reqBlock(method, path, "trailer=x-t", "expect=100-continue")), data(1, "he"), data(1, "llo"), fieldsEnd(1, block("x-t=1"))}
		},
	}
	for _, path := range append(comparedPaths, "/hijackerror", "/maxbytes") {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "QUERY"} {
				for j, send := range sends {
					var want string
					for i, addr := range addrs {
						c := dialFrames(t, addr)
						c.ping()
						for _, do := range send(method, path) {
							do(c)
						}
						c.ended(1)
						c.ping()
						// Both reset a stream whose request goes on after
						// the response. That depends on the time.
						got := laterResets.ReplaceAllString(c.summary(), "$1")
						c.Close()
						got = strings.TrimSuffix(got, "closed")
						if i == 0 {
							// net/http ends the connection if trailers
							// arrive after a stream that it has reset.
							got = strings.TrimSuffix(got, "GOAWAY 1")
							// It doesn't know RFC 9113 section 8.2.1.
							got = strings.ReplaceAll(got, "Spaces=  x  ", "Spaces=x")
						}
						switch reason := differsHTTP2[path]; {
						case i == 0:
							want = got
						case reason != "" && method != "HEAD":
							if got == want {
								t.Errorf("%s: %s, way %d is the same, but differsHTTP2 lists it: %s", kinds[i].name, method, j, reason)
							}
						case reason == "" && got != want:
							t.Errorf("%s: %s, way %d: got\n%s\nwant\n%s", kinds[i].name, method, j, got, want)
						}
					}
				}
			}
		})
	}
}

// comparedHTTP2 is compared with handlers that wait for the end of the request,
// or respond while they read it.
func comparedHTTP2(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/slow":
		<-r.Context().Done()
	case "/stream":
		for b, n := make([]byte, 100), 1; n > 0; {
			n, _ = r.Body.Read(b)
			w.Write(b[:n])
			w.(http.Flusher).Flush()
		}
	default:
		compared(w, r)
	}
}
