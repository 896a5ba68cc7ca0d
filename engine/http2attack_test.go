package engine

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// An attacked is a server under attack, with what the attack costs it.
type attacked struct {
	running, peak atomic.Int64 // handlers
	started       atomic.Int64
	release       chan struct{} // handlers of /wait wait for it
}

var megabyte = make([]byte, 1<<20)

func (a *attacked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := a.running.Add(1)
	defer a.running.Add(-1)
	for p := a.peak.Load(); n > p && !a.peak.CompareAndSwap(p, n); p = a.peak.Load() {
	}
	a.started.Add(1)
	switch r.URL.Path {
	case "/wait":
		<-a.release
	case "/context":
		<-r.Context().Done()
	case "/read":
		io.Copy(io.Discard, r.Body)
	case "/big":
		for range 16 {
			if _, err := w.Write(megabyte); err != nil {
				return
			}
		}
	case "/refuse":
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	default:
		io.WriteString(w, "ok")
	}
}

// flood writes frames until the server ends the connection, but at most n times.
func flood(c *frameConn, n int, frames func(i int) []byte) (sent int) {
	for i := range n {
		c.SetWriteDeadline(time.Now().Add(2 * time.Minute))
		if _, err := c.Write(frames(i)); err != nil {
			return i
		}
		if i%64 == 0 {
			c.mu.Lock()
			over := c.goAway != "" || c.closed
			c.mu.Unlock()
			if over {
				return i
			}
		}
	}
	return n
}

