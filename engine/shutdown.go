package engine

import (
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"
)

// Shutdown stops the server like [http.Server.Shutdown]: it closes the
// listeners, calls the functions registered with srv.RegisterOnShutdown, closes
// idle connections, and waits until the other connections have finished their
// request or ctx is done. This includes connections passed to net/http, but not
// hijacked connections.
func (s *Server) Shutdown(ctx context.Context) error {
	s.inShutdown.Store(true)
	err := s.closeListeners()
	s.srv.Shutdown(ctx) // has no connections; calls the registered functions
	accepted := make(chan struct{})
	go func() { s.listenerGroup.Wait(); close(accepted) }()
	select {
	case <-accepted:
	case <-ctx.Done(): // unlike net/http, because a hook that Serve calls may be the caller
	}
	over := make(chan error, 1)
	go func() { over <- s.over.srv.Shutdown(ctx) }()

	pause := time.Millisecond
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for !s.closeIdle() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			pause = min(2*pause, 500*time.Millisecond)
			timer.Reset(pause)
		}
	}
	if overErr := <-over; err == nil {
		err = overErr
	}
	return err
}

// stop starts a shutdown without waiting. It is called if the program calls
// Shutdown of its http.Server.
func (s *Server) stop() {
	s.inShutdown.Store(true)
	s.closeListeners()
	s.closeIdle()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.over.srv.Shutdown(ctx)
}

// Close immediately closes all listeners and all connections except hijacked
// ones, like [http.Server.Close].
func (s *Server) Close() error {
	s.inShutdown.Store(true)
	err := s.closeListeners()
	s.srv.Close()
	if overErr := s.over.srv.Close(); err == nil {
		err = overErr
	}
	s.mu.Lock()
	s.closed = true
	conns := slices.Collect(maps.Keys(s.conns))
	s.mu.Unlock()
	for _, c := range conns {
		c.abort()
		s.untrackConn(c)
	}
	for s.closing.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	return err
}

// SetKeepAlivesEnabled controls whether connections serve more than one
// request, like [http.Server.SetKeepAlivesEnabled]. By default they do.
func (s *Server) SetKeepAlivesEnabled(v bool) {
	s.noKeepAlives.Store(!v)
	s.srv.SetKeepAlivesEnabled(v)
	s.over.srv.SetKeepAlivesEnabled(v)
	if !v {
		s.closeIdle()
	}
}

// closeIdle closes all idle connections. It reports whether none is left.
func (s *Server) closeIdle() bool {
	s.mu.Lock()
	conns := slices.Collect(maps.Keys(s.conns))
	s.mu.Unlock()
	quiet := true
	for _, c := range conns {
		if c.closeIfIdle() {
			s.untrackConn(c)
		} else {
			quiet = false
		}
	}
	return quiet && s.closing.Load() == 0
}

func (s *Server) trackListener(l *onceCloseListener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inShutdown.Load() {
		return false
	}
	if s.listeners == nil {
		s.listeners = make(map[*onceCloseListener]struct{})
	}
	s.listeners[l] = struct{}{}
	s.listenerGroup.Add(1)
	return true
}

func (s *Server) untrackListener(l *onceCloseListener) {
	s.mu.Lock()
	delete(s.listeners, l)
	s.mu.Unlock()
	s.listenerGroup.Done()
}

func (s *Server) closeListeners() (err error) {
	s.mu.Lock()
	listeners := slices.Collect(maps.Keys(s.listeners))
	s.mu.Unlock()
	for _, l := range listeners {
		if cerr := l.Close(); err == nil {
			err = cerr
		}
	}
	return err
}

// trackConn adds a connection to s.conns. It reports false after Close.
func (s *Server) trackConn(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.conns == nil {
		s.conns = make(map[*conn]struct{})
	}
	s.conns[c] = struct{}{}
	s.stat.connections.Add(1)
	return true
}

func (s *Server) untrackConn(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(c)
}

// forget removes a connection from s.conns, and keeps the number of its requests.
// It may be called more than once. s.mu is held.
func (s *Server) forget(c *conn) {
	delete(s.conns, c)
	n := c.requests.Load() - c.counted
	c.counted += n
	s.stat.served.Add(n)
	if c.http2 != nil {
		s.stat.served2.Add(n)
	}
}

// closeIfIdle closes the connection if it waits for a request. It may be
// called by any goroutine. It reports whether it closed the connection.
func (c *conn) closeIfIdle() bool {
	w := c.state.load()
	switch w.phase() {
	case phaseHTTP2:
		c.server.mu.Lock()
		h := c.http2
		c.server.mu.Unlock()
		if h != nil {
			h.Shutdown()
		}
		return false
	case phaseIdle:
	case phaseHead:
		if c.requests.Load() > 0 {
			break
		}
		fallthrough
	case phaseNew:
		// Give a new connection the time to send its request, as net/http
		// does (Go issue 22682).
		if time.Since(c.accepted) < 5*time.Second {
			return false
		}
	default:
		return false
	}
	if !c.state.mark(w, flagClosing) {
		return false
	}
	c.abort()
	return true
}

// abort closes the connection under its goroutine. It may be called by any
// goroutine. Over TLS, it doesn't wait for the connection to be closed: the last
// record may have to wait up to 5 s for a client that doesn't read.
func (c *conn) abort() {
	if _, ok := c.nc.(*tls.Conn); !ok {
		c.nc.Close()
		return
	}
	c.server.closing.Add(1)
	c.nc.SetWriteDeadline(longAgo) // a Read that sends new keys would stop Close
	go func() {
		c.nc.Close()
		c.server.closing.Add(-1)
	}()
}

// linger closes the write side of the connection and reads on until the client
// closes its side or sends nothing for resetDelay, so that it reads the response
// before unread input causes a reset (RFC 9112 section 9.6, Go issue 3595).
func (c *conn) linger() {
	if cw, ok := c.nc.(interface{ CloseWrite() error }); ok {
		cw.CloseWrite()
	} else if _, ok := c.nc.RemoteAddr().(*net.TCPAddr); !ok { // nor does it wrap TCP
		return
	}
	c.enter(phaseHandler, 0, 0) // the rest of the body isn't subject to ReadTimeout
	c.r, c.w = 0, 0
	c.makeRoom(1)
	end := time.Now().Add(lingerTime)
	for silent := 0; silent < 2; {
		now := time.Now()
		if now.After(end) || c.nc.SetReadDeadline(now.Add(resetDelay/2)) != nil {
			return
		}
		_, err := c.nc.Read(c.in.b)
		switch ne, ok := err.(net.Error); {
		case err == nil:
			silent = 0
		case ok && ne.Timeout():
			silent++ // once isn't enough: a process that has to wait for a processor may not have looked
		default:
			return
		}
	}
}

const (
	resetDelay = 500 * time.Millisecond // as in net/http
	lingerTime = 5 * time.Second        // the maximum, for clients that never stop
)

// hook calls srv.ConnState, if there is one and the state has changed: between
// requests whose responses are sent together, the connection remains active.
func (c *conn) hook(state http.ConnState) {
	if f := c.server.srv.ConnState; f != nil && !(c.active && state == http.StateActive) {
		c.active = state == http.StateActive
		f(c.nc, state)
	}
}
