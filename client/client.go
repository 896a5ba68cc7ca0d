package client

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options configures a client. Zero fields have the documented defaults.
type Options struct {
	// Attempts is the maximum number of times a request is sent. The default is
	// 3; 1 or less disables retries. A redirect is a separate request.
	//
	// The client retries a request if its body can be sent again (there is
	// none, or GetBody is set, as http.NewRequest does for bodies in memory)
	// and one of these is true:
	//   - It was not sent, because connecting or the TLS handshake failed.
	//   - The request is idempotent, and got no response or status 408, 429,
	//     502, 503 or 504, or 409 with Retry-After, as from IdempotencyKey of
	//     package middleware while the first request runs. Requests with the
	//     methods GET, HEAD, OPTIONS, TRACE, QUERY, PUT and DELETE (RFC 9110
	//     section 9.2.2) and requests with an Idempotency-Key header are
	//     idempotent.
	// The wait before a retry starts at about 100 ms and doubles each time,
	// with jitter. The client respects Retry-After. If that exceeds MaxWait or
	// the deadline of the request's context, it returns the response instead.
	//
	// Attempts includes retries that net/http makes over broken pooled
	// connections, unless nothing was written to them. It does not include
	// retries made by Transport, and HTTP/2 requests that the server reported
	// as not processed (REFUSED_STREAM, GOAWAY). Up to Go 1.26, net/http treats
	// a stream error of type PROTOCOL_ERROR in the same way, for any method. It
	// sends such a request over at most 8 connections, and at most 8 times over
	// one.
	Attempts int

	// MaxWait limits the wait before each retry. Default: 10 s.
	MaxWait time.Duration

	// DialTimeout limits the time for connecting. A proxy has as long to answer,
	// in addition to the time for the TLS handshake. Default: 10 s; negative
	// means no limit.
	DialTimeout time.Duration

	// HeaderTimeout limits the time between sending the request and receiving
	// the response header. Default: 30 s; negative means no limit.
	HeaderTimeout time.Duration

	// StallTimeout limits the time spent waiting for the server while sending
	// the request and reading the response body. In each StallTimeout of
	// waiting time, at least 4 KiB must be transferred; otherwise the request
	// fails with a *StalledError. For event streams (Content-Type:
	// text/event-stream), StallTimeout limits each single wait. It does not
	// apply after a 101 response. Default: 30 s; negative means no limit.
	StallTimeout time.Duration

	// IdleConnsPerHost is the maximum number of idle connections per host, and
	// IdleTimeout is how long they stay open. Defaults: 100 and 30 s.
	IdleConnsPerHost int
	IdleTimeout      time.Duration

	// TLS is the TLS configuration. New copies it. Each client has its own
	// session cache, because clients may have different certificates.
	TLS *tls.Config

	// Transport, if set, replaces the transport that New creates, for example
	// to add tracing. Of the fields above, only Attempts, MaxWait and
	// StallTimeout apply then.
	Transport http.RoundTripper
}

// Shared returns a client with default options, always the same one. Use it
// throughout the program, because connections can be reused only within a
// client.
var Shared = sync.OnceValue(func() *http.Client { return New(Options{}) })

// New returns a client with its own connections and TLS sessions. Create one
// for each set of options, not one for each request: the connections of a
// client and their goroutines remain for IdleTimeout, unless you call
// CloseIdleConnections. New panics if a duration is positive and below a
// millisecond, which is a number without a unit.
func New(o Options) *http.Client {
	o.setDefaults()
	if o.Transport != nil {
		return &http.Client{Transport: &roundTripper{next: o.Transport, o: o}}
	}
	return &http.Client{Transport: &roundTripper{next: o.transport(), own: true, o: o}}
}

func (o *Options) setDefaults() {
	for _, d := range []struct {
		name  string
		value *time.Duration
		unset time.Duration
	}{
		{"MaxWait", &o.MaxWait, 10 * time.Second},
		{"DialTimeout", &o.DialTimeout, 10 * time.Second},
		{"HeaderTimeout", &o.HeaderTimeout, 30 * time.Second},
		{"StallTimeout", &o.StallTimeout, 30 * time.Second},
		{"IdleTimeout", &o.IdleTimeout, 30 * time.Second},
	} {
		if 0 < *d.value && *d.value < time.Millisecond {
			panic(fmt.Sprintf("client: %s is %v; did you mean %d*time.Second?", d.name, *d.value, int64(*d.value)))
		}
		if *d.value == 0 {
			*d.value = d.unset
		}
		*d.value = max(*d.value, 0) // in net/http, 0 means no limit
	}
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	o.Attempts = max(o.Attempts, 1)
	if o.IdleConnsPerHost == 0 {
		o.IdleConnsPerHost = 100
	}
}

// transport returns a transport based on http.DefaultTransport. A zero
// http.Transport has no proxy, timeouts or HTTP/2.
func (o *Options) transport() *http.Transport {
	var t *http.Transport
	if d, ok := http.DefaultTransport.(*http.Transport); ok {
		t = d.Clone()
	} else { // some tracing libraries replace http.DefaultTransport
		t = &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second}
	}
	http2 := t.Protocols != nil && t.Protocols.UnencryptedHTTP2() && !t.Protocols.HTTP1() // as in net/http
	dialer := &net.Dialer{Timeout: o.DialTimeout, KeepAlive: 30 * time.Second}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		nc := &conn{Conn: c, http2: http2, stall: o.StallTimeout}
		if o.DialTimeout > 0 && t.TLSHandshakeTimeout > 0 {
			nc.limitSetup(o.DialTimeout + t.TLSHandshakeTimeout)
		}
		return nc, nil
	}
	t.Proxy = proxy(t.Proxy)
	t.ResponseHeaderTimeout = o.HeaderTimeout
	t.MaxIdleConnsPerHost = o.IdleConnsPerHost
	t.MaxIdleConns = 0 // no limit; MaxIdleConnsPerHost applies
	t.IdleConnTimeout = o.IdleTimeout
	// Detect broken HTTP/2 connections. Otherwise all requests would use such a
	// connection until the operating system closes it.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}
	t.ForceAttemptHTTP2 = true // net/http disables HTTP/2 if TLSClientConfig is set
	if t.TLSClientConfig = o.TLS.Clone(); t.TLSClientConfig == nil {
		t.TLSClientConfig = new(tls.Config)
	}
	if t.TLSClientConfig.ClientSessionCache == nil {
		t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(256)
	}
	return t
}
