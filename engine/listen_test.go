package engine

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// describe responds with the properties of the connection.
var describe = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s tls %v local %s", r.Proto, r.TLS != nil, r.Context().Value(http.LocalAddrContextKey).(net.Addr).Network())
})

// TestServeAndServeTLS serves two ports at once with one server. With the race
// detector, it fails if one call changes the configuration that the other reads.
func TestServeAndServeTLS(t *testing.T) {
	config, client := certificate(t)
	for range 20 {
		s := New(&http.Server{Handler: describe, TLSConfig: config.Clone()})
		start(t, s)
		tr := &http.Transport{TLSClientConfig: client.Clone(), ForceAttemptHTTP2: true}
		resp, err := (&http.Client{Transport: tr}).Get("https://" + startTLSOn(t, onFreePort(t), s))
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.ProtoMajor != 2 {
			t.Errorf("%s, want HTTP/2", resp.Proto)
		}
		tr.CloseIdleConnections()
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
				if n, err := io.Copy(w, f); n != 1000 || err != http.ErrContentLength {
					t.Errorf("%s: copied %d of 1000, %v", k.name, n, err)
				}
				w.Write([]byte("more"))
				if n, err := io.Copy(w, f); n != 0 || err != http.ErrContentLength {
					t.Errorf("%s: copied %d beyond the length, %v", k.name, n, err)
				}
				return
			}
			io.Copy(w, f)
		})}))
		for path, want := range map[string]string{"/served": content, "/copied": content, "/short": content[:1000]} {
			if path == "/short" && k.name == "net/http" {
				continue // which copies too much
			}
			res, err := http.Get("http://" + addr + path)
			if err != nil {
				t.Fatal(err)
			}
			if b := bodyOf(t, res); b != want {
				t.Errorf("%s %s: %d bytes, want %d", k.name, path, len(b), len(want))
			}
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

// TestReadFromSourceError copies from a file that can't be read. The client can
// still receive the rest of the response.
func TestReadFromSourceError(t *testing.T) {
	f, err := os.OpenFile(t.TempDir()+"/f", os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := New(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1")
		http.NewResponseController(w).Flush()
		if _, err := io.Copy(w, f); err == nil {
			t.Error("no error from the file")
		}
		if _, err := io.WriteString(w, "x"); err != nil || r.Context().Err() != nil {
			t.Errorf("Write: %v, context: %v", err, r.Context().Err())
		}
	})})
	resp, err := http.Get("http://" + start(t, s))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); string(b) != "x" || err != nil {
		t.Errorf("body %q, %v", b, err)
	}
}
