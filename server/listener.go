package server

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

// A listener enforces the limits on the number of connections.
//
// It accepts one connection beyond MaxConns and holds it until there is room,
// to detect that connections are waiting. The others wait in the kernel's
// queue.
type listener struct {
	net.Listener
	shut func() error // closes it once, as net/http does
	s    *Server
	tls  bool

	engine    *engine.Server // nil without Server.Engine
	protocols slog.Attr      // which server serves which protocol
	pulse     *pulse

	mu    sync.Mutex
	conns map[*conn]struct{}
	perIP map[netip.Addr]int

	closed   chan struct{} // receives a value when a connection closes
	drained  chan struct{} // closed by stop; see Draining
	waiting  atomic.Bool   // a connection is waiting for room; responses get Connection: close
	victims  victims       // used only by Accept
	pruned   time.Time     // last call of prune; used only by Accept, and then by drain
	closing  atomic.Bool   // Close was called
	stopping atomic.Bool
	stopBy   time.Time // used only by Accept, once stopping is true
	evicted  atomic.Int64
	refused  atomic.Int64
	lingers  atomic.Int32 // number of rejected connections whose response is being sent
	warned   atomic.Int64 // time when a rejection was last logged, in Unix seconds
}

func newListener(ln net.Listener, s *Server) *listener {
	return &listener{
		Listener: ln,
		shut:     sync.OnceValue(func() error { return ln.Close() }),
		s:        s,
		pulse:    newPulse(),
		conns:    map[*conn]struct{}{},
		perIP:    map[netip.Addr]int{},
		closed:   make(chan struct{}, 1),
		drained:  make(chan struct{}),
	}
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		began, stopping := time.Now(), l.stopping.Load()
		if stopping && l.stopBy.IsZero() {
			l.stopBy = began.Add(stopTime)
		}
		if stopping && (began.After(l.stopBy) || !l.setDeadline(began.Add(queueTime))) {
			return nil, l.end()
		}
		nc, err := l.Listener.Accept()
		if err != nil {
			if ne, ok := errors.AsType[net.Error](err); !l.stopping.Load() || ok && ne.Temporary() && !ne.Timeout() {
				l.stopBy = time.Time{}
				return nil, err // the backend tries again later if it is temporary, such as EMFILE
			}
			took := time.Since(began)
			if isTimeout(err) && !(stopping && took >= queueTime && took < 2*queueTime) {
				// Woken by stop, or too late, so that Accept did not look: accept
				// what is in the queue.
				continue
			}
			return nil, l.end()
		}
		if _, ok := nc.(interface{ ConnectionState() tls.ConnectionState }); ok {
			nc.Close()
			l.shut()
			return nil, errTLSListener
		}
		c := &conn{Conn: nc, l: l, eager: l.engine != nil}
		c.direct()
		if !l.admitIP(c) && !(l.prune() && l.admitIP(c)) {
			l.refuse(c)
			continue
		}
		l.awaitRoom(c)
		return c, nil
	}
}

// errTLSListener is the error of Accept for a connection that is a TLS
// connection. net/http would treat it as plain HTTP, without HTTP/2 and
// Request.TLS, so handlers would assume that it isn't encrypted. Also, a TLS
// write that exceeds a deadline can't be resumed.
var errTLSListener = errors.New("server: the listener uses TLS itself; pass the listener that it wraps to Serve, and set CertFile and KeyFile, or a certificate in HTTP.TLSConfig")

// When stopping, the server assumes that the kernel's queue is empty if Accept
// waits for queueTime. It stops accepting after stopTime at the latest, or ten
// times as long if Accept fails for a time, because new clients could keep the
// queue filled.
const (
	queueTime = 20 * time.Millisecond
	stopTime  = 500 * time.Millisecond
)

// stop makes Accept return an error when the kernel's queue is empty. Closing
// the socket immediately would reset the connections in the queue.
func (l *listener) stop() {
	l.stopping.Store(true)
	close(l.drained)
	if !l.setDeadline(time.Now()) { // wakes a waiting Accept
		l.shut()
	}
	time.AfterFunc(10*stopTime, func() { l.shut() }) // if it doesn't
	l.signal()
}

// Close is called by HTTP.Shutdown and HTTP.Close, which wait until Accept
// returns, even if it waits for room.
func (l *listener) Close() error {
	l.closing.Store(true)
	l.signal()
	return l.shut()
}

// setDeadline reports whether the listener supports deadlines.
func (l *listener) setDeadline(at time.Time) bool {
	ln, ok := l.Listener.(interface{ SetDeadline(time.Time) error })
	return ok && ln.SetDeadline(at) == nil
}

// end closes the listener, with an error that net/http does not retry.
func (l *listener) end() error {
	l.shut()
	return net.ErrClosed
}

