package interop

import (
	"bytes"
	_ "expvar"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	_ "net/http/pprof"
	"net/rpc"
	"net/url"
	"strings"
	"testing/fstest"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

var goRows = []row{
	{library: "log/slog", name: "log/slog", tried: "the access log of `middleware.LoggerWith` names the pattern", run: runSlog},
	{library: "net/http/pprof", name: "net/http/pprof", tried: "`Mount(\"/debug/pprof/\", http.DefaultServeMux)`: index, a profile, an unknown profile, next to a catch-all route", run: runPprof},
	{library: "expvar", name: "expvar", tried: "`Mount` of `http.DefaultServeMux`", run: runExpvar},
	{library: "net/http", name: "http.CrossOriginProtection", tried: "as middleware, with a bypass pattern", run: runCrossOrigin, plain: true},
	{library: "net/http", name: "http.FileServerFS", tried: "below `StripPrefix`: index, range, conditional request, directory redirect, escaped names", run: runFileServer, plain: true},
	{library: "net/http", name: "http.TimeoutHandler, http.MaxBytesHandler", tried: "around one route each; path values are available in the copied request", glue: "In pooled mode, a handler must not read path values after `TimeoutHandler` has returned: `muxvet` reports such routes.", run: runHandlerWrappers, plain: true},
	{library: "net/http", name: "HTTP/2 over TLS", tried: "concurrent streams with path values", run: runHTTP2, plain: true},
	{library: "net/http", name: "h2c", tried: "`http.Protocols.SetUnencryptedHTTP2`, HTTP/1.1 on the same port", run: runH2C, plain: true},
	{library: "net/http/httputil", name: "httputil.ReverseProxy", tried: "escaped paths through `SetURL`, an unavailable backend, an upgraded connection", run: runReverseProxy, plain: true},
	{library: "net/rpc", name: "net/rpc", tried: "`Handle(rpc.DefaultRPCPath, server)`: CONNECT and Hijack", run: runRPC, plain: true, http1: "net/rpc hijacks the connection"},
}

func runSlog(s *site) {
	var out bytes.Buffer
	s.mux.Pre(middleware.LoggerWith(slog.New(slog.NewTextHandler(&out, nil))))
	s.mux.GET("/users/:id", sayValue("id"))
	s.start(s)
	s.get("200 7", "/users/7")
	s.finish()
	s.contains("the log", out.String(), "status=200", "/users/:id", "path=/users/7")
}

func runPprof(s *site) {
	s.mux.Mount("/debug/pprof/", http.DefaultServeMux)
	s.mux.GET("/*page", sayValue("page"))
	s.start(s)
	s.get("200 <html>...", "/debug/pprof/")
	s.get("200 goroutine profile: ...", "/debug/pprof/goroutine?debug=1")
	s.get("200 /...", "/debug/pprof/cmdline")
	s.get("404 Unknown profile", "/debug/pprof/none")
	s.get("200 /debug", "/debug")
}

func runExpvar(s *site) {
	s.mux.Mount("/debug/vars", http.DefaultServeMux)
	s.start(s)
	s.get("200 {...", "/debug/vars")
}

func runCrossOrigin(s *site) {
	protection := http.NewCrossOriginProtection()
	protection.AddInsecureBypassPattern("POST /hooks/{name}")
	s.HandleFunc("POST /notes/{id}", sayValue("id"))
	s.HandleFunc("POST /hooks/{name}", sayValue("name"))
	s.start(protection.Handler(s))
	s.wants("200 7", s.ask("POST", "/notes/7", "", "Sec-Fetch-Site: same-origin"))
	s.wants("403 ...", s.ask("POST", "/notes/7", "", "Sec-Fetch-Site: cross-site"))
	s.wants("200 ci", s.ask("POST", "/hooks/ci", "", "Sec-Fetch-Site: cross-site"))
}

func runFileServer(s *site) {
	files := fstest.MapFS{
		"index.html":     {Data: []byte("<p>index"), ModTime: time.Unix(1e9, 0)},
		"a b/c?d.txt":    {Data: []byte("odd")},
		"docs/page.txt":  {Data: []byte("0123456789"), ModTime: time.Unix(1e9, 0)},
		"docs/other.txt": {Data: []byte("other")},
	}
	s.Handle("GET /files/", http.StripPrefix("/files/", http.FileServerFS(files)))
	s.start(s)
	s.get("200 <p>index", "/files/")
	s.get("307 ...", "/files")
	s.get("206 234", "/files/docs/page.txt", "Range: bytes=2-4")
	s.get("304", "/files/docs/page.txt", "If-Modified-Since: "+time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
	s.has(s.get("301", "/files/docs"), "Location", "docs/")
	s.get("200 odd", "/files/a%20b/c%3Fd.txt")
	s.get("404 ...", "/files/none")
	s.wants("405 ...", s.ask("POST", "/files/", ""))
}

func runHandlerWrappers(s *site) {
	s.Handle("GET /slow/{id}", http.TimeoutHandler(sayValue("id"), time.Minute, "too slow"))
	s.Handle("GET /never/{id}", http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}), time.Millisecond, "too slow"))
	s.Handle("POST /small/{id}", http.MaxBytesHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		io.WriteString(w, r.PathValue("id"))
	}), 4))
	s.start(s)
	s.get("200 7", "/slow/7")
	s.get("503 too slow", "/never/7")
	s.wants("200 8", s.ask("POST", "/small/8", "four"))
	s.wants("413 http: request body too large", s.ask("POST", "/small/8", "more than four"))
}

