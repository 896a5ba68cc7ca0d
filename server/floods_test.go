package server_test

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

const (
	blockHold = "\x82\x86\x04\x05/hold\x41\x01x" // GET /hold on http://x
	blockSend = "\x83\x86\x04\x05/send\x41\x01x" // POST /send on http://x
)

// TestFloods connects a client that sends frames as fast as possible, and reads
// nothing or everything. Memory and goroutines must stay bounded, other clients
// must get responses, and nothing may be left at the end.
func TestFloods(t *testing.T) {
	const rounds = 4000
	streams := func(frames func(id uint32) string) func(int) string {
		return func(i int) string { return frames(uint32(2*i + 1)) }
	}
	always := func(s string) func(int) string { return func(int) string { return s } }
	for _, c := range []struct {
		name  string
		first string
		next  func(i int) string
		read  bool
	}{
		{"requests that are reset", "", streams(func(id uint32) string {
			return frame(frameHeaders, flagEndHeaders|flagEndStream, id, headersGET) + frame(frameRSTStream, 0, id, "\x00\x00\x00\x08")
		}), true},
		{"requests at work that are reset", "", streams(func(id uint32) string {
			return frame(frameHeaders, flagEndHeaders|flagEndStream, id, blockHold) + frame(frameRSTStream, 0, id, "\x00\x00\x00\x08")
		}), true},
		{"uploads that are reset", "", streams(func(id uint32) string {
			return frame(frameHeaders, flagEndHeaders, id, blockSend) + frame(frameData, 0, id, "x") + frame(frameRSTStream, 0, id, "\x00\x00\x00\x08")
		}), true},
		{"requests, responses not read", "", streams(func(id uint32) string { return frame(frameHeaders, flagEndHeaders|flagEndStream, id, headersGET) }), false},
		{"more streams than allowed", "", streams(func(id uint32) string { return frame(frameHeaders, flagEndHeaders|flagEndStream, id, blockHold) }), true},
		{"pings, nothing read", "", always(frame(framePing, 0, 0, "muxmastr")), false},
		{"settings, nothing read", "", always(frame(frameSettings, 0, 0, "")), false},
		{"settings that change windows", frame(frameHeaders, flagEndHeaders|flagEndStream, 1, blockHold), func(i int) string { return settings(uint32(i % 2)) }, true},
		{"continuations", frame(frameHeaders, flagEndStream, 1, "\x82\x86\x84"), always(frame(frameContinuation, 0, 1, strings.Repeat("\x10\x01a\x01b", 100))), true},
		{"empty continuations", frame(frameHeaders, flagEndStream, 1, "\x82\x86\x84"), always(frame(frameContinuation, 0, 1, "")), true},
		{"empty data", frame(frameHeaders, flagEndHeaders, 1, blockSend), always(frame(frameData, 0, 1, "")), true},
		{"large headers", "", streams(func(id uint32) string {
			return frame(frameHeaders, flagEndHeaders|flagEndStream, id, headersGET+strings.Repeat("\x10\x01a\x7f\x00"+strings.Repeat("b", 127), 100))
		}), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/hold":
					<-r.Context().Done()
				case "/send":
					io.Copy(io.Discard, r.Body)
				}
				hello(w, r)
			}), func(s *server.Server) { http2c.configure(t, s); s.DrainTimeout = 0 })
			other := &http.Client{Transport: plain.transport()}
			defer other.CloseIdleConnections()
			if err := get(other, "http://"+addr); err != nil {
				t.Fatal(err)
			}
			other.CloseIdleConnections()
			eventually(t, longest, "idle", func() bool { return s.Stats().Open == 0 })
			var memory runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&memory)
			before := runtime.NumGoroutine()
			nc := dial(t, addr)
			nc.SetDeadline(time.Now().Add(longest / 2))
			if c.read {
				go io.Copy(io.Discard, nc)
			} else {
				nc.(*net.TCPConn).SetReadBuffer(4 << 10)
			}
			var b strings.Builder
			b.WriteString(clientPreface + settings(1<<20) + c.first)
			peak, began := 0, time.Now()
			var err error // the server has closed the connection, or doesn't read
			i := 0
			for ; i < rounds && err == nil && time.Since(began) < 500*time.Millisecond; i++ {
				b.WriteString(c.next(i))
				if i%500 == 499 {
					nc.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
					_, err = io.WriteString(nc, b.String())
					b.Reset()
					peak = max(peak, runtime.NumGoroutine())
					if err := get(other, "http://"+addr); err != nil {
						t.Errorf("another client: %v", err)
					}
				}
			}
			var after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&after)
			if heap := int64(after.HeapInuse) - int64(memory.HeapInuse); peak-before > 1000 || heap > 64<<20 {
				t.Errorf("after %d rounds: %d goroutines and %d bytes more", i, peak-before, heap)
			}
			other.CloseIdleConnections()
			nc.Close()
			eventually(t, longest/4, "nothing is left", func() bool { return s.Stats().Open == 0 && runtime.NumGoroutine() <= before })
		})
	}
}
