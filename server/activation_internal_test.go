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
	if err := errors.Join(err1, err2, err3); err != nil {
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
	}{{ln.(*net.TCPListener), ""}, {local.(*net.UnixListener), ""}, {pc.(*net.UDPConn), ""}, {c.(*net.TCPConn), "Accept=no"}} {
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
			if so.Name != "web" || (so.Listener == nil) == (so.Packet == nil) {
				t.Errorf("%T: got %+v", tt.of, so)
			}
			if so.Listener != nil {
				so.Listener.Close()
				continue
			}
			defer so.Packet.Close()
			pc.WriteTo([]byte("hello"), pc.LocalAddr())
			p := make([]byte, 10)
			if n, _, err := so.Packet.ReadFrom(p); string(p[:n]) != "hello" {
				t.Errorf("received %q, %v", p[:n], err)
			}
		}
	}
}
