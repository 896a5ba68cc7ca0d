package engine

import (
	"crypto/tls"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/h2"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// configureHTTP2 decides whether the engine serves HTTP/2 itself. It is called
// before net/http's server changes srv.
func (s *Server) configureHTTP2() {
	if s.http2Reason = s.http2Handover(); s.http2Reason != noReason {
		return
	}
	s.http2 = &h2.Server{
		HTTP:       s.srv,
		Handler:    s.handler,
		KeepAlives: s.keepAlives,
		Recycle:    s.Recycle,
		Connect:    s.EnableConnectProtocol || slices.Contains(godebug(), "http2xconnect=1"),
		NoPriority: since127 && reflect.ValueOf(s.srv).Elem().FieldByName("DisableClientPriority").Bool(),
		MaxFields:  s.maxTrailers,
		Logf:       s.logf,
		Late:       s.late,
	}
	s.http2.Configure()
}

// knownHTTP2 are the fields of [http.HTTP2Config] that package h2 implements or
// that don't apply to servers.
var knownHTTP2 = []string{
	"MaxConcurrentStreams", "StrictMaxConcurrentRequests", "MaxDecoderHeaderTableSize", "MaxEncoderHeaderTableSize",
	"MaxReadFrameSize", "MaxReceiveBufferPerConnection", "MaxReceiveBufferPerStream", "SendPingTimeout", "PingTimeout",
	"WriteByteTimeout", "PermitProhibitedCipherSuites", "CountError",
}

// http2Handover returns the reason why net/http must serve or refuse HTTP/2, or
// noReason.
func (s *Server) http2Handover() reason {
	srv := s.srv
	if f := srv.TLSNextProto["h2"]; f != nil {
		name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		if !strings.HasPrefix(name, "net/http.") {
			return reasonTLSNextProto
		}
	}
	if http2Disabled() || slices.Contains(godebug(), "http2debug=1") || slices.Contains(godebug(), "http2debug=2") {
		return reasonGODEBUG
	}
	if srv.HTTP2 != nil {
		v := reflect.ValueOf(srv.HTTP2).Elem()
		for i := range v.NumField() {
			if !v.Field(i).IsZero() && !slices.Contains(knownHTTP2, v.Type().Field(i).Name) {
				return reasonHTTP2Config
			}
		}
	}
	if p := s.protocols(); !p.HTTP2() && !p.UnencryptedHTTP2() {
		return reasonProtocols
	}
	return noReason
}

func godebug() []string { return strings.Split(os.Getenv("GODEBUG"), ",") }

// http2Disabled reports whether GODEBUG or, unless that says otherwise, a line
// //go:debug or go.mod disables HTTP/2.
func http2Disabled() (disabled bool) {
	settings := godebug()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "DefaultGODEBUG" {
				settings = append(strings.Split(s.Value, ","), settings...)
			}
		}
	}
	for _, s := range settings {
		if value, ok := strings.CutPrefix(s, "http2server="); ok {
			disabled = value == "0"
		}
	}
	return disabled
}

// ServesHTTP2 reports whether the engine serves HTTP/2 itself, where srv enables
// it. Otherwise net/http does, for example because srv.TLSNextProto or GODEBUG
// say so, or nobody does. Call it before Serve.
func (s *Server) ServesHTTP2() bool { return s.http2Handover() == noReason }

// priorKnowledge reports whether the connection may use HTTP/2 without TLS (RFC
// 9113 section 3.3).
func (c *conn) priorKnowledge() bool {
	p := c.server.srv.Protocols
	return p != nil && p.UnencryptedHTTP2() && c.tls == nil && c.server.http2 != nil
}

// http2Preface is the first line of a client's preface.
const http2Preface = "PRI * HTTP/2.0\r\n"

// startsHTTP2 reports whether the connection begins with the preface of HTTP/2
// and may use it.
func (c *conn) startsHTTP2() bool {
	return c.requests.Load() == 0 && c.priorKnowledge() && strings.HasPrefix(string(c.in.b[c.r:min(c.w, c.r+len(http2Preface))]), http2Preface)
}

