package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/engine"
)

// serveBoth calls f with a server of h over HTTP/1.1 and HTTP/2.
func serveBoth(t *testing.T, h http.Handler, f func(protocol string, srv *httptest.Server)) {
	t.Helper()
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		srv := httptest.NewUnstartedServer(h)
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		srv.EnableHTTP2 = true
		if protocol == "HTTP/1.1" {
			srv.Start()
		} else {
			srv.StartTLS()
		}
		f(protocol, srv)
		srv.Close()
	}
}

// wait waits until no request is being mirrored.
func (m *Mirror) wait() {
	for range cap(m.pending) {
		m.pending <- struct{}{}
	}
	for range cap(m.pending) {
		<-m.pending
	}
}

// lines returns a report as text, without times.
func (r MirrorReport) lines() (list []string) {
	for _, route := range r.Routes {
		for _, d := range route.Differences {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%d of %d %s: %s: %s, now %s %s", d.Count, route.Compared, route.Route, d.Kind, d.Old, d.Now, d.Query)))
		}
		if len(route.Differences) == 0 {
			list = append(list, fmt.Sprintf("%d %s", route.Compared, route.Route))
		}
	}
	return list
}

// send sends a request, and returns the protocol, status and body of the response.
func send(t *testing.T, srv *httptest.Server, method, target string, header ...string) string {
	t.Helper()
	r, err := http.NewRequest(method, srv.URL+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := *srv.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(r)
	if err != nil {
		return "error"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "error"
	}
	return fmt.Sprint(resp.Proto, " ", resp.StatusCode, " ", string(body))
}

// mirrorVersion returns a service. Version 2 differs, and everything that is in its
// responses but not in the route is secret.
func mirrorVersion(n int) *muxmaster.Mux {
	m := muxmaster.New()
	text := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status); io.WriteString(w, text) }
	}
	set := func(name, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.Header().Set(name, value) }
	}
	m.GET("/same/:id", func(w http.ResponseWriter, r *http.Request) { // as a file
		io.Copy(w, struct{ io.Reader }{strings.NewReader(strings.Repeat("secret", 20_000))})
	})
	if n == 1 {
		m.GET("/admin/:id", text(401, "secret"))
		m.GET("/panic", text(200, ""))
		m.GET("/body/:id", text(200, "secret"))
		m.GET("/cookie", set("Set-Cookie", "s=secret; Path=/secret; Other=secret; Secure"))
		m.GET("/header", set("X-Who", "secret"))
		m.GET("/to", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/secret", 303) })
		m.GET("/shown", set("X-Version", "1"))
	} else {
		m.GET("/admin/{id...}", text(200, "secret"))
		m.GET("/panic", func(http.ResponseWriter, *http.Request) { panic("secret") })
		m.GET("/body/:id", text(200, "secrets"))
		m.GET("/cookie", set("Set-Cookie", "s=secret; Path=/secret; Other=secret"))
		m.GET("/header", text(200, ""))
		m.GET("/to", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/secrets", 303) })
		m.GET("/shown", text(200, ""))
	}
	return m
}

// TestMirror checks what a Mirror finds, in this process and another one, and that
// neither its page nor its data have anything that may be personal.
func TestMirror(t *testing.T) {
	next := httptest.NewUnstartedServer(mirrorVersion(2))
	next.Config.ErrorLog = log.New(io.Discard, "", 0)
	next.Start()
	defer next.Close()
	for _, o := range []MirrorOptions{{Handler: mirrorVersion(2)}, {URL: next.URL}} {
		o.Share, o.Show = 1, []string{"page", "X-Version"}
		var m *Mirror
		serveBoth(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.Handler(mirrorVersion(1)).ServeHTTP(w, r) }), func(protocol string, srv *httptest.Server) {
			m = NewMirror(o)
			for _, target := range []string{"/same/secret?q=secret", "/admin/secret?q=secret&page=7", "/admin/7", "/panic", "/body/secret", "/cookie", "/header", "/to", "/shown", "/secret"} {
				send(t, srv, "GET", target, "Cookie", "s=secret", "Authorization", "Bearer secret")
				m.wait() // the last one is shown
			}
			if got := send(t, srv, "HEAD", "/same/secret"); got != protocol+" 200 " {
				t.Errorf("%s: got %s", protocol, got)
			}
			m.wait()
			report := m.Report()
			want := []string{
				"2 of 2 GET /admin/:id: lost login: 401, now 200 by GET /admin/{id...}",
				"1 of 1 GET /cookie: lost protection: 200 with Set-Cookie: s=; Path=/…; Secure; Other, now 200 with Set-Cookie: s=; Path=/…; Other",
				"1 of 1 GET /panic: crash: 200, now panic",
				"1 of 1 GET /to: redirect: 303 to …, now 303 to …",
				"1 of 1 GET /body/:id: body: 200, 6 bytes, now 200, 7 bytes",
				"1 of 1 GET /header: header: 200 with X-Who: …, now 200 with X-Who: (none)",
				"1 of 1 GET /shown: header: 200 with X-Version: 1, now 200 with X-Version: (none)",
				"1 GET (no route)", "1 GET /same/:id", "1 HEAD /same/:id",
			}
			counts := []uint64{report.Compared, report.Different, report.Failed, report.Skipped, report.Busy}
			wantCounts := []uint64{11, 8, 0, 0, 0}
			if o.URL != "" { // nothing says which route it is, and a panic is no response
				want[0] = "2 of 2 GET /admin/:id: lost login: 401, now 200"
				want = slices.Delete(want, 2, 3)
				wantCounts = []uint64{10, 7, 1, 0, 0}
			}
			if got := report.lines(); !slices.Equal(got, want) || !slices.Equal(counts, wantCounts) {
				t.Errorf("%s: got %d\n%s\nwant %d\n%s", protocol, counts, strings.Join(got, "\n"), wantCounts, strings.Join(want, "\n"))
			}
			send(t, srv, "GET", "/admin/7?q=secret&page=8")
			m.wait()
			for path, want := range map[string]string{"/m": "<td>page=8</td>", "/m/mirror.json": `"Query":"page=8"`} {
				w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
				m.Page().ServeHTTP(w, r)
				if w.Code != http.StatusForbidden {
					t.Errorf("%s of a remote client: %d", path, w.Code)
				}
				w, r.RemoteAddr, r.Host = httptest.NewRecorder(), "127.0.0.1:1", "localhost"
				m.Page().ServeHTTP(w, r)
				if text := w.Body.String(); w.Code != 200 || !strings.Contains(text, want) || strings.Contains(text, "secret") {
					t.Errorf("%s: got %d\n%s", path, w.Code, text)
				}
				if html := path == "/m"; html != (w.Header().Get("Content-Security-Policy") == mirrorPolicy) || w.Header().Get("Cache-Control") != "no-store" {
					t.Errorf("%s: got the header %v", path, w.Header())
				}
			}
		})
	}
}

