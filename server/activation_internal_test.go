//go:build unix

package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSockets checks which passed sockets are usable. A connection, which
// systemd passes with Accept=yes, must not be taken for a listener.
func TestSockets(t *testing.T) {
	ln, err1 := net.Listen("tcp", "127.0.0.1:0")
	local, err2 := net.Listen("unix", filepath.Join(t.TempDir(), "socket"))
	pc, err3 := net.ListenPacket("udp", "127.0.0.1:0")
	local2, err4 := net.ListenPacket("unixgram", filepath.Join(t.TempDir(), "socket"))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		of interface {
			File() (*os.File, error)
			io.Closer
		}
		want string // an error
	}{{ln.(*net.TCPListener), ""}, {local.(*net.UnixListener), ""}, {pc.(*net.UDPConn), ""}, {local2.(*net.UnixConn), ""}, {c.(*net.TCPConn), "Accept=no"}} {
		defer tt.of.Close()
		f, err := tt.of.File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fd, err := syscall.Dup(int(f.Fd())) // sockets closes it
		if err != nil {
			t.Fatal(err)
		}
		list, err := sockets(fd, 1, []string{"web"})
		if got := fmt.Sprint(err); (tt.want == "") != (err == nil) || !strings.Contains(got, tt.want) {
			t.Errorf("%T: %v, want an error with %q", tt.of, err, tt.want)
		}
		for _, so := range list {
			from, packets := tt.of.(net.PacketConn)
			if so.Name != "web" || (so.Listener == nil) != packets || (so.Packet != nil) != packets {
				t.Errorf("%T: got %+v", tt.of, so)
			}
			if so.Listener != nil {
				if _, err := New("", nil).choose(list); err != nil {
					t.Errorf("%T: %v", tt.of, err)
				}
				if _, err := New("", nil).choose(list); err == nil || !strings.Contains(err.Error(), "another Server of this process") {
					t.Errorf("%T, for a second Server: %v", tt.of, err)
				}
				so.Listener.Close()
				continue
			}
			defer so.Packet.Close()
			from.WriteTo([]byte("hello"), from.LocalAddr())
			p := make([]byte, 10)
			if n, _, err := so.Packet.ReadFrom(p); string(p[:n]) != "hello" {
				t.Errorf("received %q, %v", p[:n], err)
			}
		}
	}
}
