package client_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// zeros is an endless body that can't be sent again.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// deaf accepts connections, over TLS if a config is given, and never reads a
// request.
func deaf(t *testing.T, config *tls.Config) string {
	t.Helper()
	return accept(t, config, func(nc net.Conn) {
		if config != nil {
			nc.(*tls.Conn).Handshake()
		}
		<-t.Context().Done()
	})
}

// TestSendingStalls checks that a request fails soon after StallTimeout if the
// server doesn't read it.
func TestSendingStalls(t *testing.T) {
	const stall = 300 * time.Millisecond
	const window = 64 << 10
	hold := make(chan struct{})
	h2, _ := serve(t, "h2", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/early" {
			w.WriteHeader(200)
			http.NewResponseController(w).Flush()
		}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}, func(srv *http.Server) {
		srv.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: window, MaxReceiveBufferPerConnection: window}
	})
	events, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		rc := http.NewResponseController(w)
		rc.EnableFullDuplex() // else net/http would read a part of the body
		tick := time.NewTicker(stall / 10)
		defer tick.Stop()
		for {
			io.WriteString(w, "data: x\n\n")
			if rc.Flush() != nil {
				return
			}
			select {
			case <-tick.C:
			case <-hold:
				return
			}
		}
	})
	t.Cleanup(func() { close(hold) })
	cert := h2.TLS.Certificates
	plain, secure := deaf(t, nil), deaf(t, &tls.Config{Certificates: cert})
	secureH2 := deaf(t, &tls.Config{Certificates: cert, NextProtos: []string{"h2"}})
	foreign := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	t.Cleanup(foreign.CloseIdleConnections)

	for _, c := range []struct {
		name, method, url string
		size              int64
		memory            bool // the body can be sent again
		o                 client.Options
	}{
		{"HTTP/1", "POST", plain, 64 << 20, false, client.Options{}},
		{"HTTP/1, in memory", "POST", plain, 64 << 20, true, client.Options{}},
		{"HTTP/1, repeatable", "PUT", plain, 64 << 20, true, client.Options{Attempts: 2}},
		{"HTTP/1, TLS", "POST", secure, 64 << 20, true, client.Options{}},
		{"HTTP/1, chunked", "POST", plain, -1, false, client.Options{}},
		{"HTTP/1, events meanwhile", "POST", events.URL, 64 << 20, true, client.Options{}},
		{"HTTP/2", "POST", h2.URL, 8 << 20, false, client.Options{}},
		{"HTTP/2, length unknown", "POST", h2.URL, -1, false, client.Options{}},
		{"HTTP/2, the last byte", "POST", h2.URL, window + 1, true, client.Options{}},
		{"HTTP/2, early response", "POST", h2.URL + "/early", 8 << 20, true, client.Options{}},
		{"HTTP/2, nothing read", "POST", secureH2, 8 << 20, true, client.Options{}},
		{"foreign, HTTP/1", "POST", plain, 64 << 20, true, client.Options{Transport: foreign}},
		{"foreign, HTTP/2", "POST", h2.URL, window + 1, true, client.Options{Transport: foreign}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := insecure(c.o)
			o.StallTimeout, o.HeaderTimeout, o.MaxWait = stall, time.Minute, time.Millisecond
			if o.Attempts == 0 {
				o.Attempts = 1
			}
			// If this process is not run, the events stall as well.
			steady.Try(t, stall/10, func() error {
				var body io.Reader = io.LimitReader(zeros{}, 64<<20)
				if c.size > 0 {
					body = io.LimitReader(zeros{}, c.size)
				}
				if c.memory {
					body = bytes.NewReader(make([]byte, c.size))
				}
				// If the request hangs, the error is that of the context.
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				req, _ := http.NewRequestWithContext(ctx, c.method, c.url, body)
				if !c.memory {
					req.ContentLength = c.size
				}
				resp, err := use(t, o).Do(req)
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					resp.Body.Close()
				}
				stalled, ok := errors.AsType[*client.StalledError](err)
				early := strings.HasSuffix(c.url, "/early") // the response stalls as well
				if !ok || !stalled.Sending && !early || stalled.After != stall || !stalled.Timeout() {
					return fmt.Errorf("%v, want a StalledError of %v for sending", err, stall)
				}
				return nil
			})
		})
	}
}

// notify is an empty body that closes its channel when it is read.
type notify chan struct{}

func (n notify) Read([]byte) (int, error) { close(n); return 0, io.EOF }