func (l *listener) awaitRoom(c *conn) {
	for !l.add(c) {
		l.waiting.Store(true)
		if !l.evict() {
			l.awaitClose(scanPeriod)
		}
	}
	l.waiting.Store(false)
}

func (l *listener) add(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if max := l.s.MaxConns; max > 0 && len(l.conns) >= max && !l.stopping.Load() && !l.closing.Load() {
		return false
	}
	c.opened() // the wait for a place doesn't count
	l.conns[c] = struct{}{}
	return true
}

// hijacked replaces a connection in the set, if it is open and a socket, by a
// hijackedConn.
func (l *listener) hijacked(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	nc, ok := c.Conn.(*net.TCPConn)
	if _, open := l.conns[c]; !ok || !open {
		return
	}
	delete(l.conns, c)
	c.standIn = &conn{Conn: hijackedConn{socket: weak.Make(nc)}, l: l, ip: c.ip, activity: activity{used: true, hijacked: true}}
	l.conns[c.standIn] = struct{}{}
}

// remove is called when a connection closes, perhaps more than once.
func (l *listener) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c = cmp.Or(c.standIn, c)
	if _, open := l.conns[c]; !open {
		return
	}
	delete(l.conns, c)
	if c.ip.IsValid() {
		if l.perIP[c.ip]--; l.perIP[c.ip] <= 0 {
			delete(l.perIP, c.ip)
		}
	}
	l.signal()
}

func (l *listener) signal() {
	select {
	case l.closed <- struct{}{}:
	default:
	}
}

// awaitClose waits until a connection closes, but not longer than d.
func (l *listener) awaitClose(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-l.closed:
	case <-t.C:
	}
}

// closeConns closes the connections for which the function returns true.
func (l *listener) closeConns(which func(*conn) bool) {
	l.mu.Lock()
	conns := slices.Collect(maps.Keys(l.conns))
	l.mu.Unlock()
	for _, c := range conns {
		if which(c) {
			c.Close()
		}
	}
}

// prune removes the connections that are gone, unless it did so less than
// scanPeriod ago. It reports whether it looked for them.
func (l *listener) prune() bool {
	now := time.Now()
	if now.Sub(l.pruned) < scanPeriod {
		return false
	}
	l.pruned = now
	l.closeConns((*conn).gone)
	return true
}

func (l *listener) open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns)
}

// busy returns the number of connections that serve a request or are hijacked.
// In HTTP/2, an idle connection stays open for a second after it was asked to
// close.
func (l *listener) busy() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if _, idle := c.waited(); !idle {
			n++
		}
	}
	return n
}

// unsettled reports whether any connection serves a request or has served one
// in the last d.
func (l *listener) unsettled(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if waited, idle := c.waited(); !idle || waited < d {
			return true
		}
	}
	return false
}

// admitIP sets c.ip and reports whether another connection from that address is
// allowed. It doesn't call RemoteAddr if there is no limit, because with the
// PROXY protocol that may wait for the peer.
func (l *listener) admitIP(c *conn) bool {
	max := l.s.MaxConnsPerIP
	if max == 0 {
		return true
	}
	ip := remoteIP(c.Conn)
	if !ip.IsValid() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.perIP[ip] >= max {
		return false
	}
	l.perIP[ip]++
	c.ip = ip
	return true
}

// maxLingers limits the number of goroutines that respond to rejected
// connections.
const maxLingers = 128

// refuse closes a connection. If it doesn't use TLS, refuse sends a 429
// response first.
func (l *listener) refuse(c *conn) {
	total := l.refused.Add(1)
	now := time.Now().Unix()
	if last := l.warned.Load(); now > last && l.warned.CompareAndSwap(last, now) {
		l.s.logger().Warn("too many connections from one address", "ip", remoteIP(c.Conn).String(), "limit", l.s.MaxConnsPerIP, "refused so far", total)
	}
	if l.tls || l.lingers.Load() >= maxLingers {
		c.Conn.Close()
		return
	}
	l.lingers.Add(1) // only Accept's goroutine does
	go func() {
		defer l.lingers.Add(-1)
		defer c.Conn.Close()
		c.Conn.SetDeadline(time.Now().Add(500 * time.Millisecond))
		io.WriteString(c.Conn, tooMany)
		// Closing with unread bytes would reset the connection, possibly before
		// the client reads the response.
		c.CloseWrite()
		io.CopyN(io.Discard, c.Conn, 64<<10)
	}()
}

const tooMany = "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 1\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 38\r\n\r\nToo many connections from one address\n"

// remoteIP returns the address that counts for MaxConnsPerIP. For IPv6 that is
// the /64 prefix, because a client usually has all of its addresses. A
// connection over a Unix socket has none and never counts.
func remoteIP(nc net.Conn) netip.Addr {
	ta, ok := nc.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	ip := ta.AddrPort().Addr().Unmap().WithZone("")
	if ip.Is6() {
		p, _ := ip.Prefix(64)
		return p.Addr()
	}
	return ip
}
