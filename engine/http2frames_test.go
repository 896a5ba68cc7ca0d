package engine

import (
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"regexp"
	"runtime"
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
	pings   int    // answered
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

const clientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

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
	go c.readAll()
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

// begin sends the preface and SETTINGS.
func (c *frameConn) begin(settings ...uint32) {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	c.Write(appendTestFrame([]byte(clientPreface), fSettings, 0, 0, settingsText(settings)))
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
			if flags&ack != 0 {
				c.pings++
			} else {
				c.pinged++
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
	n := c.pings + 1
	c.mu.Unlock()
	c.frame(fPing, 0, 0, "barrier!")
	return c.wait(func() bool { return c.pings >= n || c.goAway != "" })
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

// frameCases are exchanges that net/http and the engine must treat the same. A
// row with a difference says what the engine does, and why.
var frameCases = []struct {
	name    string
	send    func(c *frameConn)
	streams []uint32 // that end
	differs string   // what the engine's summary contains instead
	since27 bool     // net/http does the same since Go 1.27
}{
	{name: "unknown frame", send: func(c *frameConn) { c.frame(99, 0xff, 0, "x"); c.frame(98, 1, 1, "y"); c.get(1, "/x") }, streams: []uint32{1}},
	{name: "unknown setting", send: func(c *frameConn) { c.settings(0x99, 7); c.get(1, "/x") }, streams: []uint32{1}},
	{name: "two requests", send: func(c *frameConn) { c.get(1, "/x"); c.get(5, "/y") }, streams: []uint32{1, 5}},
	{name: "split fields", send: func(c *frameConn) {
		b := reqBlock("GET", "/x", "accept=*/*")
		c.frame(fHeaders, endStream, 1, b[:3])
		c.frame(fContinuation, 0, 1, b[3:9])
		c.frame(fContinuation, endHeaders, 1, b[9:])
	}, streams: []uint32{1}},
	{name: "padding and priority", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|padded|prioritized, 1, "\x03"+u32(0)+"\x10"+reqBlock("POST", "/echo")+"\x00\x00\x00")
		c.frame(fData, endStream|padded, 1, "\x02hello\x00\x00")
	}, streams: []uint32{1}},
	{name: "trailers", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/echo", "trailer=x-a, X-B"))
		c.frame(fData, 0, 1, "hello")
		c.frame(fHeaders, endHeaders|endStream, 1, block("x-a=1", "x-c=2"))
	}, streams: []uint32{1}},
	{name: "cookies", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/dump", "cookie=a=1", "cookie=b=2", "accept=x", "accept=y"))
	}, streams: []uint32{1}},
	{name: "host instead of authority", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":method=GET", ":scheme=http", ":path=/dump", "host=other"))
	}, streams: []uint32{1}},
	{name: "host and authority", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/dump", "host=other"))
	}, streams: []uint32{1}},
	{name: "expect", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/echo", "expect=100-continue"))
		c.frame(fData, endStream, 1, "hello")
	}, streams: []uint32{1}},
	{name: "connect", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":method=CONNECT", ":authority=h:1"))
	}, streams: []uint32{1}},
	{name: "connect with path", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("CONNECT", "/x")) }, streams: []uint32{1}},
	{name: "extended connect", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("CONNECT", "/x", ":protocol=websocket"))
	}, streams: []uint32{1}},
	{name: "no method", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":scheme=http", ":path=/x"))
	}, streams: []uint32{1}},
	{name: "empty path", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "")) }, streams: []uint32{1}},
	{name: "relative path", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "x")) }, streams: []uint32{1}},
	{name: "odd path", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/a b%zz")) }, streams: []uint32{1}},
	{name: "absolute path", send: func(c *frameConn) { c.get(1, "http://other/dump") }, streams: []uint32{1},
		differs: "reset 1", since27: true}, // RFC 9113 section 8.3.1
	{name: "asterisk", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("OPTIONS", "*")) }, streams: []uint32{1}},
	{name: "odd scheme", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":method=GET", ":scheme=ftp", ":path=/x"))
	}, streams: []uint32{1}},
	{name: "https without TLS", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":method=GET", ":scheme=https", ":path=/dump", ":authority=h"))
	}, streams: []uint32{1}},
	{name: "user in authority", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":method=GET", ":scheme=http", ":path=/x", ":authority=u@h"))
	}, streams: []uint32{1}},
	{name: "odd authority", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":method=GET", ":scheme=http", ":path=/x", ":authority=h/\\x"))
	}, streams: []uint32{1}, differs: "reset 1"}, // as in HTTP/1.1
	{name: "odd method", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("G T", "/x")) }, streams: []uint32{1}, differs: "reset 1"}, // as in HTTP/1.1
	{name: "pseudo twice", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x", ":path=/y"))
	}, streams: []uint32{1}},
	{name: "empty authority twice", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":method=GET", ":scheme=http", ":path=/x", ":authority=", ":authority="))
	}, streams: []uint32{1}},
	{name: "pseudo after others", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, block(":method=GET", ":scheme=http", "a=b", ":path=/y"))
	}, streams: []uint32{1}},
	{name: "unknown pseudo", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x", ":x=y")) }, streams: []uint32{1}},
	{name: "response pseudo", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x", ":status=200")) }, streams: []uint32{1}},
	{name: "upper case", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x", "X-A=y")) }, streams: []uint32{1}},
	{name: "odd value", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x", "x-a=a\nb")) }, streams: []uint32{1}},
	{name: "connection", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x", "connection=close"))
	}, streams: []uint32{1}, differs: "end, reset 1"}, // RFC 9113 section 8.1.1
	{name: "te", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x", "te=gzip")) }, streams: []uint32{1}, differs: "end, reset 1"},
	{name: "te trailers", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/dump", "te=trailers"))
	}, streams: []uint32{1}},
	{name: "length too large", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow", "content-length=4"))
		c.frame(fData, endStream, 1, "hello")
	}, streams: []uint32{1}},
	{name: "length without body", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("POST", "/x", "content-length=4"))
	}, streams: []uint32{1}, differs: "reset 1", since27: true}, // RFC 9113 section 8.1.1
	{name: "even stream", send: func(c *frameConn) { c.get(2, "/x") }},
	{name: "stream 0", send: func(c *frameConn) { c.get(0, "/x") }},
	{name: "lower stream", send: func(c *frameConn) { c.get(5, "/x"); c.ended(5); c.get(3, "/x") }},
	{name: "data on idle stream", send: func(c *frameConn) { c.frame(fData, 0, 1, "x") }},
	{name: "data on stream 0", send: func(c *frameConn) { c.frame(fData, 0, 0, "x") }},
	{name: "data after the end", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow"))
		c.frame(fData, endStream, 1, "x")
		c.frame(fData, 0, 1, "y")
	}, streams: []uint32{1}},
	{name: "fields after the end", send: func(c *frameConn) {
		c.get(1, "/slow")
		c.get(1, "/slow")
	}, streams: []uint32{1}},
	{name: "trailers without end", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow"))
		c.frame(fHeaders, endHeaders, 1, block("a=b"))
	}, streams: []uint32{1}},
	{name: "trailers with pseudo", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow"))
		c.frame(fHeaders, endHeaders|endStream, 1, block(":path=b"))
	}, streams: []uint32{1}},
	{name: "settings on a stream", send: func(c *frameConn) { c.frame(fSettings, 0, 1, "") }},
	{name: "settings of 5 bytes", send: func(c *frameConn) { c.frame(fSettings, 0, 0, "12345") }},
	{name: "settings ack with payload", send: func(c *frameConn) { c.frame(fSettings, ack, 0, "123456") }},
	{name: "too many acks", send: func(c *frameConn) { c.frame(fSettings, ack, 0, ""); c.frame(fSettings, ack, 0, "") }},
	{name: "window of 2^31", send: func(c *frameConn) { c.settings(4, 1<<31) }},
	{name: "frame size of 1", send: func(c *frameConn) { c.settings(5, 1) }},
	{name: "push of 2", send: func(c *frameConn) { c.settings(2, 2) }},
	{name: "connect protocol of 2", send: func(c *frameConn) { c.settings(8, 2) }},
	{name: "no priorities of 2", send: func(c *frameConn) { c.settings(9, 2) }, differs: "GOAWAY 1", since27: true}, // RFC 9218 section 2.1
	{name: "ping of 7 bytes", send: func(c *frameConn) { c.frame(fPing, 0, 0, "1234567") }},
	{name: "ping on a stream", send: func(c *frameConn) { c.frame(fPing, 0, 1, "12345678") }},
	{name: "push promise", send: func(c *frameConn) { c.frame(fPush, endHeaders, 1, u32(2)+reqBlock("GET", "/x")) }},
	{name: "continuation alone", send: func(c *frameConn) { c.frame(fContinuation, endHeaders, 1, "") }},
	{name: "fields interrupted", send: func(c *frameConn) { c.frame(fHeaders, 0, 1, ""); c.frame(fPing, 0, 0, "12345678") }},
	{name: "fields interrupted by another stream", send: func(c *frameConn) { c.frame(fHeaders, 0, 1, ""); c.frame(fContinuation, endHeaders, 3, "") }},
	{name: "priority of 4 bytes", send: func(c *frameConn) { c.frame(fPriority, 0, 1, "1234") }, differs: "reset 6"}, // RFC 9113 section 6.3
	{name: "priority on stream 0", send: func(c *frameConn) { c.frame(fPriority, 0, 0, "12345") }},
	{name: "priority on itself", send: func(c *frameConn) { c.frame(fPriority, 0, 1, u32(1)+"x"); c.ended(1) }},
	{name: "reset of idle stream", send: func(c *frameConn) { c.frame(fReset, 0, 1, u32(8)) }},
	{name: "reset, window and data of a skipped stream", send: func(c *frameConn) {
		c.get(5, "/x")
		c.ended(5)
		c.frame(fReset, 0, 1, u32(8))
		c.frame(fWindow, 0, 1, u32(8))
		c.frame(fData, 0, 3, "x")
		c.get(7, "/x")
	}, streams: []uint32{3, 5, 7}},
	{name: "reset on stream 0", send: func(c *frameConn) { c.frame(fReset, 0, 0, u32(8)) }},
	{name: "reset of 3 bytes", send: func(c *frameConn) { c.get(1, "/slow"); c.frame(fReset, 0, 1, "123") }},
	{name: "window of 3 bytes", send: func(c *frameConn) { c.frame(fWindow, 0, 0, "123") }},
	{name: "window of 0", send: func(c *frameConn) { c.frame(fWindow, 0, 0, u32(0)) }},
	{name: "window of idle stream", send: func(c *frameConn) { c.frame(fWindow, 0, 1, u32(1)) }},
	{name: "window of stream of 0", send: func(c *frameConn) { c.get(1, "/slow"); c.frame(fWindow, 0, 1, u32(0)) }, streams: []uint32{1}},
	{name: "window overflow", send: func(c *frameConn) { c.frame(fWindow, 0, 0, u32(1<<31-1)) }},
	{name: "window overflow of a stream", send: func(c *frameConn) { c.get(1, "/slow"); c.frame(fWindow, 0, 1, u32(1<<31-1)) }, streams: []uint32{1}},
	{name: "window overflow by settings", send: func(c *frameConn) {
		c.get(1, "/slow")
		c.frame(fWindow, 0, 1, u32(1<<31-70000))
		c.settings(4, 100_000)
	}},
	{name: "goaway on a stream", send: func(c *frameConn) { c.frame(fGoAway, 0, 1, u32(0)+u32(0)) }},
	{name: "goaway of 7 bytes", send: func(c *frameConn) { c.frame(fGoAway, 0, 0, "1234567") }},
	{name: "padding too large", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow"))
		c.frame(fData, padded, 1, "\x05hello")
	}},
	{name: "hpack error", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|endStream, 1, "\xff\xff\xff\xff\xff\xff") }},
	{name: "unread body", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/204"))
		c.ended(1)
		c.frame(fData, 0, 1, "in flight")
		c.get(3, "/x")
	}, streams: []uint32{1, 3}, differs: "end, reset 0\n"}, // net/http resets it again
	{name: "small windows", send: func(c *frameConn) {
		c.settings(4, 3)
		c.get(1, "/x")
		c.wait(func() bool { return c.streams[1] != nil && len(c.streams[1].body) == 2 })
		c.settings(4, 0)
		c.get(3, "/flush")
		c.frame(fWindow, 0, 3, u32(1))
		c.frame(fWindow, 0, 3, u32(5))
	}, streams: []uint32{1, 3}},
	{name: "window below 0", send: func(c *frameConn) {
		c.settings(4, 100)
		c.get(1, "/bigbytes")
		c.wait(func() bool { return c.streams[1] != nil && len(c.streams[1].body) == 100 })
		c.settings(4, 40)
		c.frame(fWindow, 0, 1, u32(60))
		c.ping()
		c.frame(fWindow, 0, 1, u32(7))
		c.wait(func() bool { return len(c.streams[1].body) == 107 })
	}},
	{name: "padding without data", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/echo"))
		c.frame(fData, padded, 1, "\x00")
		c.frame(fData, padded, 1, "\x03\x00\x00\x00")
		c.frame(fData, endStream|padded, 1, "\x01x\x00")
	}, streams: []uint32{1}},
	{name: "padded without padding length", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow"))
		c.frame(fData, padded, 1, "")
	}, differs: "GOAWAY 1"}, // net/http says nothing
	{name: "padding of fields too large", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|padded, 1, "\x05abc") }, differs: "GOAWAY 1"},   // RFC 9113 section 6.2
	{name: "priority of fields too short", send: func(c *frameConn) { c.frame(fHeaders, endHeaders|prioritized, 1, "abc") }, differs: "GOAWAY 6"}, // net/http says nothing
	{name: "fields with priority on itself", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream|prioritized, 1, u32(1)+"x"+reqBlock("GET", "/x"))
	}, streams: []uint32{1}},
	{name: "reserved bit of the stream", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders|endStream, 1<<31|1, reqBlock("GET", "/x"))
	}, streams: []uint32{1}},
	{name: "frame too large", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow"))
		c.frame(fData, 0, 1, strings.Repeat("x", 1<<20+1))
	}},
	{name: "data between fields", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow"))
		c.frame(fHeaders, 0, 3, "")
		c.frame(fData, 0, 1, "x")
	}},
	{name: "unknown frame between fields", send: func(c *frameConn) { c.frame(fHeaders, 0, 1, ""); c.frame(99, 0, 1, "") }},
	{name: "data after a reset", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow"))
		c.frame(fReset, 0, 1, u32(8))
		c.frame(fData, 0, 1, "x")
	}, streams: []uint32{1}},
	{name: "reset, window and priority after the end", send: func(c *frameConn) {
		c.get(1, "/x")
		c.ended(1)
		c.frame(fReset, 0, 1, u32(8))
		c.frame(fReset, 0, 1, u32(8))
		c.frame(fWindow, 0, 1, u32(8))
		c.frame(fPriority, 0, 1, u32(0)+"x")
		c.get(3, "/x")
	}, streams: []uint32{1, 3}},
	{name: "goaway of the client", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/echo"))
		c.ping()
		c.frame(fGoAway, 0, 0, u32(0)+u32(0))
		c.frame(fData, endStream, 1, "hello")
	}, streams: []uint32{1}, differs: "closed"}, // net/http waits a second
	{name: "length too small", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/echo", "content-length=6"))
		c.frame(fData, endStream, 1, "hello")
	}, streams: []uint32{1}, differs: "reset 1"}, // RFC 9113 section 8.1.1
	{name: "different lengths", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/echo", "content-length=5", "content-length=6"))
		c.frame(fData, endStream, 1, "hello")
	}, streams: []uint32{1}, differs: "reset 1", since27: true}, // RFC 9113 section 8.1.1
	{name: "trailer that isn't one", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/slow", "trailer=x"))
		c.frame(fHeaders, endHeaders|endStream, 1, block("content-length=5"))
	}, streams: []uint32{1}},
	{name: "trailers not declared", send: func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/echo"))
		c.frame(fHeaders, endHeaders|endStream, 1, block("x=5"))
	}, streams: []uint32{1}},
	{name: "no settings", send: func(c *frameConn) {}},
}