// TestMirrorSends checks that the next version gets safe requests once, as they
// came, and nothing else.
func TestMirrorSends(t *testing.T) {
	var got atomic.Pointer[http.Request]
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // changes its request, and reads its body
		io.Copy(io.Discard, r.Body)
		r.URL.Path = "/changed"
		r.Header.Set("X", "changed")
		switch r.Header.Get("Do") {
		case "panic":
			panic(http.ErrAbortHandler)
		case "hijack":
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				conn.Close()
			}
			panic(http.ErrAbortHandler)
		case "much":
			for range 9 {
				w.Write(make([]byte, 1<<20))
			}
		}
	})
	var m *Mirror
	serveBoth(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.Handler(h).ServeHTTP(w, r) }), func(protocol string, srv *httptest.Server) {
		for _, tt := range []struct {
			method, target string
			header         []string
			body           string
			mirrored       bool
		}{
			{"GET", "/a%2Fb?c=d", []string{"X", "1", "Cookie", "s=1"}, "", true},
			{"HEAD", "/", nil, "", true},
			{"OPTIONS", "/", nil, "", true},
			{"GET", "/", []string{"Accept-Encoding", "gzip"}, "", true},
			{"POST", "/", nil, "", false},
			{"PUT", "/", nil, "body", false},
			{"DELETE", "/", nil, "", false},
			{"BREW", "/", nil, "", false},
			{"GET", "/", nil, "body", false},
			{"GET", "/", []string{"X-HTTP-Method-Override", "DELETE"}, "", false},
			{"GET", "/?_method=DELETE", nil, "", false},
			{"GET", "/", []string{"If-None-Match", `"a"`}, "", false},
			{"GET", "/", []string{"Range", "bytes=0-1"}, "", false},
			{"GET", "/", []string{"Muxmaster-Mirror", "1"}, "", false},
			{"GET", "/", []string{"X", strings.Repeat("x", 17<<10)}, "", false},
			{"GET", "/?" + strings.Repeat("x", 17<<10), nil, "", false},
			{"GET", "/", []string{"Do", "panic"}, "", false},
			{"GET", "/", []string{"Do", "hijack"}, "", false},
			{"GET", "/", []string{"Do", "much"}, "", false},
		} {
			got.Store(nil)
			m = NewMirror(MirrorOptions{Share: 1, Methods: []string{"GET", "HEAD", "OPTIONS"}, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !got.CompareAndSwap(nil, r.Clone(r.Context())) {
					t.Errorf("%s: %s %.20s is sent twice", protocol, tt.method, tt.target)
				}
			})})
			r, err := http.NewRequest(tt.method, srv.URL+tt.target, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(tt.header); i += 2 {
				r.Header.Set(tt.header[i], tt.header[i+1])
			}
			if resp, err := srv.Client().Do(r); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			m.wait()
			sent := got.Load()
			if (sent != nil) != tt.mirrored {
				t.Errorf("%s: %s %.20s %.40q: mirrored is %v", protocol, tt.method, tt.target, tt.header, sent != nil)
			}
			if sent != nil && (sent.Method != tt.method || sent.RequestURI != tt.target || sent.URL.RequestURI() != tt.target || sent.Header.Get("X") != r.Header.Get("X") ||
				sent.Header.Get("Cookie") != r.Header.Get("Cookie") || sent.Header.Get("Muxmaster-Mirror") != "1" || sent.Host != r.URL.Host) {
				t.Errorf("%s: %s %s: got %+v", protocol, tt.method, tt.target, sent)
			}
		}
	})
}

