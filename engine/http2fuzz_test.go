package engine

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// FuzzHTTP2Frames sends the same frames to net/http and to the engine, one after
// another, and compares what they have answered after each. See step for what
// may differ. The seeds are the frames of frameCases and random sequences.
func FuzzHTTP2Frames(f *testing.F) {
	for _, tt := range frameCases {
		rec := &recorder{}
		c := &frameConn{Conn: rec, streams: make(map[uint32]*frameStream), closed: true}
		c.changed.L = &c.mu
		for id := range uint32(20) { // some rows look at what came
			c.streams[id] = new(frameStream)
		}
		for _, s := range tt.send {
			s(c)
		}
		f.Add(rec.b)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		f.Add(randomFrames(rnd))
	}
	var addrs []string
	for _, k := range kinds {
		srv := &http.Server{Handler: http.HandlerFunc(describeRequest), DisableGeneralOptionsHandler: true}
		addrs = append(addrs, startHTTP2(f, k.make, srv))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		x := &exchange{open: make(map[uint32]bool)}
		x.dec.Reset(hpack.DefaultTableSize)
		for _, addr := range addrs {
			c := dialFrames(t, addr)
			defer c.Close()
			c.Conn.(*net.TCPConn).SetLinger(0) // leaves no port in TIME_WAIT
			c.ping()
			x.conns = append(x.conns, c)
		}
		frames := testFrames(input[:min(len(input), 4<<10)])
		for n := 0; len(frames) > 0; frames = frames[n:] {
			n = blockLen(frames)
			if n == 0 || !x.step(t, frames[:n]) {
				break
			}
		}
	})
}

// A recorder is a connection that keeps what is written to it.
type recorder struct {
	net.Conn
	b []byte
}

func (r *recorder) Write(p []byte) (int, error) {
	r.b = append(r.b, p...)
	return len(p), nil
}

// describeRequest reads the body and describes the request in the header of its
// response, which needs no window.
func describeRequest(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	delete(r.Header, "Host") // only net/http leaves it there
	h := w.Header()
	if r.Method == "CONNECT" {
		h["Content-Length"] = nil // net/http sends it, unlike the engine
	}
	h.Set("X-Request", fmt.Sprintf("%s %s %q %q %d", r.Method, r.RequestURI, r.Host, b, r.ContentLength))
	h.Set("X-Header", fmt.Sprintf("%q %q", r.Header, r.Trailer))
}

// A testFrame is a frame of the input.
type testFrame struct {
	kind, flags uint8
	stream      uint32
	payload     string
}

func framesText(frames []testFrame) string {
	var sb strings.Builder
	for _, f := range frames {
		fmt.Fprintf(&sb, "kind %d flags %#x stream %d %.100q\n", f.kind, f.flags, f.stream, f.payload)
	}
	return sb.String()
}

// testFrames returns the frames of the input, on few streams.
func testFrames(input []byte) (frames []testFrame) {
	for len(input) >= 9 && len(frames) < 30 {
		n := min(int(input[0])<<16|int(input[1])<<8|int(input[2]), len(input)-9)
		frames = append(frames, testFrame{input[3], input[4], binary.BigEndian.Uint32(input[5:]) & 31, string(input[9 : 9+n])})
		input = input[9+n:]
	}
	return frames
}

// blockLen returns how many frames must be sent before the server can answer: a
// block of fields, with the frame that interrupts it, or one frame. It returns 0
// if the block is incomplete.
func blockLen(frames []testFrame) int {
	first := frames[0]
	if first.kind != fHeaders || first.flags&endHeaders != 0 {
		return 1
	}
	for i, f := range frames[1:] {
		if f.kind != fContinuation || f.stream != first.stream || f.flags&endHeaders != 0 {
			return i + 2
		}
	}
	return 0
}

// An exchange is a connection to each server, over which the same frames go.
type exchange struct {
	conns   []*frameConn // the first is net/http's
	sent    []testFrame
	dec     hpack.Decoder
	top     uint32          // the largest stream
	refused uint32          // the largest stream of a malformed request
	open    map[uint32]bool // streams that we have opened and not reset
	away    bool            // we have sent GOAWAY
}

