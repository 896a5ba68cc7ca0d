package server_test

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestCertificateReload checks that new connections use a renewed key pair, but
// not half a pair, or one that has expired or isn't valid yet.
func TestCertificateReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, addr, _ := start(t, http.HandlerFunc(hello), func(s *server.Server) {
		s.CertFile, s.KeyFile = writeCert(t, dir, "first", tomorrow())
	})
	served := func() string {
		c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].DNSNames[0]
	}
	if got := served(); got != "first" {
		t.Fatalf("serving %q, want first", got)
	}
	replace := func(name string, expires time.Time, files ...string) {
		from := t.TempDir()
		writeCert(t, from, name, expires)
		for _, f := range files {
			if err := os.Rename(from+"/"+f, dir+"/"+f); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace("expired", time.Now().Add(-time.Hour), "cert.pem", "key.pem")
	staysAs(t, "first", served)
	replace("future", tomorrow().AddDate(1, 0, 0), "cert.pem", "key.pem")
	staysAs(t, "first", served)
	replace("half", tomorrow(), "cert.pem")
	staysAs(t, "first", served)
	replace("second", tomorrow(), "cert.pem", "key.pem")
	eventually(t, longest, "serving the renewed certificate", func() bool { return served() == "second" })

	// Files that could not be read are tried again, even if they seem unchanged.
	writeCert(t, dir, "third", tomorrow())
	cert, err := os.ReadFile(dir + "/cert.pem")
	if err != nil {
		t.Fatal(err)
	}
	write := func(content []byte) {
		if err := os.WriteFile(dir+"/new", content, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Truncate(time.Hour)
		os.Chtimes(dir+"/new", at, at)
		os.Rename(dir+"/new", dir+"/cert.pem")
	}
	write(bytes.ToLower(cert))
	staysAs(t, "second", served)
	write(cert)
	eventually(t, longest, "serving the certificate that was repaired", func() bool { return served() == "third" })

	// Files of reproducible images have the same time, and often the same size.
	at := time.Now().Add(-time.Hour)
	for _, name := range []string{"fourth", "fifth"} {
		from := t.TempDir()
		writeCert(t, from, name, tomorrow())
		for _, f := range []string{"/cert.pem", "/key.pem"} {
			content, _ := os.ReadFile(from + f)
			os.WriteFile(from+f, append(content, bytes.Repeat([]byte("\n"), 1000-len(content))...), 0o600)
			os.Chtimes(from+f, at, at)
			if err := os.Rename(from+f, dir+f); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, longest, "serving the certificate named "+name, func() bool { return served() == name })
	}
}

// TestTLSDefaults checks which cipher suites and curves the server accepts.
func TestTLSDefaults(t *testing.T) {
	t.Parallel()
	plain := func(*tls.Config) {}
	for _, tt := range []struct {
		name   string
		server func(*tls.Config)
		client *tls.Config
		ok     bool
	}{
		{"default", plain, &tls.Config{}, true},
		{"AES-GCM", plain, &tls.Config{CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}, true},
		{"CBC", plain, &tls.Config{CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}}, false},
		{"P-384", plain, &tls.Config{CurvePreferences: []tls.CurveID{tls.CurveP384}}, true},
		{"P-521", plain, &tls.Config{CurvePreferences: []tls.CurveID{tls.CurveP521}}, false},
		{"post-quantum", plain, &tls.Config{CurvePreferences: []tls.CurveID{tls.X25519MLKEM768}}, true},
		{"P-521 chosen", func(c *tls.Config) { c.CurvePreferences = []tls.CurveID{tls.CurveP521} }, &tls.Config{CurvePreferences: []tls.CurveID{tls.CurveP521}}, true},
		{"CBC chosen", func(c *tls.Config) {
			c.CipherSuites = []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}
		}, &tls.Config{CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, addr, _ := start(t, http.HandlerFunc(hello), func(s *server.Server) {
				s.CertFile, s.KeyFile = writeCert(t, t.TempDir(), "here", tomorrow())
				s.HTTP.TLSConfig = new(tls.Config)
				tt.server(s.HTTP.TLSConfig)
			})
			tt.client.InsecureSkipVerify = true
			if tt.client.CipherSuites != nil {
				tt.client.MaxVersion = tls.VersionTLS12
			}
			c, err := tls.Dial("tcp", addr, tt.client)
			if (err == nil) != tt.ok {
				t.Errorf("got error %v, want success %t", err, tt.ok)
			}
			if err == nil {
				c.Close()
			}
		})
	}
}

// staysAs checks that got returns want for longer than the server takes to
// detect changed files.
func staysAs(t *testing.T, want string, got func() string) {
	t.Helper()
	for end := time.Now().Add(1200 * time.Millisecond); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if g := got(); g != want {
			t.Fatalf("serving %q, want still %q", g, want)
		}
	}
}

// TestCertificateWithoutLeaf checks that certificates are loaded if crypto/tls
// doesn't keep their parsed form.
func TestCertificateWithoutLeaf(t *testing.T) {
	t.Setenv("GODEBUG", "x509keypairleaf=0")
	_, addr, _ := start(t, http.HandlerFunc(hello), func(s *server.Server) { withTLS(t, s) })
	if err := get(overTLS.client(t), overTLS.scheme+addr); err != nil {
		t.Error(err)
	}
}
