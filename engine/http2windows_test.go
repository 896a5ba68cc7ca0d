package engine

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// TestHTTP2Windows changes windows and the size of the header table in random
// ways while responses are sent. The server must send all that the windows allow
// and nothing more. Small requests check the table of the fields.
func TestHTTP2Windows(t *testing.T) {
	http2Kinds(t, func(t *testing.T, start func(*http.Server) (string, server)) {
		addr, _ := start(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Path", r.URL.Path)
			for r.URL.Path == "/endless" && r.Context().Err() == nil {
				w.Write(megabyte[:100_000])
			}
		})})
		for seed := range uint64(4) {
			rnd := rand.New(rand.NewPCG(seed, 5))
			c := dialFrames(t, addr)
			const initial = 1<<16 - 1
			total, before := int64(initial), int64(initial) // windows of the connection, and of new streams
			streams := []uint32{1, 3, 5}
			allowed, most := map[uint32]int64{}, map[uint32]int64{}
			for _, id := range streams {
				c.get(id, "/endless")
				allowed[id], most[id] = initial, initial // also if SETTINGS arrive later than the data is sent
			}
			next := uint32(7)
			for range 60 {
				switch id := streams[rnd.IntN(3)]; rnd.IntN(4) {
				case 0:
					size := rnd.Int64N(1 << rnd.IntN(20))
					c.settings(4, uint32(size))
					for _, id := range streams {
						allowed[id] += size - before
					}
					before = size
				case 1:
					n := 1 + rnd.Uint32N(1<<rnd.IntN(18))
					c.frame(fWindow, 0, id, u32(n))
					allowed[id] += int64(n)
				case 2:
					n := 1 + rnd.Uint32N(1<<rnd.IntN(18))
					c.frame(fWindow, 0, 0, u32(n))
					total += int64(n)
				case 3:
					c.settings(1, rnd.Uint32N(2)*rnd.Uint32N(4097))
					c.get(next, fmt.Sprint("/", rnd.IntN(10)))
					if !c.ended(next) || c.isOver() {
						t.Fatal(c.summary())
					}
					next += 2
				}
				for _, id := range streams {
					most[id] = max(most[id], allowed[id])
				}
				ok := c.wait(func() bool { // all that is allowed was sent
					sum, sendable := int64(0), false
					for _, id := range streams {
						if s := c.streams[id]; s != nil {
							sum += int64(len(s.body))
							sendable = sendable || int64(len(s.body)) < allowed[id]
						} else {
							sendable = true
						}
					}
					return !sendable || sum >= total
				})
				c.mu.Lock()
				sum := int64(0)
				for _, id := range streams {
					if s := c.streams[id]; s != nil {
						sum += int64(len(s.body))
						ok = ok && int64(len(s.body)) <= most[id]
					}
				}
				c.mu.Unlock()
				if !ok || sum > total {
					t.Fatalf("seed %d: %d bytes of %d, streams may have %v", seed, sum, total, allowed)
				}
			}
			c.Close()
		}
	})
}

// TestHTTP2HeaderLimit compares fields that just exceed MaxHeaderBytes, or don't,
// with net/http.
func TestHTTP2HeaderLimit(t *testing.T) {
	const limit, pseudos = 1000 + 320, 4*32 + len(":method:scheme:path:authority"+"GEThttp/h")
	var want string
	for _, k := range kinds {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
		addr := startHTTP2(t, k.make, &http.Server{Handler: h, MaxHeaderBytes: limit - 320})
		got := ""
		for over := -1; over <= 1; over++ {
			for _, trailers := range []bool{false, true} {
				for _, cut := range []int{0, 500} {
					c := dialFrames(t, addr)
					b := reqBlock("GET", "/", "x="+strings.Repeat("v", limit-pseudos-33+over))
					if trailers {
						c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/"))
						b = block("x=" + strings.Repeat("v", limit-33+over))
					}
					c.frame(fHeaders, endStream, 1, b[:cut])
					c.frame(fContinuation, endHeaders, 1, b[cut:])
					c.ended(1)
					c.ping()
					got += fmt.Sprintln(over, trailers, cut, c.outcome(1))
					c.Close()
				}
			}
		}
		c := dialFrames(t, addr)
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("HEAD", "/", "x="+strings.Repeat("v", limit)))
		c.ended(1)
		got += fmt.Sprintln("HEAD", c.outcome(1))
		if want == "" {
			want = got
		} else if got != want || !strings.Contains(got, "431") {
			t.Errorf("%s: got\n%s\nwant\n%s", k.name, got, want)
		}
	}
}
