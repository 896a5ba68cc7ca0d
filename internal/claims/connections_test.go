package claims

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/client"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// This file has the claims about connections, and the servers and clients of all.

func perCallClient() []measured {
	return []measured{{"01 new Client, TLS", func(w *world) sides {
		url := w.serve(fixed("ok"), true, nil)
		w.trustByDefault()
		shared, ours := &http.Client{Timeout: 5 * time.Second}, w.ours()
		return sides{
			before: times(func() { c := &http.Client{Timeout: 5 * time.Second}; read(c.Get(url)) }),
			after:  times(func() { read(shared.Get(url)) }),
			ours:   times(func() { read(ours.Get(url)) }),
		}
	}}, newTransport("01 new Transport, TLS")}
}

// newTransport is the case in which claims 1 and 10 would be right.
func newTransport(name string) measured {
	return measured{name, func(w *world) sides {
		url := w.serve(fixed("ok"), true, nil)
		shared, ours := w.defaultClient(), w.ours()
		return sides{
			before: times(func() {
				t := &http.Transport{TLSClientConfig: trust()}
				read((&http.Client{Transport: t}).Get(url))
				t.CloseIdleConnections()
			}),
			after: times(func() { read(shared.Get(url)) }),
			ours:  times(func() { read(ours.Get(url)) }),
		}
	}}
}

func readAllProxy() []measured {
	proxy := func(name string, size, quick int) measured {
		return measured{name, func(w *world) sides {
			n := size
			if w.quick {
				n = quick
			}
			chunk := make([]byte, min(n, 1<<20))
			up := w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Length", strconv.Itoa(n))
				for left := n; left > 0; left -= len(chunk) {
					rw.Write(chunk[:min(left, len(chunk))])
				}
			}), false, nil)
			upstream, c := w.defaultClient(), w.defaultClient()
			side := func(forward func(http.ResponseWriter, *http.Response) error) func(int) {
				url := w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					resp := must1(upstream.Get(up))
					defer resp.Body.Close()
					if forward(rw, resp) != nil {
						panic(http.ErrAbortHandler)
					}
				}), false, nil)
				return times(func() { read(c.Get(url)) })
			}
			return sides{
				before: side(func(w http.ResponseWriter, upstream *http.Response) error {
					p, err := io.ReadAll(upstream.Body)
					if err != nil {
						return err
					}
					w.WriteHeader(upstream.StatusCode)
					_, err = w.Write(p)
					return err
				}),
				after: side(func(w http.ResponseWriter, upstream *http.Response) error {
					w.WriteHeader(upstream.StatusCode)
					_, err := io.Copy(w, upstream.Body)
					return err
				}),
				ours: side(func(w http.ResponseWriter, upstream *http.Response) error {
					w.Header().Set("Content-Length", strconv.FormatInt(upstream.ContentLength, 10))
					w.WriteHeader(upstream.StatusCode)
					_, err := body.Copy(w, upstream.Body)
					return err
				}),
			}
		}}
	}
	return []measured{proxy("02 200 MB", 200<<20, 8<<20), proxy("02 1 KB", 1<<10, 1<<10)}
}

func idleConns() []measured {
	hundred := func(name string, secure bool) measured {
		return measured{name, func(w *world) sides {
			url := w.serve(fixed("ok"), secure, nil)
			side := func(c *http.Client) func(int) { return concurrently(100, func() { read(c.Get(url)) }) }
			page := &http.Transport{MaxIdleConns: 200, MaxIdleConnsPerHost: 100, IdleConnTimeout: 90 * time.Second, TLSClientConfig: trust()}
			w.b.Cleanup(page.CloseIdleConnections)
			return sides{before: side(w.defaultClient()), after: side(&http.Client{Transport: page}), ours: side(w.ours())}
		}}
	}
	return []measured{hundred("03 100 at a time, TLS", true), hundred("03 100 at a time, no TLS", false)}
}

func idleTimeout() []measured {
	return []measured{{"09 requests over kept connections", func(w *world) sides {
		side := func(url string) func(int) {
			c := w.defaultClient()
			return times(func() { read(c.Get(url)) })
		}
		set := func(d time.Duration) string {
			return w.serve(fixed("ok"), false, func(s *http.Server) { s.IdleTimeout = d })
		}
		return sides{side(set(0)), side(set(90 * time.Second)), side(serveOurs(w.b, 0))}
	}}}
}

