package server

import (
	"context"
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
// the defaults documented below; others are refused, because they would have no
// limits. Don't change fields after calling Run or Serve.
type Server struct {
	// HTTP is the underlying server, for all settings that this package doesn't
	// provide. New sets its Addr, Handler, ReadHeaderTimeout (5 s), IdleTimeout
	// (120 s), MaxHeaderBytes (64 KiB) and Protocols (HTTP/1 and HTTP/2; for
	// HTTP/2 without TLS, call HTTP.Protocols.SetUnencryptedHTTP2(true)). The
	// IdleTimeout is longer than that of most clients, so that clients close
	// idle connections first and don't send requests on closing ones. Serve
	// wraps Handler, BaseContext, ConnContext and ConnState, and responds to
	// OPTIONS * as net/http does unless DisableGeneralOptionsHandler is set.
	HTTP *http.Server

	// Engine makes the server use package engine for HTTP/1.1 and HTTP/2
	// instead of net/http, which takes less CPU time per request. net/http
	// still serves unusual HTTP/1 requests. All other fields keep their
	// meaning, but methods of HTTP such as SetKeepAlivesEnabled have no effect.
	// If the environment variable MUXMASTER_ENGINE is off when the server
	// starts, net/http serves, without Recycle. Default: false.
	Engine bool

	// Recycle makes the engine reuse requests, headers and ResponseWriters,
	// which saves more CPU time. Handlers must not retain them, and must not be
	// inside an http.TimeoutHandler; see engine.Server.Recycle for the contract.
	// Recycle requires Engine. Default: false.
	Recycle bool

	// EnableConnectProtocol makes the engine accept WebSockets over HTTP/2, for
	// which all their handlers must be prepared, and set deadlines of their own;
	// see engine.Server.EnableConnectProtocol. It requires Engine. If net/http
	// serves instead, browsers use HTTP/1.1 for WebSockets. Default: false.
	EnableConnectProtocol bool

	// StallTimeout limits the time spent waiting for the client; see the
	// package comment. Zero means that only the timeouts of HTTP apply.
	// Default: 30 s.
	StallTimeout time.Duration

	// MaxConns limits the number of open connections. Further connections wait
	// in the listener's queue. While any are waiting, responses ask clients to
	// close their connection, and the server closes the connection that has
	// been waiting for its client the longest, if that is at least 1 s: first
	// idle connections, then those that stalled within a request. It never
	// closes a connection while its handler is working. Zero means no limit.
	// Default: three quarters of the limit on open files, at most 10,000.
	MaxConns int

	// MaxConnsPerIP limits the number of open connections from one address
	// (IPv6: one /64 network). Further connections get a 429 response and are
	// closed; over TLS, they are closed and logged. Zero means no limit. Don't
	// set it behind a proxy, because then all connections have the proxy's
	// address. Connections over Unix sockets don't count. RemoteAddr of the
	// listener's connections must not block: while it waits for a header of the
	// PROXY protocol, no other connection is accepted. Default: 0.
	MaxConnsPerIP int

	// CertFile and KeyFile are the names of PEM files, and enable TLS. The
	// server checks at most once a second whether the files have changed, and
	// then reloads them. If they can't be read, don't match, or aren't valid at
	// that time, it continues to use the last valid pair. A certificate in
	// HTTP.TLSConfig also enables TLS. TLS has the cipher suites and curves of
	// Mozilla's intermediate profile, unless HTTP.TLSConfig has others: those of
	// crypto/tls without CBC and P-521.
	CertFile, KeyFile string

	// ReusePort sets SO_REUSEPORT, so that a new process can listen on the port
	// before the old one stops. Some connections may be reset then; see
	// Activated for restarts that lose no connections.
	ReusePort bool

	// SocketName selects one of several sockets passed by systemd, by its
	// FileDescriptorName=. It isn't needed if there is only one. It is an error
	// if several have the name, as those of one .socket unit do. Each Server
	// needs a socket of its own, or a listener that is passed to Serve.
	SocketName string

	// LivePath and ReadyPath, if set, are paths that the server responds to
	// itself instead of calling the handler. The status of LivePath is 200. The
	// status of ReadyPath is 503 while the server is draining or Ready returns
	// an error, and otherwise 200. Common names are /livez and /readyz.
	// Default: none.
	LivePath, ReadyPath string

	// Ready, if set, is called for each request for ReadyPath. It must be safe
	// for concurrent use. Its error is logged, not sent.
	Ready func(context.Context) error

	// DrainDelay is how long the server continues to accept connections after
	// ReadyPath returns 503, so that load balancers can notice. It is skipped
	// after an interrupt, which comes from a keyboard. Default: 0.
	DrainDelay time.Duration

	// DrainTimeout is how long running requests have to finish after
	// DrainDelay. Then their connections are closed. Zero means that they are
	// closed immediately. Default: 20 s, less than the 30 s that Kubernetes
	// allows.
	DrainTimeout time.Duration

	// Shed, if set, refuses requests with 503 while more arrive than the handler
	// can serve in time. Requests for LivePath and ReadyPath are always served.
	// Default: nil.
	Shed *Shed

	// ErrorHandler, if set, writes all error responses to requests: those of
	// the router, for errors returned by handlers, of middleware and of this
	// package. For example, problem.JSON; see package problem. Nil means plain
	// text. Connections rejected because of MaxConnsPerIP, and requests that
	// net/http rejects, always get plain text.
	ErrorHandler problem.Format

	// Log receives messages about events outside of requests. Nil means
	// slog.Default().
	Log *slog.Logger

	draining atomic.Bool
	made     bool // by New
	ln       atomic.Pointer[listener]
	backend  backend // set by Serve
}

// A backend serves connections: net/http or the engine.
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
		made: true,
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
// nil, not http.ErrServerClosed, unless requests had to be aborted.
func Run(addr string, h http.Handler) error { return New(addr, h).Run(context.Background()) }

// Run listens and serves until ctx ends or the process receives SIGTERM or an
// interrupt, and then drains as Serve does. A second signal, or one after ctx
// has ended, terminates the process immediately. Run returns nil if no request
// had to be aborted, so that a program stopped by a signal exits with status 0:
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
		if errors.Is(err, ctx.Err()) { // while it looked up the name
			return nil
		}
		return err
	}
	return s.Serve(ctx, ln)
}

