package engine

import (
	"bufio"
	"fmt"
	"io"
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
