package claims

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/client"
)

// A World holds the servers and clients of one case. Close closes all of them.
type World struct {
	Quick   bool // smaller bodies, fewer attackers
	conns   atomic.Int64
	closers []func()
}

func (w *World) onClose(f func()) { w.closers = append(w.closers, f) }

// Close closes everything in reverse order.
func (w *World) Close() {
	for i := len(w.closers) - 1; i >= 0; i-- {
		w.closers[i]()
	}
}

// serve starts an HTTP/1.1 server of net/http with default settings and returns
// its URL.
func (w *World) serve(h http.Handler, secure bool, configure func(*http.Server)) string {
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
		srv.TLS = &tls.Config{Certificates: []tls.Certificate{pki().cert}}
		srv.StartTLS()
	} else {
		srv.Start()
	}
	w.onClose(srv.Close)
	return srv.URL
}

// transport returns a copy of http.DefaultTransport that trusts the test
// certificate.
func (w *World) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = trust()
	w.onClose(t.CloseIdleConnections)
	return t
}

// defaultClient returns a client like http.DefaultClient, with connections of
// its own.
func (w *World) defaultClient() *http.Client { return &http.Client{Transport: w.transport()} }

// trustByDefault makes http.DefaultTransport trust the test certificate, for
// code that uses it implicitly.
func (w *World) trustByDefault() {
	old := http.DefaultTransport
	http.DefaultTransport = w.transport()
	w.onClose(func() { http.DefaultTransport = old })
}

func (w *World) ours() *http.Client {
	c := client.New(client.Options{TLS: trust()})
	w.onClose(c.CloseIdleConnections)
	return c
}

// pki returns an ECDSA certificate, which most servers use now. With RSA, a
// handshake takes about twice as long.
var pki = sync.OnceValue(func() (p struct {
	cert tls.Certificate
	pool *x509.CertPool
}) {
	key := must1(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der := must1(x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key))
	p.cert = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	p.pool = x509.NewCertPool()
	p.pool.AddCert(must1(x509.ParseCertificate(der)))
	return p
})

func trust() *tls.Config { return &tls.Config{RootCAs: pki().pool} }

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
func exchange(w *World, h http.Handler, method string, body []byte) func(int) {
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
	w := measure.NewWriter()
	return times(func() {
		rd.Reset(body)
		req.Body = closer
		clear(w.Header())
		w.Status = 200
		h.ServeHTTP(w, req)
		if w.Status >= 400 {
			panic(fmt.Sprint("claims: status ", w.Status))
		}
	})
}

// handlerCases returns the two cases of a claim about handlers: the handler
// without a connection, as the page measures it, and the whole request.
func handlerCases(name, method string, body []byte, before, after, ours http.Handler) []Case {
	sides := func(side func(http.Handler) func(int)) Sides {
		s := Sides{Before: side(before), After: side(after)}
		if ours != nil {
			s.Ours = side(ours)
		}
		return s
	}
	return []Case{
		{name + ", handler alone", func(*World) Sides {
			return sides(func(h http.Handler) func(int) { return alone(h, method, body) })
		}},
		{name + ", whole request", func(w *World) Sides {
			return sides(func(h http.Handler) func(int) { return exchange(w, h, method, body) })
		}},
	}
}