func tlsPerRequest() []measured {
	return []measured{{"10 new Client, TLS", func(w *world) sides {
		url := w.serve(fixed("ok"), true, nil)
		w.trustByDefault()
		config := trust()
		config.ClientSessionCache = tls.NewLRUClientSessionCache(64)
		t := &http.Transport{MaxIdleConnsPerHost: 100, IdleConnTimeout: 90 * time.Second, TLSClientConfig: config}
		w.b.Cleanup(t.CloseIdleConnections)
		tuned, ours := &http.Client{Timeout: 10 * time.Second, Transport: t}, w.ours()
		return sides{
			before: times(func() { c := &http.Client{}; read(c.Get(url)) }),
			after:  times(func() { read(tuned.Get(url)) }),
			ours:   times(func() { read(ours.Get(url)) }),
		}
	}}, newTransport("10 a handshake for each request")}
}

func drain() (all []measured) {
	// decode is the page's function. The server's response isn't always JSON.
	decode := func(c *http.Client, url string, drained bool) {
		resp := must1(c.Get(url))
		defer resp.Body.Close()
		var v struct{ A int }
		json.NewDecoder(resp.Body).Decode(&v)
		if drained {
			io.Copy(io.Discard, resp.Body)
		}
	}
	for _, c := range [][2]string{
		{"12 a 10 KB error page instead of JSON, TLS", strings.Repeat("<p>no luck</p>", 730)},
		{"12 valid small JSON, TLS", `{"A":1}`},
		{"12 a 10 MB error page, TLS", strings.Repeat("<p>no luck</p>", 730_000)},
	} {
		all = append(all, measured{c[0], func(w *world) sides {
			url := w.serve(fixed(c[1]), true, nil)
			plain, ours := w.defaultClient(), w.ours()
			return sides{
				before: times(func() { decode(plain, url, false) }),
				after:  times(func() { decode(plain, url, true) }),
				ours:   times(func() { decode(ours, url, false) }),
			}
		}})
	}
	return all
}

// TestReadHeaderTimeout checks claim 13: connections with slow headers stay open
// without a timeout, and not with one.
func TestReadHeaderTimeout(t *testing.T) {
	const timeout, attackers = 300 * time.Millisecond, 50
	w := &world{b: t}
	for _, tt := range []struct {
		url  string
		held bool
	}{
		{w.serve(fixed("ok"), false, nil), true},
		{w.serve(fixed("ok"), false, func(s *http.Server) { s.ReadHeaderTimeout = timeout }), false},
		{serveOurs(t, timeout), false},
	} {
		var wg sync.WaitGroup
		var open atomic.Int64
		for range attackers {
			wg.Go(func() {
				c := must1(net.Dial("tcp", strings.TrimPrefix(tt.url, "http://")))
				defer c.Close()
				io.WriteString(c, "GET / HTTP/1.1\r\nX: ")
				wait := 3 * timeout
				if !tt.held {
					wait = time.Minute // the server closes it long before, also on a busy machine
				}
				c.SetReadDeadline(time.Now().Add(wait))
				_, err := io.Copy(io.Discard, c)
				if ne, ok := err.(net.Error); ok && ne.Timeout() {
					open.Add(1)
				}
			})
		}
		wg.Wait()
		if held := open.Load() == attackers; held != tt.held || !held && open.Load() != 0 {
			t.Errorf("%s: %d of %d connections are open", tt.url, open.Load(), attackers)
		}
	}
}

// A world starts the servers and clients of one case, which end with it.
type world struct {
	b     testing.TB
	quick bool // smaller bodies
	conns atomic.Int64
}

// serve starts an HTTP/1.1 server of net/http with default settings and returns
// its URL.
func (w *world) serve(h http.Handler, secure bool, configure func(*http.Server)) string {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Config.ConnState = func(_ net.Conn, cs http.ConnState) {
		if cs == http.StateNew {
			w.conns.Add(1)
		}
	}
	if configure != nil {
		configure(srv.Config)
	}
	if secure {
		srv.TLS = &tls.Config{Certificates: []tls.Certificate{certificate()}}
		srv.StartTLS()
	} else {
		srv.Start()
	}
	w.b.Cleanup(srv.Close)
	return srv.URL
}

