package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// startHTTP2 serves srv over HTTP/2 without TLS until the test ends.
func startHTTP2(t testing.TB, make func(*http.Server) server, srv *http.Server) (addr string) {
	t.Helper()
	if srv.Protocols == nil {
		srv.Protocols = new(http.Protocols)
		srv.Protocols.SetHTTP1(true)
		srv.Protocols.SetUnencryptedHTTP2(true)
	}
	return start(t, make(srv))
}

// A tlsServer can also serve over TLS.
type tlsServer interface {
	server
	ServeTLS(l net.Listener, certFile, keyFile string) error
}

// startTLS serves s over TLS until the test ends.
func startTLS(t testing.TB, s tlsServer, srv *http.Server) (addr string) {
	t.Helper()
	certs := httptest.NewUnstartedServer(nil)
	certs.EnableHTTP2 = true
	certs.StartTLS()
	srv.TLSConfig = &tls.Config{Certificates: certs.TLS.Certificates}
	certs.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.ServeTLS(ln, "", "") }()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
	return ln.Addr().String()
}

// http2Client returns a client that uses HTTP/2, without TLS for http URLs.
func http2Client(t testing.TB) *http.Client {
	tr := &http.Transport{Protocols: new(http.Protocols), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	tr.Protocols.SetUnencryptedHTTP2(true)
	tr.Protocols.SetHTTP2(true)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 30 * time.Second}
}

// TestHTTP2 sends requests of Go's client with and without TLS.
func TestHTTP2(t *testing.T) {
	for _, k := range kinds {
		for _, scheme := range []string{"http", "https"} {
			t.Run(k.name+" "+scheme, func(t *testing.T) {
				srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					b, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					if r.Context().Value(http.ServerContextKey).(*http.Server).Handler == nil {
						t.Error("no server in the context")
					}
					w.Header().Set("X-Got", fmt.Sprint(len(b)))
					fmt.Fprintf(w, "%s %s %s %v %q", r.Method, r.Proto, r.URL, r.TLS != nil, r.Header["X-Test"])
					w.Write(b)
				})}
				s := k.make(srv)
				var addr string
				if scheme == "https" {
					addr = startTLS(t, s.(interface {
						server
						ServeTLS(net.Listener, string, string) error
					}), srv)
				} else {
					addr = startHTTP2(t, func(*http.Server) server { return s }, srv)
				}
				cl := http2Client(t)
				for _, size := range []int{0, 1, 5000, 300_000, 3_000_000} {
					body := strings.Repeat("x", size)
					req, _ := http.NewRequestWithContext(context.Background(), "POST", scheme+"://"+addr+"/p%20a?q=1", strings.NewReader(body))
					req.Header.Set("X-Test", "1")
					res, err := cl.Do(req)
					if err != nil {
						t.Fatal(err)
					}
					b, err := io.ReadAll(res.Body)
					res.Body.Close()
					want := fmt.Sprintf(`POST HTTP/2.0 /p%%20a?q=1 %v ["1"]`, scheme == "https") + body
					if err != nil || string(b) != want || res.ProtoMajor != 2 {
						t.Fatalf("got %s %d bytes %.100q, %v, want %.100q", res.Proto, len(b), b, err, want)
					}
				}
				if e, ok := s.(*Server); ok {
					check := func(when string) {
						if st := e.Stats(); st.HandedOver != 0 || st.HTTP2Connections != 1 || st.Requests != 5 || st.HTTP2Requests != 5 {
							t.Errorf("%s: stats are %+v", when, st)
						}
					}
					check("with the connection")
					e.Close()
					check("after its end")
				}
			})
		}
	}
}

// TestServeTLSAfterServe checks that HTTP/2 is served over TLS by a server that
// already serves a listener without TLS.
func TestServeTLSAfterServe(t *testing.T) {
	certs := httptest.NewTLSServer(nil)
	certs.Close()
	srv := &http.Server{
		Handler:   http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }),
		TLSConfig: &tls.Config{Certificates: certs.TLS.Certificates}, // without NextProtos
	}
	e := New(srv)
	if res, err := http.Get("http://" + start(t, e)); err != nil { // Serve runs
		t.Fatal(err)
	} else {
		res.Body.Close()
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- e.ServeTLS(ln, "", "") }()
	res, err := http2Client(t).Get("https://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.ProtoMajor != 2 {
		t.Errorf("got %s, want HTTP/2", res.Proto)
	}
	e.Close()
	if err := <-done; err != http.ErrServerClosed {
		t.Errorf("ServeTLS returned %v", err)
	}
}

// TestHTTP2OptionsAsterisk checks that OPTIONS * reaches the handler if
// DisableGeneralOptionsHandler is set.
func TestHTTP2OptionsAsterisk(t *testing.T) {
	for _, k := range kinds {
		for _, disable := range []bool{false, true} {
			addr := startHTTP2(t, k.make, &http.Server{DisableGeneralOptionsHandler: disable, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "handler")
			})})
			res, err := http2Client(t).Do(&http.Request{Method: "OPTIONS", URL: &url.URL{Scheme: "http", Host: addr, Opaque: "*"}})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if want := map[bool]string{true: "handler"}[disable]; string(b) != want {
				t.Errorf("%s, DisableGeneralOptionsHandler %v: %q, want %q", k.name, disable, b, want)
			}
		}
	}
}

// TestLaneRead checks that a connection has a large buffer only while it
// receives much.
func TestLaneRead(t *testing.T) {
	from, to := net.Pipe()
	defer to.Close()
	c := &conn{nc: from}
	l := &lane{conn: c, begun: true}
	for i, size := range []int{100, 9, 20_000, 20_000, 16_393, 30, 100, 9, 5000, 100, 9} {
		go to.Write(make([]byte, size))
		for have := 0; have < size; {
			b, err := l.Read(size)
			if err != nil {
				t.Fatal(err)
			}
			have = len(b)
		}
		l.Discard(size)
		if small := []int{100, 9, 30}; slices.Contains(small, size) && i > 0 {
			go to.Write([]byte{1})
			if _, err := l.Read(1); err != nil {
				t.Fatal(err)
			}
			l.Discard(1)
			if n := len(c.in.b); n != firstBuffer {
				t.Errorf("part %d: a buffer of %d bytes after %d bytes", i, n, size)
			}
		}
	}
}
