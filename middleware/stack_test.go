package middleware_test

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// stacks returns stacks of middleware: all of them, in the documented and in
// reverse order, and each middleware that wraps the writer alone.
func stacks() map[string][]mw {
	all := []mw{
		silent, middleware.Observe(func(*http.Request, int, int64, time.Duration) {}), middleware.Recoverer, middleware.RealIP, middleware.RealIPFrom(netip.MustParsePrefix("192.0.2.0/24")),
		middleware.RequestID, middleware.CleanPath, middleware.StripSlashes, middleware.Timeout(time.Hour),
		middleware.BodyLimit(1 << 30), middleware.Throttle(10, 10, time.Hour),
		middleware.BasicAuth("r", func(user, pass string) bool { return user == "u" && pass == "p" }),
		middleware.SetHeader("X-A", "b"), middleware.NoCache,
	}
	backwards := slices.Clone(all)
	slices.Reverse(backwards)
	return map[string][]mw{
		"none": nil, "all": all, "all, backwards": backwards, "all, twice": append(all[:len(all):len(all)], all...),
		"Logger": {silent}, "Timeout": {middleware.Timeout(time.Hour)},
		"foreign between": {silent, foreign, middleware.Recoverer, middleware.Timeout(time.Hour)},
	}
}

func request(t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("u", "p")
	return r
}

// TestFlushThroughAnyStack checks that flushed data reaches the client while
// the handler is still running.
func TestFlushThroughAnyStack(t *testing.T) {
	for _, proto := range protos {
		for name, stack := range stacks() {
			for how, flush := range map[string]func(http.ResponseWriter) error{
				"Flusher":            func(w http.ResponseWriter) error { return assertFlush(w, name == "foreign between") },
				"ResponseController": func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() },
			} {
				received := make(chan struct{})
				srv, _ := start(t, proto, chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !strings.HasSuffix(proto, r.Proto) {
						t.Errorf("protocol %s, want %s", r.Proto, proto)
					}
					io.WriteString(w, "first\n")
					if err := flush(w); err != nil {
						t.Errorf("%s, %s, %s: %v", proto, name, how, err)
						return
					}
					select {
					case <-received:
					case <-time.After(time.Minute):
						t.Errorf("%s, %s, %s: the client received nothing", proto, name, how)
					}
				}), stack...))
				resp, err := srv.Client().Do(request(t, srv.URL+"/"))
				if err != nil {
					t.Fatal(err)
				}
				if line, err := bufio.NewReader(resp.Body).ReadString('\n'); line != "first\n" {
					t.Errorf("%s, %s, %s: %q, %v", proto, name, how, line, err)
				}
				close(received)
				resp.Body.Close()
			}
		}
	}
}

func assertFlush(w http.ResponseWriter, foreign bool) error {
	f, ok := w.(http.Flusher)
	if foreign { // a wrapper with only Unwrap is no Flusher, so the recorder around it isn't either
		if ok {
			return errors.New("a Flusher out of nowhere")
		}
		return http.NewResponseController(w).Flush()
	}
	if !ok {
		return errors.New("no Flusher")
	}
	f.Flush()
	return nil
}

// TestHijackThroughAnyStack checks upgraded connections: Logger and Observe
// record 101, and Recoverer doesn't respond to a panic.
func TestHijackThroughAnyStack(t *testing.T) {
	for name, stack := range stacks() {
		access, panics, done := &logBuffer{}, &logBuffer{}, make(chan int, 1)
		observe := middleware.Observe(func(r *http.Request, status int, bytes int64, d time.Duration) { done <- status })
		srv, complaints := start(t, "HTTP/1.1", chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, buf, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			defer conn.Close()
			if _, ok := w.(http.Hijacker); ok != (name != "foreign between") {
				t.Errorf("%s: Hijacker %v", name, ok)
			}
			buf.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
			buf.Flush()
			line, _ := buf.ReadString('\n')
			io.WriteString(conn, line)
			panic("upgraded")
		}), slices.Concat([]mw{observe}, stack, []mw{middleware.RecovererWithLogger(panics.logger()), middleware.LoggerWith(access.logger())})...))
		r := request(t, srv.URL+"/")
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "echo")
		resp, err := srv.Client().Do(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		conn, ok := resp.Body.(io.ReadWriteCloser)
		if !ok {
			t.Fatalf("%s: %s", name, resp.Status)
		}
		io.WriteString(conn, "hello\n")
		if line, err := bufio.NewReader(conn).ReadString('\n'); line != "hello\n" {
			t.Errorf("%s: %q, %v", name, line, err)
		}
		conn.Close()
		if status, got := <-done, complaints.String(); status != 101 || got != "" {
			t.Errorf("%s: observed %d, net/http says %q", name, status, got)
		}
		if got, value := access.one(t)["status"], panics.one(t)["value"]; got != 101.0 || value != "upgraded" {
			t.Errorf("%s: logged status %v and panic %v", name, got, value)
		}
	}
}

