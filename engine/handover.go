package engine

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"
)

// A handover passes connections on to net/http for good. Behind it is an
// [http.Server] with the fields of the user's own, which gets the connections
// through a listener and sees the bytes that were already read first.
//
// It isn't the user's server itself, because that would call ConnContext and
// ConnState a second time for the same connection.
type handover struct {
	engine *Server
	srv    *http.Server
	once   sync.Once

	conns  chan handed
	closed chan struct{}
	stop   sync.Once
	ready  chan struct{} // closed when srv accepts
	failed error         // why srv doesn't
	last   context.Context
	http2  bool // srv serves HTTP/2 connections; set by start
}

// A handed is a connection on its way to net/http.
type handed struct {
	nc  net.Conn
	ctx context.Context
}

func (o *handover) init(s *Server) {
	o.engine = s
	o.srv = new(http.Server)
	o.conns = make(chan handed)
	o.closed = make(chan struct{})
	o.ready = make(chan struct{})
}

// start starts net/http's server, the first time that it is called. If config
// isn't nil, net/http prepares for the protocols that it offers.
func (o *handover) start(config *tls.Config) error {
	o.once.Do(func() {
		copyFields(o.srv, o.engine.srv)
		if config != nil {
			o.srv.TLSConfig = config.Clone()
		}
		offered := o.srv.TLSConfig
		o.http2 = offered == nil || slices.Contains(offered.NextProtos, "h2")
		o.srv.BaseContext = nil
		o.srv.ConnContext = o.connContext
		o.srv.ConnState = o.connState
		failed := make(chan error, 1)
		go func() { failed <- o.srv.Serve((*handoverListener)(o)) }()
		select {
		case <-o.ready:
		case o.failed = <-failed:
			o.close()
		}
	})
	return o.failed
}

// copyFields copies all exported fields, also those of later Go releases.
func copyFields(dst, src *http.Server) {
	d, s := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()
	for i := range d.NumField() {
		if d.Type().Field(i).IsExported() {
			d.Field(i).Set(s.Field(i))
		}
	}
}

// give passes a connection on. If net/http's server is closed, so is nc.
func (o *handover) give(nc net.Conn, ctx context.Context) {
	select {
	case o.conns <- handed{nc, ctx}:
	case <-o.closed:
		nc.Close()
	}
}

// connContext returns the context that the connection had here. It is called
// right after Accept, by the goroutine that called Accept.
func (o *handover) connContext(context.Context, net.Conn) context.Context {
	ctx := o.last
	o.last = nil
	return ctx
}

// connState calls the user's hook with the connection that it knows. The
// connection isn't new any more.
func (o *handover) connState(nc net.Conn, state http.ConnState) {
	if state == http.StateNew {
		return
	}
	if hook := o.engine.srv.ConnState; hook != nil {
		if h, ok := nc.(interface{ NetConn() net.Conn }); ok && isHanded(nc) {
			nc = h.NetConn()
		}
		hook(nc, state)
	}
}

func (o *handover) shutdown(ctx context.Context) error {
	o.stopAccepting()
	return o.srv.Shutdown(ctx)
}

func (o *handover) close() error {
	o.stopAccepting()
	return o.srv.Close()
}

func (o *handover) stopAccepting() { o.stop.Do(func() { close(o.closed) }) }

func (o *handover) setKeepAlives(v bool) { o.srv.SetKeepAlivesEnabled(v) }

// A handoverListener is the listener that net/http's server accepts from.
type handoverListener handover

func (l *handoverListener) Accept() (net.Conn, error) {
	o := (*handover)(l)
	select {
	case <-o.ready:
	default:
		close(o.ready)
	}
	select {
	case h := <-o.conns:
		o.last = h.ctx
		return h.nc, nil
	case <-o.closed:
		return nil, net.ErrClosed
	}
}

func (l *handoverListener) Close() error {
	(*handover)(l).stopAccepting()
	return nil
}

func (l *handoverListener) Addr() net.Addr { return handoverAddr{} }

type handoverAddr struct{}

func (handoverAddr) Network() string { return "engine" }
func (handoverAddr) String() string  { return "engine" }

// handOver passes the connection on, with the input that wasn't used.
func (c *conn) handOver(why reason) {
	if c.enter(phaseGone) || c.server.inShutdown.Load() {
		return
	}
	c.gone = true
	c.server.stat.handed[why].Add(1)
	c.server.untrackConn(c)
	nc := c.nc
	if c.w > c.r {
		pre := &prefix{b: append([]byte(nil), c.in.b[c.r:c.w]...)}
		if d := c.server.sweeper.head; d > 0 && c.requests.Load() == 0 {
			// net/http starts its clock anew; hold it to ours.
			pre.deadline = c.accepted.Add(time.Duration(d) * time.Millisecond)
		}
		nc = withPrefix(nc, pre)
	}
	c.server.over.give(nc, c.ctx)
}
