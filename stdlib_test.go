package muxmaster_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// net/http removes the temporary files of a form through the request that it
// made itself: a router that hands on a copy leaves them behind.
func TestMultipartLeavesNoFiles(t *testing.T) {
	for _, mode := range modes {
		dir := t.TempDir()
		t.Setenv("TMPDIR", dir)
		parse := func(w http.ResponseWriter, r *http.Request) {
			if err := r.ParseMultipartForm(1); err != nil {
				t.Error(err)
			}
			if files, _ := os.ReadDir(dir); len(files) != 1 {
				t.Errorf("%d temporary files while the form is read, want 1", len(files))
			}
			fmt.Fprint(w, r.PathValue("id"))
		}
		m := newMux(mode.pooled)
		m.POST("/static", parse)
		m.POST("/upload/:id", parse)
		m.POSTFast("/fast/:id", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { parse(w, r) })
		sub := muxmaster.New()
		sub.With(trace("")).POST("/x/:id", parse)
		m.Mount("/sub/:s", sub)
		srv := httptest.NewServer(m)
		for _, path := range []string{"/static", "/upload/5", "/fast/5", "/sub/1/x/5"} {
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			part, _ := form.CreateFormFile("file", "big")
			// Beyond the 10 MB that net/http adds to what is kept in memory.
			part.Write(make([]byte, 11<<20))
			form.Close()
			resp, err := http.Post(srv.URL+path, form.FormDataContentType(), &body)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		srv.Close() // waits for the handlers
		if files, _ := os.ReadDir(dir); len(files) != 0 {
			t.Errorf("%s: %d temporary files left", mode.name, len(files))
		}
	}
}

func TestReverseProxy(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "backend ", r.URL.EscapedPath())
	}))
	defer backend.Close()
	target, _ := url.Parse(backend.URL)
	m := muxmaster.New()
	var seen string
	m.ANY("/p/:id/*rest", (&httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(target)
			seen = pr.In.PathValue("id") + pr.Out.PathValue("rest")
		},
	}).ServeHTTP)
	m.Mount("/m/:x", httputil.NewSingleHostReverseProxy(target))
	front := httptest.NewServer(m)
	defer front.Close()
	for _, c := range [][2]string{{"/p/1/a%2Fb/c", "backend /p/1/a%2Fb/c"}, {"/m/1/x", "backend /m/1/x"}} {
		resp, err := http.Get(front.URL + c[0])
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(b) != c[1] {
			t.Errorf("%s: got %q", c[0], b)
		}
	}
	if seen != "1/a/b/c" {
		t.Errorf("the proxy saw %q", seen)
	}
}

// A client that goes away while the proxy dials: the dial outlives the handler
// and may read the request.
func TestReverseProxyThatOutlivesTheHandler(t *testing.T) {
	started, release, finished := make(chan bool), make(chan bool), make(chan string)
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		go func() {
			started <- true
			<-release
			finished <- r.PathValue("id")
		}()
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	m := muxmaster.New()
	m.GET("/p/:id", (&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, Transport: transport, ErrorHandler: func(http.ResponseWriter, *http.Request, error) {}}).ServeHTTP)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	ask(m, request(t, "GET", "/p/5").WithContext(ctx))
	close(release)
	if got := <-finished; got != "5" {
		t.Errorf("id=%q after the handler returned, want 5", got)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The handler of a TimeoutHandler runs in a goroutine and may go on after the
// answer.
func TestTimeoutHandler(t *testing.T) {
	for _, mode := range modes {
		release, result := make(chan bool), make(chan string)
		slow := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-release
			result <- r.PathValue("id")
		}), time.Millisecond, "too slow")
		quick := http.TimeoutHandler(http.HandlerFunc(values), time.Minute, "")
		m := newMux(mode.pooled)
		m.Handle("/quick/{id}", quick)
		m.Handle("/slow/{id}", slow)
		if got := get(t, m, "GET", "/quick/1"); got != `id="1"` {
			t.Errorf("%s: got %s", mode.name, got)
		}
		if mode.pooled {
			continue // the contract forbids it
		}
		if a := ask(m, request(t, "GET", "/slow/5")); a.status != 503 || a.body != "too slow" {
			t.Errorf("got %+v", a)
		}
		close(release)
		if got := <-result; got != "5" {
			t.Errorf("id=%q after the answer, want 5", got)
		}
	}
	// Around the whole Mux.
	m := muxmaster.New()
	m.GET("/x/:id", values)
	if got := get(t, http.TimeoutHandler(m, time.Minute, ""), "GET", "/x/1"); got != `id="1"` {
		t.Errorf("around the Mux: got %s", got)
	}
}

