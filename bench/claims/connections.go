package claims

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// This file has the claims about reusing and closing connections.

func perCallClient() Claim {
	return Claim{
		Number: 1, Title: "A new http.Client for each call", Page: 70, Ours: "client.Shared", Conns: true,
		Why: func(rows []Row) string {
			return fmt.Sprintf("a Client without a Transport uses the shared DefaultTransport and opens %.2f connections per request. With its own Transport it opens %.2f; sharing one is %s. Connections of unshared Transports stay open until they are closed explicitly",
				rows[0].ConnsPerOp, rows[1].ConnsPerOp, faster(rows[1].Ratio))
		},
		Cases: []Case{
			{"new Client, TLS", func(w *World) Sides {
				url := w.serve(fixed("ok"), true, nil)
				w.trustByDefault()
				shared, ours := &http.Client{Timeout: 5 * time.Second}, w.ours()
				return Sides{
					Before: times(func() { c := &http.Client{Timeout: 5 * time.Second}; read(c.Get(url)) }),
					After:  times(func() { read(shared.Get(url)) }),
					Ours:   times(func() { read(ours.Get(url)) }),
				}
			}},
			newTransportCase("new Transport, TLS"),
		},
	}
}

// newTransportCase is the case in which claims 1 and 10 would be right.
func newTransportCase(name string) Case {
	return Case{name, func(w *World) Sides {
		url := w.serve(fixed("ok"), true, nil)
		shared, ours := w.defaultClient(), w.ours()
		return Sides{
			Before: times(func() {
				t := &http.Transport{TLSClientConfig: trust()}
				read((&http.Client{Transport: t}).Get(url))
				t.CloseIdleConnections()
			}),
			After: times(func() { read(shared.Get(url)) }),
			Ours:  times(func() { read(ours.Get(url)) }),
		}
	}}
}

func idleConns() Claim {
	measure := func(name string, secure bool) Case {
		return Case{name, func(w *World) Sides {
			url := w.serve(fixed("ok"), secure, nil)
			side := func(c *http.Client) func(int) { return concurrently(100, func() { read(c.Get(url)) }) }
			page := &http.Transport{MaxIdleConns: 200, MaxIdleConnsPerHost: 100, IdleConnTimeout: 90 * time.Second, TLSClientConfig: trust()}
			w.onClose(page.CloseIdleConnections)
			return Sides{
				Before: side(w.defaultClient()),
				After:  side(&http.Client{Transport: page}),
				Ours:   side(w.ours()),
			}
		}}
	}
	return Claim{
		Number: 3, Title: "MaxIdleConnsPerHost left at 2", Page: 16, Ours: "client.Shared",
		Why: func(rows []Row) string {
			return fmt.Sprintf("over TLS, where each new connection costs a handshake, HTTP/1 is %s; without TLS it is %s. HTTP/2 needs one connection for all requests. The page's bare Transport loses the proxy settings and the timeouts",
				faster(rows[0].Ratio), faster(rows[1].Ratio))
		},
		Cases: []Case{measure("100 at a time, TLS", true), measure("100 at a time, no TLS", false)},
	}
}

func idleTimeout() Claim {
	return Claim{
		Number: 9, Title: "Server.IdleTimeout left at 0", Page: 2.7, Ours: "server.New", Conns: true,
		Why: func(rows []Row) string {
			return fmt.Sprintf("with 0, a request opens %.2f connections: 0 doesn't turn keep-alive off, it keeps idle connections forever. Set it for that reason, and longer than the clients' timeout, or clients send requests on connections that are being closed",
				rows[0].ConnsPerOp)
		},
		Cases: []Case{{"requests over kept connections", func(w *World) Sides {
			side := func(d time.Duration) func(int) {
				url := w.serve(fixed("ok"), false, func(s *http.Server) { s.IdleTimeout = d })
				c := w.defaultClient()
				return times(func() { read(c.Get(url)) })
			}
			url := w.serveOurs(fixed("ok"), nil)
			c := w.defaultClient()
			return Sides{Before: side(0), After: side(90 * time.Second), Ours: times(func() { read(c.Get(url)) })}
		}}},
	}
}

// serveOurs starts a server.Server.
func (w *World) serveOurs(h http.Handler, configure func(*server.Server)) string {
	s := server.New("", h)
	s.Log = slog.New(slog.DiscardHandler)
	s.DrainTimeout = 0
	if configure != nil {
		configure(s)
	}
	ln := must1(net.Listen("tcp", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, ln) }()
	w.onClose(func() { cancel(); <-done })
	return "http://" + ln.Addr().String()
}

