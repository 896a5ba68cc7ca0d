package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// A Socket is a listening socket, or a datagram socket, passed to this process.
type Socket struct {
	Name         string         // systemd's FileDescriptorName=, else "unknown"
	net.Listener                // nil for a datagram socket
	Packet       net.PacketConn // a datagram socket, for example for HTTP/3; else nil
}

// Activated returns the sockets passed to this process by systemd, or by
// another program that uses its protocol, sd_listen_fds(3). It returns an empty
// list if there are none. The first call reads LISTEN_PID, LISTEN_FDS and
// LISTEN_FDNAMES and unsets them, so that child processes don't inherit them.
// Later calls return the same result.
//
// With a passed socket, restarts lose no connections: the socket stays open
// between the two processes, and new connections wait in its queue. With
// ReusePort, the kernel resets a connection that it assigned to the old process
// while that closes its socket, unless the Linux sysctl
// net.ipv4.tcp_migrate_req is set.
func Activated() ([]Socket, error) { return activated() }

var activated = sync.OnceValues(func() ([]Socket, error) {
	pid, fds, names := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS"), os.Getenv("LISTEN_FDNAMES")
	os.Unsetenv("LISTEN_PID")
	os.Unsetenv("LISTEN_FDS")
	os.Unsetenv("LISTEN_FDNAMES")
	if pid != strconv.Itoa(os.Getpid()) {
		return nil, nil // the variables are unset or for another process
	}
	n, err := strconv.Atoi(fds)
	if err != nil || n < 0 || n > 1000 {
		return nil, fmt.Errorf("server: LISTEN_FDS is %q, want the number of passed sockets", fds)
	}
	return sockets(3, n, strings.Split(names, ":"))
})

// sockets returns the sockets with the n file descriptors starting at first.
func sockets(first, n int, names []string) ([]Socket, error) {
	var list []Socket
	for i := range n {
		name := "unknown"
		if i < len(names) && names[i] != "" {
			name = names[i]
		}
		f := os.NewFile(uintptr(first+i), name)
		so := Socket{Name: name}
		var err error
		so.Listener, err = net.FileListener(f) // a copy, closed on exec
		if err == nil && so.Listener.Addr().Network() == "unixgram" {
			so.Listener.Close()
			so.Listener, err = nil, syscall.EINVAL // as for UDP
		}
		if err != nil {
			so.Packet, _ = net.FilePacketConn(f)
		} else if c, _ := net.FileConn(f); c != nil { // another copy
			if c.RemoteAddr() != nil {
				so.Listener.Close()
				so.Listener, err = nil, errors.New("it is a connection; set Accept=no in the .socket unit")
			}
			c.Close()
		}
		f.Close()
		if so.Listener == nil && so.Packet == nil {
			return nil, fmt.Errorf("server: socket %q (file descriptor %d) is neither a listening stream socket nor a datagram socket: %w", name, first+i, err)
		}
		list = append(list, so)
	}
	return list, nil
}