// step sends a frame, or the frames of a block of fields, and compares what the
// servers answer. It reports whether the exchange can go on. Not compared are:
//
//   - The code of an error, if a frame has several, and whether it ends the
//     stream or the connection (RFC 9113 section 5.4.1). But if one server
//     refuses a frame, all must.
//   - What follows the end of a response, and a status 100 before it.
//   - What skips and differsOn list. frameCases has a row for each difference.
func (x *exchange) step(t *testing.T, frames []testFrame) (goesOn bool) {
	f := frames[0]
	if x.skips(f) {
		return true
	}
	answered := f.flags&endStream != 0 && (f.kind == fHeaders || f.kind == fData)
	if f.kind == fHeaders {
		list, ok := x.decode(frames)
		opens := f.stream > x.top && f.stream%2 == 1
		if !ok || opens && differsOn(list, f.flags&endStream != 0) {
			return false
		}
		if x.top = max(x.top, f.stream); opens {
			x.open[f.stream] = true
			if !wellFormed(list) {
				x.refused = f.stream
			}
		}
		answered = answered || slices.ContainsFunc(list, func(f hpack.Field) bool { return f.Kind == hpack.Forbidden || f.Kind == hpack.TE })
	}
	if f.kind == fReset {
		delete(x.open, f.stream)
	}
	x.away = x.away || f.kind == fGoAway
	x.sent = append(x.sent, frames...)
	for _, c := range x.conns {
		for _, f := range frames {
			c.frame(f.kind, f.flags, f.stream, f.payload)
		}
	}
	for _, c := range x.conns {
		if c.ping() && answered && x.open[f.stream] {
			c.ended(f.stream)
			c.ping()
		}
	}
	return x.compare(t, f.stream)
}

// skips reports whether a frame isn't sent.
func (x *exchange) skips(f testFrame) bool {
	for _, c := range x.conns {
		if strings.Contains(c.end(f.stream), "reset") {
			return true // the engine ignores its frames (RFC 9113 section 5.1), and net/http resets it again or ends the connection
		}
	}
	switch {
	case x.away && f.stream > x.top: // both ignore it, but net/http refuses malformed frames
		return true
	case f.stream > 0 && f.stream < x.refused && !x.open[f.stream]: // after a malformed request, net/http accepts one with a lower stream
		return true
	}
	return f.kind == fSettings && oddSettings(f.payload) ||
		f.kind == fPriority && f.stream > x.top && strings.HasPrefix(f.payload, u32(f.stream)) || // net/http resets an idle stream
		f.kind == 0x10 // PRIORITY_UPDATE, which net/http of Go 1.26 doesn't know
}

// decode decodes the fields of a request or of trailers. It reports false if
// the limits for fields may be exceeded, or if the fields are refused: the
// engine's decoder is stricter, see FuzzHPACKBlocks in interop/.
func (x *exchange) decode(frames []testFrame) (list []hpack.Field, ok bool) {
	block, ok := fragment(frames[0])
	if !ok {
		return nil, true // refused by all
	}
	for _, f := range frames[1:] {
		if f.kind != fContinuation || f.stream != frames[0].stream {
			return nil, true
		}
		block += f.payload
	}
	list, tooLarge, err := x.dec.Decode([]byte(block), 16<<10)
	return list, err == nil && !tooLarge && len(list) < 100
}

// compare compares what the servers have answered to frames of a stream, and
// reports whether the exchange can go on.
func (x *exchange) compare(t *testing.T, stream uint32) bool {
	want, waiting := x.conns[0], false
	for id := range x.open {
		waiting = waiting || slices.ContainsFunc(x.conns, func(c *frameConn) bool { return c.end(id) == "" })
	}
	goesOn := true
	for i, c := range x.conns {
		over := c.isOver()
		goesOn = goesOn && !over
		same := over == want.isOver() ||
			x.away && !waiting || // one server closes the connection a second later
			over && strings.Contains(want.end(stream), "reset") || want.isOver() && strings.Contains(c.end(stream), "reset")
		for id := range uint32(32) {
			same = same && (c.outcome(id) == want.outcome(id) || id == stream && (over || want.isOver()))
		}
		if !same {
			t.Errorf("%s: got\n%s\nwant, as net/http,\n%s\nafter\n%s", kinds[i].name, c.summary(), want.summary(), framesText(x.sent))
			return false
		}
	}
	return goesOn && (waiting || !x.away)
}

// isOver reports whether the connection has ended.
func (c *frameConn) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.goAway != "" || c.closed
}

// end says how a stream ended.
func (c *frameConn) end(id uint32) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[id]; s != nil {
		return s.end
	}
	return ""
}

// outcome returns what the server has answered on a stream, without what exchange doesn't compare.
func (c *frameConn) outcome(id uint32) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[id]
	if s == nil {
		s = new(frameStream)
	}
	blocks := slices.DeleteFunc(slices.Clone(s.blocks), func(b string) bool { return b == ":status=100" })
	how, _, _ := strings.Cut(s.end, ",") // what follows the end of a response
	how, _, _ = strings.Cut(how, " ")    // the code
	return fmt.Sprintf("%q %q %s", blocks, s.body, how)
}

// oddSettings reports whether settings occur twice, which net/http refuses and
// RFC 9113 section 6.5.3 allows, or contain NO_RFC7540_PRIORITIES, which net/http
// of Go 1.26 doesn't know.
func oddSettings(payload string) bool {
	seen := map[string]bool{"\x00\x09": true}
	for ; len(payload) >= 6; payload = payload[6:] {
		if seen[payload[:2]] {
			return true
		}
		seen[payload[:2]] = true
	}
	return false
}