// sendfileConn records whether net/http passed a file to ReadFrom, which
// sendfile(2) requires.
type sendfileConn struct {
	*net.TCPConn
	sent *atomic.Int64
}

func (c sendfileConn) ReadFrom(src io.Reader) (int64, error) {
	n, err := c.TCPConn.ReadFrom(src)
	if limited, ok := src.(*io.LimitedReader); ok {
		if _, ok := limited.R.(*os.File); ok {
			c.sent.Add(n)
		}
	}
	return n, err
}

type sendfileListener struct {
	net.Listener
	sent *atomic.Int64
}

func (l sendfileListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return sendfileConn{c.(*net.TCPConn), l.sent}, nil
}

func TestSendfileThroughAnyStack(t *testing.T) {
	const size = 1 << 20
	file, content := filepath.Join(t.TempDir(), "file"), make([]byte, size)
	rand.Read(content)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, stack := range stacks() {
		if name == "foreign between" {
			continue // a wrapper with only Unwrap has no ReaderFrom
		}
		var sent atomic.Int64
		srv := httptest.NewUnstartedServer(chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) }), stack...))
		srv.Listener = sendfileListener{srv.Listener, &sent}
		srv.Start()
		_, got, err := fetch(t, srv.Client(), request(t, srv.URL+"/"))
		srv.Close()
		if err != nil || got != string(content) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if sent.Load() < size-4096 { // the first bytes are sent with the header
			t.Errorf("%s: %d of %d bytes by sendfile", name, sent.Load(), size)
		}
	}
}

func TestControllerThroughAnyStack(t *testing.T) {
	for _, proto := range protos {
		for name, stack := range stacks() {
			srv, complaints := start(t, proto, chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rc := http.NewResponseController(w)
				for what, err := range map[string]error{
					"SetReadDeadline":  rc.SetReadDeadline(time.Now().Add(time.Hour)),
					"SetWriteDeadline": rc.SetWriteDeadline(time.Now().Add(time.Hour)),
					"EnableFullDuplex": rc.EnableFullDuplex(),
				} {
					if err != nil {
						t.Errorf("%s, %s: %s: %v", proto, name, what, err)
					}
				}
				w.WriteHeader(http.StatusEarlyHints)
				w.Header().Set("Trailer", "X-Sum")
				io.WriteString(w, "body")
				w.Header().Set("X-Sum", "4")
			}), stack...))
			resp, body, err := fetch(t, srv.Client(), request(t, srv.URL+"/"))
			if body != "body" || err != nil || resp.StatusCode != 200 || resp.Trailer.Get("X-Sum") != "4" {
				t.Errorf("%s, %s: %s %q, %v, trailer %v", proto, name, resp.Status, body, err, resp.Trailer)
			}
			srv.Close()
			if s := complaints.String(); s != "" {
				t.Errorf("%s, %s: net/http says %q", proto, name, s)
			}
		}
	}
}

// TestLateWriterReachesNoOtherResponse checks that a goroutine that outlives
// its request can't write to the response of another one, because recorders
// aren't reused.
func TestLateWriterReachesNoOtherResponse(t *testing.T) {
	release, late := make(chan struct{}), make(chan struct{})
	var stray http.ResponseWriter
	h := chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			stray = w
			return
		}
		close(release)
		<-late
		io.WriteString(w, "second")
	}), silent, middleware.Timeout(time.Hour))
	srv, _ := start(t, "HTTP/2.0", h)
	go func() {
		<-release
		defer close(late)
		recovering(func() { io.WriteString(stray, "SECRET") }) // net/http may panic after the end of the request
	}()
	for _, path := range []string{"/first", "/second"} {
		// The race detector reports a write beside the end of net/http's handler.
		time.Sleep(100 * time.Millisecond)
		if _, body, _ := fetch(t, srv.Client(), request(t, srv.URL+path)); strings.Contains(body, "SECRET") {
			t.Errorf("%s: %q", path, body)
		}
	}
}

