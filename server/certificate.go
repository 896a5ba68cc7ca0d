package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A certificate is a key pair that is reloaded when its files change.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	current atomic.Pointer[tls.Certificate]

	mu      sync.Mutex // held by the one handshake that checks the files
	checked time.Time
	stamp   stamp // of the files that were read
	refused stamp // of the last files that were rejected, and logged; or stamp
}

func newCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log, checked: time.Now()}
	c.stamp = c.stat() // before reading, to detect changes in between
	c.refused = c.stamp
	pair, err := loadPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	c.current.Store(pair)
	return c, nil
}

// get implements tls.Config.GetCertificate. It checks the files at most once a
// second. It never fails: if the new pair can't be loaded, for example because
// only one file has been replaced yet, it returns the last valid pair.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c.mu.TryLock() {
		if now := time.Now(); now.Sub(c.checked) >= time.Second {
			c.checked = now
			c.reload()
		}
		c.mu.Unlock()
	}
	return c.current.Load(), nil
}

// reload loads the files if they have changed. If that fails, the next call
// tries again: the cause may be temporary, such as too many open files, or a
// certificate that isn't valid yet.
func (c *certificate) reload() {
	stamp := c.stat()
	if stamp.same(c.stamp) {
		return
	}
	pair, err := loadPair(c.certFile, c.keyFile)
	if err == nil && time.Now().Before(pair.Leaf.NotBefore) {
		err = fmt.Errorf("server: certificate %s is not valid before %v", c.certFile, pair.Leaf.NotBefore.Format(time.RFC3339))
	}
	if err != nil {
		if !stamp.same(c.refused) {
			c.refused = stamp
			c.log.Error("cannot load the renewed certificate; still using the old one", "error", err)
		}
		return
	}
	c.stamp, c.refused = stamp, stamp
	c.current.Store(pair)
	c.log.Info("certificate renewed", "file", c.certFile, "expires", pair.Leaf.NotAfter)
}

// A stamp describes the files of a certificate and its key. The entry of a file
// that can't be read is nil.
type stamp [2]os.FileInfo

// stat follows symbolic links, because Kubernetes and certbot renew certificates
// by changing them.
func (c *certificate) stat() (s stamp) {
	for i, name := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(name); err == nil {
			s[i] = info
		}
	}
	return s
}

// same reports whether the files are the same ones and unchanged. Files of
// reproducible images all have the same time, and often the same size.
func (s stamp) same(t stamp) bool {
	for i, a := range s {
		b := t[i]
		if a == nil && b == nil {
			continue
		}
		if !os.SameFile(a, b) || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) {
			return false
		}
	}
	return true
}

func loadPair(certFile, keyFile string) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("server: cannot use certificate %s with key %s: %w", certFile, keyFile, err)
	}
	if pair.Leaf == nil { // GODEBUG=x509keypairleaf=0
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return nil, fmt.Errorf("server: cannot use certificate %s: %w", certFile, err)
		}
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) {
		return nil, fmt.Errorf("server: certificate %s has expired on %v; renew it", certFile, pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	return &pair, nil
}

// withTLSDefaults returns a copy of c with the cipher suites and curves of
// Mozilla's intermediate profile and the post-quantum key exchanges, unless c
// chooses them: crypto/tls's defaults without CBC and P-521.
func withTLSDefaults(c *tls.Config) *tls.Config {
	c = c.Clone()
	if c.CipherSuites == nil {
		c.CipherSuites = []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		}
	}
	if c.CurvePreferences == nil {
		c.CurvePreferences = []tls.CurveID{tls.X25519MLKEM768, tls.SecP256r1MLKEM768, tls.SecP384r1MLKEM1024, tls.X25519, tls.CurveP256, tls.CurveP384}
	}
	return c
}
