//go:build unix

package server

import (
	"net"
	"syscall"
	"testing"
)

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
