// Package servers has the servers that the test suites of others are run with.
package servers

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// A Server serves the handler of an http.Server.
type Server interface {
	Serve(net.Listener) error
	ServeTLS(ln net.Listener, certFile, keyFile string) error
	Shutdown(context.Context) error
	Close() error
}

// New returns the server with that name: engine, recycle, server or net/http.
func New(name string, srv *http.Server) Server {
	switch name {
	case "net/http":
		return srv
	case "engine", "recycle":
		e := engine.New(srv)
		e.Recycle = name == "recycle"
		return e
	case "server":
		s := server.New(srv.Addr, srv.Handler)
		s.HTTP.TLSConfig, s.HTTP.ErrorLog, s.HTTP.ConnContext = srv.TLSConfig, srv.ErrorLog, srv.ConnContext
		if srv.Protocols != nil {
			s.HTTP.Protocols = srv.Protocols
		}
		ctx, stop := context.WithCancel(context.Background())
		return &packageServer{s, ctx, stop, make(chan struct{})}
	}
	panic(fmt.Sprintf("servers: there is no server %q", name))
}

// packageServer gives a server.Server the methods of an http.Server.
type packageServer struct {
	server *server.Server
	ctx    context.Context
	stop   context.CancelFunc
	ended  chan struct{}
}

func (s *packageServer) Serve(ln net.Listener) error {
	defer close(s.ended)
	if err := s.server.Serve(s.ctx, ln); err != nil {
		return err
	}
	return http.ErrServerClosed
}

// ServeTLS serves TLS with the certificate of the http.Server, if the files have
// no names.
func (s *packageServer) ServeTLS(ln net.Listener, certFile, keyFile string) error {
	s.server.CertFile, s.server.KeyFile = certFile, keyFile
	return s.Serve(ln)
}

func (s *packageServer) Shutdown(ctx context.Context) error {
	s.stop()
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *packageServer) Close() error {
	s.stop()
	return nil
}
