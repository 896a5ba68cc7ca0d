package engine

import (
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// FuzzHTTP2Handlers runs handlers that do what the input says, and compares the
// results of their calls and the responses with net/http's. See compareHandlers
// for what may differ.
func FuzzHTTP2Handlers(f *testing.F) {
	addScripts(f)
	var addrs []string
	results := make(scriptResults, 1)
	for _, k := range kinds {
		addrs = append(addrs, startHTTP2(f, k.make, &http.Server{Handler: results}))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > 40 {
			return
		}
		s := &script{rest: input}
		method, hasBody := pick(s, "GET", "POST", "HEAD"), pick(s, true, false)
		head := reqBlock(method, "/", "script="+hex.EncodeToString(s.rest))
		var got [3]string
		for i, addr := range addrs {
			c := dialFrames(t, addr, 4, 1<<30)
			defer c.Close()
			c.frame(fWindow, 0, 0, u32(1<<30))
			c.ping()
			if hasBody {
				c.frame(fHeaders, endHeaders, 1, head)
				c.frame(fData, endStream, 1, strings.Repeat("b", 100))
			} else {
				c.frame(fHeaders, endHeaders|endStream, 1, head)
			}
			c.ended(1)
			got[i] = c.outcome(1)
			if result := <-results; method != "HEAD" {
				got[i] += "\n" + result
			}
		}
		compareHandlers(t, got)
	})
}

// addScripts adds random scripts to the inputs of f.
func addScripts(f *testing.F) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		b := make([]byte, 3+rnd.IntN(15))
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		f.Add(b)
	}
}

// FuzzHandlers is FuzzHTTP2Handlers over HTTP/1.1 and HTTP/1.0, with another
// request on the connection.
func FuzzHandlers(f *testing.F) {
	addScripts(f)
	results := make(scriptResults, 1)
	serve := cutServers(f, results.ServeHTTP)
	for i, f := range serve {
		serve[i] = func(parts [][]byte) string { out := f(parts); return <-results + "\n" + out }
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		s := &script{rest: input}
		head := pick(s, "GET", "POST", "HEAD") + " / HTTP/1." + pick(s, "1", "1", "0") + "\r\nHost: h\r\n" + pick(s, "", "Connection: keep-alive\r\n", "Expect: 100-continue\r\n")
		body := pick(s, "\r\n", "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n")
		text := fmt.Sprintf("%sScript: %x\r\n%sGET /x HTTP/1.1\r\nHost: h\r\n\r\n", head, s.rest, body)
		sameCut(t, serve, func() [][]byte { return cutAll([]byte(text), len(head), len(body)) })
	})
}

// compareHandlers compares what handlers and clients saw. It doesn't compare:
//
//   - The error of reading a closed body.
//   - Results for HEAD: net/http's Write returns io.ErrShortWrite, and Flush an
//     error, after the response has ended.
func compareHandlers(t *testing.T, got [3]string) {
	for i, k := range kinds {
		if got[i] != got[0] {
			t.Errorf("%s: got\n%.2000s\nwant, as net/http,\n%.2000s", k.name, got[i], got[0])
		}
	}
}

// A scriptResults is a handler that runs the script of a request and sends the
// results.
type scriptResults chan string

func (c scriptResults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header["Script"] == nil {
		return
	}
	s := &script{w: w, r: r}
	s.rest, _ = hex.DecodeString(r.Header.Get("Script"))
	defer func() {
		v := recover()
		c <- fmt.Sprint(s.log.String(), "panic: ", v)
		if v != nil {
			panic(http.ErrAbortHandler)
		}
	}()
	s.run()
}

// A script is a handler that does what bytes say.
type script struct {
	w    http.ResponseWriter
	r    *http.Request
	rest []byte
	log  strings.Builder

	closed bool // the body
}

