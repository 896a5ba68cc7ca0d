package client_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/client"
	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// serve starts an httptest.Server that counts its connections. Its scheme is
// http, https, or h2 for HTTP/2 over TLS.
func serve(t *testing.T, scheme string, h http.HandlerFunc, configure ...func(*http.Server)) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	conns := new(atomic.Int64)
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Config.ConnState = func(_ net.Conn, cs http.ConnState) {
		if cs == http.StateNew {
			conns.Add(1)
		}
	}
	for _, f := range configure {
		f(srv.Config)
	}
	if srv.EnableHTTP2 = scheme == "h2"; scheme == "http" {
		srv.Start()
	} else {
		srv.StartTLS()
	}
	t.Cleanup(srv.Close)
	return srv, conns
}

// listen returns a listener that lasts as long as the test. Its connections are
// accepted by the system, and get no response.
func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// accept passes connections to f, each in a goroutine of its own, until the test
// ends. It closes them after f. With a config they use TLS.
func accept(t *testing.T, config *tls.Config, f func(net.Conn)) (url string) {
	t.Helper()
	ln := listen(t)
	url = "http://" + ln.Addr().String()
	if config != nil {
		ln, url = tls.NewListener(ln, config), "https://"+ln.Addr().String()
	}
	go func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				f(nc)
			}()
		}
	}()
	return url
}

// settle waits for goroutines that are about to end, until done returns true for
// their number.
func settle(done func(n int) bool) int {
	n := runtime.NumGoroutine()
	for deadline := time.Now().Add(time.Minute); !done(n) && time.Now().Before(deadline); n = runtime.NumGoroutine() {
		<-time.After(20 * time.Millisecond)
	}
	return n
}

func insecure(o client.Options) client.Options {
	o.TLS = &tls.Config{InsecureSkipVerify: true}
	return o
}

// use returns a client that is closed when the test ends.
func use(t *testing.T, o client.Options) *http.Client {
	c := client.New(o)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// do sends a request. The response is closed when the test ends, if not before.
func do(t *testing.T, c *http.Client, req *http.Request) *http.Response {
	t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// get is do for a GET request.
func get(t *testing.T, c *http.Client, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, c, req)
}

func drainTo(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestProtocolAndSessions(t *testing.T) {
	closed := make(chan bool, 3)
	srv, _ := serve(t, "h2", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto, " ", r.TLS.DidResume)
	}, func(srv *http.Server) {
		srv.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed <- true
			}
		}
	})
	own := &tls.Config{InsecureSkipVerify: true}
	a, b := use(t, client.Options{TLS: own}), use(t, client.Options{TLS: own})
	for i, c := range []struct {
		c    *http.Client
		want string
	}{
		{a, "HTTP/2.0 false"},
		{a, "HTTP/2.0 true"},
		{b, "HTTP/2.0 false"}, // clients don't share sessions
	} {
		resp := get(t, c.c, srv.URL)
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		for ended := false; !ended; { // a connection becomes idle shortly after the end of the body
			c.c.CloseIdleConnections()
			select {
			case ended = <-closed:
			case <-time.After(time.Millisecond):
			}
		}
		if string(got) != c.want {
			t.Errorf("request %d: %s, want %s", i, got, c.want)
		}
	}
	if own.ClientSessionCache != nil {
		t.Error("the caller's tls.Config was changed")
	}
}

func TestUpgrade(t *testing.T) {
	srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
		c, rw, _ := http.NewResponseController(w).Hijack()
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		io.Copy(c, rw)
		io.WriteString(c, "bye")
	})
	var resp *http.Response
	steady.Try(t, 5*time.Millisecond, func() (err error) { // else the request may not be sent in time
		req, _ := http.NewRequest("GET", srv.URL, nil)
		req.Header.Set("Connection", "Upgrade")
		req.Header.Set("Upgrade", "echo")
		resp, err = use(t, client.Options{StallTimeout: 20 * time.Millisecond}).Do(req)
		return err
	})
	defer resp.Body.Close()
	rw, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		t.Fatalf("the body of a 101 response is a %T, want an io.ReadWriteCloser", resp.Body)
	}
	<-time.After(60 * time.Millisecond)
	io.WriteString(rw, "ping")
	got := make([]byte, 4)
	if _, err := io.ReadFull(rw, got); err != nil || string(got) != "ping" {
		t.Errorf("%q, %v; want an echo", got, err)
	}
	if cw, ok := rw.(interface{ CloseWrite() error }); !ok {
		t.Error("the body has no method CloseWrite, unlike that of net/http")
	} else if err := cw.CloseWrite(); err != nil {
		t.Errorf("CloseWrite: %v", err)
	} else if rest, err := io.ReadAll(rw); err != nil || string(rest) != "bye" {
		t.Errorf("after CloseWrite: %q, %v; want what the server writes at the end", rest, err)
	}
}

