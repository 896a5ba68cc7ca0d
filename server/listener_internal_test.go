package server

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A fullListener has no file descriptor for the first Accept.
type fullListener struct {
	net.Listener
	errs []error
}

func (l *fullListener) Accept() (net.Conn, error) {
	err := l.errs[0]
	l.errs = l.errs[1:]
	nc, _ := net.Pipe()
	return nc, err
}

func (l *fullListener) SetDeadline(time.Time) error { return nil }

func (l *fullListener) Close() error { l.errs = []error{net.ErrClosed}; return nil }

// TestAcceptWhileStopping checks that a listener isn't closed because of a
// temporary error while connections may be in the kernel's queue.
func TestAcceptWhileStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := &net.OpError{Op: "accept", Err: syscall.EMFILE}
		l := newListener(&fullListener{errs: []error{full, nil}}, New("", nil))
		l.stop()
		if _, err := l.Accept(); !errors.Is(err, syscall.EMFILE) {
			t.Errorf("the first Accept: %v, want %v", err, full)
		}
		if _, err := l.Accept(); err != nil {
			t.Errorf("the second Accept: %v", err)
		}
	})
}