// TestSendingStallsOnTheConnectionsWindow checks the limit for a short request
// that waits for the window of its connection.
func TestSendingStallsOnTheConnectionsWindow(t *testing.T) {
	const window = 64 << 10
	hold := make(chan struct{})
	srv, _ := serve(t, "h2", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}, func(srv *http.Server) {
		srv.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 1 << 20, MaxReceiveBufferPerConnection: window}
	})
	defer close(hold)
	one := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	defer one.CloseIdleConnections()
	ctx, cancel := context.WithCancel(context.Background())
	done, full := make(chan struct{}), make(chan struct{})
	go func() { // uses the window except for less than the short request needs
		defer close(done)
		body := io.MultiReader(io.LimitReader(zeros{}, window-1000), notify(full), io.LimitReader(zeros{}, 1<<20))
		req, _ := http.NewRequestWithContext(ctx, "POST", srv.URL, body)
		if resp, err := client.New(client.Options{StallTimeout: -1, Transport: one}).Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-full
	_, err := client.New(client.Options{StallTimeout: time.Second, Attempts: 1, Transport: one}).Post(srv.URL, "text/plain", strings.NewReader(strings.Repeat("short", 800)))
	if stalled, ok := errors.AsType[*client.StalledError](err); !ok || !stalled.Sending {
		t.Errorf("%v, want a StalledError for sending", err)
	}
	cancel()
	<-done
}

// TestSlowReceiverIsNoStall checks that a server that reads slowly but steadily
// gets the whole request.
func TestSlowReceiverIsNoStall(t *testing.T) {
	const stall = time.Second
	for _, scheme := range []string{"https", "h2"} {
		for _, size := range []int{12 << 20, 100, 0} {
			t.Run(fmt.Sprintf("%s, %d bytes", scheme, size), func(t *testing.T) {
				t.Parallel()
				srv, _ := serve(t, scheme, func(w http.ResponseWriter, r *http.Request) {
					got := 0
					for p := make([]byte, 1<<20); ; {
						n, err := io.ReadFull(r.Body, p)
						if got += n; err != nil {
							break
						}
						<-time.After(100 * time.Millisecond)
					}
					if size < 1<<20 {
						<-time.After(3 * stall / 2) // the response may take longer
					}
					fmt.Fprint(w, got)
				})
				cl := use(t, insecure(client.Options{StallTimeout: stall, Attempts: 1}))
				steady.Try(t, stall/10, func() error {
					resp, err := cl.Post(srv.URL, "text/plain", bytes.NewReader(make([]byte, size)))
					if err != nil {
						return err
					}
					got, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if string(got) != fmt.Sprint(size) || (resp.ProtoMajor == 2) != (scheme == "h2") {
						return fmt.Errorf("the server got %s bytes over %s", got, resp.Proto)
					}
					return nil
				})
			})
		}
	}
}

// TestSlowBodyIsNoStall checks that waiting for the caller's request body
// doesn't count as waiting for the server.
func TestSlowBodyIsNoStall(t *testing.T) {
	for _, scheme := range []string{"https", "h2"} {
		srv, _ := serve(t, scheme, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
		steady.Try(t, 30*time.Millisecond, func() error {
			body, end := io.Pipe()
			go func() {
				for range 6 {
					io.WriteString(end, "x")
					<-time.After(100 * time.Millisecond)
				}
				end.Close()
			}()
			resp, err := use(t, insecure(client.Options{StallTimeout: 300 * time.Millisecond, Attempts: 1})).Post(srv.URL, "text/plain", body)
			if err != nil {
				return fmt.Errorf("%s: %w", scheme, err)
			}
			return resp.Body.Close()
		})
	}
}

// TestUnencryptedHTTP2 checks StallTimeout if http.DefaultTransport speaks HTTP/2
// without TLS.
func TestUnencryptedHTTP2(t *testing.T) {
	standard := http.DefaultTransport.(*http.Transport)
	defer func() { http.DefaultTransport = standard }()
	tr := standard.Clone()
	tr.Protocols = new(http.Protocols)
	tr.Protocols.SetUnencryptedHTTP2(true)
	http.DefaultTransport = tr
	srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(srv *http.Server) { srv.Protocols = tr.Protocols })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "POST", srv.URL, bytes.NewReader(make([]byte, 8<<20)))
	_, err := use(t, client.Options{StallTimeout: 50 * time.Millisecond}).Do(req)
	if stalled, ok := errors.AsType[*client.StalledError](err); !ok || !stalled.Sending {
		t.Errorf("%v, want a StalledError for sending", err)
	}
}
