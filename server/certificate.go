package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A certificate is a key pair that is read again when its files change.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	current atomic.Pointer[tls.Certificate]

	mu      sync.Mutex // held by the one handshake that checks the files
	checked time.Time
	stamp   string
}

func newCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log, checked: time.Now()}
	c.stamp = c.stat() // before reading, so that a change in between is noticed
	pair, err := loadPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	c.current.Store(pair)
	return c, nil
}

// get is the function for tls.Config.GetCertificate. It checks the files at
// most once a second and never fails: if the new pair can't be loaded, for
// example because only one of the files has been replaced yet, it returns the
// last good one.
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

func (c *certificate) reload() {
	stamp := c.stat()
	if stamp == c.stamp {
		return
	}
	c.stamp = stamp
	pair, err := loadPair(c.certFile, c.keyFile)
	if err != nil {
		c.log.Error("renewed certificate refused, the old one stays", "error", err)
		return
	}
	c.current.Store(pair)
	c.log.Info("certificate renewed", "file", c.certFile, "expires", pair.Leaf.NotAfter)
}

// stat returns a string that changes when the files change. It follows symbolic
// links, which Kubernetes and certbot change to renew a certificate.
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
	if now := time.Now(); now.After(pair.Leaf.NotAfter) {
		return nil, fmt.Errorf("server: certificate %s has expired on %v; renew it", certFile, pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	return &pair, nil
}
