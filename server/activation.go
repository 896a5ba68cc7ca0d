package server

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
)

// A Socket is a listening socket that this process was started with.
type Socket struct {
	Name string // systemd's FileDescriptorName=, else "unknown"
	net.Listener
}

// Activated returns the sockets that systemd, or whoever follows its protocol
// (sd_listen_fds(3)), has opened for this process; none if there are none. It
// reads LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES the first time and unsets
// them, so that no child takes them for its own; later calls return the same.
//
// This is how to restart without losing a connection: the socket stays open
// between two processes, and whoever connects meanwhile waits in its queue.
// With ReusePort alone, a connection that the kernel has given to the old
// process in the moment it closes its socket is reset (unless Linux' sysctl
// net.ipv4.tcp_migrate_req is set).
func Activated() ([]Socket, error) { return activated() }

var activated = sync.OnceValues(func() ([]Socket, error) {
	pid, fds, names := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS"), os.Getenv("LISTEN_FDNAMES")
	os.Unsetenv("LISTEN_PID")
	os.Unsetenv("LISTEN_FDS")
	os.Unsetenv("LISTEN_FDNAMES")
	if pid != strconv.Itoa(os.Getpid()) {
		return nil, nil // meant for another process, or for none
	}
	n, err := strconv.Atoi(fds)
	if err != nil || n < 0 || n > 1000 {
		return nil, fmt.Errorf("server: LISTEN_FDS is %q, where the number of passed sockets is expected", fds)
	}
	return sockets(3, n, strings.Split(names, ":"))
})

// sockets makes listeners of n file descriptors from first on.
func sockets(first, n int, names []string) ([]Socket, error) {
	var list []Socket
	for i := range n {
		name := "unknown"
		if i < len(names) && names[i] != "" {
			name = names[i]
		}
		f := os.NewFile(uintptr(first+i), name)
		if f == nil {
			return nil, fmt.Errorf("server: socket %q (file descriptor %d) is not open", name, first+i)
		}
		ln, err := net.FileListener(f) // a copy, closed on exec
		f.Close()
		if err != nil {
			for _, s := range list {
				s.Close()
			}
			return nil, fmt.Errorf("server: socket %q (file descriptor %d) is not a listening stream socket: %w", name, first+i, err)
		}
		list = append(list, Socket{name, ln})
	}
	return list, nil
}
