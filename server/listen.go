package server

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
)

// Listen returns the listener that Run uses: the stream socket passed by systemd
// if there is one, else a listener on HTTP.Addr. Use it if the program must know
// the address before calling Serve. It is an error if another Server has got the
// socket; see SocketName.
func (s *Server) Listen(ctx context.Context) (net.Listener, error) {
	if s.HTTP == nil {
		return nil, errNoHTTP
	}
	sockets, err := Activated()
	if err != nil {
		return nil, err
	}
	sockets = slices.DeleteFunc(slices.Clone(sockets), func(so Socket) bool { return so.Listener == nil })
	if len(sockets) > 0 {
		return s.choose(sockets)
	}
	addr := s.HTTP.Addr
	if addr == "" {
		addr = ":http"
		if s.tls() {
			addr = ":https"
		}
	}
	var lc net.ListenConfig
	if s.ReusePort {
		lc.Control = reusePort
	}
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, listenError(addr, err)
	}
	return ln, nil
}

// taken are the passed sockets that Servers use, as its keys. A second Server
// would get a part of the first one's connections.
var taken sync.Map

// choose returns the socket that the server should use.
func (s *Server) choose(sockets []Socket) (net.Listener, error) {
	var names []string
	var chosen []net.Listener
	for _, so := range sockets {
		if so.Name == s.SocketName || s.SocketName == "" && len(sockets) == 1 {
			chosen = append(chosen, so.Listener)
		}
		names = append(names, so.Name)
	}
	switch len(chosen) {
	case 0:
		return nil, fmt.Errorf("server: SocketName is %q, but the sockets passed by systemd are %q; set it to one of them", s.SocketName, names)
	case 1:
		if _, again := taken.LoadOrStore(chosen[0], true); again {
			return nil, fmt.Errorf("server: another Server of this process has the socket passed by systemd (SocketName is %q); pass one for each Server and set SocketName, or call Serve with a listener of net.Listen", s.SocketName)
		}
		return chosen[0], nil
	}
	return nil, fmt.Errorf("server: SocketName is %q, which %d of the sockets passed by systemd have as their name: %q; nothing would accept the connections of the others: pass one, or call Serve of one Server for each socket of Activated", s.SocketName, len(chosen), names)
}

// listenError adds what to do about a common error to its text.
func listenError(addr string, err error) error {
	hint := listenHint(err)
	if _, perr := strconv.ParseUint(addr, 10, 16); perr == nil {
		hint = fmt.Sprintf("; did you mean %q?", ":"+addr)
	}
	return fmt.Errorf("server: cannot listen on %q: %w%s", addr, err, hint)
}
