package server

import (
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A fullListener has no file descriptors at first.
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
		l := newListener(&fullListener{errs: []error{full, full, nil}}, New("", nil))
		l.stop()
		for i, want := range []error{full, full, nil} {
			time.Sleep(time.Second) // as the backends do
			if _, err := l.Accept(); err != want {
				t.Errorf("%d: Accept returns %v, want %v", i, err, want)
			}
		}
	})
}
