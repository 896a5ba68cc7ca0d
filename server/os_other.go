//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package server

import (
	"errors"
	"syscall"
)

// resumableWrites is false because a write that exceeds its deadline may have
// sent more bytes than it returns, for example on Windows.
const resumableWrites = false

// A directWriter does nothing.
type directWriter struct{}

func (c *conn) direct() {}

func (c *conn) writeNow([]byte) int { return 0 }

func reusePort(_, _ string, _ syscall.RawConn) error {
	return errors.New("this system has no SO_REUSEPORT; set ReusePort to false")
}

func defaultMaxConns() int { return 10_000 }
