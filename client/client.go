package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options configure a client. The zero value has the defaults named here.
type Options struct {
	// Attempts is how often a request is sent at most, the first time
	// included. Default 3; 1 turns retries off. Each redirect is another
	// request.
	//
	// A request is sent again if its body can be (there is none, or GetBody is
	// set, as http.NewRequest does for bodies in memory) and
	//   - the connection could not be made; or
	//   - the request is idempotent and got no answer, or 408, 429, 502, 503 or
	//     504. GET, HEAD, OPTIONS, TRACE, QUERY, PUT and DELETE are idempotent
	//     (RFC 9110 section 9.2.2), and so is a request with an Idempotency-Key
	//     header.
	// The wait before that doubles from about 100 ms, with jitter. A
	// Retry-After is obeyed. If it asks for more than MaxWait, or for more than
	// the request's context has left, the answer is returned instead.
	//
	// What net/http sends again by itself, over pooled connections that turn
	// out to be dead, counts too, unless nothing was written to them. In HTTP/2
	// net/http repeats what the server says that it did not process
	// (REFUSED_STREAM, GOAWAY); that does not count, and neither does what a
	// Transport repeats that is set below.
	Attempts int

	// MaxWait bounds one wait between two attempts. Default 10 s.
	MaxWait time.Duration

	// DialTimeout bounds making a connection. Default 10 s; negative: none.
	DialTimeout time.Duration

	// HeaderTimeout bounds waiting for the header of an answer, after the
	// request was sent. Default 30 s; negative: none.
	HeaderTimeout time.Duration

	// StallTimeout bounds waiting for the server while the request is sent and
	// while the answer's body is read. At least 4 KiB must move in each
	// StallTimeout of waiting, or else the request ends with a *StalledError.
	// Of an event stream (Content-Type: text/event-stream) each single wait is
	// bounded, whatever comes with it. The connection that a 101 answer hands
	// over is not bounded. Default 30 s; negative: none.
	StallTimeout time.Duration

	// IdleConnsPerHost and IdleTimeout say how many unused connections are
	// kept, and for how long. Defaults 100, 30 s.
	IdleConnsPerHost int
	IdleTimeout      time.Duration

	// TLS is the TLS configuration; New makes a copy. Each client has a session
	// cache of its own, since clients may differ in their certificates.
	TLS *tls.Config

	// Transport, if set, replaces the transport that New makes, for instance to
	// put tracing in between. Of the fields above, Attempts, MaxWait and
	// StallTimeout still apply.
	Transport http.RoundTripper
}

// Shared returns a client with default options that the whole program can
// share: connections can be reused only within one client.
var Shared = sync.OnceValue(func() *http.Client { return New(Options{}) })

// New returns a client with connections and TLS sessions of its own. Make one
// for each kind of server that needs other options, not one for each request:
// the connections of a client, and their goroutines, stay for IdleTimeout.
// CloseIdleConnections closes them earlier.
func New(o Options) *http.Client {
	o.setDefaults()
	if o.Transport != nil {
		return &http.Client{Transport: &roundTripper{next: o.Transport, o: o}}
	}
	return &http.Client{Transport: &roundTripper{next: o.transport(), own: true, o: o}}
}

func (o *Options) setDefaults() {
	for _, d := range []struct {
		value *time.Duration
		unset time.Duration
	}{
		{&o.MaxWait, 10 * time.Second},
		{&o.DialTimeout, 10 * time.Second},
		{&o.HeaderTimeout, 30 * time.Second},
		{&o.StallTimeout, 30 * time.Second},
		{&o.IdleTimeout, 30 * time.Second},
	} {
		if *d.value == 0 {
			*d.value = d.unset
		}
		*d.value = max(*d.value, 0) // net/http's way to say none
	}
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	if o.IdleConnsPerHost == 0 {
		o.IdleConnsPerHost = 100
	}
}

// transport starts from net/http's defaults: a bare http.Transport has no
// proxy, no timeouts and no HTTP/2.
func (o *Options) transport() *http.Transport {
	var t *http.Transport
	if d, ok := http.DefaultTransport.(*http.Transport); ok {
		t = d.Clone()
	} else { // replaced, as some tracing libraries do
		t = &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second}
	}
	dialer := &net.Dialer{Timeout: o.DialTimeout, KeepAlive: 30 * time.Second}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &conn{Conn: c, stall: o.StallTimeout}, nil
	}
	t.Proxy = proxy(t.Proxy)
	t.ResponseHeaderTimeout = o.HeaderTimeout
	t.MaxIdleConnsPerHost = o.IdleConnsPerHost
	t.MaxIdleConns = 0 // each host has its limit, and IdleTimeout ends the rest
	t.IdleConnTimeout = o.IdleTimeout
	// An HTTP/2 connection that is dead without having been closed would else
	// take every request until the system gives it up.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}
	t.ForceAttemptHTTP2 = true // with a TLS config of one's own, off by default
	if t.TLSClientConfig = o.TLS.Clone(); t.TLSClientConfig == nil {
		t.TLSClientConfig = new(tls.Config)
	}
	if t.TLSClientConfig.ClientSessionCache == nil {
		t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(256)
	}
	return t
}
