package interop

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/engine"
)

// A router has the common methods of *muxmaster.Mux and *http.ServeMux.
type router interface {
	http.Handler
	Handle(pattern string, h http.Handler)
	HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request))
	Handler(r *http.Request) (h http.Handler, pattern string)
}

// A server is one way to serve an http.Server's handler.
type server struct {
	name     string
	new      func(*http.Server) serving
	recycles bool
	http2    bool // the site's client uses HTTP/2
}

// serving has the common methods of *http.Server and the engine's server.
type serving interface {
	Serve(net.Listener) error
	ServeTLS(ln net.Listener, certFile, keyFile string) error
	Shutdown(context.Context) error
	Close() error
}

func newEngine(srv *http.Server) serving { return engine.New(srv) }

func newRecycling(srv *http.Server) serving {
	e := engine.New(srv)
	e.Recycle = true
	return e
}

var netHTTP = server{name: "net/http", new: func(srv *http.Server) serving { return srv }}

// servers are the servers with which every row runs.
var servers = []server{
	netHTTP,
	{name: "engine", new: newEngine},
	{name: "engine recycling", new: newRecycling, recycles: true},
}

// http2Servers are the servers with which rows also run over HTTP/2, the first
// with the router's first mode, the second with the second.
var http2Servers = []server{
	{name: "engine over HTTP/2", new: newEngine, http2: true},
	{name: "engine recycling over HTTP/2", new: newRecycling, recycles: true, http2: true},
}

// A site is a router and a client for the row under test.
type site struct {
	*testing.T
	router
	mux     *muxmaster.Mux // the router, or nil if the row runs with http.ServeMux
	server  server
	client  *http.Client // keeps cookies, follows no redirects
	url     string       // of the last server started with start
	serving serving      // that server
	finish  func()       // stops it after running requests have finished
	http2   atomic.Int64 // requests that its servers got over HTTP/2, if its client uses that
}

// modes are the settings of the router with which every row runs.
var modes = []struct {
	name string
	new  func() *muxmaster.Mux
}{
	{"default", muxmaster.New},
	{"pooled", func() *muxmaster.Mux {
		m := muxmaster.New()
		m.PoolRequestBundle, m.PoolFastParams = true, true
		return m
	}},
}

func newSite(t *testing.T, r router, srv server) *site {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{T: t, router: r, server: srv}
	s.mux, _ = r.(*muxmaster.Mux)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	s.client = &http.Client{
		Transport:     transport,
		Jar:           jar,
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(transport.CloseIdleConnections)
	if srv.http2 {
		transport.Protocols = new(http.Protocols)
		transport.Protocols.SetHTTP2(true) // over TLS
		transport.Protocols.SetUnencryptedHTTP2(true)
	}
	s.churn()
	return s
}

// another returns a new Mux with the same settings as the site's.
func (s *site) another() *muxmaster.Mux {
	m := muxmaster.New()
	m.PoolRequestBundle, m.PoolFastParams = s.mux.PoolRequestBundle, s.mux.PoolFastParams
	return m
}

func (s *site) pooled() bool { return s.mux != nil && s.mux.PoolRequestBundle }

// churn recycles path values while the row runs, so that a library that reads
// its values too late gets those of another request.
func (s *site) churn() {
	other := muxmaster.New()
	other.PoolRequestBundle = true
	other.HandleFunc("GET /{a}/{b}/{c}", func(http.ResponseWriter, *http.Request) {})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(200 * time.Microsecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				other.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/wrong/value/here", nil))
			}
		}
	}()
	s.Cleanup(func() { close(stop); <-done })
}

// start serves h until the row ends, and returns its URL. With a TLSConfig it
// serves HTTPS.
func (s *site) start(h http.Handler, configure ...func(*http.Server)) string {
	s.Helper()
	errors := new(syncBuffer)
	srv := &http.Server{Handler: h, ErrorLog: log.New(errors, "", 0)}
	for _, f := range configure {
		f(srv)
	}
	ln := s.listen()
	if s.server.http2 {
		s.serveHTTP2(srv)
	}
	serving := s.server.new(srv)
	s.serving = serving
	done := make(chan error, 1)
	s.url = "http://" + ln.Addr().String()
	if srv.TLSConfig != nil {
		s.url = "https://" + ln.Addr().String()
		go func() { done <- serving.ServeTLS(ln, "", "") }()
	} else {
		go func() { done <- serving.Serve(ln) }()
	}
	s.finish = sync.OnceFunc(func() {
		s.client.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		serving.Shutdown(ctx) // remaining connections are closed below
	})
	s.Cleanup(func() {
		serving.Close()
		if err := <-done; err != http.ErrServerClosed {
			s.Errorf("serve: %v", err)
		}
		if s.Failed() {
			s.Logf("the server's log: %s", errors)
		}
	})
	return s.url
}

func (s *site) listen() net.Listener {
	s.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	return ln
}

// must fails the row for an error.
func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// An answer is a response that was read completely.
type answer struct {
	*http.Response
	body string
}

// ask sends a request to the last server, with header lines such as "Origin:
// https://example.com". A Host line sets the host.
func (s *site) ask(method, target, body string, header ...string) answer {
	s.Helper()
	req, err := http.NewRequest(method, s.url+target, strings.NewReader(body))
	s.must(err)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Add(name, value)
	}
	return s.send(req)
}

func (s *site) send(req *http.Request) answer {
	s.Helper()
	resp, err := s.client.Do(req)
	s.must(err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	s.must(err)
	return answer{resp, string(got)}
}

// wants compares the status and body of a response, such as "200 hello". If the
// wanted body ends in ..., it is a prefix.
func (s *site) wants(want string, a answer) answer {
	s.Helper()
	got := fmt.Sprint(a.StatusCode, " ", a.body)
	if start, partly := strings.CutSuffix(want, "..."); partly {
		if !strings.HasPrefix(got, start) {
			s.Errorf("%s %s: got %.300s, want %s", a.Request.Method, a.Request.URL.Path, got, want)
		}
	} else if got := strings.TrimSpace(got); got != want {
		s.Errorf("%s %s: got %.300s, want %s", a.Request.Method, a.Request.URL.Path, got, want)
	}
	return a
}

// get is ask with GET and wants.
func (s *site) get(want, target string, header ...string) answer {
	s.Helper()
	return s.wants(want, s.ask("GET", target, "", header...))
}

// has compares one header field of a response.
func (s *site) has(a answer, name, want string) {
	s.Helper()
	if got := a.Header.Get(name); got != want {
		s.Errorf("%s %s: got %s %q, want %q", a.Request.Method, a.Request.URL.Path, name, got, want)
	}
}

// contains checks that a text contains others.
func (s *site) contains(what, text string, wants ...string) {
	s.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			s.Errorf("%s: no %s in %s", what, want, text)
		}
	}
}

// equal compares the text of two values.
func (s *site) equal(what string, got, want any) {
	s.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		s.Errorf("%s: got %s, want %s", what, g, w)
	}
}

// A syncBuffer is a buffer that is safe for concurrent use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// sayValue returns a handler that responds with the named path value.
func sayValue(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue(name)) }
}
