package middleware_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

type mw = func(http.Handler) http.Handler

// chain wraps a handler in middleware, the first one outermost.
func chain(h http.Handler, mws ...mw) http.Handler {
	for _, m := range slices.Backward(mws) {
		h = m(h)
	}
	return h
}

// quiet does nothing.
var quiet = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, s) }
}

// serve serves one request and returns the response.
func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func get(target string) *http.Request { return httptest.NewRequest("GET", target, nil) }

// A logBuffer stores log output. It is safe for concurrent use.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(l, nil)) }

// records decodes the JSON records, one per line.
func (l *logBuffer) records(t *testing.T) (records []map[string]any) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		records = append(records, r)
	}
	return records
}

// one returns the only record.
func (l *logBuffer) one(t *testing.T) map[string]any {
	t.Helper()
	records := l.records(t)
	if len(records) != 1 {
		t.Fatalf("%d records, want 1: %s", len(records), l)
	}
	return records[0]
}

// setDefault sets the default logger until the test ends.
func setDefault(t *testing.T, l *slog.Logger) {
	t.Helper()
	before := slog.Default()
	slog.SetDefault(l)
	t.Cleanup(func() { slog.SetDefault(before) })
}

// silence discards the output of the default logger.
func silence(t *testing.T) { t.Helper(); setDefault(t, slog.New(slog.DiscardHandler)) }

// silent is Logger without output.
var silent = middleware.LoggerWith(slog.New(slog.DiscardHandler))

// withURL returns a request whose URL is parsed as a server does.
func withURL(t *testing.T, target string) *http.Request {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil {
		t.Fatal(err)
	}
	r := get("/")
	r.URL = u
	return r
}

// fetch sends a request and reads the response. It returns the error of reading
// the body.
func fetch(t *testing.T, c *http.Client, r *http.Request) (resp *http.Response, body string, err error) {
	t.Helper()
	if resp, err = c.Do(r); err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

// post returns a POST request. Its length is known if body is a strings.Reader.
func post(t *testing.T, url string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequest("POST", url, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exchange sends text to s over a connection of its own and reads the head of a
// response.
func exchange(t *testing.T, s *site, text string) *http.Response {
	t.Helper()
	conn := s.dial(t)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute)) // in case of a failure, it would hang
	io.WriteString(conn, text)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.200q: %v", text, err)
	}
	return resp
}

// protos are the protocols and servers that most tests use.
var protos = []string{"HTTP/1.1", "HTTP/2.0", "engine HTTP/1.1", "engine HTTP/2.0"}

// A site is a running server.
type site struct {
	URL, addr string
	client    *http.Client
	close     func()
}

func (s *site) Client() *http.Client { return s.client }
func (s *site) Close()               { s.close() }

// start serves h with the given protocol: over TLS by net/http, or without TLS
// by package engine. The buffer contains the server's error log.
func start(t *testing.T, proto string, h http.Handler) (*site, *logBuffer) {
	t.Helper()
	complaints, protocols := &logBuffer{}, new(http.Protocols)
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(complaints, "", 0)
	srv.EnableHTTP2 = proto == "HTTP/2.0"
	if !strings.HasPrefix(proto, "engine") {
		srv.StartTLS()
		t.Cleanup(srv.Close)
		return &site{srv.URL, srv.Listener.Addr().String(), srv.Client(), srv.Close}, complaints
	}
	protocols.SetHTTP1(strings.HasSuffix(proto, "1.1"))
	protocols.SetUnencryptedHTTP2(strings.HasSuffix(proto, "2.0"))
	transport := &http.Transport{Protocols: protocols}
	srv.Config.Protocols = protocols
	e := engine.New(srv.Config)
	done := make(chan error, 1)
	go func() { done <- e.Serve(srv.Listener) }()
	stop := sync.OnceFunc(func() {
		transport.CloseIdleConnections()
		e.Shutdown(context.Background())
		<-done
	})
	t.Cleanup(stop)
	addr := srv.Listener.Addr().String()
	return &site{"http://" + addr, addr, &http.Client{Transport: transport}, stop}, complaints
}

// dial connects to the site, with TLS if its server uses it.
func (s *site) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(s.URL, "https:") {
		return tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	return conn
}

// wantPanic checks the text of a panic.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	f()
}

// recovering calls f and returns the value of its panic.
func recovering(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// around returns middleware that calls f.
func around(f func(w http.ResponseWriter, r *http.Request, next http.Handler)) mw {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(w, r, next) })
	}
}

// hide hides the server's writer.
var hide = around(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
})

// foreign wraps the server's writer in one with only Unwrap.
var foreign = around(func(w http.ResponseWriter, r *http.Request, next http.Handler) { next.ServeHTTP(unwrapper{w}, r) })

type unwrapper struct{ http.ResponseWriter }

func (u unwrapper) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// keepBack holds the response back until the handler has returned or panicked,
// like a middleware that compresses.
var keepBack = around(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	k := &keptBack{ResponseWriter: w}
	defer func() {
		if k.code != 0 {
			w.WriteHeader(k.code)
		}
		w.Write(k.body)
	}()
	next.ServeHTTP(k, r)
})

type keptBack struct {
	http.ResponseWriter
	code int
	body []byte
}

func (k *keptBack) Unwrap() http.ResponseWriter { return k.ResponseWriter }

func (k *keptBack) WriteHeader(code int) {
	if k.code == 0 {
		k.code = code
	}
}

func (k *keptBack) Write(p []byte) (int, error) {
	k.WriteHeader(200)
	k.body = append(k.body, p...)
	return len(p), nil
}