// TestHTTP2Attacks attacks a server and checks what that costs, and that other
// clients are served meanwhile. Unusual but legitimate traffic survives. Run it
// with -v to see the figures.
func TestHTTP2Attacks(t *testing.T) {
	get := func(id int, path string) []byte {
		return appendTestFrame(nil, fHeaders, endStream|endHeaders, uint32(2*id+1), reqBlock("GET", path))
	}
	reset := func(b []byte, id int) []byte { return appendTestFrame(b, fReset, 0, uint32(2*id+1), u32(8)) }
	refused := func(c *frameConn) {
		c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/refuse"))
		c.ended(1)
	}
	repeat := func(b []byte, n int) []byte { return []byte(strings.Repeat(string(b), n)) }
	for _, tt := range []struct {
		name     string
		n        int
		frames   func(i int) []byte
		begin    func(c *frameConn)
		settings []uint32
		mute     bool // the client doesn't answer
		survives bool // the connection isn't ended
	}{
		{name: "rapid reset", n: 100_000, frames: func(i int) []byte { return reset(get(i, "/wait"), i) }},
		{name: "rapid reset, one write each", n: 5_000, survives: true, frames: func(i int) []byte {
			if i%2 == 0 {
				return get(i/2, "/context")
			}
			return reset(nil, i/2)
		}},
		{name: "made you reset", n: 10_000, frames: func(i int) []byte { return appendTestFrame(get(i, "/wait"), fWindow, 0, uint32(2*i+1), u32(0)) }},
		{name: "made you reset by length", n: 10_000, frames: func(i int) []byte {
			b := appendTestFrame(nil, fHeaders, endHeaders, uint32(2*i+1), reqBlock("POST", "/wait", "content-length=1"))
			return appendTestFrame(b, fData, 0, uint32(2*i+1), "too long")
		}},
		{name: "continuations", n: 100_000,
			begin:  func(c *frameConn) { c.frame(fHeaders, endStream, 1, "") },
			frames: func(int) []byte { return repeat(appendTestFrame(nil, fContinuation, 0, 1, ""), 10) }},
		{name: "long continuations", n: 10_000,
			begin: func(c *frameConn) { c.frame(fHeaders, endStream, 1, "") },
			frames: func(int) []byte {
				return appendTestFrame(nil, fContinuation, 0, 1, block("x="+strings.Repeat("v", 16_000)))
			}},
		{name: "hpack bomb", n: 300, survives: true,
			begin: func(c *frameConn) {
				c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x")+"\x40\x01x\x7f\xa1\x1e"+strings.Repeat("v", 4000))
			},
			frames: func(i int) []byte {
				return appendTestFrame(nil, fHeaders, endStream|endHeaders, uint32(2*i+3), reqBlock("GET", "/x")+strings.Repeat("\xbe", 16_000))
			}},
		{name: "cookie bomb", n: 240, survives: true,
			begin: func(c *frameConn) {
				c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x")+"\x60\x7f\xa1\x1e"+strings.Repeat("v", 4000))
			},
			frames: func(i int) []byte {
				return appendTestFrame(nil, fHeaders, endStream|endHeaders, uint32(2*i+3), reqBlock("GET", "/wait")+strings.Repeat("\xbe", 250))
			}},
		{name: "trailer bomb", n: 240, survives: true,
			begin: func(c *frameConn) {
				var names []byte
				for n := range 1333 {
					names = fmt.Appendf(names, "%c%c,", 'a'+n%26, '0'+n/26)
				}
				c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/x")+"\x40\x07trailer\x7f\xa0\x1e"+string(names))
			},
			frames: func(i int) []byte {
				return appendTestFrame(nil, fHeaders, endHeaders, uint32(2*i+3), reqBlock("POST", "/wait")+strings.Repeat("\xbe", 21))
			}},
		{name: "pings", n: 10_000, frames: func(int) []byte { return repeat(appendTestFrame(nil, fPing, 0, 0, "12345678"), 100) }},
		{name: "settings", n: 10_000, frames: func(int) []byte { return repeat(appendTestFrame(nil, fSettings, 0, 0, ""), 100) }},
		{name: "large settings", n: 1000, frames: func(int) []byte {
			return appendTestFrame(nil, fSettings, 0, 0, strings.Repeat("\x00\x04\x00\x00\xff\xff", 1000))
		}},
		{name: "priorities", n: 10_000, frames: func(int) []byte { return repeat(appendTestFrame(nil, fPriority, 0, 1, u32(0)+"x"), 100) }},
		{name: "windows", n: 10_000, frames: func(int) []byte { return repeat(appendTestFrame(nil, fWindow, 0, 0, u32(1)), 100) }},
		{name: "empty data", n: 10_000,
			begin:  func(c *frameConn) { c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/read")) },
			frames: func(int) []byte { return repeat(appendTestFrame(nil, fData, 0, 1, ""), 100) }},
		{name: "empty data of a refused upload", n: 10_000, begin: refused,
			frames: func(int) []byte { return repeat(appendTestFrame(nil, fData, 0, 1, ""), 100) }},
		{name: "fields of a refused upload", n: 10_000, begin: refused,
			frames: func(int) []byte {
				return repeat(appendTestFrame(nil, fHeaders, endHeaders|endStream, 1, block("x=y")), 100)
			}},
		{name: "padding and pings", n: 10_000,
			begin: func(c *frameConn) { c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/read")) },
			frames: func(int) []byte {
				return repeat(appendTestFrame(appendTestFrame(nil, fData, padded, 1, "\x00"), fPing, 0, 0, "12345678"), 50)
			}},
		{name: "unknown frames", n: 10_000, frames: func(int) []byte { return repeat(appendTestFrame(nil, 99, 0, 0, "x"), 100) }},
		{name: "closed windows", n: 200, settings: []uint32{4, 0}, survives: true, frames: func(i int) []byte { return get(i, "/big") }},
		{name: "a browser cancels 1000 requests", survives: true, begin: func(c *frameConn) {
			for i := range uint32(1000) {
				c.get(2*i+1, "/context")
				c.reset(2*i + 1)
				if i%50 == 0 {
					c.ping()
				}
			}
		}},
		{name: "1000 uploads are refused", survives: true, begin: func(c *frameConn) {
			for i := range uint32(1000) {
				c.frame(fHeaders, endHeaders, 2*i+1, reqBlock("POST", "/refuse"))
				c.frame(fData, 0, 2*i+1, "some data")
				c.ended(2*i + 1)
				c.frame(fData, endStream, 2*i+1, "more data")
			}
		}},
		{name: "uploads with many trailers are refused", survives: true, begin: func(c *frameConn) {
			var names []byte
			for n := range 20_000 {
				names = fmt.Appendf(names, "%x,", n)
			}
			fields := []byte(reqBlock("POST", "/refuse", "trailer="+string(names)))
			for i := range uint32(32) {
				c.frame(fHeaders, 0, 2*i+1, "")
				for part := range slices.Chunk(fields, 16<<10) {
					c.frame(fContinuation, 0, 2*i+1, string(part))
				}
				c.frame(fContinuation, endHeaders, 2*i+1, "")
				c.ended(2*i + 1)
			}
		}},
		{name: "5000 pings and window changes between requests", survives: true, begin: func(c *frameConn) {
			for i := range uint32(5000) {
				c.get(2*i+1, "/")
				c.frame(fPing, 0, 0, "12345678")
				c.frame(fWindow, 0, 0, u32(2))
				if i%100 == 0 {
					c.ended(2*i + 1)
				}
			}
			c.ended(9999)
		}},
		{name: "too many streams before SETTINGS are acknowledged", n: 100_000, mute: true, frames: func(i int) []byte { return get(i, "/wait") }},
		{name: "too many streams", n: 2000, frames: func(i int) []byte { return get(i, "/wait") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &attacked{release: make(chan struct{})}
			addr := startHTTP2(t, engines[0].make, &http.Server{Handler: a})
			var release sync.Once
			end := func() { release.Do(func() { close(a.release) }) }
			defer end()

			stop, served := make(chan struct{}), make(chan int)
			go honest(t, addr, stop, served)
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			goroutines := runtime.NumGoroutine()

			c := dialSilent(t, addr)
			c.mute.Store(tt.mute)
			c.begin(tt.settings...)
			c.ping()
			if tt.begin != nil {
				tt.begin(c)
			}
			began := time.Now()
			sent := flood(c, tt.n, tt.frames)
			if !tt.survives {
				c.wait(func() bool { return c.goAway != "" })
			} else {
				c.ping()
			}
			took := time.Since(began)
			runtime.GC() // the client leaves garbage, too
			runtime.ReadMemStats(&after)
			grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
			more := runtime.NumGoroutine() - goroutines
			close(stop)
			n := <-served
			t.Logf("%s after %d rounds and %v; %d handlers at once, %d in all; %d KB, %d goroutines more; %d honest requests",
				c.summaryEnd(), sent, took.Round(time.Millisecond), a.peak.Load(), a.started.Load(), grown>>10, more, n)
			if tt.survives {
				if got := c.summaryEnd(); got != "open" {
					t.Errorf("the connection is %s, want open", got)
				}
			} else if got := c.summaryEnd(); !strings.HasPrefix(got, "GOAWAY") {
				// The client may have sent all rounds before it reads that.
				t.Errorf("the connection is %s after %d rounds, want GOAWAY", got, sent)
			}
			if a.peak.Load() > 251 {
				t.Errorf("%d handlers ran at once, want at most 250 and an honest one", a.peak.Load())
			}
			if grown > 16<<20 {
				t.Errorf("the heap grew by %d bytes", grown)
			}
			if more > 300 {
				t.Errorf("%d more goroutines", more)
			}
			if n == 0 {
				t.Error("no honest request was served")
			}
		})
	}
}

// honest sends requests until stop is closed.
func honest(t *testing.T, addr string, stop chan struct{}, served chan int) {
	n := 0
	defer func() { served <- n }()
	cl := http2Client(t)
	for {
		res, err := cl.Get("http://" + addr + "/")
		if err != nil {
			t.Errorf("honest request: %v", err)
			return
		}
		b, err := io.ReadAll(res.Body)
		if string(b) != "ok" || err != nil {
			t.Errorf("honest request: %q, %v", b, err)
		}
		n++
		select {
		case <-stop:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// summaryEnd says whether the connection has ended.
func (c *frameConn) summaryEnd() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.goAway != "":
		return c.goAway
	case c.closed:
		return "closed"
	}
	return "open"
}