// TestAllocations checks how much each middleware allocates for a request.
func TestAllocations(t *testing.T) {
	body := io.NopCloser(strings.NewReader("x"))
	withBody := func(r *http.Request) { r.Body = body }
	received := func(length int64) func(*http.Request) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789")))
		if err != nil {
			t.Fatal(err)
		}
		return func(to *http.Request) { to.Body, to.ContentLength = r.Body, length }
	}
	path := func(path string) func(*http.Request) { return func(r *http.Request) { r.URL.Path = path } }
	peer := func(addr string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = addr } }
	logger := func(level slog.Level) mw { return middleware.LoggerWith(slog.New(discard{level})) }
	attrs := make([]slog.Attr, 7)
	ofSlog := testing.AllocsPerRun(100, func() {
		record := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
		record.AddAttrs(attrs...)
		rawHandler{w: io.Discard, level: 1 << 10}.Enabled(nil, 0)
	})
	again := func(from *http.Request) func(*http.Request) { return func(r *http.Request) { *r = *from } }
	given := get("/")
	given.Header.Set("X-Request-Id", "given")
	forwarded := get("/")
	forwarded.Header.Set("X-Forwarded-For", "198.51.100.7, 10.0.0.1")
	for _, c := range []struct {
		name    string
		m       mw
		r       *http.Request
		prepare func(*http.Request)
		want    float64
	}{
		{"BodyLimit, no body", middleware.BodyLimit(10), get("/"), nil, 0},
		{"BodyLimit, a body", middleware.BodyLimit(10), get("/"), withBody, 2},
		{"BodyLimit, a body that a server received", middleware.BodyLimit(10), get("/"), received(10), 0},
		{"BodyLimit, the same with an unknown length", middleware.BodyLimit(10), get("/"), received(-1), 2},
		{"BodyLimit, the same with a wrong length", middleware.BodyLimit(10), get("/"), received(0), 2},
		{"CleanPath, a clean path", middleware.CleanPath, get("/a/b.c/d"), nil, 0},
		{"CleanPath", middleware.CleanPath, get("/"), path("/a//./b/../"), 1},
		{"StripSlashes, a clean path", middleware.StripSlashes, get("/a/b.c/d"), nil, 0},
		{"StripSlashes", middleware.StripSlashes, get("/"), path("/a//./b/../"), 2}, // it must detect redirects
		{"Logger, not enabled", logger(slog.LevelError), get("/a"), nil, 1},
		{"Logger", logger(slog.LevelInfo), get("/a"), nil, 1 + ofSlog},
		{"NoCache", middleware.NoCache, get("/"), nil, 1},
		{"Observe", middleware.Observe(func(*http.Request, int, int64, time.Duration) {}), get("/"), nil, 1}, // the recorder
		{"RealIP, no proxy", middleware.RealIP, forwarded, peer("192.0.2.1:1"), 0},
		{"RealIP", middleware.RealIP, forwarded, peer("127.0.0.1:1"), 1},
		{"Recoverer", middleware.Recoverer, get("/"), nil, 0},
		{"RequestID, made", middleware.RequestID, get("/"), again(get("/")), 2},
		{"RequestID, given", middleware.RequestID, get("/"), again(given), 1},
		{"SetHeader", middleware.SetHeader("x-a", "b"), get("/"), nil, 1},
		{"Throttle", middleware.Throttle(1, 1, time.Hour), get("/"), nil, 0},
		// Four of context.WithTimeout, the request that carries it, and the recorder.
		{"Timeout", middleware.Timeout(time.Hour), get("/"), nil, 6},
	} {
		h, w := c.m(quiet), httptest.NewRecorder()
		w.Header().Set("X", "") // so that the map has room
		w.Header().Del("X")
		got := testing.AllocsPerRun(100, func() {
			if c.prepare != nil {
				c.prepare(c.r)
			}
			h.ServeHTTP(w, c.r)
		})
		if got != c.want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
}
