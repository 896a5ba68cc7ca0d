//go:build !wasm

// Command gateway passes requests on to other servers, as a file says. It reads
// the file again on SIGHUP.
//
//	go run ./examples/gateway -routes examples/gateway/routes.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "where to listen, `host:port`")
	file := flag.String("routes", "routes.json", "the `file` with the routes")
	flag.Parse()
	g := newGateway(http.DefaultTransport)
	if err := g.load(*file); err != nil {
		log.Fatal("gateway: ", err)
	}
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	go func() {
		for range reload {
			if err := g.load(*file); err != nil {
				slog.Error("the routes remain as they were", "error", err)
				continue
			}
			slog.Info("the routes were read again")
		}
	}()
	if err := server.New(*addr, g.mux).Run(context.Background()); err != nil {
		log.Fatal("gateway: ", err)
	}
}

// A target is an element of the file: requests that match the pattern go to the
// backend.
type target struct {
	Pattern string // as for Mux.Handle: "GET api.example.com/v1/", "/users/{id:int}"
	Backend string // such as "http://10.0.0.7:8080"
	Strip   string // a prefix to remove from the path, or ""
	Timeout string // how long a request may take, such as "5s", or ""
}

// backend is the key of the annotation by which the gateway finds the routes
// that come from the file.
type backend struct{}

type gateway struct {
	mux       *muxmaster.Mux
	transport http.RoundTripper
}

func newGateway(transport http.RoundTripper) *gateway {
	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer)
	mux.GET("/healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Mount("/debug/routes", inspect.HandlerFor(mux, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")))
	return &gateway{mux, transport}
}

// load replaces the routes by those of a file. If the file has a mistake, or
// routes conflict, all routes remain as they were.
func (g *gateway) load(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var targets []target
	if err := json.Unmarshal(text, &targets); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return g.mux.Update(func(m *muxmaster.Mux) error {
		var old []string
		for route := range m.Routes() {
			if route.Value(backend{}) != nil {
				old = append(old, strings.TrimSpace(route.Method+" "+route.Host+route.Pattern))
			}
		}
		var errs []error // all mistakes of the file at once
		for _, pattern := range old {
			errs = append(errs, m.Remove(pattern))
		}
		for _, t := range targets {
			h, err := t.handler(g.transport)
			if err == nil {
				err = m.Annotate(backend{}, t.Backend).TryHandle(t.Pattern, h)
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

// handler returns a handler that passes requests on.
func (t target) handler(transport http.RoundTripper) (http.Handler, error) {
	to, err := url.Parse(t.Backend)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return nil, fmt.Errorf("pattern %q: the backend %q is not a URL such as http://10.0.0.7:8080", t.Pattern, t.Backend)
	}
	var h http.Handler = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.SetXForwarded() // instead of what the client claims
		},
		Transport:  transport,
		BufferPool: body.Buffers{},
	}
	if t.Strip != "" {
		h = http.StripPrefix(t.Strip, h)
	}
	if t.Timeout != "" {
		d, err := time.ParseDuration(t.Timeout)
		if err != nil || d < time.Millisecond { // Timeout panics for less
			return nil, fmt.Errorf("pattern %q: the timeout %q is not a duration such as 5s", t.Pattern, t.Timeout)
		}
		h = middleware.Timeout(d)(h)
	}
	return h, nil
}