// TestMirrorRecycles checks that the next version gets no part of later requests
// from a server that reuses them.
func TestMirrorRecycles(t *testing.T) {
	var sent, mixed atomic.Int64
	m := NewMirror(MirrorOptions{Share: 1, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		if n := r.URL.RawQuery; n == "" || r.Header.Get("N") != n || r.RequestURI != "/?"+n {
			mixed.Add(1)
		}
		w.Header().Set("Cache-Control", r.URL.RawQuery)
	})}) // the header of responses is reused, too
	s := engine.New(&http.Server{Handler: m.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", r.URL.RawQuery)
		io.WriteString(w, "ok")
	}))})
	s.Recycle = true
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()
	for i := range 500 {
		r, _ := http.NewRequest("GET", fmt.Sprintf("http://%s/?%d", l.Addr(), i), nil)
		r.Header.Set("N", fmt.Sprint(i))
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	m.wait()
	report := m.Report()
	if sent.Load() == 0 || mixed.Load() != 0 || report.Different != report.Compared || report.Routes[0].Differences[0].Kind != "body" {
		t.Errorf("%d of %d requests are mixed: %+v", mixed.Load(), sent.Load(), report)
	}
}

// TestMirrorIsHarmless has next versions that do their worst. Clients get their
// responses, each request is sent at most once, and the goroutines end.
func TestMirrorIsHarmless(t *testing.T) {
	end := make(chan struct{})
	var sent atomic.Int64
	in := func(f http.HandlerFunc) MirrorOptions {
		return MirrorOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { sent.Add(1); f(w, r) })}
	}
	listen := func(f func(net.Conn)) MirrorOptions {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					if n, _ := conn.Read(make([]byte, 4096)); n > 0 {
						sent.Add(1)
						f(conn)
					}
				}()
			}
		}()
		return MirrorOptions{URL: "http://" + l.Addr().String()}
	}
	repeat := func(conn net.Conn, begin, text string) {
		io.WriteString(conn, begin)
		for _, err := io.WriteString(conn, text); err == nil; _, err = io.WriteString(conn, text) {
		}
	}
	const requests = 100
	for name, tt := range map[string]struct {
		o        MirrorOptions
		compared uint64 // others fail; with hangs, the rest is refused
		hangs    bool
	}{
		"same":   {o: in(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }), compared: requests},
		"panics": {o: in(func(w http.ResponseWriter, r *http.Request) { panic(fmt.Sprint("a", strings.Repeat("b", 1<<20))) }), compared: requests},
		"aborts": {o: in(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }), compared: requests},
		"ends":   {o: in(func(w http.ResponseWriter, r *http.Request) { runtime.Goexit() })},
		"hangs":  {o: in(func(w http.ResponseWriter, r *http.Request) { <-end }), compared: 64, hangs: true},
		"floods": {o: in(func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		})},
		"long header": {o: in(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Set-Cookie", strings.Repeat("x", 1<<20)+"=1")
		}), compared: requests},
		"writes later": {o: in(func(w http.ResponseWriter, r *http.Request) {
			go func() {
				for range 100 {
					w.Write([]byte("late"))
				}
			}()
		}), compared: requests},
		"bad status": {o: in(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(99) }), compared: requests},
		"is down":    {o: MirrorOptions{URL: "http://127.0.0.1:1"}},
		"closes":     {o: listen(func(conn net.Conn) {})},
		"closes later": {o: listen(func(conn net.Conn) { // a client that keeps the connection would send the next request twice
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			if n, _ := conn.Read(make([]byte, 4096)); n > 0 {
				sent.Add(1)
			}
		}), compared: requests},
		"talks nonsense": {o: listen(func(conn net.Conn) { repeat(conn, "", "nonsense\r\n") })},
		"never responds": {o: listen(func(conn net.Conn) { <-end }), hangs: true},
		"endless header": {o: listen(func(conn net.Conn) { repeat(conn, "HTTP/1.1 200 OK\r\n", "A: b\r\n") })},
		"endless 1xx":    {o: listen(func(conn net.Conn) { repeat(conn, "", "HTTP/1.1 103 Early Hints\r\n\r\n") })},
		"endless body": {o: listen(func(conn net.Conn) {
			repeat(conn, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", strings.Repeat("x", 1<<16))
		})},
		"short body": {o: listen(func(conn net.Conn) { io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok") })},
	} {
		before := runtime.NumGoroutine()
		tt.o.Share = 1
		m := NewMirror(tt.o)
		sent.Store(0)
		serveBoth(t, m.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })), func(protocol string, srv *httptest.Server) {
			for range requests / 2 {
				if got := send(t, srv, "GET", "/"); got != protocol+" 200 ok" {
					t.Errorf("%s: got %s", name, got)
				}
				if !tt.hangs {
					m.wait()
				}
			}
		})
		if tt.hangs {
			if report := m.Report(); report.Pending != 64 || report.Busy != requests-64 || report.Compared+report.Failed != 0 {
				t.Errorf("%s: got %+v", name, report)
			}
			for range 64 {
				end <- struct{}{}
			}
			m.wait()
		}
		report := m.Report()
		if report.Compared != tt.compared || report.Compared+report.Failed+report.Busy != requests || report.Skipped+uint64(report.Pending) != 0 || sent.Load() > requests {
			t.Errorf("%s: got %+v, sent %d", name, report, sent.Load())
		}
		if data, _ := json.Marshal(report); len(data) > 4096 {
			t.Errorf("%s: the report has %d bytes", name, len(data))
		}
		for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
			runtime.Gosched()
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%s: %d goroutines are left", name, n-before)
		}
	}
}

