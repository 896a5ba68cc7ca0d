package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// A Server serves one handler on one listener. Create one with New, which sets
// the defaults documented below. Set fields before calling Run or Serve, not
// after.
type Server struct {
	// HTTP is the underlying server, for everything that this package leaves
	// to net/http. New sets its ReadHeaderTimeout (5 s), IdleTimeout (120 s,
	// longer than most clients keep idle connections, so that the client closes
	// first and no request is sent over a closing connection), MaxHeaderBytes
	// (64 KiB) and Protocols (HTTP/1 and HTTP/2; for HTTP/2 without TLS call
	// HTTP.Protocols.SetUnencryptedHTTP2(true)). Serve wraps its Handler,
	// BaseContext, ConnContext and ConnState.
	HTTP *http.Server

	// Engine serves HTTP/1.1 by package engine instead of net/http, which
	// costs less CPU per request. It hands HTTP/2 and everything unusual over
	// to net/http. All other fields mean the same, except that methods of HTTP
	// such as SetKeepAlivesEnabled have no effect. New: false.
	Engine bool

	// Recycle makes the engine use requests, their headers and
	// ResponseWriters again, which saves more CPU. Handlers must not keep any
	// of them; see engine.Server.Recycle for the exact contract. It needs
	// Engine. New: false.
	Recycle bool

	// StallTimeout bounds the time spent waiting for the peer; see the package
	// comment. New: 30 s. Zero: only the timeouts of HTTP apply.
	StallTimeout time.Duration

	// MaxConns limits the number of open connections. Further ones wait in the
	// listener's queue. While any do, answers ask their connections to close,
	// and the connection that has been waiting for its peer for longest, and
	// for at least 1 s, is closed to make room: an idle one if there is one,
	// else one that has stalled in the middle of a request. A connection whose
	// handler is at work is never closed. New: three quarters of the limit on
	// open files, at most 10,000. Zero: no limit.
	MaxConns int

	// MaxConnsPerIP limits the number of open connections from one address
	// (IPv6: one /64). Further ones are answered 429 and closed; over TLS, they
	// are closed and logged. Zero, the default, means no limit: behind a proxy,
	// all connections have the proxy's address. Connections over Unix sockets
	// don't count. The listener's connections must know their address at once:
	// while one waits for a header of the PROXY protocol, no other is accepted.
	MaxConnsPerIP int

	// CertFile and KeyFile name PEM files and turn on TLS. Handshakes check
	// once a second whether the files have changed, and read them again if so.
	// While they can't be read or don't match, the last good pair stays in use.
	// A certificate in HTTP.TLSConfig turns on TLS, too.
	CertFile, KeyFile string

	// ReusePort sets SO_REUSEPORT, so that a new process can listen on the port
	// before the old one stops. A few connections may be reset then; see
	// Activated for a way to restart without losing any.
	ReusePort bool

	// SocketName chooses among several sockets passed by systemd, by their
	// FileDescriptorName=. It is not needed if there is only one.
	SocketName string

	// LivePath and ReadyPath, if set, are paths that the server answers itself
	// instead of calling the handler: LivePath with 200 while the process runs,
	// ReadyPath with 200, and with 503 while the server drains or Ready returns
	// an error. Common names are /livez and /readyz. New: none.
	LivePath, ReadyPath string

	// Ready, if set, is called for each request for ReadyPath. Its error is
	// logged, not sent.
	Ready func(context.Context) error

	// DrainDelay is how long connections are still accepted after ReadyPath has
	// turned to 503: the time that a load balancer takes to notice. An
	// interrupt, which comes from a keyboard, skips it. New: 0.
	DrainDelay time.Duration

	// DrainTimeout is how long running requests may take to finish after that.
	// Connections that are still open then are closed. New: 20 s, which is less
	// than the 30 s that Kubernetes grants. Zero: they are closed at once.
	DrainTimeout time.Duration

	// ErrorHandler, if set, writes the error answers of the router, of
	// handlers that return errors, of the middleware and of this package, such
	// as problem.JSON; see package problem. Nil: plain text.
	ErrorHandler problem.Handler

	// Log receives what happens outside of requests. Nil: slog.Default().
	Log *slog.Logger

	draining atomic.Bool
	ln       atomic.Pointer[listener]
	backend  backend // what serves, set by Serve
}

