package engine

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A flowServer has handlers for tests of flow control.
type flowServer struct {
	began   chan bool // gets a value when a handler of /wait runs
	release chan bool // handlers of /wait wait for it
}

func (s *flowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/wait":
		s.began <- true
		<-s.release
	case "/parts": // many small DATA frames
		for range 15_000 {
			io.WriteString(w, "part")
			w.(http.Flusher).Flush()
		}
	case "/download":
		for range 48 {
			w.Write(megabyte)
		}
	case "/endless": // until the connection ends
		for err := error(nil); err == nil; {
			_, err = w.Write(megabyte)
		}
	case "/refuse":
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	default:
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	}
}

// TestHTTP2UploadBesideUnread uploads while a body that no handler reads takes
// most of the connection's window.
func TestHTTP2UploadBesideUnread(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		s := &flowServer{make(chan bool, 1), make(chan bool)}
		addr, _ := start(&http.Server{Handler: s, HTTP2: &http.HTTP2Config{MaxReceiveBufferPerConnection: 1 << 16, MaxReceiveBufferPerStream: 1 << 16}})
		cl, url := way{http2: true}.client(t, addr)
		unread := make(chan error, 1)
		go func() {
			_, err := cl.Post(url+"/wait", "", bytes.NewReader(megabyte[:65_000]))
			unread <- err
		}()
		<-s.began
		res, err := cl.Post(url+"/", "", bytes.NewReader(megabyte[:100_000]))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(res.Body); string(got) != "100000 <nil>" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		close(s.release)
		if err := <-unread; err != nil {
			t.Error(err)
		}
	})
}

// TestHTTP2DefaultWindows checks that, by default, handlers that read nothing
// leave windows for other uploads. They don't with net/http.
func TestHTTP2DefaultWindows(t *testing.T) {
	for _, k := range engines {
		s := &flowServer{make(chan bool, 3), make(chan bool)}
		c := dialFrames(t, startHTTP2(t, k.make, &http.Server{Handler: s}))
		c.ping()
		for id := uint32(1); id <= 5; id += 2 {
			c.frame(fHeaders, endHeaders, id, reqBlock("POST", "/wait"))
			for range 64 {
				c.frame(fData, 0, id, string(megabyte[:16<<10]))
			}
			<-s.began
		}
		c.frame(fHeaders, endHeaders, 7, reqBlock("POST", "/"))
		c.frame(fData, endStream, 7, strings.Repeat("x", 10_000))
		c.ended(7)
		close(s.release)
		if !strings.Contains(c.summary(), "10000 <nil>") {
			t.Errorf("%s: got %s", k.name, c.summary())
		}
	}
}