// Serve serves on ln until ctx ends, and then drains: ReadyPath returns 503,
// and responses ask clients to close their connection. After DrainDelay, Serve
// stops accepting connections and closes the channels of Draining. After
// DrainTimeout, it closes the connections of requests that are still running.
//
// Serve returns nil if all requests finished in time, and otherwise an error
// with the number of their connections. If ln fails, Serve waits for running
// requests too, and returns the error of ln. It closes ln. Serve can be called
// only once. Without Engine, HTTP.Shutdown and HTTP.Close also end it, and it
// waits for requests in the same way. ln must not be a TLS listener: set
// CertFile and KeyFile, or a certificate in HTTP.TLSConfig.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if ln == nil {
		return errors.New("server: the listener is nil; pass one from Listen or net.Listen")
	}
	l, err := s.prepare(ln)
	if err != nil {
		ln.Close()
		return err
	}
	done := make(chan struct{})
	defer close(done)
	go l.pulse.run(done)
	served := make(chan error, 1)
	go func() {
		var err error
		if l.tls {
			err = s.backend.ServeTLS(l, "", "")
		} else {
			err = s.backend.Serve(l)
		}
		l.shut() // ServeTLS doesn't if it rejects the configuration
		served <- err
	}()
	s.logger().Info("serving", "addr", ln.Addr().String(), "tls", l.tls, l.protocols)
	select {
	case err := <-served:
		return s.drainAfter(l, err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.logger().Info("draining", "connections", l.open())
	if context.Cause(ctx) != errInterrupt {
		select {
		case <-time.After(s.DrainDelay):
		case err := <-served:
			return s.drainAfter(l, err)
		}
	}
	l.stop()
	<-served
	return s.drain(l, s.backend.Shutdown)
}

// drainAfter drains after the backend has stopped by itself, with err.
func (s *Server) drainAfter(l *listener, err error) error {
	s.draining.Store(true)
	l.stop()
	if errors.Is(err, http.ErrServerClosed) { // by HTTP.Shutdown or HTTP.Close
		return s.drain(l, func(context.Context) error { return nil })
	}
	err = fmt.Errorf("server: stopped accepting connections on %v: %w", l.Addr(), err)
	return errors.Join(err, s.drain(l, s.backend.Shutdown))
}

// settleTime is how long a connection must have been idle before draining
// closes it. A client that is about to send a request should get a response
// with Connection: close instead of a closed connection.
const settleTime = time.Second

// drain waits until all connections have closed. It calls shutdown once no
// request is running, or settleTime has passed.
func (s *Server) drain(l *listener, shutdown func(context.Context) error) error {
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), s.DrainTimeout)
	defer cancel()

	// Shutdown drops requests that were read but not started. So first wait for
	// the connections in use to close.
	for began := l.pulse.now(); ctx.Err() == nil && l.pulse.now()-began < settleTime && l.unsettled(settleTime); {
		l.awaitClose(10 * time.Millisecond)
	}
	// Shutdown would wait 5 s for connections that never sent anything.
	l.closeConns(func(c *conn) bool { return !c.wasUsed() })
	shutdown(ctx)
	// Shutdown forgets hijacked connections; the listener does not.
	for l.prune(); ctx.Err() == nil && l.open() > 0; l.prune() {
		l.awaitClose(10 * time.Millisecond)
	}
	open := l.busy()
	s.backend.Close()
	l.closeConns(func(*conn) bool { return true })
	if open == 0 {
		s.logger().Info("drained", "took", time.Since(start))
		return nil
	}
	return fmt.Errorf("server: connections that were still open after DrainTimeout (%v) and were closed: %d; increase it, or return from long requests when the channel of server.Draining is closed", s.DrainTimeout, open)
}

var errTwice = errors.New("server: a Server can serve only once; create another one for another listener")

func (s *Server) logger() *slog.Logger {
	if s.Log != nil {
		return s.Log
	}
	return slog.Default()
}

// Stats contains statistics about connections.
type Stats struct {
	Open    int   // number of open connections, including hijacked ones
	Evicted int64 // number of connections closed because of MaxConns
	Refused int64 // number of connections rejected because of MaxConnsPerIP

	// Shed contains the statistics of Server.Shed, or is nil.
	Shed *ShedStats

	// Engine contains the statistics of the engine, such as what it passed to
	// net/http and why. It is nil if the engine doesn't serve.
	Engine *engine.Stats
}

// Stats returns the current statistics. It is safe for concurrent use.
func (s *Server) Stats() Stats {
	l := s.ln.Load()
	if l == nil {
		return Stats{}
	}
	st := Stats{Open: l.open(), Evicted: l.evicted.Load(), Refused: l.refused.Load()}
	if sh := s.Shed; sh != nil {
		of := sh.Stats()
		st.Shed = &of
	}
	if e := l.engine; e != nil {
		of := e.Stats()
		st.Engine = &of
	}
	return st
}