// TestHTTP2Frames compares the engine's treatment of frames with net/http's.
func TestHTTP2Frames(t *testing.T) {
	var addrs []string
	for _, k := range kinds {
		srv := &http.Server{Handler: http.HandlerFunc(comparedHTTP2), ErrorLog: log.New(io.Discard, "", 0)}
		addrs = append(addrs, startHTTP2(t, k.make, srv))
	}
	for _, tt := range frameCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var want string
			for i, addr := range addrs {
				c := dialFrames(t, addr)
				c.ping()
				tt.send(c)
				c.ended(tt.streams...)
				c.ping()
				if i > 0 && tt.differs == "closed" {
					c.wait(func() bool { return c.closed })
				}
				got := c.summary()
				c.Close()
				switch {
				case i == 0:
					want = got
				case tt.differs != "":
					same := tt.since27 && !strings.HasPrefix(runtime.Version(), "go1.26")
					if !strings.Contains(got, tt.differs) || strings.Contains(want, tt.differs) != same {
						t.Errorf("%s: got\n%s\nwant %q, unlike net/http:\n%s", kinds[i].name, got, tt.differs, want)
					}
				case got != want:
					t.Errorf("%s: got\n%s\nwant\n%s", kinds[i].name, got, want)
				}
			}
		})
	}
}