// TestHTTP2SmallReads downloads with frequent WINDOW_UPDATEs and PINGs, as some
// clients do. The server must not take them for a flood.
func TestHTTP2SmallReads(t *testing.T) {
	for _, k := range kinds {
		addr := startHTTP2(t, k.make, &http.Server{Handler: new(flowServer)})
		// For each Read of 4 KB or more, Go's client sends two WINDOW_UPDATEs.
		res, err := http2Client(t).Get("http://" + addr + "/download")
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{res.Body}, make([]byte, 4<<10))
		if n != 48<<20 || err != nil {
			t.Errorf("%s: got %d bytes, %v", k.name, n, err)
		}

		// grpc-go measures the bandwidth with PINGs while it receives DATA.
		c := dialFrames(t, addr)
		c.pingData.Store(true)
		c.get(1, "/parts")
		c.ended(1)
		c.ping()
		if got := c.summary(); !strings.Contains(got, `"60000 bytes"; end`) || strings.Contains(got, "GOAWAY") {
			t.Errorf("%s: got %s", k.name, got)
		}

		// With a small window, one DATA frame can answer many WINDOW_UPDATEs.
		small := dialReader(t, addr)
		small.Write(appendTestFrame(nil, fSettings, 0, 0, settingsText([]uint32{4, 1024})))
		small.Write(appendTestFrame(nil, fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/download")))
		for sum := 0; sum < 8<<20; {
			_, id, n := small.next(t)
			sum += n
			var updates []byte
			for ; n > 0; n -= 256 {
				for _, id := range []uint32{0, id} {
					updates = appendTestFrame(updates, fWindow, 0, id, u32(uint32(min(n, 256))))
				}
			}
			small.Write(updates)
		}
		small.Close()

		// A client that is late answers many DATA frames at once.
		late := dialReader(t, addr)
		late.Write(appendTestFrame(nil, fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/parts")))
		var answers []byte
		for ended := false; !ended; {
			flags, id, n := late.next(t)
			for _, id := range []uint32{0, id} {
				answers = appendTestFrame(answers, fWindow, 0, id, u32(max(1, uint32(n))))
			}
			ended = flags&endStream != 0
		}
		late.Write(answers)
		late.Write(appendTestFrame(nil, fHeaders, endHeaders|endStream, 3, reqBlock("GET", "/refuse")))
		if _, id, _ := late.next(t); id != 3 {
			t.Errorf("%s: got a frame of stream %d, want 3", k.name, id)
		}
	}
}

// TestHTTP2LateUploads refuses uploads. What the client has sent before it knows
// that must not end the connection: data and trailers that arrive while the
// handlers return, or after thousands of responses.
func TestHTTP2LateUploads(t *testing.T) {
	for _, tt := range []struct {
		rounds, n int
		later     bool // the client sends the rest after the responses
	}{{50, 60, false}, {1, 3000, true}} {
		each(t, engines, func(t *testing.T, k kind) {
			addr := startHTTP2(t, k.make, &http.Server{Handler: new(flowServer), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: tt.n}})
			var clients sync.WaitGroup
			for range 4 {
				c := dialFrames(t, addr)
				clients.Go(func() {
					c.ping()
					id := uint32(1)
					for range tt.rounds {
						var requests, rest []byte
						var ids []uint32
						for range tt.n {
							requests = appendTestFrame(requests, fHeaders, endHeaders, id, reqBlock("POST", "/refuse", "trailer=x"))
							if tt.later {
								rest = appendTestFrame(rest, fData, 0, id, "data")
							}
							rest = appendTestFrame(rest, fHeaders, endHeaders|endStream, id, block("x=y"))
							ids = append(ids, id)
							id += 2
						}
						c.Write(requests)
						if tt.later {
							c.ended(ids...)
						}
						c.Write(rest)
						c.ended(ids...)
					}
					c.ping()
					if got := c.summaryEnd(); got != "open" {
						t.Errorf("%d uploads at once: the connection is %s", tt.n, got)
					}
				})
			}
			clients.Wait()
		})
	}
}

// priorityPiece is the length of a DATA frame.
const priorityPiece = 16 << 10

// TestHTTP2Priority checks whose DATA is sent first when the connection's window
// doesn't suffice for all (RFC 9218).
func TestHTTP2Priority(t *testing.T) {
	const piece = priorityPiece
	for _, tt := range []struct {
		name          string
		first, second string // Priority headers
		update        string // PRIORITY_UPDATE for the second
		proxy         string // another field
		disabled      bool   // DisableClientPriority
		want1, want2  int    // pieces of the responses after a window for four
	}{
		{name: "none", want1: 2, want2: 2},
		{name: "the second is more urgent", first: "u=3", second: "u=1", want1: 0, want2: 4},
		{name: "the first is more urgent", first: "u=3", second: "u=5", want1: 4, want2: 0},
		{name: "as urgent as the default", second: "u=3, i", want1: 2, want2: 2},
		{name: "incremental", first: "u=1, i", second: "u=1, i", want1: 2, want2: 2},
		{name: "one after the other", first: "u=2", second: "u=2", want1: 4, want2: 0},
		{name: "parameters and spaces", first: "u=4", second: " i=?1 , u=0", want1: 0, want2: 4},
		{name: "invalid", first: "u=8, x", second: "u=-1", want1: 4, want2: 0},
		{name: "by a proxy", first: "u=3", second: "u=1", proxy: "via=2 p", want1: 2, want2: 2},
		{name: "by a load balancer", first: "u=3", second: "u=1", proxy: "x-forwarded-for=10.0.0.1", want1: 2, want2: 2},
		{name: "forwarded", first: "u=3", second: "u=1", proxy: "forwarded=for=10.0.0.1", want1: 2, want2: 2},
		{name: "updated by a proxy", first: "u=2", second: "u=6", update: "u=0", proxy: "via=2 p", want1: 0, want2: 4},
		{name: "disabled", first: "u=3", second: "u=1", update: "u=0", disabled: true, want1: 2, want2: 2},
		{name: "updated", first: "u=2", second: "u=6", update: "u=0", want1: 0, want2: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Write(megabyte)
			})}
			disable := reflect.ValueOf(srv).Elem().FieldByName("DisableClientPriority") // since Go 1.27
			if tt.disabled && disable.IsValid() {
				disable.SetBool(true)
			} else if tt.disabled {
				return
			}
			addr := startHTTP2(t, engines[0].make, srv)
			// The second handler has written its body after some time.
			for pause := 20 * time.Millisecond; ; pause *= 4 {
				got1, got2 := piecesAfter(t, addr, pause, tt.first, tt.second, tt.update, tt.proxy)
				if got1 == tt.want1*piece && got2 == tt.want2*piece {
					return
				}
				if pause > time.Second {
					t.Fatalf("got %d and %d bytes, want %d and %d", got1, got2, tt.want1*piece, tt.want2*piece)
				}
			}
		})
	}
}

