package engine

import (
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// FuzzHTTP2Frames sends the same frames to net/http and to the engine. The
// responses and resets of each stream and the end of the connection must be the
// same, but for the differences that sameFrames and allowedOutcomes list. The
// seeds are the frames of frameCases and random sequences.
func FuzzHTTP2Frames(f *testing.F) {
	for _, tt := range frameCases {
		rec := &recorder{}
		c := &frameConn{Conn: rec, streams: make(map[uint32]*frameStream), closed: true}
		c.changed.L = &c.mu
		for id := range uint32(20) { // some rows look at what came
			c.streams[id] = new(frameStream)
		}
		tt.send(c)
		f.Add(rec.b)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		f.Add(randomFrames(rnd))
	}
	var addrs []string
	for _, k := range kinds {
		srv := &http.Server{Handler: http.HandlerFunc(describeRequest), ErrorLog: log.New(io.Discard, "", 0)}
		addrs = append(addrs, startHTTP2(f, k.make, srv))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		frames := sameFrames(input)
		got := make([]string, len(kinds))
		var wg sync.WaitGroup
		for i, addr := range addrs {
			wg.Go(func() { got[i] = exchangeFrames(t, addr, frames) })
		}
		wg.Wait()
		for i, k := range kinds[1:] {
			if !sameOutcome(got[0], got[i+1]) {
				t.Errorf("%s: got\n%s\nwant, as net/http,\n%s\nafter\n%s", k.name, got[i+1], got[0], framesText(frames))
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
	h := w.Header()
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

// sameFrames returns the frames of the input that net/http and the engine must
// treat the same. It drops frames that they don't, and stops at a request that
// they don't; frameCases has a row for each difference.
func sameFrames(input []byte) (frames []testFrame) {
	var dec hpack.Decoder
	dec.Reset(hpack.DefaultTableSize)
	block, ended := "", false
	begun := -1    // index of the HEADERS of a block that isn't complete
	var top uint32 // the largest stream
	var refused uint32
	opened := map[uint32]bool{}
read:
	for len(input) >= 9 && len(frames) < 30 {
		f := testFrame{input[3], input[4], binary.BigEndian.Uint32(input[5:]) & 31, ""}
		n := min(int(input[0])<<16|int(input[1])<<8|int(input[2]), len(input)-9)
		f.payload = string(input[9 : 9+n])
		input = input[9+n:]
		if f.stream > 0 && f.stream <= refused && !opened[f.stream] {
			continue // after a malformed request, net/http accepts one with a lower stream
		}
		switch f.kind {
		case fPriority:
			if n != 5 {
				continue // RFC 9113 section 6.3: a stream error
			}
		case fSettings:
			if oddSettings(f.payload) {
				continue
			}
		case fWindow:
			if n == 4 && f.stream > 0 && binary.BigEndian.Uint32([]byte(f.payload))&(1<<31-1) == 0 {
				continue // on an idle stream, the engine ends the connection
			}
		case fGoAway:
			continue // whether the connection ends before the PINGs that follow depends on the time
		case 0x10:
			continue // PRIORITY_UPDATE, which net/http of Go 1.26 doesn't know
		case fHeaders:
			ended = f.flags&endStream != 0
			var ok bool
			if block, ok = fragment(f); !ok {
				break read // RFC 9113 section 6.2: ends the connection
			}
		case fContinuation:
			block += f.payload
		}
		if (f.kind == fHeaders || f.kind == fContinuation) && f.flags&endHeaders != 0 {
			list, _, err := dec.Decode([]byte(block), 1<<20)
			switch opens := f.stream > top && f.stream%2 == 1; {
			case err != nil: // the engine's decoder is stricter, see FuzzHPACKBlocks in interop/
				break read
			case opens && differsOn(list, ended), !opens && (!wellFormed(list) || list[0].Kind.Pseudo()):
				break read
			}
			top = max(top, f.stream)
			if opened[f.stream] = opened[f.stream] || wellFormed(list); !opened[f.stream] {
				refused = top
			}
		}
		complete := f.flags&endHeaders != 0 || f.kind != fHeaders && f.kind != fContinuation
		switch goesOn := f.kind == fContinuation; {
		case begun < 0 && !complete && !goesOn:
			begun = len(frames)
		case begun >= 0 && !goesOn && !complete:
			break read
		case begun >= 0 && !goesOn: // it ends the connection
			return append(frames, f)
		case complete:
			begun = -1
		}
		frames = append(frames, f)
	}
	if begun >= 0 {
		frames = frames[:begun] // net/http waits for the rest of the block
	}
	return frames
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

// allowedOutcomes are lines of net/http's outcome, and what the engine may do
// instead.
var allowedOutcomes = []struct{ netHTTP, engine string }{
	// A frame with several errors has the code of one of them, and HEADERS on
	// a closed stream STREAM_CLOSED (RFC 9113 section 5.1). TestHTTP2Frames
	// compares the codes of each error.
	{`GOAWAY [169]`, `GOAWAY [1569]`},
	{`closed`, `GOAWAY [16]`},    // it says why it ends the connection
	{`(.*)reset 2`, `.*reset 1`}, // RFC 9113 section 8.1.1: it resets a short body itself
}

// sameOutcome compares what exchangeFrames returned.
func sameOutcome(netHTTP, engine string) bool {
	want, got := strings.Split(netHTTP, "\n"), strings.Split(engine, "\n")
	return slices.EqualFunc(want, got, func(want, got string) bool {
		return want == got || slices.ContainsFunc(allowedOutcomes, func(a struct{ netHTTP, engine string }) bool {
			return regexp.MustCompile("^"+a.netHTTP+"$").MatchString(want) && regexp.MustCompile("^"+a.engine+"$").MatchString(got)
		})
	})
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
	lengths := 0
	for _, f := range list {
		switch {
		case !f.Valid: // reset by both
		case f.Kind == hpack.Forbidden, f.Kind == hpack.TE: // the 400 is followed by a reset
			return true
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

var continues = regexp.MustCompile(`:status=100( \| )?`)

// exchangeFrames sends frames, each after the server has processed those before
// it, and describes the server's frames.
func exchangeFrames(t *testing.T, addr string, frames []testFrame) string {
	c := dialFrames(t, addr)
	defer c.Close()
	c.ping()
	opened := map[uint32]bool{} // by us, and not reset
	var top, stream, block uint32
	ended := false
	for _, f := range frames {
		if c.wasReset(f.stream) {
			continue // the engine ignores its frames, and net/http resets it again or ends the connection
		}
		switch f.kind {
		case fHeaders:
			ended, stream = f.flags&endStream != 0, f.stream
			if f.stream > top {
				opened[f.stream], top = true, f.stream
			}
		case fData:
			ended, stream = f.flags&endStream != 0, f.stream
		case fReset:
			delete(opened, f.stream)
		}
		c.frame(f.kind, f.flags, f.stream, f.payload)
		if f.flags&endHeaders == 0 && (f.kind == fHeaders || f.kind == fContinuation && f.stream == block) {
			block = f.stream // it goes on with the next frame
			continue
		}
		block = 0
		if !c.ping() {
			break
		}
		if ended && opened[stream] {
			// The server has reset the stream, or its handler will respond,
			// unless it accepts no more streams.
			c.wait(func() bool {
				s := c.streams[stream]
				return c.goAway != "" || c.away || s != nil && s.end != ""
			})
			c.ping()
		}
		ended = false
	}
	// Whether a handler asked for the body before its stream was reset depends
	// on the time, and so does when the connection is closed after GOAWAY.
	text := continues.ReplaceAllString(c.summary(), "")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away {
		text = strings.TrimSuffix(text, "closed")
	}
	return text
}

// wasReset reports whether the server has reset a stream.
func (c *frameConn) wasReset(stream uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[stream]
	return s != nil && strings.Contains(s.end, "reset")
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
