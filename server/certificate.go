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
	stamp   string // of the files that were read
	refused string // of files that could not be used, and were logged
}

func newCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log, checked: time.Now()}
	c.stamp = c.stat() // before reading, to detect changes in between
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
	if stamp == c.stamp {
		return
	}
	pair, err := loadPair(c.certFile, c.keyFile)
	if err == nil && time.Now().Before(pair.Leaf.NotBefore) {
		err = fmt.Errorf("server: certificate %s is not valid before %v", c.certFile, pair.Leaf.NotBefore.Format(time.RFC3339))
	}
	if err != nil {
		if stamp != c.refused {
			c.refused = stamp
			c.log.Error("cannot load the renewed certificate; still using the old one", "error", err)
		}
		return
	}
	c.stamp, c.refused = stamp, ""
	c.current.Store(pair)
	c.log.Info("certificate renewed", "file", c.certFile, "expires", pair.Leaf.NotAfter)
}

// stat returns a string that changes when the files change. It follows symbolic
// links, because Kubernetes and certbot renew certificates by changing them.
func (c *certificate) stat() string {
	s := ""
	for _, name := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(name); err == nil {
			s += fmt.Sprint(info.ModTime().UnixNano(), info.Size(), ";")
		} else {
			s += "missing;"
		}
	}
	return s
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
