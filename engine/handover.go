package engine

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// A handover passes connections to net/http. It uses a copy of the user's
// [http.Server], because the original would call BaseContext, ConnContext and
// ConnState a second time for the same connection.
type handover struct {
	engine *Server
	srv    *http.Server
	mu     sync.Mutex // protects the user's server, which start changes as net/http does
	once   sync.Once
	failed error // error of starting srv
	http2  bool  // srv serves HTTP/2
}

// start starts net/http's server at the first call. config is the TLS
// configuration, or nil. The caller holds o.mu.
func (o *handover) start(config *tls.Config) error {
	o.once.Do(func() {
		copyFields(o.srv, o.engine.srv)
		if marksHTTP2(o.srv.TLSNextProto) {
			// net/http has configured HTTP/2 for the original server, in
			// unexported fields. Configure it again for the copy.
			o.srv.TLSNextProto = maps.Clone(o.srv.TLSNextProto)
			delete(o.srv.TLSNextProto, "h2")
			if len(o.srv.TLSNextProto) == 0 {
				o.srv.TLSNextProto = nil
			}
		}
		if config != nil {
			o.srv.TLSConfig = config.Clone()
		}
		if o.engine.http2 != nil && o.srv.Protocols != nil {
			// The engine has looked for the preface. net/http would wait for the
			// rest of what may be one.
			p := *o.srv.Protocols
			p.SetUnencryptedHTTP2(false)
			o.srv.Protocols = &p
		}
		o.srv.Handler, o.srv.DisableGeneralOptionsHandler = http.HandlerFunc(o.serveHTTP), true
		offered := o.srv.TLSConfig
		o.http2 = offered == nil || slices.Contains(offered.NextProtos, "h2")
		if hook := o.engine.srv.ConnState; hook != nil {
			o.engine.srv.ConnState = func(nc net.Conn, state http.ConnState) { hook(withoutPrefix(nc), state) }
		}
		o.srv.BaseContext = baseContext
		o.srv.ConnContext = connContext
		o.srv.ConnState = o.connState
		if err := o.srv.Serve(&handoverListener{}); err != errHandedOver {
			o.failed = err
		}
		if !marksHTTP2(o.srv.TLSNextProto) {
			if srv := o.engine.srv; srv.TLSNextProto == nil {
				srv.TLSNextProto = maps.Clone(o.srv.TLSNextProto) // programs check it for HTTP/2
			}
			o.passOriginal()
		}
	})
	return o.failed
}

// passOriginal makes the functions for other protocols get the original server.
// HTTP/2 of Go 1.26 makes that argument the value of http.ServerContextKey.
func (o *handover) passOriginal() {
	o.srv.TLSNextProto = maps.Clone(o.srv.TLSNextProto)
	for proto, f := range o.srv.TLSNextProto {
		o.srv.TLSNextProto[proto] = func(_ *http.Server, c *tls.Conn, h http.Handler) { f(o.engine.srv, c, h) }
	}
}

// serveHTTP serves a request of net/http's server. Where net/http violates a
// requirement, it corrects the response.
func (o *handover) serveHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	switch {
	case r.ProtoMajor != 1:
	case refuseHost(w, r):
		return
	case r.Method == http.MethodConnect:
		withoutFraming(h)
		endAfter(w, r)
	case r.ProtoMinor == 0 && r.Header["Connection"] != nil, len(r.TransferEncoding) > 0:
		// The request may have both a Content-Length and a Transfer-Encoding, or a
		// Transfer-Encoding although it is HTTP/1.0, which net/http removes. The
		// connection must end (RFC 9112 section 6.1).
		endAfter(w, r)
	}
	if r.Method == http.MethodOptions && r.RequestURI == "*" && !o.engine.srv.DisableGeneralOptionsHandler {
		h.Set("Content-Length", "0") // as net/http does
		io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 4<<10))
		return
	}
	body := r.Body
	o.engine.handler().ServeHTTP(w, r)
	if r.Body != body {
		r.Body = body // before Go 1.26.11, net/http looks here for a body that was closed unread
	}
}

// refuseHost responds if the host of r is malformed (RFC 9112 section 3.2).
func refuseHost(w http.ResponseWriter, r *http.Request) bool {
	if syntax.ValidHost(r.Host) {
		return false
	}
	w.Header().Set("Connection", "close")
	http.Error(w, "400 Bad Request: malformed Host header", http.StatusBadRequest)
	return true
}

// withoutFraming makes net/http send neither Content-Length, unless the handler
// sets it, nor Transfer-Encoding: what follows the head of a successful response
// to CONNECT belongs to the tunnel (RFC 9110 section 9.3.6). Other responses end
// with the connection.
func withoutFraming(h http.Header) {
	h["Content-Length"], h["Transfer-Encoding"] = nil, []string{"identity"}
	h.Set("Connection", "close")
}

// copyFields copies all exported fields, including those of later Go releases.
func copyFields(dst, src *http.Server) {
	d, s := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()
	for i := range d.NumField() {
		if d.Type().Field(i).IsExported() {
			d.Field(i).Set(s.Field(i))
		}
	}
}