// piecesAfter requests two large responses that share the connection's window,
// waits, opens the window for four pieces, and returns how many bytes of each
// response arrive then.
func piecesAfter(t *testing.T, addr string, pause time.Duration, first, second, update, proxy string) (got1, got2 int) {
	c := dialFrames(t, addr, 4, 1<<20)
	received := func(id uint32) int {
		if s := c.streams[id]; s != nil {
			return len(s.body)
		}
		return 0
	}
	get := func(id uint32, priority string) {
		var more []string
		if priority != "" {
			more = append(more, "priority="+priority)
		}
		if proxy != "" {
			more = append(more, proxy)
		}
		c.frame(fHeaders, endHeaders|endStream, id, reqBlock("GET", "/", more...))
		c.wait(func() bool { return c.streams[id] != nil && len(c.streams[id].blocks) > 0 })
	}
	get(1, first)
	c.wait(func() bool { return received(1) == 1<<16-1 }) // the connection's first window
	get(3, second)
	if update != "" {
		c.frame(0x10, 0, 0, u32(3)+update)
	}
	time.Sleep(pause)
	c.frame(fWindow, 0, 0, u32(4*priorityPiece))
	c.wait(func() bool { return received(1)+received(3) == 1<<16-1+4*priorityPiece })
	c.ping()
	c.mu.Lock()
	defer c.mu.Unlock()
	return received(1) - (1<<16 - 1), received(3)
}

// TestHTTP2Overtakes checks that urgent responses are sent although large ones,
// which never end, use up the connection's output.
func TestHTTP2Overtakes(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		addr, _ := start(&http.Server{Handler: new(flowServer)})
		c := dialFrames(t, addr, 4, 1<<30)
		c.endless.Store(true)
		c.frame(fWindow, 0, 0, u32(1<<30))
		for id := uint32(1); id < 9; id += 2 {
			c.get(id, "/endless")
		}
		c.wait(func() bool { return c.streams[7] != nil && len(c.streams[7].body) > 0 })
		for id := uint32(9); id < 29; id += 2 {
			c.frame(fHeaders, endHeaders|endStream, id, reqBlock("GET", "/", "priority=u=0"))
			if !c.ended(id) {
				t.Fatalf("the response %d did not overtake the large ones", id)
			}
		}
		if got := c.summaryEnd(); got != "open" {
			t.Errorf("the connection is %s", got)
		}
	})
}

// TestHTTP2Delay checks that a response isn't kept until all requests that
// arrived with its own are served, if their handlers compute for long. On a busy
// machine, the goroutine that writes may not run before.
func TestHTTP2Delay(t *testing.T) {
	const n = 60
	for _, k := range engines {
		attempts := 10
		for ; beforeResponse(t, k, n) == n; attempts-- {
			if attempts == 0 {
				t.Fatalf("%s: the first response was written when all %d handlers ran", k.name, n)
			}
		}
	}
}

// dialCounted is dialFrames for a new server of h. It also returns the server's
// end of the connection.
func dialCounted(t *testing.T, k kind, h http.HandlerFunc) (c *frameConn, server *writesConn) {
	accepted := make(chan *writesConn, 1)
	s := k.make(&http.Server{Handler: h, Protocols: protocols(false, false, true)})
	ln := wrapper{onFreePort(t), func(nc net.Conn) net.Conn {
		server := &writesConn{Conn: nc}
		accepted <- server
		return server
	}}
	c = dialFrames(t, startOn(t, ln, s, s.Serve))
	c.ping()
	return c, <-accepted
}

// beforeResponse sends n requests at once to handlers that compute for 10 ms. It
// returns how many of them began before the first response was written. When it
// arrives is up to this process.
func beforeResponse(t *testing.T, k kind, n int) int64 {
	var server *writesConn
	var before, begun atomic.Int64
	c, server := dialCounted(t, k, func(w http.ResponseWriter, r *http.Request) {
		if server.writes.Load() == before.Load() {
			begun.Add(1)
		}
		for until := time.Now().Add(10 * time.Millisecond); time.Now().Before(until); {
		}
	})
	before.Store(server.writes.Load())
	var b []byte
	for i := range uint32(n) {
		b = appendTestFrame(b, fHeaders, endHeaders|endStream, 2*i+1, reqBlock("GET", "/"))
	}
	c.Write(b)
	if !c.wait(func() bool { return len(c.streams) == n }) {
		t.Fatal(c.summary())
	}
	return begun.Load()
}

// TestHTTP2Flush checks that parts of a response are written together if they
// are flushed at about the same time, as grpc-go does: its handler calls what
// another goroutine tells it to call.
func TestHTTP2Flush(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector runs goroutines in random order")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // otherwise the parts have different times
	for _, k := range engines {
		c, server := dialCounted(t, k, func(w http.ResponseWriter, r *http.Request) {
			calls := make(chan func())
			go func() {
				calls <- func() { io.WriteString(w, "message"); w.(http.Flusher).Flush() }
				runtime.Gosched()
				calls <- func() { w.Header().Set(http.TrailerPrefix+"Status", "0") }
				close(calls)
			}()
			for call := range calls {
				call()
			}
		})
		before := server.writes.Load()
		const n = 100
		for i := range uint32(n) {
			c.get(2*i+1, "/")
			if !c.ended(2*i + 1) {
				t.Fatal(c.summary())
			}
		}
		if got := server.writes.Load() - before; got > n*3/2 {
			t.Errorf("%s: %d writes for %d responses", k.name, got, n)
		}
	}
}