// fragment returns the part of a block of fields in HEADERS. It reports false if
// there is more padding than payload.
func fragment(f testFrame) (part string, ok bool) {
	p, pad := f.payload, 0
	if f.flags&padded != 0 && len(p) > 0 {
		pad, p = int(p[0]), p[1:]
	}
	if f.flags&prioritized != 0 && len(p) >= 5 {
		p = p[5:]
	}
	return p[:max(0, len(p)-pad)], pad <= len(p)
}

// wellFormed reports whether each field is valid, and pseudo-header fields are
// those of a request, precede others and occur once. net/http looks at that
// before it looks at the stream, and the engine the other way round.
func wellFormed(list []hpack.Field) bool {
	seen, regular := map[string]bool{}, false
	for _, f := range list {
		if !f.Valid || f.Kind == hpack.UnknownPseudo || f.Kind.Pseudo() && (regular || seen[f.Key]) {
			return false
		}
		seen[f.Key], regular = true, regular || !f.Kind.Pseudo()
	}
	return len(list) > 0
}

// differsOn reports whether the engine treats a request differently from
// net/http of some Go release.
func differsOn(list []hpack.Field, ended bool) bool {
	lengths, host := 0, ""
	for _, f := range list {
		if f.Kind == hpack.Authority || f.Kind == hpack.Host {
			if host != "" && !strings.EqualFold(host, f.Value) {
				return true // reset
			}
			host = f.Value
		}
		switch {
		case !f.Valid: // reset by both
		case f.Kind == hpack.Method && !syntax.ValidName(f.Value), f.Kind == hpack.Authority && !syntax.ValidHost(f.Value):
			return true // reset
		case f.Kind == hpack.Host && !syntax.ValidHost(f.Value):
			return true
		case f.Kind == hpack.Path && f.Value != "*" && !strings.HasPrefix(f.Value, "/"):
			return true // reset, as net/http since Go 1.27
		case f.Kind == hpack.ContentLength:
			lengths++
			if n, err := strconv.ParseUint(f.Value, 10, 63); err != nil || n > 0 && ended || lengths > 1 {
				return true // reset, as net/http since Go 1.27
			}
		}
	}
	return false
}

// randomFrames returns a sequence of frames of a few streams, most of which are
// correct.
func randomFrames(rnd *rand.Rand) (b []byte) {
	requests := []string{
		reqBlock("GET", "/x"), reqBlock("POST", "/y", "content-length=5"), reqBlock("POST", "/", "a=b", "cookie=c", "cookie=d"),
		"\x82\x86\x84\x41\x01h", "\x83\x86\x84\x41\x01h\x40\x01a\x01b", "\x82\x86\x84\x41\x01h\xbe", "\x20\x82\x86\x84", "\x3f\xe1\x1f\x82\x86\x84", "\x82\xff",
		reqBlock("POST", "/", "expect=100-continue", "trailer=x-t"), reqBlock("HEAD", "/x"), reqBlock("OPTIONS", "*"), block(":method=CONNECT", ":authority=h:1"),
	}
	trailers := []string{block("x-t=1"), block("x-t=1", "x-u=2"), "", block(":path=/"), "\xbe"}
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	next := uint32(1)
	open := []uint32{0}
	for range 1 + rnd.IntN(20) {
		id := open[rnd.IntN(len(open))]
		end := uint8(rnd.IntN(3) / 2)
		switch rnd.IntN(14) {
		case 0, 1, 2, 3, 4:
			text := pick(requests)
			if cut := rnd.IntN(len(text) + 1); rnd.IntN(4) == 0 {
				b = appendTestFrame(b, fHeaders, uint8(rnd.IntN(2)), next, text[:cut])
				b = appendTestFrame(b, fContinuation, endHeaders, next, text[cut:])
			} else {
				b = appendTestFrame(b, fHeaders, uint8(rnd.IntN(2))|endHeaders, next, text)
			}
			open = append(open, next)
			next += uint32(2 + 2*(rnd.IntN(5)/4))
		case 5, 6, 7, 8:
			b = appendTestFrame(b, fData, end, id, pick([]string{"hello", "", "x"}))
		case 9:
			b = appendTestFrame(b, fHeaders, endHeaders|endStream, id, pick(trailers))
		case 10:
			b = appendTestFrame(b, fReset, 0, id, u32(rnd.Uint32N(15)))
		case 11:
			b = appendTestFrame(b, fWindow, 0, id, u32(1+rnd.Uint32N(1<<rnd.IntN(31))))
		case 12:
			b = appendTestFrame(b, fSettings, 0, 0, settingsText([]uint32{1 + rnd.Uint32N(6), rnd.Uint32N(1 << (1 + rnd.IntN(31)))}))
		case 13:
			kinds := []uint8{fPriority, fPush, fPing, fGoAway, fContinuation, 99}
			b = appendTestFrame(b, kinds[rnd.IntN(len(kinds))], uint8(rnd.IntN(256)), id, pick([]string{"12345678", "12345", ""}))
		}
		open = slices.DeleteFunc(open, func(uint32) bool { return len(open) > 6 && rnd.IntN(3) == 0 })
		if len(open) == 0 {
			open = []uint32{0}
		}
	}
	return b
}
