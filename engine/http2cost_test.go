//go:build linux

package engine

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// costHandler responds with a text or with JSON.
var costHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/hello" {
		io.WriteString(w, "hello")
		return
	}
	type item struct {
		ID    int      `json:"id"`
		Name  string   `json:"name"`
		Tags  []string `json:"tags"`
		Price float64  `json:"price"`
	}
	w.Header().Set("Content-Type", "application/json")
	b, _ := json.Marshal(item{7, "thing", []string{"a", "b", "c"}, 9.5})
	w.Write(b)
})

// costRequest returns the HEADERS frame of a GET request. The server's table
// gets its fields with the first request of a connection, and later ones refer
// to them. JSON is requested with the fields of a browser.
func costRequest(path string, first bool) []byte {
	fields := []string{":authority=localhost", ":path=" + path}
	if path == "/json" {
		fields = append(fields,
			"user-agent=Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "accept=application/json, text/plain, */*",
			"accept-language=en-US,en;q=0.5", "accept-encoding=gzip, deflate, br, zstd", "referer=https://example.com/items",
			"sec-fetch-dest=empty", "sec-fetch-mode=cors", "sec-fetch-site=same-origin", "cookie=session=0123456789abcdef0123456789abcdef; theme=dark", "priority=u=4")
	}
	b := []byte{0x82, 0x86} // GET, http
	for i, f := range fields {
		if name, value, _ := strings.Cut(f, "="); first {
			b = append(append(b, 0x40, byte(len(name))), name...)
			b = append(append(b, byte(len(value))), value...)
		} else {
			b = append(b, 0x80|byte(62+len(fields)-1-i))
		}
	}
	return appendTestFrame(nil, fHeaders, endHeaders|endStream, 0, string(b))
}

// A costClient sends requests without allocating memory.
type costClient struct {
	net.Conn
	br   *bufio.Reader
	out  []byte
	next uint32 // stream
}

// run sends n requests, at most ten at a time, and reads their responses.
func (c *costClient) run(t *testing.T, request []byte, n int) {
	for ; n > 0; n -= 10 {
		c.out = c.out[:0]
		for range min(n, 10) {
			c.out = append(c.out, request...)
			binary.BigEndian.PutUint32(c.out[len(c.out)-len(request)+5:], c.next)
			c.next += 2
		}
		c.Write(c.out)
		for ended := 0; ended < min(n, 10); {
			head, err := c.br.Peek(9)
			if err != nil {
				t.Fatal(err)
			}
			length, kind, flags := int(head[0])<<16|int(head[1])<<8|int(head[2]), head[3], head[4]
			if kind == fGoAway || kind == fReset {
				t.Fatal("frame of kind ", kind)
			}
			if kind <= fHeaders && flags&endStream != 0 {
				ended++
			}
			c.br.Discard(9 + length)
		}
	}
}

// TestHTTP2Allocations counts the allocations of requests.
func TestHTTP2Allocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, tt := range []struct {
		path string
		want []float64 // of net/http (not checked), the engine, with Recycle
	}{
		{"/hello", []float64{0, 8, 3}},
		{"/json", []float64{0, 15, 8}},
	} {
		for i, k := range kinds {
			addr := startHTTP2(t, k.make, &http.Server{Handler: costHandler})
			c := &costClient{Conn: dial(t, addr), next: 1}
			c.br = bufio.NewReaderSize(c, 128<<10)
			c.Write(appendTestFrame([]byte(http2Hello), fSettings, ack, 0, ""))
			c.Write(appendTestFrame(nil, fWindow, 0, 0, u32(1<<28)))
			c.run(t, costRequest(tt.path, true), 1)
			request := costRequest(tt.path, false)
			c.run(t, request, 2000)
			const n = 5000
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c.run(t, request, n)
			runtime.ReadMemStats(&after)
			got := float64(after.Mallocs-before.Mallocs) / n
			size := float64(after.TotalAlloc-before.TotalAlloc) / n
			t.Logf("%s %s: %.1f allocations of %.0f bytes", k.name, tt.path, got, size)
			if i > 0 && got > tt.want[i]+0.5 {
				t.Errorf("%s %s: %.1f allocations, want at most %v", k.name, tt.path, got, tt.want[i])
			}
		}
	}
}

// TestHTTP2IdleMemory measures the memory of connections that are idle after a
// request.
func TestHTTP2IdleMemory(t *testing.T) {
	for i, k := range kinds {
		addr := startHTTP2(t, k.make, &http.Server{Handler: costHandler})
		request := costRequest("/json", true)
		begin := append(appendTestFrame([]byte(http2Hello), fSettings, ack, 0, ""), request...)
		begin[len(begin)-len(request)+8] = 1
		buf := make([]byte, 4096)
		var each uint64
		steady.Try(t, time.Second, func() (err error) { // the client's SETTINGS must arrive within 2 s
			each, err = idleMemory(t, k, addr, 1000, begin, func(c net.Conn) (err error) {
				for n := 0; n <= 60 && err == nil; { // until the response arrives
					n, err = c.Read(buf)
				}
				return err
			})
			return err
		})
		limit := uint64(10<<10 + 1000)
		if newRawIO(&conn{nc: dial(t, addr)}) == nil { // the portable build
			limit += 4 << 10 // each connection keeps the buffer that it reads into
		}
		if i > 0 && each > limit && !raceEnabled {
			t.Errorf("%s: %d bytes for an idle connection, want at most %d", k.name, each, limit)
		}
	}
}
