package engine

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// describe responds with the properties of the connection.
var describe = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s tls %v local %s", r.Proto, r.TLS != nil, r.Context().Value(http.LocalAddrContextKey).(net.Addr).Network())
})

// TestListeners serves on each kind of listener.
func TestListeners(t *testing.T) {
	config, client := certificate(t)
	for _, k := range engines {
		for _, tt := range []struct {
			name, network string
			protos        []string // of the client, over TLS
			want          string
		}{
			{"tcp", "tcp", nil, "HTTP/1.1 tls false local tcp"},
			{"unix", "unix", nil, "HTTP/1.1 tls false local unix"},
			{"tls", "tcp", []string{"http/1.1"}, "HTTP/1.1 tls true local tcp"},
			{"tls without ALPN", "tcp", []string{}, "HTTP/1.1 tls true local tcp"},
			{"tls, HTTP/2", "tcp", []string{"h2", "http/1.1"}, "HTTP/2.0 tls true local tcp"},
		} {
			t.Run(k.name+"/"+tt.name, func(t *testing.T) {
				addr := "127.0.0.1:0"
				if tt.network == "unix" {
					addr = filepath.Join(t.TempDir(), "s")
				}
				ln, err := net.Listen(tt.network, addr)
				if err != nil {
					t.Fatal(err)
				}
				s := k.make(&http.Server{Handler: describe, TLSConfig: config.Clone()}).(*Server)
				done := make(chan error, 1)
				go func() {
					if tt.protos == nil {
						done <- s.Serve(ln)
					} else {
						done <- s.ServeTLS(ln, "", "")
					}
				}()
				tr := &http.Transport{Dial: func(string, string) (net.Conn, error) { return net.Dial(tt.network, ln.Addr().String()) }}
				url := "http://example.com/"
				if tt.protos != nil {
					url = "https://example.com/"
					tr.TLSClientConfig = client.Clone()
					tr.TLSClientConfig.NextProtos = tt.protos
					tr.ForceAttemptHTTP2 = len(tt.protos) > 1
				}
				for range 3 {
					res, err := (&http.Client{Transport: tr}).Get(url)
					if err != nil {
						t.Fatal(err)
					}
					b, _ := io.ReadAll(res.Body)
					res.Body.Close()
					if string(b) != tt.want {
						t.Errorf("got %q, want %q", b, tt.want)
					}
				}
				tr.CloseIdleConnections()
				s.Close()
				if err := <-done; err != http.ErrServerClosed {
					t.Errorf("Serve returned %v", err)
				}
			})
		}
	}
}

// TestPlainOnTLSPort checks the response to a client that doesn't use TLS.
func TestPlainOnTLSPort(t *testing.T) {
	config, _ := certificate(t)
	for _, k := range kinds {
		s := k.make(&http.Server{Handler: describe, ErrorLog: log.New(io.Discard, "", 0)})
		ln, err := tls.Listen("tcp", "127.0.0.1:0", config)
		if err != nil {
			t.Fatal(err)
		}
		go s.Serve(ln)
		if got := talk(t, ln.Addr().String(), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); !strings.Contains(got, "Client sent an HTTP request to an HTTPS server") {
			t.Errorf("%s: %q", k.name, got)
		}
		s.Close()
	}
}

// TestServeErrors checks the errors of Serve, ListenAndServe and their TLS
// versions.
func TestServeErrors(t *testing.T) {
	s := New(&http.Server{Addr: "127.0.0.1:-1"})
	if err := s.ListenAndServe(); err == nil || err == http.ErrServerClosed {
		t.Errorf("ListenAndServe on a wrong address: %v", err)
	}
	if err := s.ListenAndServeTLS("", ""); err == nil || err == http.ErrServerClosed {
		t.Errorf("ListenAndServeTLS on a wrong address: %v", err)
	}
	ln := onFreePort(t)
	defer ln.Close()
	if err := s.ServeTLS(ln, "no-cert", "no-key"); !os.IsNotExist(err) {
		t.Errorf("ServeTLS without a certificate: %v", err)
	}
	s.Close()
	for name, serve := range map[string]func() error{
		"Serve":             func() error { return s.Serve(ln) },
		"ListenAndServe":    s.ListenAndServe,
		"ListenAndServeTLS": func() error { return s.ListenAndServeTLS("", "") },
	} {
		if err := serve(); err != http.ErrServerClosed {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}

// TestSendfile checks that large files arrive completely, with and without a
// Content-Length.
func TestSendfile(t *testing.T) {
	content := strings.Repeat("0123456789abcdef", 1<<16)
	file := filepath.Join(t.TempDir(), "f.txt")
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/served" {
				http.ServeFile(w, r, file)
				return
			}
			f, err := os.Open(file)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			if r.URL.Path == "/short" {
				w.Header().Set("Content-Length", "1000")
				if n, err := io.Copy(w, f); k.name != "net/http" && (n != 1000 || err != http.ErrContentLength) {
					t.Errorf("%s: copied %d of 1000, %v", k.name, n, err)
				}
				return
			}
			io.Copy(w, f)
		})}))
		for _, path := range []string{"/served", "/copied"} {
			res, err := http.Get("http://" + addr + path)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(res.Body)
			res.Body.Close()
			if string(b) != content || err != nil {
				t.Errorf("%s %s: %d bytes, want %d; %v", k.name, path, len(b), len(content), err)
			}
		}
		if k.name != "net/http" {
			res, err := http.Get("http://" + addr + "/short")
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(res.Body); len(b) != 1000 || err != nil {
				t.Errorf("%s: %d bytes of 1000, %v", k.name, len(b), err)
			}
			res.Body.Close()
		}
	}
}

