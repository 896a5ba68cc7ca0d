//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package server

import (
	"errors"
	"syscall"
)

func reusePort(_, _ string, _ syscall.RawConn) error {
	return errors.New("this system has no SO_REUSEPORT; set ReusePort to false")
}

func defaultMaxConns() int { return 10_000 }