// differsHTTP2 lists the paths whose responses are not those of net/http, and
// why.
var differsHTTP2 = map[string]string{
	"/short": "the engine resets a stream whose body is shorter than declared",
	"/long":  "the engine's Write returns http.ErrContentLength, as in HTTP/1.1, and net/http's another error",
}

var laterResets = regexp.MustCompile(`(end|reset 2)(, reset [05])+`)

// TestHTTP2Same compares responses to all kinds of requests with net/http's.
func TestHTTP2Same(t *testing.T) {
	var addrs []string
	for _, k := range kinds {
		srv := &http.Server{Handler: http.HandlerFunc(comparedHTTP2), ErrorLog: log.New(io.Discard, "", 0)}
		addrs = append(addrs, startHTTP2(t, k.make, srv))
	}
	sends := []func(c *frameConn, method, path string){
		func(c *frameConn, method, path string) {
			c.frame(fHeaders, endHeaders|endStream, 1, reqBlock(method, path))
		},
		func(c *frameConn, method, path string) {
			c.frame(fHeaders, endHeaders, 1, reqBlock(method, path, "content-length=5", "a=b"))
			c.frame(fData, endStream, 1, "hello")
		},
		func(c *frameConn, method, path string) {
			c.frame(fHeaders, endHeaders, 1, reqBlock(method, path, "trailer=x-t", "expect=100-continue"))
			c.frame(fData, 0, 1, "he")
			c.frame(fData, 0, 1, "llo")
			c.frame(fHeaders, endHeaders|endStream, 1, block("x-t=1"))
		},
	}
	for _, path := range strings.Fields(`/ /x?y /x? /x?? /a%20b /a%2Fb /! //host/x /a:b /dump /dump?a=b&c /big /bigbytes /flush
		/length /short /long /badlength /204 /304 /599 /999 /103 /close /headers /notype /trailers /trailerprefix /te
		/identity /tecl /panic /panicafter /readfrom /readfromlength /unreadclose /duplex /flushread /empty /some /readlate /keepalive /100 /encodings /echo`) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "QUERY"} {
				for j, send := range sends {
					var want string
					for i, addr := range addrs {
						c := dialFrames(t, addr)
						c.ping()
						send(c, method, path)
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

// comparedHTTP2 is compared with a handler that waits for its request to end.
func comparedHTTP2(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/slow" {
		<-r.Context().Done()
		return
	}
	compared(w, r)
}
