package h2

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
)

// A memory is a Transport whose input is given in parts.
type memory struct {
	parts [][]byte
	in    []byte

	mu     sync.Mutex
	out    []byte
	writes int
	closed bool
}

func (m *memory) Read(int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.parts) == 0 || m.closed {
		return nil, io.EOF
	}
	m.in = append(m.in, m.parts[0]...)
	m.parts = m.parts[1:]
	return m.in, nil
}

func (m *memory) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.out = append(m.out, p...)
	m.writes++
	return len(p), nil
}

func (m *memory) TryWrite(p []byte) (int, error) { return m.Write(p) }

// SetReadDeadline ends the connection if the deadline has passed.
func (m *memory) SetReadDeadline(t time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = m.closed || t.Before(time.Now())
	return nil
}

func (m *memory) Discard(n int)                    { m.in = m.in[n:] }
func (m *memory) SetWriteDeadline(time.Time) error { return nil }
func (m *memory) CloseWrite()                      {}
func (m *memory) SetState(http.ConnState)          {}
func (m *memory) CountRequest()                    {}

func newMemoryServer(recycle bool, h http.Handler) *Server {
	s := &Server{
		HTTP:       &http.Server{MaxHeaderBytes: 4 << 10},
		Handler:    func() http.Handler { return h },
		KeepAlives: func() bool { return true },
		Recycle:    recycle,
		Connect:    true,
		Logf:       func(string, ...any) {},
		Late:       func(string) {},
	}
	s.Configure()
	return s
}

// serveMemory serves input in two parts, waits for the handlers, and returns
// the output.
func serveMemory(t testing.TB, recycle bool, input []byte, cut int, h http.Handler) []byte {
	s := newMemoryServer(recycle, h)
	m := &memory{parts: [][]byte{input[:cut], input[cut:]}}
	c := s.NewConn(m, &http.Request{RemoteAddr: "fuzz"}, context.Background())
	c.Serve()
	for range 5000 {
		c.mu.Lock()
		running, streams := c.running, len(c.streams)
		c.mu.Unlock()
		if streams > 0 {
			t.Fatal("streams are left")
		}
		if running == 0 {
			return m.out
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("handlers are left")
	return nil
}

// appendFrame appends a frame.
func appendFrame(dst []byte, kind, flags uint8, stream uint32, payload string) []byte {
	return append(appendHead(dst, len(payload), kind, flags, stream), payload...)
}

// begin is what a client sends first.
var begin = string(appendFrame([]byte(preface), frameSettings, 0, 0, ""))

const getRequest = "\x82\x86\x84\x41\x01h" // GET http://h/

// fuzzSeeds are the frames after begin.
var fuzzSeeds = []string{
	string(appendFrame(nil, frameHeaders, flagEndStream|flagEndHeaders, 1, getRequest)),
	string(appendFrame(appendFrame(nil, frameHeaders, flagEndHeaders, 1, "\x83\x86\x84\x41\x01h"), frameData, flagEndStream, 1, "hello")),
	string(appendFrame(appendFrame(nil, frameHeaders, 0, 1, "\x82\x86"), frameContinuation, flagEndHeaders, 1, "\x84\x41\x01h")),
	string(appendFrame(appendFrame(nil, frameHeaders, flagEndHeaders, 1, getRequest), frameReset, 0, 1, "\x00\x00\x00\x08")),
	string(appendFrame(appendFrame(nil, frameSettings, 0, 0, "\x00\x04\x00\x00\x00\x00"), frameHeaders, flagEndStream|flagEndHeaders, 1, getRequest)),
	string(appendFrame(appendFrame(nil, frameHeaders, flagEndHeaders, 1, "\x02\x07CONNECT\x86\x84\x41\x01h\x00\x09:protocol\x01x"), frameData, 0, 1, "hello")),
	string(appendFrame(nil, framePing, 0, 0, "12345678")),
	string(appendFrame(nil, frameWindowUpdate, 0, 0, "\x7f\xff\xff\xff")),
	string(appendFrame(nil, frameGoAway, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x00")),
	string(appendFrame(nil, framePriorityUpdate, 0, 0, "\x00\x00\x00\x01u=1, i")),
	string(appendFrame(appendFrame(nil, frameHeaders, flagEndHeaders, 1, "\x83\x86\x84\x0f\x0d\x015"), frameHeaders, flagEndStream|flagEndHeaders, 1, "\x00\x01a\x01b")),
}

// FuzzFrames sends frames, split at any place. The output must consist of
// correct frames, and everything must end.
func FuzzFrames(f *testing.F) {
	for i, s := range fuzzSeeds {
		f.Add([]byte(s), uint16(i*7), i%2 == 0)
		for _, more := range fuzzSeeds {
			f.Add([]byte(s+more), uint16(len(begin)+i), i%2 == 1)
		}
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Method", r.Method)
		w.Write(b)
		w.(http.Flusher).Flush()
		io.WriteString(w, r.URL.String())
		w.Header().Set(http.TrailerPrefix+"X-Trailer", r.Host)
	})
	f.Fuzz(func(t *testing.T, frames []byte, cut uint16, recycle bool) {
		input := append([]byte(begin), frames...)
		checkOutput(t, serveMemory(t, recycle, input, min(int(cut), len(input)), handler))
	})
}

// checkOutput checks the order and the form of frames.
func checkOutput(t *testing.T, out []byte) {
	t.Helper()
	var dec hpack.Decoder
	dec.Reset(hpack.DefaultTableSize)
	ended := make(map[uint32]bool) // END_STREAM was sent
	reset := make(map[uint32]bool)
	var block []byte
	open := false // a block of fields
	for len(out) > 0 {
		if len(out) < headLen || len(out) < headLen+frameLen(out) {
			t.Fatalf("the output ends with a part of a frame: %q", out)
		}
		kind, flags, id := out[3], out[4], binary.BigEndian.Uint32(out[5:])
		payload := out[headLen : headLen+frameLen(out)]
		out = out[headLen+len(payload):]
		if open && kind != frameContinuation || len(payload) > minMaxFrame {
			t.Fatalf("frame %d of %d bytes, in a block of fields: %v", kind, len(payload), open)
		}
		switch kind {
		case frameHeaders, frameContinuation, frameData:
			if ended[id] && kind != frameContinuation || reset[id] {
				t.Fatalf("frame %d on stream %d after its end", kind, id)
			}
			ended[id] = ended[id] || kind != frameContinuation && flags&flagEndStream != 0
			if kind == frameData {
				break
			}
			block = append(block, payload...)
			if open = flags&flagEndHeaders == 0; !open {
				fields, _, err := dec.Decode(block, 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range fields {
					if !f.Valid || f.Kind == hpack.Forbidden {
						t.Fatalf("field %+v", f)
					}
				}
				block = block[:0]
			}
		case frameReset:
			reset[id] = true
		}
	}
}
