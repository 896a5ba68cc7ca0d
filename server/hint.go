//go:build !plan9

package server

import (
	"errors"
	"syscall"
)

// listenHint returns advice for an error of a Listen call, or "".
func listenHint(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "; another process uses this port: stop it, choose another port, or set ReusePort in both"
	case errors.Is(err, syscall.EACCES):
		return "; ports below 1024 need a privilege: CAP_NET_BIND_SERVICE, or a socket passed by systemd"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "; no interface of this machine has that address"
	}
	return ""
}