// pick takes a byte from the script and returns what it chooses.
func pick[T any](s *script, list ...T) T {
	if len(s.rest) == 0 {
		return list[0]
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return list[int(b)%len(list)]
}

// field returns a key and a value for the header. It returns no trailers without
// a valid value: net/http never ends a response whose trailers are all omitted.
// Lengths are invalid: net/http ends short responses and sends an empty length
// and a first Write of more than the length. It sends Connection with 1xx, and a
// Transfer-Encoding of trailers.
func (s *script) field() (key, value string) {
	key = pick(s, "Content-Length", "Content-Type", "Trailer", http.TrailerPrefix+"x-p", "Date", "Content-Encoding",
		"X-A", "bad key", "Te", "X-T", "x-t", "Set-Cookie", "")
	value = pick(s, "5", "", "close", "X-T, Content-Length", "gzip", "text/plain", "trailers", "10000", "X-T", "x-t,,  X-A", "0", " 5", "-1",
		"keep-alive", strings.Repeat("v", 300), "bad\nvalue")
	if strings.Contains(value, "\n") && !strings.HasPrefix(key, "Content-") {
		value = "good"
	}
	if key == "Content-Length" {
		return key, pick(s, "x", "-1", " 5")
	}
	return key, strings.TrimSpace(value) // net/http doesn't remove spaces
}

func (s *script) run() {
	text := func(n int) string { return strings.Repeat("x", n) }
	rc := http.NewResponseController(s.w)
	results := func(v ...any) { fmt.Fprintln(&s.log, v...) }
	for len(s.rest) > 0 {
		switch op := pick(s, "set", "add", "remove", "write", "string", "status", "flush", "read", "abort", "copy", "close", "hijack"); op {
		case "set":
			key, value := s.field()
			s.w.Header()[key] = []string{value}
		case "add":
			key, value := s.field()
			s.w.Header()[key] = append(s.w.Header()[key], value)
		case "remove":
			if key, nothing := pick(s, "Content-Length", "Content-Type", "Date", "Trailer", "x-t"), pick(s, true, false); nothing {
				s.w.Header()[key] = nil
			} else {
				delete(s.w.Header(), key)
			}
		case "write":
			n, err := s.w.Write([]byte(text(pick(s, 5, 0, 1, 4096, 4097, 10000))))
			results(op, n, err)
		case "string":
			n, err := io.WriteString(s.w, text(pick(s, 5, 0, 1, 4096, 4097)))
			results(op, n, err)
		case "status":
			s.w.WriteHeader(pick(s, 200, 100, 103, 204, 304, 404, 500, 999, 42, 101, 102, 199, 205, 1000))
		case "flush":
			results(op, rc.Flush())
		case "read":
			n, err := io.ReadFull(s.r.Body, make([]byte, pick(s, 1000, 0, 7)))
			if s.closed {
				err = nil
			}
			results(op, n, err)
		case "abort":
			if pick(s, false, false, false, true) {
				panic(http.ErrAbortHandler)
			}
		case "copy":
			n, err := io.Copy(s.w, strings.NewReader(text(pick(s, 3, 0, 5000))))
			results(op, n, err)
		case "close":
			results(op, s.r.Body.Close())
			s.closed = true
		case "hijack":
			c, _, err := rc.Hijack()
			if err == nil {
				c.Close()
				return // net/http's Flush dereferences nil
			}
			_, is := s.w.(http.Hijacker)
			results(op, is, err)
		}
	}
}

// TestHTTP2EmptyTrailers checks that a response whose trailers have no values
// ends without them. With net/http, it never ends.
func TestHTTP2EmptyTrailers(t *testing.T) {
	for _, k := range engines {
		addr := startHTTP2(t, k.make, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()[http.TrailerPrefix+"X-T"] = nil
			io.WriteString(w, "x")
		}), MaxHeaderBytes: math.MaxInt}) // with which net/http responds with 431
		c := dialFrames(t, addr)
		c.get(1, "/")
		c.ended(1)
		if s := c.streams[1]; len(s.blocks) != 1 || string(s.body) != "x" || s.end != "end" {
			t.Errorf("%s: got %s", k.name, c.summary())
		}
	}
}
