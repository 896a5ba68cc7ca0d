package engine

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/h2"
)

// A Server serves the Handler of an [http.Server]. Create one with [New].
type Server struct {
	// Recycle makes the server reuse the *http.Request, its URL, its header
	// maps and the ResponseWriter after the handler returns. Set it before the
	// first call of Serve.
	//
	// Handlers must then not retain any of these, or use them in a goroutine
	// that outlives the handler. To retain a request, use [http.Request.Clone].
	// Strings from the request, its context and its body are not reused: after
	// the handler returns, the context is canceled, and reading the body
	// returns [http.ErrBodyReadAfterClose].
	//
	// [http.TimeoutHandler] breaks this contract, wherever it stands: it returns
	// while its handler is still running with a copy of the request, which could
	// then read the URL and headers of other clients' requests. Serve returns an
	// error if it is the server's handler, but can't see it inside another handler.
	// Use middleware.Timeout instead. The same holds for anything else that returns
	// while a goroutine still uses the request.
	//
	// To find violations, build with the race detector or with the build tag
	// muxmaster_debug. Then the server overwrites these objects instead of
	// reusing them.
	Recycle bool

	// EnableConnectProtocol makes the server accept extended CONNECT requests
	// over HTTP/2 (RFC 8441), and tell clients so. Their Header[":protocol"] names
	// a protocol, such as websocket, that the request's body and the response's
	// then transport, and their URL is that of a GET. Handlers read the body
	// and write at the same time, and Flush after each write; a response with
	// status 200 accepts the protocol. GODEBUG=http2xconnect=1 has the same
	// effect, as with net/http. Set it before the first call of Serve.
	//
	// Browsers that have an HTTP/2 connection to such a server use it for all
	// WebSockets, and don't fall back to HTTP/1.1. So set this only if all
	// handlers of WebSockets support it. Default: false, as in net/http.
	EnableConnectProtocol bool

	srv  *http.Server
	over handover
	stat counters

	inShutdown   atomic.Bool
	closing      atomic.Int64 // connections over TLS that abort is closing
	noKeepAlives atomic.Bool

	mu            sync.Mutex // not held while hooks, or methods of listeners and connections, run
	closed        bool       // by Close
	listeners     map[*onceCloseListener]struct{}
	listenerGroup sync.WaitGroup
	conns         map[*conn]struct{}
	watcher       watcher

	http2       *h2.Server // nil if net/http serves HTTP/2
	http2Reason reason     // why it does

	once      sync.Once
	maxHead   int // maximum length of a head that the engine serves, in bytes
	maxFields int // maximum number of its header lines

	maxTrailers int // trailers of a request; 0 for no limit
	timeouts    timeouts
}

// New returns a server for srv.Handler. The other fields of srv have their
// usual meaning. Don't change them after calling Serve. Call Serve, Shutdown,
// Close and SetKeepAlivesEnabled on the returned Server, not on srv. Its
// Shutdown method calls the functions registered with srv.RegisterOnShutdown.
// srv.Shutdown also stops the returned Server, but doesn't wait for running
// requests.
func New(srv *http.Server) *Server {
	s := &Server{srv: srv}
	s.over.engine, s.over.srv = s, new(http.Server)
	srv.RegisterOnShutdown(s.stop)
	return s
}

// Format implements [fmt.Formatter], so that printing a Server doesn't read its
// fields while they change.
func (s *Server) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "engine.Server(%s)", s.srv.Addr) }

// ListenAndServe listens on the TCP address srv.Addr (":http" if empty) and
// calls Serve. It always returns a non-nil error.
func (s *Server) ListenAndServe() error {
	if s.inShutdown.Load() {
		return http.ErrServerClosed
	}
	ln, err := listen(s.srv.Addr, ":http")
	if err != nil {
		return err
	}
	return s.Serve(ln)
}

func listen(addr, otherwise string) (net.Listener, error) {
	if addr == "" {
		addr = otherwise
	}
	return net.Listen("tcp", addr)
}

