package client_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
)

// raw starts a server whose responses are the results of script, for each
// connection and request; "" closes the connection.
func raw(t *testing.T, script func(conn, request int) string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for conn := 0; ; conn++ {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				br := bufio.NewReader(c)
				for request := 0; ; request++ {
					req, err := http.ReadRequest(br)
					if err != nil {
						return
					}
					io.Copy(io.Discard, req.Body)
					response := script(conn, request)
					if response == "" {
						return
					}
					io.WriteString(c, response)
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

// TestIdleCloseRace uses a server that closes a connection when the next
// request arrives. Requests that can be repeated must succeed. Others must not
// be sent twice.
func TestIdleCloseRace(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	for _, c := range []struct {
		method, key string
		body        bool
		safe        bool
	}{
		{"GET", "", false, true},
		{"HEAD", "", false, true},
		{"PUT", "", true, true},
		{"DELETE", "", false, true},
		{"QUERY", "", true, true},
		{"POST", "k", true, true},
		{"POST", "", true, false},
		{"PATCH", "", true, false},
	} {
		var served, cut atomic.Int64
		url := raw(t, func(conn, request int) string {
			if request == 1 {
				cut.Add(1)
				return ""
			}
			served.Add(1)
			return ok
		})
		cl := use(t, client.Options{MaxWait: time.Millisecond})
		const n = 20
		failed := 0
		for range n {
			var body io.Reader
			if c.body {
				body = strings.NewReader("x")
			}
			req, _ := http.NewRequest(c.method, url, body)
			if c.key != "" {
				req.Header.Set("Idempotency-Key", c.key)
			}
			resp, err := cl.Do(req)
			if err != nil {
				failed++
				continue
			}
			resp.Body.Close()
		}
		if cut.Load() == 0 {
			t.Errorf("%s: no connection was cut; the test shows nothing", c.method)
		}
		if c.safe && failed > 0 {
			t.Errorf("%s, key %q: %d of %d requests failed", c.method, c.key, failed, n)
		}
		if !c.safe && int(served.Load())+int(cut.Load()) != n {
			t.Errorf("%s: sent %d times for %d requests", c.method, served.Load()+cut.Load(), n)
		}
	}
}