// A backend is HTTP, or an engine for it.
type backend interface {
	Serve(net.Listener) error
	ServeTLS(ln net.Listener, certFile, keyFile string) error
	Shutdown(context.Context) error
	Close() error
}

// New returns a Server for h on addr ("host:port", as for net.Listen) with the
// defaults documented at the fields of Server.
func New(addr string, h http.Handler) *Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &Server{
		HTTP: &http.Server{
			Addr:              addr,
			Handler:           h,
			ReadHeaderTimeout: 5 * time.Second,
			IdleTimeout:       120 * time.Second,
			MaxHeaderBytes:    64 << 10,
			Protocols:         protocols,
		},
		StallTimeout: 30 * time.Second,
		MaxConns:     defaultMaxConns(),
		DrainTimeout: 20 * time.Second,
	}
}

// Run calls New(addr, h).Run(context.Background()). After a signal it returns
// nil, not http.ErrServerClosed, unless requests had to be cut off.
func Run(addr string, h http.Handler) error { return New(addr, h).Run(context.Background()) }

// Run listens and serves until ctx ends or the process receives SIGTERM or an
// interrupt, then drains as Serve does. A second signal ends the process at
// once. Run returns nil after a stop in which no request was cut off, so a
// program that is stopped by a signal can exit with status 0:
//
//	if err := server.Run(":8080", handler); err != nil {
//		log.Fatal(err)
//	}
func (s *Server) Run(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	ctx, stop := NotifyContext(ctx)
	defer stop()
	ln, err := s.Listen(ctx)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Serve serves on ln until ctx ends, and then drains: ReadyPath turns to 503,
// and each answer asks its connection to close. After DrainDelay no more
// connections are accepted, and the channels of Draining are closed. Requests
// that are still running after DrainTimeout are cut off.
//
// Serve returns nil if no connection had to be cut off, and otherwise an error
// with their number. It closes ln. A Server serves only once. ln must not do
// TLS itself, as that of tls.NewListener does: set CertFile and KeyFile, or a
// certificate in HTTP.TLSConfig.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	l, err := s.prepare(ln)
	if err != nil {
		ln.Close()
		return err
	}
	served := make(chan error, 1)
	go func() {
		if l.tls {
			served <- s.backend.ServeTLS(l, "", "")
		} else {
			served <- s.backend.Serve(l)
		}
	}()
	s.logger().Info("serving", "addr", ln.Addr().String(), "tls", l.tls)
	select {
	case err := <-served:
		s.backend.Close()
		return fmt.Errorf("server: stopped accepting connections on %v: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.logger().Info("draining", "connections", l.open())
	if context.Cause(ctx) != errInterrupt {
		time.Sleep(s.DrainDelay)
	}
	l.stop()
	<-served
	return s.drain(l)
}

// settleTime is how long a connection must have been idle before draining
// closes it: a client that is about to send its next request should get an
// answer that asks it to close, instead of a closed connection.
const settleTime = time.Second

func (s *Server) drain(l *listener) error {
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), s.DrainTimeout)
	defer cancel()

	// Shutdown drops requests that it has read but not started, so call it
	// only after the connections that are in use have closed.
	for ctx.Err() == nil && time.Since(start) < settleTime && l.unsettled(settleTime) {
		l.awaitClose(10 * time.Millisecond)
	}
	// Shutdown would wait 5 s for connections that never sent anything.
	l.closeConns(func(c *conn) bool { return !c.activity.wasUsed() })
	s.backend.Shutdown(ctx)
	// Shutdown forgets hijacked connections; the listener does not.
	for ctx.Err() == nil && l.open() > 0 {
		l.awaitClose(10 * time.Millisecond)
	}
	open := l.open()
	if open == 0 {
		s.logger().Info("drained", "took", time.Since(start))
		return nil
	}
	s.backend.Close()
	l.closeConns(func(*conn) bool { return true })
	return fmt.Errorf("server: connections that were still open after DrainTimeout (%v) and were closed: %d; raise it, or return from long requests when server.Draining says so", s.DrainTimeout, open)
}

