package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"net"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// A handover passes connections on to net/http for good. It has an
// [http.Server] with the fields of the user's own.
//
// It isn't the user's server itself, because that would call BaseContext,
// ConnContext and ConnState a second time for the same connection.
type handover struct {
	engine *Server
	srv    *http.Server
	once   sync.Once
	failed error // why srv can't serve
	http2  bool  // srv serves HTTP/2
}

// start prepares net/http's server, the first time that it is called. If
// config isn't nil, net/http prepares for the protocols that it offers.
func (o *handover) start(config *tls.Config) error {
	o.once.Do(func() {
		copyFields(o.srv, o.engine.srv)
		if marksHTTP2(o.srv.TLSNextProto) {
			// HTTP/2 is on, but what serves it is in unexported fields.
			o.srv.TLSNextProto = maps.Clone(o.srv.TLSNextProto)
			delete(o.srv.TLSNextProto, "h2")
			if len(o.srv.TLSNextProto) == 0 {
				o.srv.TLSNextProto = nil
			}
		}
		if config != nil {
			o.srv.TLSConfig = config.Clone()
		}
		offered := o.srv.TLSConfig
		o.http2 = offered == nil || slices.Contains(offered.NextProtos, "h2")
		o.srv.BaseContext = baseContext
		o.srv.ConnContext = connContext
		o.srv.ConnState = o.connState
		if err := o.srv.Serve(&handoverListener{}); err != errHandedOver {
			o.failed = err
		}
		if srv := o.engine.srv; srv.TLSNextProto == nil && !marksHTTP2(o.srv.TLSNextProto) {
			srv.TLSNextProto = maps.Clone(o.srv.TLSNextProto) // tells that HTTP/2 is on
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

// marksHTTP2 reports whether the function for HTTP/2 is one that net/http has
// put there only to say that it serves HTTP/2, as it does from Go 1.27. Such a
// function closes the connection.
func marksHTTP2(protos map[string]func(*http.Server, *tls.Conn, http.Handler)) bool {
	f := protos["h2"]
	if f == nil {
		return false
	}
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.HasPrefix(name, "net/http.(*Server).configureHTTP2")
}

// give passes a connection on, with the context that it had here. It reports
// false if net/http's server doesn't take it because it is closed.
func (o *handover) give(nc net.Conn, ctx context.Context) bool {
	l := &handoverListener{nc: nc, ctx: ctx}
	o.srv.Serve(l)
	return l.nc == nil
}

// A handoverListener gives one connection to net/http's server.
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

func connContext(ctx context.Context, _ net.Conn) context.Context {
	return ctx.Value(handoverKey{}).(context.Context)
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

// handOver passes the connection on, with the input that wasn't used.
func (c *conn) handOver(why reason) {
	by := c.deadlines.read.Load()
	if c.work != nil && !c.work.res.flushPending() {
		return
	}
	if c.enter(phaseGone, 0, 0) || c.server.inShutdown.Load() {
		return
	}
	c.gone = true
	c.server.stat.handed[why].Add(1)
	c.server.untrackConn(c)
	c.deadlines.end(c)
	nc := c.nc
	if c.w > c.r {
		pre := &prefix{b: append([]byte(nil), c.in.b[c.r:c.w]...)}
		if by > 0 {
			// net/http starts its clock anew; hold it to ours.
			pre.deadline = c.server.timeouts.base.Add(time.Duration(by))
		}
		nc = withPrefix(nc, pre)
	}
	if !c.server.over.give(nc, c.ctx) {
		c.gone = false
	}
}