// Serve accepts connections on l and serves each in a new goroutine. It always
// returns a non-nil error and closes l. After Shutdown or Close, the error is
// [http.ErrServerClosed].
//
// If the connections of l are of type *tls.Conn, Serve performs the TLS
// handshake.
func (s *Server) Serve(l net.Listener) error {
	original := l
	once := &onceCloseListener{Listener: l}
	defer once.Close()

	if s.Recycle && reflect.TypeOf(s.srv.Handler) == timeoutHandler {
		return errTimeoutHandler
	}
	if !s.trackListener(once) {
		return http.ErrServerClosed
	}
	defer s.untrackListener(once)

	base := context.Background()
	if s.srv.BaseContext != nil {
		if base = s.srv.BaseContext(original); base == nil {
			panic("engine: BaseContext returned a nil context")
		}
	}
	s.configure()
	s.over.mu.Lock()
	err := s.over.start(nil)
	s.over.mu.Unlock()
	if err != nil {
		return err
	}
	return s.accept(once, context.WithValue(base, http.ServerContextKey, s.srv))
}

// errTimeoutHandler is the error of Serve for a handler that breaks the contract
// of Recycle.
var errTimeoutHandler = errors.New("engine: http.TimeoutHandler returns while its handler is still running, which may then read the requests of other clients: set Recycle to false, or use middleware.Timeout")

// timeoutHandler is the type of an http.TimeoutHandler.
var timeoutHandler = reflect.TypeOf(http.TimeoutHandler(nil, 0, ""))

// accept starts a goroutine for each connection of l.
func (s *Server) accept(l net.Listener, ctx context.Context) error {
	var delay time.Duration // to wait after a temporary failure
	for {
		nc, err := l.Accept()
		if err != nil {
			if s.inShutdown.Load() {
				return http.ErrServerClosed
			}
			if ne, ok := err.(net.Error); ok && ne.Temporary() {
				delay = min(max(2*delay, 5*time.Millisecond), time.Second)
				s.logf("http: Accept error: %v; retrying in %v", err, delay)
				time.Sleep(delay)
				continue
			}
			return err
		}
		delay = 0
		connCtx := ctx
		if s.srv.ConnContext != nil {
			if connCtx = s.srv.ConnContext(ctx, nc); connCtx == nil {
				panic("engine: ConnContext returned a nil context")
			}
		}
		c := &conn{server: s, nc: nc, ctx: connCtx, accepted: time.Now()}
		if !s.trackConn(c) {
			nc.Close()
			return http.ErrServerClosed
		}
		c.hook(http.StateNew)
		go c.serve()
	}
}

// handler returns the handler that serves requests.
func (s *Server) handler() http.Handler {
	if s.srv.Handler == nil {
		return http.DefaultServeMux
	}
	return s.srv.Handler
}

// keepAlives reports whether connections can serve more than one request.
func (s *Server) keepAlives() bool {
	return !s.noKeepAlives.Load() && !s.inShutdown.Load()
}

// since127 reports whether net/http is that of Go 1.27 or later: then
// http.Server has the field MaxHeaderValueCount.
var _, since127 = reflect.TypeFor[http.Server]().FieldByName("MaxHeaderValueCount")

// configure reads the timeouts and the limits for heads from srv. net/http
// serves requests with larger heads, and applies its own limits.
func (s *Server) configure() {
	s.timeouts.configure(s.srv)
	s.once.Do(func() {
		defer s.configureHTTP2()
		s.maxHead, s.maxFields = largestHead, maxFields
		if n := s.srv.MaxHeaderBytes; n > 0 && n < largestHead {
			s.maxHead = n
		}
		if !since127 {
			return
		}
		s.maxTrailers = 500 // http.DefaultMaxHeaderValueCount
		if n := int(reflect.ValueOf(s.srv).Elem().FieldByName("MaxHeaderValueCount").Int()); n > 0 {
			s.maxTrailers = n
			s.maxFields = min(n, maxFields)
		}
	})
}

// logf logs. It ignores a panic of the program's writer: the caller may hold a
// lock, or clean up after another panic.
func (s *Server) logf(format string, args ...any) {
	defer func() { recover() }()
	if s.srv.ErrorLog != nil {
		s.srv.ErrorLog.Printf(format, args...)
	} else {
		log.Printf(format, args...)
	}
}

// A onceCloseListener closes its listener at most once.
type onceCloseListener struct {
	net.Listener
	once sync.Once
	err  error
}

func (l *onceCloseListener) Close() error {
	l.once.Do(func() { l.err = l.Listener.Close() })
	return l.err
}