// TestMirrorOfClientsThatLeave checks that clients that read slowly or leave take
// no place for ever, and that their responses aren't compared.
func TestMirrorOfClientsThatLeave(t *testing.T) {
	left := make(chan struct{})
	m := NewMirror(MirrorOptions{Share: 1, Concurrency: 1, Handler: http.NotFoundHandler()})
	h := m.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			w.Write(make([]byte, 1000))
			http.NewResponseController(w).Flush()
		}
		left <- struct{}{}
	}))
	serveBoth(t, h, func(protocol string, srv *httptest.Server) {
		var open []io.Closer
		for range 20 {
			resp, err := srv.Client().Get(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, resp.Body)
		}
		if report := m.Report(); report.Pending != 16 || report.Busy == 0 {
			t.Errorf("%s: got %+v", protocol, report)
		}
		for _, body := range open {
			body.Close()
			<-left
		}
		m.wait()
	})
	if report := m.Report(); report.Compared != 0 || report.Busy != 8 || report.Skipped != 32 {
		t.Errorf("got %+v", report)
	}
}

// TestMirrorOfLongResponses checks that handlers that wait, and streams of events,
// take no place until they end.
func TestMirrorOfLongResponses(t *testing.T) {
	for contentType, after := range map[string]time.Duration{"text/plain": patience, "text/event-stream; charset=utf-8": 0} {
		synctest.Test(t, func(t *testing.T) {
			m := NewMirror(MirrorOptions{Share: 1, Concurrency: 1, Handler: http.NotFoundHandler()})
			end := make(chan struct{})
			h := m.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", contentType)
				io.WriteString(w, "begun")
				<-end
				io.WriteString(w, "ended")
			}))
			for range 20 {
				go h.ServeHTTP(httptest.NewRecorder(), serverRequest("GET", "", "/"))
			}
			time.Sleep(after)
			synctest.Wait()
			if report := m.Report(); report.Pending != 0 || report.Skipped+report.Busy != 20 || report.Skipped < 16 {
				t.Errorf("%s: got %+v", contentType, report)
			}
			close(end)
			synctest.Wait()
			if report := m.Report(); report.Pending != 0 || report.Compared+report.Failed != 0 || report.Skipped+report.Busy != 20 {
				t.Errorf("%s: got %+v", contentType, report)
			}
		})
	}
}

