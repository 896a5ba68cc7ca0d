package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/problem"

	"github.com/seed-1954dcaa/muxmaster/internal/stall"
)

// check returns all errors in the configuration of s.
func (s *Server) check() error {
	var faults []error
	if s.ln.Load() != nil {
		return errTwice
	}
	if s.HTTP == nil {
		return errNoHTTP
	}
	if !s.made {
		faults = append(faults, errors.New("server: the Server wasn't created with New, so it has no limits; call New, and set the fields of the result"))
	}
	if s.HTTP.Handler == nil {
		faults = append(faults, errors.New("server: HTTP.Handler is nil; pass a handler to New, for example http.DefaultServeMux"))
	}
	if s.Recycle && !s.Engine {
		faults = append(faults, errors.New("server: Recycle requires Engine; set both or neither"))
	}
	if s.EnableConnectProtocol && !s.Engine {
		faults = append(faults, errors.New("server: EnableConnectProtocol requires Engine; set both or neither"))
	}
	if v := os.Getenv(engineVariable); s.Engine && v != "" && v != "off" {
		faults = append(faults, fmt.Errorf("server: the environment variable %s is %q; set it to off, or to nothing", engineVariable, v))
	}
	if s.Recycle && reflect.TypeOf(s.HTTP.Handler) == timeoutHandler {
		faults = append(faults, errors.New("server: HTTP.Handler is an http.TimeoutHandler, which returns while its handler is still running; with Recycle that may read the requests of other clients: set Recycle to false, or use middleware.Timeout"))
	}
	for _, p := range []struct{ name, path string }{{"LivePath", s.LivePath}, {"ReadyPath", s.ReadyPath}} {
		if p.path != "" && p.path[0] != '/' {
			faults = append(faults, fmt.Errorf("server: %s is %q; it must begin with a slash", p.name, p.path))
		}
	}
	if s.LivePath != "" && s.LivePath == s.ReadyPath {
		faults = append(faults, fmt.Errorf("server: LivePath and ReadyPath are both %q; choose different paths", s.LivePath))
	}
	if s.Ready != nil && s.ReadyPath == "" {
		faults = append(faults, errors.New("server: Ready is set, but nothing calls it without ReadyPath; set both or neither"))
	}
	if (s.CertFile == "") != (s.KeyFile == "") {
		faults = append(faults, errors.New("server: CertFile and KeyFile go together; set both or neither"))
	}
	if c := s.HTTP.TLSConfig; s.CertFile != "" && c != nil && (len(c.Certificates) > 0 || c.GetCertificate != nil) {
		faults = append(faults, errors.New("server: CertFile is set, and HTTP.TLSConfig has a certificate too; set only one of them"))
	}
	if http1, http2 := s.enabled(); !http1 && !http2 {
		faults = append(faults, fmt.Errorf("server: HTTP.Protocols enables no protocol for this server (TLS: %v); call its method SetHTTP1(true)", s.tls()))
	}
	var h2 http.HTTP2Config
	if s.HTTP.HTTP2 != nil {
		h2 = *s.HTTP.HTTP2
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"HTTP.HTTP2.SendPingTimeout", h2.SendPingTimeout}, {"HTTP.HTTP2.PingTimeout", h2.PingTimeout},
		{"HTTP.HTTP2.WriteByteTimeout", h2.WriteByteTimeout}, {"StallTimeout", s.StallTimeout}, {"DrainDelay", s.DrainDelay}, {"DrainTimeout", s.DrainTimeout},
		{"HTTP.ReadTimeout", s.HTTP.ReadTimeout}, {"HTTP.ReadHeaderTimeout", s.HTTP.ReadHeaderTimeout},
		{"HTTP.WriteTimeout", s.HTTP.WriteTimeout}, {"HTTP.IdleTimeout", s.HTTP.IdleTimeout},
	} {
		if d.value < 0 && !strings.HasPrefix(d.name, "HTTP.") { // net/http takes negative ones for none
			faults = append(faults, fmt.Errorf("server: %s is %v; it can't be negative (zero turns it off)", d.name, d.value))
		}
		if 0 < d.value && d.value < time.Millisecond {
			faults = append(faults, fmt.Errorf("server: %s is %v; did you mean %d*time.Second?", d.name, d.value, int64(d.value)))
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
	if sh := s.Shed; sh != nil && (sh.MinLimit < 0 || sh.MaxLimit < 0 || sh.MaxLimit > 0 && sh.MinLimit > sh.MaxLimit) {
		faults = append(faults, fmt.Errorf("server: Shed.MinLimit is %d and Shed.MaxLimit %d; use zero for the defaults, or a minimum that is not larger than the maximum", sh.MinLimit, sh.MaxLimit))
	}
	if n := s.HTTP.MaxHeaderBytes; n > 1<<30 { // net/http adds to it and HTTP/2 sends it in 32 bits
		faults = append(faults, fmt.Errorf("server: HTTP.MaxHeaderBytes is %d; it can't be larger than 1 GiB", n))
	}
	if s.CertFile != "" && s.KeyFile != "" {
		if _, err := loadPair(s.CertFile, s.KeyFile); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

var errNoHTTP = errors.New("server: HTTP is nil; create the Server with New")

// engineVariable is the environment variable that turns off Engine and Recycle,
// so that operators can do it without a new build.
const engineVariable = "MUXMASTER_ENGINE"

// timeoutHandler is the type of an http.TimeoutHandler.
var timeoutHandler = reflect.TypeOf(http.TimeoutHandler(nil, 0, ""))

// prepare sets the hooks of s.HTTP and s.backend.
func (s *Server) prepare(ln net.Listener) (*listener, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	l := newListener(ln, s)
	if s.Engine && os.Getenv(engineVariable) == "off" {
		s.logger().Warn("net/http serves instead of the engine", "because", engineVariable+"=off")
	} else if s.Engine {
		l.engine = engine.New(s.HTTP)
		l.engine.Recycle, l.engine.EnableConnectProtocol = s.Recycle, s.EnableConnectProtocol
	}
	if !s.ln.CompareAndSwap(nil, l) {
		return nil, errTwice
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
	if l.tls = s.tls(); l.tls {
		s.HTTP.TLSConfig = withTLSDefaults(s.HTTP.TLSConfig)
	}
	if s.Shed != nil {
		s.Shed.serverLog.CompareAndSwap(nil, s.logger())
	}
	if s.HTTP.ErrorLog == nil {
		s.HTTP.ErrorLog = slog.NewLogLogger(s.logger().Handler(), slog.LevelWarn)
	}
	s.HTTP.Handler = &front{s: s, ln: l, next: s.HTTP.Handler, options: !s.HTTP.DisableGeneralOptionsHandler}
	s.HTTP.DisableGeneralOptionsHandler = true // front responds to OPTIONS *
	state := s.HTTP.ConnState
	s.HTTP.ConnState = func(nc net.Conn, cs http.ConnState) {
		if c := stall.Conn[*conn](nc); c != nil {
			c.setState(cs)
			if cs == http.StateHijacked {
				l.hijacked(c)
			}
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
		return context.WithValue(ctx, connKey{}, stall.Conn[*conn](nc))
	}
	l.protocols = s.protocolsOf(l)
	s.backend = s.HTTP
	if l.engine != nil {
		s.backend = l.engine
	}
	return l, nil
}

// protocolsOf says which server serves which protocol.
func (s *Server) protocolsOf(l *listener) slog.Attr {
	http1, http2 := "net/http", "net/http"
	if l.engine != nil {
		http1 = "engine; unusual requests: net/http"
		if l.engine.ServesHTTP2() {
			http2 = "engine"
		}
	}
	var attrs []any
	one, two := s.enabled()
	if one {
		attrs = append(attrs, slog.String("HTTP/1.1", http1))
	}
	if two {
		attrs = append(attrs, slog.String("HTTP/2", http2))
	}
	return slog.Group("protocols", attrs...)
}

// enabled reports which protocols clients can use.
func (s *Server) enabled() (http1, http2 bool) {
	p := s.HTTP.Protocols
	switch {
	case p == nil:
		return true, s.tls()
	case s.tls():
		return p.HTTP1(), p.HTTP2()
	}
	return p.HTTP1(), p.UnencryptedHTTP2()
}

func (s *Server) tls() bool {
	if s.CertFile != "" {
		return true
	}
	c := s.HTTP.TLSConfig
	return c != nil && (len(c.Certificates) > 0 || c.GetCertificate != nil || c.GetConfigForClient != nil)
}