// serveHTTP2 serves the connection over HTTP/2 until it ends.
func (c *conn) serveHTTP2() {
	if c.raw == nil {
		c.raw = newRawIO(c)
	}
	if c.enter(phaseHTTP2, 0, 0) {
		return
	}
	c.giveBackWork()
	s := c.server
	h := s.http2.NewConn(&lane{conn: c, begun: c.w == c.r}, c.template(), c.connCtx)
	s.mu.Lock()
	c.http2 = h
	s.mu.Unlock()
	s.stat.http2.Add(1)
	if s.inShutdown.Load() { // without keep-alives, after the first request
		h.Shutdown()
	}
	h.Serve()
}

// A lane lets package h2 use a connection.
type lane struct {
	conn  *conn
	begun bool // the input that was read before was returned
}

// largeBuffer is the size of a buffer for connections with much input.
const largeBuffer = 32 << 10

var largeBufferPool = sync.Pool{New: func() any { return &buffer{make([]byte, largeBuffer)} }}

// Read implements [h2.Transport].
func (l *lane) Read(need int) ([]byte, error) {
	c := l.conn
	if !l.begun {
		l.begun = true
		return c.in.b[c.r:c.w], nil
	}
	have := c.w - c.r
	if c.in != nil && len(c.in.b) > firstBuffer && have == 0 && !c.manyInput {
		c.giveBackBuffer() // the connection may be idle for long
	}
	if c.in != nil && len(c.in.b) == firstBuffer && (c.w == firstBuffer || need > firstBuffer) {
		large := largeBufferPool.Get().(*buffer)
		c.w = copy(large.b, c.in.b[c.r:c.w])
		c.r = 0
		c.giveBackBuffer()
		c.in = large
	}
	if have > 0 && need > have {
		c.makeRoom(need - have)
	}
	if err := c.fill(); err != nil {
		return nil, err
	}
	c.manyInput = c.w-c.r-have >= firstBuffer
	return c.in.b[c.r:c.w], nil
}

// Discard implements [h2.Transport].
func (l *lane) Discard(n int) { l.conn.r += n }

// Write implements [h2.Transport].
func (l *lane) Write(p []byte) (int, error) { return l.conn.write(p) }

// TryWrite implements [h2.Transport].
func (l *lane) TryWrite(p []byte) (int, error) {
	if l.conn.raw == nil {
		return 0, nil
	}
	return l.conn.raw.TryWrite(p)
}

// SetReadDeadline implements [h2.Transport]. If a deadline in the past can't end
// reads and writes, because the connection has none, as a channel of SSH, it
// closes the connection.
func (l *lane) SetReadDeadline(t time.Time) error {
	err := l.conn.nc.SetReadDeadline(t)
	if err != nil && !t.After(time.Now()) {
		nc := l.conn.nc
		if over, ok := nc.(*tls.Conn); ok {
			nc = over.NetConn() // Close may wait for the client
		}
		go nc.Close()
	}
	return err
}

// SetWriteDeadline implements [h2.Transport].
func (l *lane) SetWriteDeadline(t time.Time) error { return l.conn.nc.SetWriteDeadline(t) }

// CloseWrite implements [h2.Transport].
func (l *lane) CloseWrite() {
	if cw, ok := l.conn.nc.(interface{ CloseWrite() error }); ok {
		cw.CloseWrite()
	}
}

// SetState implements [h2.Transport]. It logs a panic of the hook, which may run
// in the goroutine of a handler.
func (l *lane) SetState(state http.ConnState) {
	c := l.conn
	defer func() { request.LogPanic(c.server.logf, "http2", c.remoteAddr, recover()) }()
	c.hook(state)
}

// CountRequest implements [h2.Transport].
func (l *lane) CountRequest() { l.conn.requests.Add(1) }
