package engine

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// writes returns a handler for the paths of appendGet. It sends the stream's
// number to returned when it returns, unless that is nil.
func writes(returned chan<- uint32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var stream uint32
		var size, piece int
		fmt.Sscanf(r.URL.Path, "/%d/%d/%d", &stream, &size, &piece)
		p := make([]byte, piece)
		for err := error(nil); size > 0 && err == nil; size -= piece {
			_, err = w.Write(p[:min(size, piece)])
		}
		if returned != nil {
			returned <- stream
		}
	}
}

// A frameReader reads frames when a test wants it. Its windows are very
// large.
type frameReader struct {
	*net.TCPConn
	br *bufio.Reader
}

func dialReader(t testing.TB, addr string) *frameReader {
	nc := dial(t, addr)
	nc.SetReadBuffer(32 << 10)
	c := &frameReader{nc, bufio.NewReaderSize(nc, 4<<10)}
	io.WriteString(c, clientPreface)
	c.Write(appendTestFrame(nil, fSettings, 0, 0, settingsText([]uint32{4, 1<<31 - 1 - 1<<20})))
	c.Write(appendTestFrame(nil, fWindow, 0, 0, u32(1<<31-1-1<<20)))
	return c
}

// appendGet appends a request for a number of bytes, written in pieces.
func appendGet(b []byte, stream uint32, size, piece int) []byte {
	return appendTestFrame(b, fHeaders, endHeaders|endStream, stream, reqBlock("GET", fmt.Sprintf("/%d/%d/%d", stream, size, piece)))
}

// next reads frames until one of a stream. It returns its flags, and the length
// of DATA.
func (c *frameReader) next(t testing.TB) (flags uint8, stream uint32, n int) {
	for stream == 0 {
		var h [9]byte
		c.SetReadDeadline(time.Now().Add(time.Minute))
		_, err := io.ReadFull(c.br, h[:])
		length := int(h[0])<<16 | int(h[1])<<8 | int(h[2])
		if err == nil {
			_, err = c.br.Discard(length)
		}
		if err != nil {
			t.Fatal(err)
		}
		stream, flags, n = binary.BigEndian.Uint32(h[5:]), h[4], 0
		switch {
		case h[3] == fData:
			n = length
		case h[3] == fSettings && flags&ack == 0:
			c.Write(appendTestFrame(nil, fSettings, ack, 0, ""))
		}
	}
	return flags, stream, n
}

// TestHTTP2Turns checks that streams share the connection if they write without a
// pause to a client that reads more slowly, also on a busy machine, where most of
// their handlers wait for a processor. What the kernel buffers before the last
// handler runs may be of one stream: that is up to 4 MB.
func TestHTTP2Turns(t *testing.T) {
	for _, tt := range []struct{ busy, piece, total int }{
		{0, 4000, 8 << 20},
		{0, 32 << 10, 8 << 20},
		{4, 32 << 10, 2 << 20},
	} {
		each(t, kinds, func(t *testing.T, k kind) {
			for attempts := 10; ; attempts-- {
				shares, gap := takeTurns(t, k, tt.busy, tt.piece, tt.total)
				t.Logf("%d busy, %d bytes a Write: shares %v, largest gap %v", tt.busy, tt.piece, shares, gap)
				if len(shares) == 4 && shares[3] <= 2*shares[0] {
					break
				}
				if attempts == 0 {
					t.Fatalf("%d busy, %d bytes a Write: the streams got %v bytes", tt.busy, tt.piece, shares)
				}
			}
		})
	}
}

// takeTurns requests four endless responses beside busy goroutines. It returns how
// many bytes of each arrive, in ascending order, and the longest time between two
// DATA frames of one.
func takeTurns(t *testing.T, k kind, busy, piece, total int) (shares []int, gap time.Duration) {
	addr := startHTTP2(t, k.make, &http.Server{Handler: writes(nil)})
	var stop atomic.Bool
	defer stop.Store(true)
	for range busy {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	c := dialReader(t, addr)
	defer c.Close()
	var requests []byte // all at once
	for id := uint32(1); id < 9; id += 2 {
		requests = appendGet(requests, id, 1<<40, piece)
	}
	c.Write(requests)
	got := make(map[uint32]int)
	last := make(map[uint32]time.Time)
	for total > 0 {
		_, id, n := c.next(t)
		if n == 0 {
			continue
		}
		now := time.Now()
		if at, ok := last[id]; ok {
			gap = max(gap, now.Sub(at))
		}
		last[id] = now
		got[id] += n
		total -= n
		time.Sleep(time.Duration(n) * 30) // 32 MB/s
	}
	return slices.Sorted(maps.Values(got)), gap
}

// TestHTTP2Captive checks that a handler only waits for its own stream, and not
// until the client has read what others have written.
func TestHTTP2Captive(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		returned := make(chan uint32, 10)
		addr, _ := start(&http.Server{Handler: writes(returned)})
		await := func(id uint32) {
			t.Helper()
			if got := eventually(t, fmt.Sprint("the end of handler ", id), returned); got != id {
				t.Errorf("the handler of stream %d returned, want %d", got, id)
			}
		}
		const size = 4 << 20
		c := dialReader(t, addr)
		c.Write(appendGet(nil, 1, size, size))
		for got := 0; got < 1<<20; { // two others begin later
			_, _, n := c.next(t)
			got += n
		}
		c.Write(appendGet(appendGet(nil, 3, 64<<20, 64<<20), 5, 64<<20, 64<<20))
		total, before, seen := 0, 0, make(map[uint32]bool)
		for before == 0 || len(seen) < 3 {
			flags, id, n := c.next(t)
			total += n
			seen[id] = true
			if id == 1 && flags&endStream != 0 {
				before = total
			}
		}
		if before > 5*size {
			t.Errorf("stream 1 ended %d bytes later, although the others have the same priority", before)
		}
		await(1)
		// The client reads nothing any more.
		for _, id := range []uint32{3, 5} {
			c.Write(appendTestFrame(nil, fReset, 0, id, u32(8)))
			await(id)
		}
	})
}
