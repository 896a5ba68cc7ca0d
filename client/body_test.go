package client_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// TestConnectionsAreReused checks that there are as many connections as
// concurrent requests. The server responds when all requests of a round have
// arrived, so that each of them needs a connection of its own. net/http doesn't
// reuse a connection whose goroutine learns only 50 ms after the response that
// the request was written.
func TestConnectionsAreReused(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		for _, parallel := range []int{1, 50} {
			steady.Try(t, 20*time.Millisecond, func() error { return reuse(t, scheme, parallel) })
		}
	}
}

// reuse sends ten rounds of requests. It returns an error if there were more
// connections than requests in a round.
func reuse(t *testing.T, scheme string, parallel int) error {
	var arrived sync.WaitGroup
	srv, conns := serve(t, scheme, func(w http.ResponseWriter, r *http.Request) {
		arrived.Done()
		arrived.Wait()
		io.WriteString(w, "x")
	})
	c := use(t, insecure(client.Options{}))
	for range 10 {
		arrived.Add(parallel)
		var wg sync.WaitGroup
		for range parallel {
			wg.Go(func() {
				if err := drainTo(c, srv.URL); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if got := conns.Load(); got != int64(parallel) {
		return fmt.Errorf("%s, %d at a time: %d connections for %d requests", scheme, parallel, got, 10*parallel)
	}
	return nil
}

// TestCloseDrains checks that Close makes the connection reusable if the rest
// of the body is short, and doesn't read all of a long or endless one.
func TestCloseDrains(t *testing.T) {
	small, page := `{"a":1}`, strings.Repeat("<p>", 4<<10)
	zipped := new(bytes.Buffer)
	z := gzip.NewWriter(zipped)
	io.WriteString(z, page)
	z.Close()
	for _, c := range []struct {
		name  string
		h     http.HandlerFunc
		reuse bool
	}{
		{"no body", func(w http.ResponseWriter, r *http.Request) {}, true},
		{"small", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, small) }, true},
		{"an error page", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); io.WriteString(w, page) }, true},
		{"chunked", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, small)
			w.(http.Flusher).Flush()
			io.WriteString(w, page)
		}, true},
		{"gzip", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped.Bytes())
		}, true},
		{"200 KB", func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 200<<10)) }, true},
		{"10 MB", func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 10<<20)) }, false},
		{"endless drip", func(w http.ResponseWriter, r *http.Request) {
			for tick := time.NewTicker(5 * time.Millisecond); r.Context().Err() == nil; <-tick.C {
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
			}
		}, false},
	} {
		for _, scheme := range []string{"http", "https"} {
			const n = 5
			want := int64(n)
			if c.reuse {
				want = 1
			}
			steady.Try(t, 10*time.Millisecond, func() error { // Close gives up after 50 ms
				srv, conns := serve(t, scheme, c.h)
				cl := use(t, insecure(client.Options{}))
				for range n {
					resp, err := cl.Get(srv.URL)
					if err != nil {
						return err
					}
					resp.Body.Read(make([]byte, 1))
					resp.Body.Close()
				}
				if got := conns.Load(); got != want {
					return fmt.Errorf("%s, %s: %d connections, want %d", c.name, scheme, got, want)
				}
				return nil
			})
		}
	}
}

// TestCloseEndsRead checks that Close interrupts a waiting Read, and that a
// second Close has no effect.
func TestCloseEndsRead(t *testing.T) {
	for _, scheme := range []string{"https", "h2"} {
		srv, _ := serve(t, scheme, func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		resp := get(t, use(t, insecure(client.Options{})), srv.URL)
		entered, done := make(chan bool), make(chan error)
		go func() {
			close(entered)
			_, err := resp.Body.Read(make([]byte, 1))
			done <- err
		}()
		<-entered
		resp.Body.Close()
		resp.Body.Close()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s: Read returned data", scheme)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: Read still waits", scheme)
		}
	}
}

// A slowBody is a response body whose second Read waits until its channel is
// closed.
type slowBody struct {
	release         chan struct{}
	reads, together atomic.Int64
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.together.Add(1) > 1 {
		return 0, errors.New("two readers")
	}
	defer b.together.Add(-1)
	if b.reads.Add(1) > 1 {
		<-b.release
		return 0, io.EOF
	}
	return 1, nil
}

func (b *slowBody) Close() error { return nil }

// TestTransportsWithoutBodies checks that transports may return a response
// without a body, as http.Client allows, and that nothing at all is an error.
func TestTransportsWithoutBodies(t *testing.T) {
	attempts := 0
	c := client.New(client.Options{MaxWait: time.Millisecond, Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		if attempts++; r.URL.Path == "/nothing" {
			return nil, nil
		}
		return &http.Response{StatusCode: 503}, nil
	})})
	resp := get(t, c, "http://x")
	if n, err := resp.Body.Read(make([]byte, 1)); n != 0 || err != io.EOF || attempts != 3 {
		t.Errorf("%d, %v after %d attempts; want io.EOF after 3", n, err, attempts)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Get("http://x/nothing"); err == nil || !strings.Contains(err.Error(), "no response and no error") {
		t.Errorf("no response: %v", err)
	}
}

// TestReadDuringClose checks that Read and Close don't both read net/http's
// body. One of them could wait forever.
func TestReadDuringClose(t *testing.T) {
	b := &slowBody{release: make(chan struct{})}
	c := client.New(client.Options{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, ProtoMajor: 2, Body: b, Request: r}, nil
	})})
	resp := get(t, c, "http://x")
	p := make([]byte, 10)
	resp.Body.Read(p)
	closed := make(chan error)
	go func() { closed <- resp.Body.Close() }()
	steady.Until(t, time.Minute, "Close reads", func() bool { return b.reads.Load() == 2 })
	if n, err := resp.Body.Read(p); n > 0 || err != http.ErrBodyReadAfterClose {
		t.Errorf("Read during Close: %d, %v; want ErrBodyReadAfterClose", n, err)
	}
	close(b.release)
	<-closed
}