// TestMirrorBounds checks that patterns of another router can't fill the memory,
// and that names in the page stay text.
func TestMirrorBounds(t *testing.T) {
	m := NewMirror(MirrorOptions{Share: 1, Handler: http.NotFoundHandler()})
	for i := range 3000 {
		m.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { r.Pattern = fmt.Sprintf("/<b>\u202e%d", i) })).ServeHTTP(httptest.NewRecorder(), serverRequest("GET", "", "/"))
		m.wait()
	}
	report := m.Report()
	if n := len(report.Routes); n != mirroredRoutes+1 || report.Routes[0].Route != "(other routes)" || report.Routes[0].Compared != 2000 {
		t.Errorf("%d routes: %+v", n, report.Routes[0])
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/m/", nil)
	r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
	m.Page().ServeHTTP(w, r)
	if text := w.Body.String(); strings.Contains(text, "<b>") || strings.Contains(text, "\u202e") || !strings.Contains(text, "&lt;b&gt;\ufffd1<") || !strings.Contains(text, `href="./mirror.json"`) {
		t.Errorf("got %.3000s", text)
	}
	post := httptest.NewRequest("POST", "/", nil)
	h := m.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if n := testing.AllocsPerRun(100, func() { h.ServeHTTP(w, post) }); n != 0 {
		t.Errorf("a request that isn't mirrored takes %v allocations", n)
	}
}

func TestNewMirrorPanics(t *testing.T) {
	h := http.NotFoundHandler()
	for want, o := range map[string]MirrorOptions{
		"inspect: NewMirror: the method POST may change data":          {Handler: h, Share: 1, Methods: []string{"GET", "POST"}},
		"inspect: NewMirror: Share is 0":                               {Handler: h},
		"inspect: NewMirror: Share is 2":                               {Handler: h, Share: 2},
		"inspect: NewMirror: Concurrency is -1":                        {Handler: h, Share: 1, Concurrency: -1},
		"inspect: NewMirror: set either Handler or URL":                {Share: 1},
		`inspect: NewMirror: "127.0.0.1:1" is no URL of a server`:      {Share: 1, URL: "127.0.0.1:1"},
		`inspect: NewMirror: "http://localhost/x" is no URL of a serv`: {Share: 1, URL: "http://localhost/x"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}()
			NewMirror(o)
		}()
	}
}