// marksHTTP2 reports whether the function for HTTP/2 is only a marker of
// net/http, which since Go 1.27 doesn't use it to serve HTTP/2. Such a function
// closes the connection.
func marksHTTP2(protos map[string]func(*http.Server, *tls.Conn, http.Handler)) bool {
	f := protos["h2"]
	if f == nil {
		return false
	}
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.HasPrefix(name, "net/http.(*Server).configureHTTP2")
}

// give passes a connection to net/http, with its context. It reports false if
// net/http's server is closed.
func (o *handover) give(nc net.Conn, ctx context.Context) bool {
	l := &handoverListener{nc: nc, ctx: ctx}
	o.srv.Serve(l)
	return l.nc == nil
}

// A handoverListener is a listener with a single connection.
type handoverListener struct {
	nc  net.Conn
	ctx context.Context
}

var errHandedOver = errors.New("engine: handed over")

func (l *handoverListener) Accept() (nc net.Conn, err error) {
	if nc, l.nc = l.nc, nil; nc == nil {
		return nil, errHandedOver
	}
	return nc, nil
}

func (l *handoverListener) Close() error   { return nil }
func (l *handoverListener) Addr() net.Addr { return handoverAddr{} }

type handoverAddr struct{}

func (handoverAddr) Network() string { return "engine" }
func (handoverAddr) String() string  { return "engine" }

// handoverKey is the key of the connection's own context.
type handoverKey struct{}

func baseContext(l net.Listener) context.Context {
	return context.WithValue(context.Background(), handoverKey{}, l.(*handoverListener).ctx)
}

func connContext(ctx context.Context, nc net.Conn) context.Context {
	ctx = ctx.Value(handoverKey{}).(context.Context)
	if c, ok := nc.(prefixed); ok {
		ctx = context.WithValue(ctx, prefixKey{}, c.prefix())
	}
	return ctx
}

// prefixKey is the key of the connection's prefix.
type prefixKey struct{}

// endAfter makes the connection end after the response to r.
func endAfter(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if pre, ok := r.Context().Value(prefixKey{}).(*prefix); ok {
		pre.ends = true
	}
}

// connState calls the user's ConnState hook. It skips StateNew, because the hook
// was already called with it.
func (o *handover) connState(nc net.Conn, state http.ConnState) {
	switch c, _ := nc.(prefixed); {
	case state == http.StateNew:
		return
	case state == http.StateHijacked && c != nil:
		c.prefix().hijacked = true
	case state == http.StateIdle && c != nil && c.prefix().ends:
		// The handler has removed the header, as httputil.ReverseProxy does after a
		// response with status 103.
		panic(http.ErrAbortHandler)
	}
	if hook := o.engine.srv.ConnState; hook != nil {
		hook(nc, state)
	}
}

// handOver passes the connection to net/http, with the unused input.
func (c *conn) handOver(why reason) {
	if c.work != nil && !c.work.res.flushPending() {
		return
	}
	if c.state.enter(phaseGone)&flagClosing != 0 || c.server.inShutdown.Load() {
		return
	}
	c.gone = true
	c.server.stat.handed[why].Add(1)
	c.server.untrackConn(c)
	c.deadlines.stop(c)
	nc := c.nc
	if c.w > c.r {
		pre := &prefix{b: append([]byte(nil), c.in.b[c.r:c.w]...)}
		if t := &c.server.timeouts; t.Head > 0 {
			// net/http restarts the timeout; keep the original deadline, which
			// may have passed.
			pre.deadline = t.clock.Time(c.headBegan + t.Head)
		}
		nc = withPrefix(nc, pre)
	}
	if !c.server.over.give(nc, c.ctx) {
		c.gone = false
	}
}

// hijack returns the connection for the handler, and a reader and writer that
// include the unread input.
func (c *conn) hijack(x *requestContext) (net.Conn, *bufio.ReadWriter) {
	c.unread(x.stopWatch())
	if x.body != nil {
		c.abortBodyRead(x.body)
		x.body.detach()
	}
	var rest []byte
	if c.w > c.r {
		rest = append(rest, c.in.b[c.r:c.w]...)
		c.r, c.w = 0, 0
	}
	c.gone = true
	c.state.enter(phaseGone)
	c.deadlines.stop(c)
	c.server.untrackConn(c)

	br := bufio.NewReaderSize(&restReader{rest, c.nc}, max(firstBuffer, len(rest)))
	br.Peek(len(rest)) // fills the buffer, for br.Buffered
	hooked := false
	defer func() {
		if !hooked { // the hook panics, so the handler doesn't get the connection
			c.nc.Close()
		}
	}()
	c.hook(http.StateHijacked)
	hooked = true
	return c.nc, bufio.NewReadWriter(br, bufio.NewWriterSize(c.nc, outputSize))
}

// A restReader reads the rest of the buffered input, then the connection.
type restReader struct {
	rest []byte
	nc   io.Reader
}

func (r *restReader) Read(p []byte) (int, error) {
	if len(r.rest) > 0 {
		n := copy(p, r.rest)
		if r.rest = r.rest[n:]; len(r.rest) == 0 {
			r.rest = nil
		}
		return n, nil
	}
	return r.nc.Read(p)
}