func tlsPerRequest() Claim {
	return Claim{
		Number: 10, Title: "A TLS handshake for each request", Page: 290, Ours: "client.Shared", Conns: true,
		Why: func(rows []Row) string {
			return fmt.Sprintf("like the first claim: %.2f handshakes per request. If each request has one, reuse is %s. The page compares a network with the loopback interface. Resumption saves only CPU time, because Go has no 0-RTT for HTTP",
				rows[0].ConnsPerOp, faster(rows[1].Ratio))
		},
		Cases: []Case{
			{"new Client, TLS", func(w *World) Sides {
				url := w.serve(fixed("ok"), true, nil)
				w.trustByDefault()
				config := trust()
				config.ClientSessionCache = tls.NewLRUClientSessionCache(64)
				t := &http.Transport{MaxIdleConnsPerHost: 100, IdleConnTimeout: 90 * time.Second, TLSClientConfig: config}
				w.onClose(t.CloseIdleConnections)
				tuned, ours := &http.Client{Timeout: 10 * time.Second, Transport: t}, w.ours()
				return Sides{
					Before: times(func() { c := &http.Client{}; read(c.Get(url)) }),
					After:  times(func() { read(tuned.Get(url)) }),
					Ours:   times(func() { read(ours.Get(url)) }),
				}
			}},
			newTransportCase("a handshake for each request"),
		},
	}
}

func drain() Claim {
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
	measure := func(name string, text string) Case {
		return Case{name, func(w *World) Sides {
			url := w.serve(fixed(text), true, nil)
			plain, ours := w.defaultClient(), w.ours()
			return Sides{
				Before: times(func() { decode(plain, url, false) }),
				After:  times(func() { decode(plain, url, true) }),
				Ours:   times(func() { decode(ours, url, false) }),
			}
		}}
	}
	return Claim{
		Number: 12, Title: "Close without draining the body", Page: 13, Ours: "client.Shared",
		Why: func(rows []Row) string {
			return fmt.Sprintf("draining is %s if an error page of 10 KB is left unread, %s with small valid JSON, and %s if 10 MB are left: it needs limits for bytes and time. Close in Go 1.26 closes a connection with an unread body; in Go 1.27 it drains the body, with limits",
				faster(rows[0].Ratio), faster(rows[1].Ratio), faster(rows[2].Ratio))
		},
		Cases: []Case{
			measure("a 10 KB error page instead of JSON, TLS", strings.Repeat("<p>no luck</p>", 730)),
			measure("valid small JSON, TLS", `{"A":1}`),
			measure("a 10 MB error page, TLS", strings.Repeat("<p>no luck</p>", 730_000)),
		},
	}
}

func readHeaderTimeout() Claim {
	const timeout = 300 * time.Millisecond
	return Claim{
		Number: 13, Title: "Server.ReadHeaderTimeout left at 0", Page: 13500, Ours: "server.New",
		Why: func(rows []Row) string {
			return fmt.Sprintf("%d slow connections stay open without a timeout, %d with it, %d with ours. The page's number has no meaning. The timeout alone leaves idle connections, slow bodies, slow readers and all of HTTP/2 unbounded",
				rows[0].Held[0], rows[0].Held[1], rows[0].Held[2])
		},
		Cases: []Case{{"connections held by slow headers", func(w *World) Sides {
			return Sides{Held: func() (before, after, ours int) {
				zero := w.serve(fixed("ok"), false, nil)
				set := w.serve(fixed("ok"), false, func(s *http.Server) { s.ReadHeaderTimeout = timeout })
				new := w.serveOurs(fixed("ok"), func(s *server.Server) { s.HTTP.ReadHeaderTimeout = timeout })
				return w.held(zero, 3*timeout), w.held(set, 3*timeout), w.held(new, 3*timeout)
			}}
		}}},
	}
}

// held opens slow connections to url and returns how many are still open after
// d.
func (w *World) held(url string, d time.Duration) int {
	attackers := 500
	if w.Quick {
		attackers = 50
	}
	addr := strings.TrimPrefix(url, "http://")
	var wg sync.WaitGroup
	open := make(chan bool, attackers)
	deadline := time.Now().Add(d)
	for range attackers {
		c := must1(net.Dial("tcp", addr))
		wg.Go(func() {
			defer c.Close()
			io.WriteString(c, "GET / HTTP/1.1\r\nX: ")
			c.SetReadDeadline(deadline)
			_, err := io.Copy(io.Discard, c)
			ne, ok := err.(net.Error)
			open <- ok && ne.Timeout()
		})
	}
	wg.Wait()
	close(open)
	n := 0
	for o := range open {
		if o {
			n++
		}
	}
	return n
}
