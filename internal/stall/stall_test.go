package stall

import (
	"crypto/tls"
	"net"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	type op struct {
		d time.Duration
		n int64
	}
	for _, c := range []struct {
		name   string
		ops    []op
		waited time.Duration
		left   time.Duration // of ten seconds
	}{
		{"nothing yet", nil, 0, 10 * time.Second},
		{"waits add up", []op{{2 * time.Second, 1}, {3 * time.Second, 1}}, 5 * time.Second, 5 * time.Second},
		{"enough at once", []op{{2 * time.Second, Bytes}}, 0, 10 * time.Second},
		{"enough in small pieces", []op{{2 * time.Second, Bytes / 2}, {3 * time.Second, Bytes / 2}}, 0, 10 * time.Second},
		{"one byte short", []op{{9 * time.Second, Bytes - 1}}, 9 * time.Second, time.Second},
		{"what has moved does not count twice", []op{{time.Second, Bytes + 100}, {time.Second, Bytes - 1}}, time.Second, 9 * time.Second},
		{"a grace for what need not wait", []op{{time.Minute, 0}}, time.Minute, time.Millisecond},
	} {
		var k Clock
		for _, o := range c.ops {
			k.Add(o.d, o.n)
		}
		if got, left := k.Waited(), k.Left(10*time.Second); got != c.waited || left != c.left {
			t.Errorf("%s: waited %v with %v left, want %v and %v", c.name, got, left, c.waited, c.left)
		}
	}
}

type limited struct{ net.Conn }

func (l limited) NetConn() net.Conn { return l.Conn }

func TestConn(t *testing.T) {
	plain := &net.TCPConn{}
	inner := &limited{plain}
	for name, c := range map[string]struct {
		nc   net.Conn
		want *limited
	}{
		"itself":     {inner, inner},
		"inside TLS": {tls.Server(inner, nil), inner},
		"inside two": {limited{tls.Client(inner, nil)}, inner},
		"none":       {plain, nil},
		"no TLS":     {tls.Server(plain, nil), nil},
		"nil":        {nil, nil},
	} {
		if got := Conn[*limited](c.nc); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
