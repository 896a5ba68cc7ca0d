package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// bodies are requests with the body "hello", one for each kind of framing.
var bodies = map[string]string{
	"length":          "Content-Length: 5\r\n\r\nhello",
	"chunked":         "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\nX: y\r\n\r\n",
	"expect, length":  "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
	"expect, chunked": "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
}

// TestLateReads reads request bodies in goroutines that outlive their handler,
// while the connection serves further requests. The goroutines must not get
// bytes of those requests.
func TestLateReads(t *testing.T) {
	eachCase(t, engines, bodies, func(t *testing.T, k kind, name, framing string) {
		t.Parallel()
		var readers sync.WaitGroup
		readers.Add(1) // so that it isn't zero before Wait
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "GET" {
				io.WriteString(w, r.RequestURI)
				return
			}
			body, ctx := r.Body, r.Context()
			readers.Go(func() {
				got, err := io.ReadAll(body)
				if !strings.HasPrefix("hello", string(got)) {
					t.Errorf("a late read got %q, %v", got, err)
				}
				<-ctx.Done()
				if n, err := body.Read(make([]byte, 1)); n > 0 || err == nil {
					t.Errorf("a read after the handler: %d, %v", n, err)
				}
			})
		})}))
		for i := range 50 {
			get := fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: h\r\n\r\n", i)
			got := talk(t, addr, get+"POST / HTTP/1.1\r\nHost: h\r\n"+framing+get)
			// The second may not be served: the body's reader was cut off.
			if n := strings.Count(got, fmt.Sprintf("\r\n\r\n/%d", i)); n < 1 || strings.Contains(got, " 400 ") {
				t.Fatalf("got %q", got)
			}
		}
		readers.Done()
		readers.Wait()
	})
}

// TestLateReadOfPart lets a handler return while a goroutine waits for the rest
// of the body, which the client sends or not. The response must not wait for that.
// The race detector checks who uses the input.
func TestLateReadOfPart(t *testing.T) {
	for _, k := range engines {
		var readers sync.WaitGroup
		readers.Add(1) // so that it isn't zero before Wait
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := r.Body
			readers.Go(func() { io.Copy(io.Discard, body) })
			time.Sleep(20 * time.Millisecond) // most likely, the goroutine has read; a channel would hide a race
		})}))
		for i := range 6 {
			c := dial(t, addr)
			c.SetDeadline(time.Now().Add(20 * time.Second))
			io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe")
			time.Sleep(60 * time.Millisecond) // until the handler has returned
			if i%2 == 0 {
				io.WriteString(c, "llo")
			}
			if got, err := bufio.NewReader(c).ReadString('\n'); got != "HTTP/1.1 200 OK\r\n" {
				t.Errorf("%s: got %q, %v", k.name, got, err)
			}
			c.Close()
		}
		readers.Done()
		readers.Wait()
	}
}

// TestReadDuringResponse reads the body in one goroutine while another writes
// the response. The client sends the body late or never.
func TestReadDuringResponse(t *testing.T) {
	eachCase(t, kinds, bodies, func(t *testing.T, k kind, name, framing string) {
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).EnableFullDuplex()
			read := make(chan bool)
			go func() { io.Copy(io.Discard, r.Body); close(read) }()
			for range 20 {
				io.WriteString(w, "response\n")
				w.(http.Flusher).Flush()
			}
			r.Body.Close()
			<-read
		})}))
		head, body, _ := strings.Cut(framing, "\r\n\r\n")
		for _, sent := range []string{body, body[:len(body)/2], ""} {
			c := dial(t, addr)
			io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\n"+head+"\r\n\r\n")
			br := bufio.NewReader(c)
			status, err := br.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(c, sent)
			c.CloseWrite()
			rest, _ := io.ReadAll(br)
			if n := strings.Count(string(rest), "response\n"); !strings.HasPrefix(status, "HTTP/1.1 ") || n != 20 {
				t.Errorf("got %q and %d lines of 20", status, n)
			}
		}
	})
}

// TestChurn opens and drops a thousand connections with different behavior, and
// meanwhile stops the server with Shutdown or Close. No goroutine or connection
// may be left, and no client may get the response to another.
func TestChurn(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch rand.IntN(9) {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			if nc, rw, err := w.(http.Hijacker).Hijack(); err == nil {
				rw.Flush()
				nc.Close()
			}
			return
		case 2:
			w.WriteHeader(http.StatusEarlyHints)
		case 3:
			io.ReadFull(r.Body, make([]byte, 2))
		case 4:
			r.Context().Done()
			time.Sleep(2 * watchAfter)
		case 5:
			w.(http.Flusher).Flush()
		case 6:
			w.Header().Set("Trailer", "X")
			defer w.Header().Set("X", "y")
		default:
			io.Copy(io.Discard, r.Body)
		}
		fmt.Fprintf(w, "<%s>", r.RequestURI)
	})
	var framings []string
	for _, f := range bodies {
		framings = append(framings, f)
	}
	eachCase(t, engines, names("Shutdown", "Close"), func(t *testing.T, k kind, end string, _ bool) {
		srv := &http.Server{Handler: handler, ReadTimeout: time.Minute, IdleTimeout: time.Minute}
		leavesNothing(t, k.make, srv, func(s server, addr string) {
			var clients sync.WaitGroup
			ended := make(chan bool)
			for i := range 20 {
				clients.Go(func() {
					rnd := rand.New(rand.NewPCG(1, uint64(i)))
					for j := range 50 {
						if i == 10 && j == 25 {
							close(ended)
						}
						churn(t, rnd, addr, fmt.Sprintf("/%d/%d/", i, j), framings)
					}
				})
			}
			<-ended
			if end == "Close" {
				s.Close()
			} else if err := s.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
			clients.Wait()
		})
	})
}

// churn is one client of TestChurn.
func churn(t *testing.T, rnd *rand.Rand, addr, id string, framings []string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return // the server has ended
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	var text strings.Builder
	for i := range 1 + rnd.IntN(4) {
		switch rnd.IntN(3) {
		case 0:
			fmt.Fprintf(&text, "GET %s%d HTTP/1.1\r\nHost: h\r\n\r\n", id, i)
		case 1:
			fmt.Fprintf(&text, "GET %s%d HTTP/1.1\nHost: h\n\n", id, i)
		default:
			fmt.Fprintf(&text, "POST %s%d HTTP/1.1\r\nHost: h\r\n%s", id, i, framings[rnd.IntN(len(framings))])
		}
	}
	out := text.String()
	if rnd.IntN(3) == 0 {
		out = out[:rnd.IntN(len(out))]
	}
	io.WriteString(c, out)
	if rnd.IntN(3) == 0 {
		return // closed with unread responses
	}
	c.(*net.TCPConn).CloseWrite()
	got, _ := io.ReadAll(c)
	for _, body := range strings.Split(string(got), "<")[1:] {
		if !strings.HasPrefix(body, id) {
			t.Errorf("%s got a response to %.40q", id, body)
		}
	}
}