func TestHijackAndFlush(t *testing.T) {
	m := muxmaster.New()
	m.GET("/hijack/:id", func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() { // the connection outlives the handler, with the request
			defer conn.Close()
			line, _ := rw.ReadString('\n')
			fmt.Fprintf(rw, "%s %s", r.PathValue("id"), line)
			rw.Flush()
		}()
	})
	m.GET("/control/:id", func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		for name, err := range map[string]error{
			"SetWriteDeadline": rc.SetWriteDeadline(time.Now().Add(time.Minute)),
			"SetReadDeadline":  rc.SetReadDeadline(time.Now().Add(time.Minute)),
			"EnableFullDuplex": rc.EnableFullDuplex(),
			"Flush":            rc.Flush(),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, ok := w.(io.ReaderFrom); !ok {
			t.Error("the ResponseWriter is no io.ReaderFrom")
		}
		fmt.Fprint(w, r.PathValue("id"))
	})
	srv := httptest.NewServer(m)
	defer srv.Close()

	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /hijack/7 HTTP/1.1\r\nHost: a\r\n\r\nhello\n")
	if got, _ := io.ReadAll(bufio.NewReader(conn)); string(got) != "7 hello\n" {
		t.Errorf("hijacked: got %q", got)
	}
	resp, err := http.Get(srv.URL + "/control/8")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, _ := io.ReadAll(resp.Body); string(got) != "8" {
		t.Errorf("controlled: got %q", got)
	}
}

func TestStripPrefixAndFileServer(t *testing.T) {
	for _, mode := range modes {
		inner := newMux(mode.pooled)
		inner.GET("/x/:id", values)
		m := newMux(mode.pooled)
		m.Handle("/api/", http.StripPrefix("/api", inner))
		m.Handle("/files/", http.StripPrefix("/files/", http.FileServerFS(files)))
		m.Handle("GET /own/{path...}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, files, r.PathValue("path"))
		}))
		outer := http.StripPrefix("/outer", m)
		for _, c := range []struct {
			h            http.Handler
			target, want string
		}{
			{m, "/api/x/1", `id="1"`},
			{m, "/api/x/a%2Fb", `id="a/b"`},
			{m, "/api/x/%C3%BC", `id="ü"`},
			{outer, "/outer/api/x/1", `id="1"`},
			{m, "/files/a.txt", "text of a"},
			{m, "/files/dir/b.txt", "text of b"},
			{m, "/files/dir", "301 dir/"},
			{m, "/files", "307 /files/"},
			{m, "/own/dir/b.txt", "text of b"},
			{m, "/own/none", "404"},
		} {
			if got := get(t, c.h, "GET", c.target); got != c.want {
				t.Errorf("%s: %s: got %s, want %s", mode.name, c.target, got, c.want)
			}
		}
	}
}

// Over HTTP/2, too.
func TestHTTP2(t *testing.T) {
	m := newMux(true)
	m.GET("/x/:id", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto, " ")
		values(w, r)
	})
	srv := httptest.NewUnstartedServer(m)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	for _, c := range [][2]string{{"/x/a%2Fb", `HTTP/2.0 id="a/b"`}, {"//x/1", `HTTP/2.0 id="1"`}} {
		resp, err := srv.Client().Get(srv.URL + c[0])
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(b) != c[1] {
			t.Errorf("%s: got %q, want %q", c[0], b, c[1])
		}
	}
}

// A panic of a handler goes through the router as it is.
func TestHandlerPanics(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.GET("/:id", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		m.GETFast("/f/:id", func(http.ResponseWriter, *http.Request, muxmaster.Params) { panic(http.ErrAbortHandler) })
		for _, target := range []string{"/1", "/f/1"} {
			func() {
				defer func() {
					if v := recover(); v != http.ErrAbortHandler {
						t.Errorf("%s, %s: recovered %v", mode.name, target, v)
					}
				}()
				ask(m, request(t, "GET", target))
			}()
		}
	}
}

// Redirected clients keep method and body, as 307 means.
func TestRedirectKeepsTheBody(t *testing.T) {
	m := muxmaster.New()
	m.POST("/x/", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	srv := httptest.NewServer(m)
	defer srv.Close()
	resp, err := http.Post(srv.URL+"//x", "text/plain", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "body" || resp.Request.Method != "POST" {
		t.Errorf("got %s %q", resp.Request.Method, b)
	}
}