// TestHTTP2Everywhere serves one http.Server with two engines and then with
// net/http. None of them may disable HTTP/2 for the next.
func TestHTTP2Everywhere(t *testing.T) {
	config, client := certificate(t)
	srv := &http.Server{Handler: describe, TLSConfig: config}
	for i, s := range []interface {
		ServeTLS(net.Listener, string, string) error
	}{New(srv), New(srv), srv} {
		ln := onFreePort(t)
		defer ln.Close()
		go s.ServeTLS(ln, "", "")
		tr := &http.Transport{TLSClientConfig: client.Clone(), ForceAttemptHTTP2: true}
		tr.TLSClientConfig.NextProtos = nil
		tr.TLSClientConfig.ServerName = "example.com"
		defer tr.CloseIdleConnections()
		res, err := (&http.Client{Transport: tr}).Get("https://" + ln.Addr().String())
		if err != nil {
			t.Fatalf("server %d: %v", i, err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if want := "HTTP/2.0 tls true local tcp"; string(b) != want {
			t.Errorf("server %d: got %q, want %q", i, b, want)
		}
	}
}

// TestServerContextKeyOverHTTP2 checks that handlers and the ConnState hook see
// the program's server and connection, although a copy of the server serves
// HTTP/2.
func TestServerContextKeyOverHTTP2(t *testing.T) {
	config, client := certificate(t)
	for _, k := range kinds {
		for _, plain := range []bool{false, true} {
			servers := make(chan any, 1)
			var mu sync.Mutex
			states := make(map[net.Conn][]http.ConnState)
			srv := &http.Server{
				TLSConfig: config.Clone(),
				Protocols: new(http.Protocols),
				ConnState: func(nc net.Conn, state http.ConnState) {
					mu.Lock()
					defer mu.Unlock()
					states[nc] = append(states[nc], state)
				},
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					servers <- r.Context().Value(http.ServerContextKey)
				}),
			}
			srv.Protocols.SetHTTP1(true)
			srv.Protocols.SetHTTP2(true)
			srv.Protocols.SetUnencryptedHTTP2(plain)
			tr := &http.Transport{TLSClientConfig: client.Clone(), Protocols: new(http.Protocols)}
			tr.TLSClientConfig.ServerName = "example.com"
			s, scheme := k.make(srv), "https://"
			tr.Protocols.SetHTTP2(!plain)
			tr.Protocols.SetUnencryptedHTTP2(plain)
			ln := onFreePort(t)
			defer s.Close()
			if plain {
				scheme = "http://"
				go s.Serve(ln)
			} else {
				go s.(interface {
					ServeTLS(net.Listener, string, string) error
				}).ServeTLS(ln, "", "")
			}
			res, err := (&http.Client{Transport: tr}).Get(scheme + ln.Addr().String())
			if err != nil || res.ProtoMajor != 2 {
				t.Fatalf("%s, plain %v: %v, %v", k.name, plain, res, err)
			}
			res.Body.Close()
			if got := <-servers; got != srv {
				t.Errorf("%s, plain %v: the server in the context is %p, want %p", k.name, plain, got, srv)
			}
			tr.CloseIdleConnections()
			mu.Lock()
			if len(states) != 1 {
				t.Errorf("%s, plain %v: ConnState was called with %d connections for one", k.name, plain, len(states))
			}
			mu.Unlock()
		}
	}
}

// TestTimeoutHandlerWithRecycle checks that a server with Recycle refuses an
// http.TimeoutHandler as its handler.
func TestTimeoutHandlerWithRecycle(t *testing.T) {
	ln := onFreePort(t)
	s := New(&http.Server{Handler: http.TimeoutHandler(describe, time.Second, "")})
	s.Recycle = true
	if err := s.Serve(ln); err != errTimeoutHandler {
		t.Errorf("Serve returned %v", err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener isn't closed: %v", err)
	}
}
