package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options are what can be chosen about a client. The zero value has the
// defaults named here.
type Options struct {
	// Attempts is how often a request is sent at most, the first time
	// included. Default 3; 1 turns retries off.
	//
	// A request is sent again if its body can be (none, or GetBody is set, as
	// http.NewRequest does for in-memory bodies) and
	//   - the connection could not even be made; or
	//   - it is idempotent (GET, HEAD, OPTIONS, TRACE, QUERY, PUT, DELETE: RFC
	//     9110 section 9.2.2; or it has an Idempotency-Key header), and it got
	//     no answer, or 408, 429, 502, 503 or 504.
	// The wait before it doubles from about 100 ms, with jitter. A Retry-After
	// is obeyed; where it asks for more than MaxWait, or for more than the
	// request's context has left, the answer is returned instead.
	Attempts int

	// MaxWait bounds one wait between two attempts. Default 10 s.
	MaxWait time.Duration

	// DialTimeout, HeaderTimeout and StallTimeout bound making a connection,
	// waiting for the header of an answer, and each wait for more of its body.
	// Defaults 10 s, 30 s, 30 s; negative: none.
	DialTimeout, HeaderTimeout, StallTimeout time.Duration

	// IdleConnsPerHost and IdleTimeout say how many unused connections are
	// kept, and for how long. Defaults 100, 30 s.
	IdleConnsPerHost int
	IdleTimeout      time.Duration

	// TLS, if set, is used in a copy. Sessions are cached per client, never
	// between clients, which may differ in their certificates.
	TLS *tls.Config

	// Transport, if set, is sent through instead of one made from the fields
	// above from DialTimeout on, except StallTimeout: to put tracing in
	// between, for instance.
	Transport http.RoundTripper
}

// Shared returns the client that all of a program shares unless it has a
// reason not to: connections can be reused only within one.
var Shared = sync.OnceValue(func() *http.Client { return New(Options{}) })

// New returns a client with connections and sessions of its own. Make one for
// each kind of server that needs other options, not one for each request: a
// client that is forgotten leaves its connections and goroutines behind for
// IdleTimeout. Its CloseIdleConnections works.
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