// serveOurs starts a server.Server.
func serveOurs(b testing.TB, readHeaderTimeout time.Duration) string {
	s := server.New("", fixed("ok"))
	s.Log = slog.New(slog.DiscardHandler)
	s.DrainTimeout = 0
	if readHeaderTimeout > 0 {
		s.HTTP.ReadHeaderTimeout = readHeaderTimeout
	}
	ln := must1(net.Listen("tcp", "127.0.0.1:0"))
	go s.Serve(b.Context(), ln)
	return "http://" + ln.Addr().String()
}

// transport returns a copy of http.DefaultTransport that trusts the test
// certificate.
func (w *world) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = trust()
	w.b.Cleanup(t.CloseIdleConnections)
	return t
}

// defaultClient returns a client like http.DefaultClient, with connections of
// its own.
func (w *world) defaultClient() *http.Client { return &http.Client{Transport: w.transport()} }

// trustByDefault makes http.DefaultTransport trust the test certificate, for
// code that uses it implicitly.
func (w *world) trustByDefault() {
	old := http.DefaultTransport
	http.DefaultTransport = w.transport()
	w.b.Cleanup(func() { http.DefaultTransport = old })
}

func (w *world) ours() *http.Client {
	c := client.New(client.Options{TLS: trust()})
	w.b.Cleanup(c.CloseIdleConnections)
	return c
}

// certificate is an ECDSA certificate, which most servers use now. With RSA, a
// handshake takes about twice as long.
var certificate = sync.OnceValue(func() (cert tls.Certificate) {
	key := must1(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der := must1(x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: must1(x509.ParseCertificate(der))}
})

func trust() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(certificate().Leaf)
	return &tls.Config{RootCAs: pool}
}

// fixed returns a handler that responds with a text.
func fixed(text string) http.Handler {
	p := []byte(text)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(p) })
}

// read reads and closes a response like the page's code, and panics if the
// request failed.
func read(resp *http.Response, err error) {
	must(err)
	defer resp.Body.Close()
	must1(io.Copy(io.Discard, resp.Body))
	if resp.StatusCode >= 400 {
		panic("claims: " + resp.Status)
	}
}

// must panics if err isn't nil, because the time of a failed operation is
// meaningless.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("claims: %v", err))
	}
}

func must1[T any](v T, err error) T { must(err); return v }

// times returns a side that repeats f.
func times(f func()) func(int) {
	return func(n int) {
		for range n {
			f()
		}
	}
}

// concurrently returns a side that repeats f in several goroutines.
func concurrently(workers int, f func()) func(int) {
	return func(n int) {
		var wg sync.WaitGroup
		var left atomic.Int64
		left.Store(int64(n))
		for range min(workers, n) {
			wg.Go(func() {
				for left.Add(-1) >= 0 {
					f()
				}
			})
		}
		wg.Wait()
	}
}

// exchange returns a side that sends requests to h over one keep-alive
// connection.
func exchange(w *world, h http.Handler, method string, body []byte) func(int) {
	url := w.serve(h, false, nil)
	c := w.defaultClient()
	return times(func() {
		req := must1(http.NewRequest(method, url+"/api/v1/orders/42", bytes.NewReader(body)))
		read(c.Do(req))
	})
}

// alone returns a side that calls h without a connection, always with the same
// request.
func alone(h http.Handler, method string, body []byte) func(int) {
	req := httptest.NewRequest(method, "/api/v1/orders/42", nil)
	rd := bytes.NewReader(body)
	closer := io.NopCloser(rd)
	req.ContentLength = int64(len(body))
	w := &writer{header: http.Header{}}
	return times(func() {
		rd.Reset(body)
		req.Body = closer
		clear(w.header)
		w.status = 200
		h.ServeHTTP(w, req)
		if w.status >= 400 {
			panic(fmt.Sprint("claims: status ", w.status))
		}
	})
}

// writer discards everything except the status.
type writer struct {
	header http.Header
	status int
}

func (w *writer) Header() http.Header         { return w.header }
func (w *writer) WriteHeader(status int)      { w.status = status }
func (w *writer) Write(p []byte) (int, error) { return len(p), nil }

// handlerCases returns the two cases of a claim about handlers: the handler
// without a connection, as the page measures it, and the whole request.
func handlerCases(name, method string, body []byte, before, after, ours http.Handler) []measured {
	return []measured{
		{name + ", handler alone", func(*world) sides {
			return sides{alone(before, method, body), alone(after, method, body), alone(ours, method, body)}
		}},
		{name + ", whole request", func(w *world) sides {
			return sides{exchange(w, before, method, body), exchange(w, after, method, body), exchange(w, ours, method, body)}
		}},
	}
}
