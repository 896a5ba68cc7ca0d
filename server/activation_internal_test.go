//go:build unix

package server

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestConnectedSocket checks that a connection, which systemd passes with
// Accept=yes, is not taken for a listener.
func TestConnectedSocket(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	local, err := net.Listen("unix", filepath.Join(t.TempDir(), "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	for _, tt := range []struct {
		of   interface{ File() (*os.File, error) }
		want string
	}{{ln.(*net.TCPListener), ""}, {local.(*net.UnixListener), ""}, {c.(*net.TCPConn), "Accept=no"}} {
		f, err := tt.of.File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fd, err := syscall.Dup(int(f.Fd())) // sockets closes it
		if err != nil {
			t.Fatal(err)
		}
		list, err := sockets(fd, 1, nil)
		if got := fmt.Sprint(err); (tt.want == "") != (err == nil) || !strings.Contains(got, tt.want) {
			t.Errorf("%T: %v, want an error with %q", tt.of, err, tt.want)
		}
		for _, so := range list {
			so.Listener.Close()
		}
	}
}

// TestDatagramSocket receives a datagram from a passed socket.
func TestDatagramSocket(t *testing.T) {
	pc, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	f, err := pc.File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd, err := syscall.Dup(int(f.Fd())) // sockets closes it
	if err != nil {
		t.Fatal(err)
	}
	list, err := sockets(fd, 1, []string{"quic"})
	if err != nil || len(list) != 1 || list[0].Name != "quic" || list[0].Listener != nil {
		t.Fatalf("%+v, %v", list, err)
	}
	defer list[0].Packet.Close()
	pc.WriteTo([]byte("hello"), pc.LocalAddr())
	p := make([]byte, 10)
	if n, _, err := list[0].Packet.ReadFrom(p); string(p[:n]) != "hello" {
		t.Errorf("received %q, %v", p[:n], err)
	}
}