// check reports everything that is wrong with s, not only the first fault.
func (s *Server) check() error {
	var faults []error
	if s.HTTP == nil {
		return errors.New("server: HTTP is nil; make the Server with New")
	}
	if s.HTTP.Handler == nil {
		faults = append(faults, errors.New("server: HTTP.Handler is nil; pass a handler to New, or http.DefaultServeMux if that is meant"))
	}
	if s.Recycle && !s.Engine {
		faults = append(faults, errors.New("server: Recycle needs Engine; set both, or neither"))
	}
	if (s.CertFile == "") != (s.KeyFile == "") {
		faults = append(faults, errors.New("server: CertFile and KeyFile go together; set both or neither"))
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"StallTimeout", s.StallTimeout}, {"DrainDelay", s.DrainDelay}, {"DrainTimeout", s.DrainTimeout}} {
		if d.value < 0 {
			faults = append(faults, fmt.Errorf("server: %s is %v; it can't be negative (zero turns it off)", d.name, d.value))
		}
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"MaxConns", s.MaxConns}, {"MaxConnsPerIP", s.MaxConnsPerIP}} {
		if n.value < 0 {
			faults = append(faults, fmt.Errorf("server: %s is %d; it can't be negative (zero turns it off)", n.name, n.value))
		}
	}
	if s.CertFile != "" && s.KeyFile != "" {
		if _, err := loadPair(s.CertFile, s.KeyFile); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// prepare sets the hooks of s.HTTP and chooses the backend.
func (s *Server) prepare(ln net.Listener) (*listener, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	l := newListener(ln, s)
	if !s.ln.CompareAndSwap(nil, l) {
		return nil, errors.New("server: a Server serves once; make a second one for a second listener")
	}
	if s.CertFile != "" {
		cert, err := newCertificate(s.CertFile, s.KeyFile, s.logger())
		if err != nil {
			return nil, err
		}
		config := s.HTTP.TLSConfig.Clone()
		if config == nil {
			config = new(tls.Config)
		}
		config.GetCertificate = cert.get
		s.HTTP.TLSConfig = config
	}
	l.tls = s.tls()
	if s.HTTP.ErrorLog == nil {
		s.HTTP.ErrorLog = slog.NewLogLogger(s.logger().Handler(), slog.LevelWarn)
	}
	s.HTTP.Handler = &front{s, l, s.HTTP.Handler}
	state := s.HTTP.ConnState
	s.HTTP.ConnState = func(nc net.Conn, cs http.ConnState) {
		if c := unwrap(nc); c != nil {
			c.setState(cs)
		}
		if state != nil {
			state(nc, cs)
		}
	}
	if h, base := s.ErrorHandler, s.HTTP.BaseContext; h != nil {
		s.HTTP.BaseContext = func(ln net.Listener) context.Context {
			ctx := context.Background()
			if base != nil {
				ctx = base(ln)
			}
			return problem.NewContext(ctx, h)
		}
	}
	connContext := s.HTTP.ConnContext
	s.HTTP.ConnContext = func(ctx context.Context, nc net.Conn) context.Context {
		if connContext != nil {
			ctx = connContext(ctx, nc)
		}
		return context.WithValue(ctx, connKey{}, unwrap(nc))
	}
	s.backend = s.HTTP
	if s.Engine {
		e := engine.New(s.HTTP)
		e.Recycle = s.Recycle
		s.backend = e
	}
	return l, nil
}

func (s *Server) tls() bool {
	if s.CertFile != "" {
		return true
	}
	c := s.HTTP.TLSConfig
	return c != nil && (len(c.Certificates) > 0 || c.GetCertificate != nil || c.GetConfigForClient != nil)
}

func (s *Server) logger() *slog.Logger {
	if s.Log != nil {
		return s.Log
	}
	return slog.Default()
}

// Stats counts what the limits have done so far.
type Stats struct {
	Open    int   // connections open now, hijacked ones included
	Evicted int64 // connections closed to make room under MaxConns
	Refused int64 // connections refused by MaxConnsPerIP
}

// Stats may be called at any time, by any goroutine.
func (s *Server) Stats() Stats {
	l := s.ln.Load()
	if l == nil {
		return Stats{}
	}
	return Stats{l.open(), l.evicted.Load(), l.refused.Load()}
}