func runHTTP2(s *site) {
	cert, roots := certificate(s)
	s.HandleFunc("GET /{proto}/{n}", sayProtocol)
	s.start(s, func(srv *http.Server) { srv.TLSConfig = cert })
	s.client.Transport.(*http.Transport).TLSClientConfig = roots
	s.concurrently(func(n int) {
		s.get(fmt.Sprint("200 HTTP/2.0 ", n), fmt.Sprint("/x/", n))
	})
}

func sayProtocol(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, r.Proto, " ", r.PathValue("n"))
}

func runH2C(s *site) {
	s.HandleFunc("GET /{proto}/{n}", sayProtocol)
	s.start(s, withH2C)
	if !s.server.http2 { // its client uses only HTTP/2
		s.get("200 HTTP/1.1 0", "/x/0")
	}
	s.useH2C()
	s.concurrently(func(n int) {
		s.get(fmt.Sprint("200 HTTP/2.0 ", n), fmt.Sprint("/x/", n))
	})
}

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"

func runReverseProxy(s *site) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			conn, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				s.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprint(rw, switching)
			rw.Flush()
			io.CopyN(conn, rw, 4)
			return
		}
		fmt.Fprint(w, r.RequestURI)
	}))
	s.Cleanup(backend.Close)
	target, err := url.Parse(backend.URL + "/base")
	s.must(err)
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(target)
		p.Out.Header.Set("X-Service", p.In.PathValue("service"))
		p.Out.Host = p.In.PathValue("service")
	}}
	s.Handle("/{service}/", proxy)
	gone := httptest.NewServer(nil)
	gone.Close()
	goneURL, err := url.Parse(gone.URL)
	s.must(err)
	s.Handle("/gone/", &httputil.ReverseProxy{
		Rewrite:      func(p *httputil.ProxyRequest) { p.SetURL(goneURL) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { w.WriteHeader(http.StatusBadGateway) },
	})
	s.start(s)
	s.get("200 /base/api/a%2Fb/c%20d?q=1", "/api/a%2Fb/c%20d?q=1")
	s.get("502", "/gone/x")
	conn := s.dial()
	fmt.Fprint(conn, "GET /api/echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	got := make([]byte, len(switching)+4)
	_, err = io.ReadFull(conn, got[:len(switching)])
	s.must(err)
	fmt.Fprint(conn, "ping")
	_, err = io.ReadFull(conn, got[len(switching):])
	s.must(err)
	s.equal("the upgraded connection's answer", string(got), switching+"ping")
}

// Arithmetic is the receiver for net/rpc.
type Arithmetic struct{}

func (Arithmetic) Double(n int, reply *int) error { *reply = 2 * n; return nil }

func runRPC(s *site) {
	srv := rpc.NewServer()
	s.must(srv.Register(Arithmetic{}))
	s.Handle(rpc.DefaultRPCPath, srv)
	s.start(s)
	client, err := rpc.DialHTTP("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	defer client.Close()
	var got int
	s.must(client.Call("Arithmetic.Double", 21, &got))
	s.equal("doubled", got, 42)
}