// TestTimeouts checks the limit of each phase.
func TestTimeouts(t *testing.T) {
	silent := listen(t)
	const short = 50 * time.Millisecond
	const patience = 1500 * time.Millisecond // slow responses arrive in intervals of an eighth, and take longer in total
	stalls, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "x")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	slow, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
		piece := "x"
		switch r.URL.Path {
		case "/4k":
			piece = strings.Repeat("x", 4<<10)
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		}
		for i := 0; i < 12 || r.URL.Path == "/drip"; i++ {
			io.WriteString(w, piece)
			w.(http.Flusher).Flush()
			select {
			case <-time.After(patience / 8):
			case <-r.Context().Done():
				return
			}
		}
	})
	for _, c := range []struct {
		name, url string
		o         client.Options
		want      string
	}{
		{"header", "http://" + silent.Addr().String(), client.Options{HeaderTimeout: short, Attempts: 1}, "timeout awaiting response headers"},
		{"body", stalls.URL, client.Options{StallTimeout: short}, "client: less than 4 KiB of the response body arrived within 50ms"},
		{"slow, but not stalled", slow.URL + "/4k", client.Options{StallTimeout: patience}, ""},
		{"slow events", slow.URL + "/events", client.Options{StallTimeout: patience}, ""},
		{"a drip", slow.URL + "/drip", client.Options{StallTimeout: patience}, "client: less than 4 KiB of the response body arrived within 1.5s"},
		{"no bound", slow.URL, client.Options{StallTimeout: -1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limit := patience / 8
			if c.want != "" {
				limit = short / 5 // a request that can't be sent in time has another error
			}
			steady.Try(t, limit, func() error {
				err := drainTo(use(t, c.o), c.url)
				if c.want == "" {
					return err
				}
				if te, ok := errors.AsType[net.Error](err); !ok || !te.Timeout() || !strings.Contains(err.Error(), c.want) {
					return fmt.Errorf("%v, want a timeout: %q", err, c.want)
				}
				return nil
			})
		})
	}
}

// TestProxyFromEnvironment checks that proxies from the environment are used,
// like with net/http's own transport.
func TestProxyFromEnvironment(t *testing.T) {
	proxied := http.DefaultTransport.(*http.Transport).Proxy
	defer func() { http.DefaultTransport.(*http.Transport).Proxy = proxied }()
	proxy, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "proxy "+r.URL.String()) })
	http.DefaultTransport.(*http.Transport).Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	if got, _ := io.ReadAll(get(t, use(t, client.Options{}), "http://example.invalid/x").Body); string(got) != "proxy http://example.invalid/x" {
		t.Errorf("%q, want it to have gone through the proxy", got)
	}
}

// TestSilentProxy checks that a request doesn't wait forever for a proxy that
// doesn't answer.
func TestSilentProxy(t *testing.T) {
	silent := listen(t)
	const short = 50 * time.Millisecond
	standard := http.DefaultTransport.(*http.Transport)
	defer func() { http.DefaultTransport = standard }()
	tr := standard.Clone()
	tr.TLSHandshakeTimeout = short
	http.DefaultTransport = tr
	for _, scheme := range []string{"http", "socks5"} {
		tr.Proxy = http.ProxyURL(&url.URL{Scheme: scheme, Host: silent.Addr().String()})
		_, err := use(t, client.Options{DialTimeout: short, Attempts: 1}).Get("https://example.invalid/")
		if te, ok := errors.AsType[net.Error](err); !ok || !te.Timeout() {
			t.Errorf("%s: %v, want a timeout", scheme, err)
		}
	}
}

// TestReplacedDefaultTransport checks that New works if http.DefaultTransport
// was replaced.
func TestReplacedDefaultTransport(t *testing.T) {
	old := http.DefaultTransport
	defer func() { http.DefaultTransport = old }()
	http.DefaultTransport = http.NewFileTransport(http.Dir("."))
	srv, _ := serve(t, "https", func(w http.ResponseWriter, r *http.Request) {})
	if err := drainTo(use(t, insecure(client.Options{})), srv.URL); err != nil {
		t.Error(err)
	}
}

func TestSharedIsShared(t *testing.T) {
	if client.Shared() != client.Shared() {
		t.Error("Shared makes a new client each time")
	}
	if client.Shared() == client.New(client.Options{}) {
		t.Error("New returns the shared client")
	}
}

func TestNothingLeftOver(t *testing.T) {
	srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			w.WriteHeader(503)
		}
		w.Write(make([]byte, 100<<10))
	})
	once := func() {
		c := client.New(client.Options{MaxWait: time.Millisecond})
		for i := range 40 {
			path := []string{"/", "/busy"}[i%2]
			resp, err := c.Get(srv.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			if i%4 < 2 {
				resp.Body.Read(make([]byte, 10))
			}
			resp.Body.Close()
		}
		c.CloseIdleConnections()
	}
	once()
	last := 0
	before := settle(func(n int) bool { same := n == last; last = n; return same })
	once()
	if after := settle(func(n int) bool { return n <= before }); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// A duration without a unit is refused.
func TestNewRefuses(t *testing.T) {
	defer func() {
		if want := "client: HeaderTimeout is 30ns; did you mean 30*time.Second?"; recover() != want {
			t.Errorf("no panic with %q", want)
		}
	}()
	client.New(client.Options{HeaderTimeout: 30})
}
