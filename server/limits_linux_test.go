package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// The tests of limits use 127.0.0.2 as the address of a second client. Only
// Linux has this address by default.

// TestBurstPastTheLimit opens more connections than allowed. All must get a
// response, and at no time may more than the limit be open. On a busy machine,
// a client that takes more than a second to send its request counts as idle,
// and its connection may be closed.
func TestBurstPastTheLimit(t *testing.T) {
	const limit, burst = 10, 300
	for _, v := range []variant{plain, overTLS, onEngine(plain)} {
		var s *server.Server // for the handler
		var peak, failed atomic.Int64
		var first atomic.Value // the first error
		var addr string
		s, addr, _ = start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for n := int64(s.Stats().Open); ; {
				if p := peak.Load(); n <= p || peak.CompareAndSwap(p, n) {
					break
				}
			}
			hello(w, r)
		}), func(s *server.Server) {
			v.configure(t, s)
			s.MaxConns, s.HTTP.ReadHeaderTimeout = limit, longest // for a busy machine
		})
		var wg sync.WaitGroup
		for range burst {
			wg.Go(func() {
				tr := v.transport()
				defer tr.CloseIdleConnections()
				for range 3 { // over a keep-alive connection
					if err := get(&http.Client{Transport: tr}, v.scheme+addr); err != nil {
						failed.Add(1)
						first.CompareAndSwap(nil, fmt.Sprint(err))
					}
				}
			})
		}
		wg.Wait()
		if n, gaveWay := failed.Load(), s.Stats().Evicted; n > int64(gaveWay) {
			t.Errorf("%s: %d of %d requests failed and %d connections gave way, first: %v", v.name, n, 3*burst, gaveWay, first.Load())
		}
		if p := peak.Load(); p > limit {
			t.Errorf("%s: %d connections open at once, want at most %d", v.name, p, limit)
		}
	}
}

func TestLimitPerIP(t *testing.T) {
	t.Parallel()
	for _, v := range []variant{plain, overTLS, onEngine(plain)} {
		s, addr, _ := start(t, http.HandlerFunc(hello), func(s *server.Server) { v.configure(t, s); s.MaxConnsPerIP = 2 })
		from := func(ip string) net.Conn {
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
			c, err := d.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			c = v.secure(c)
			c.SetDeadline(time.Now().Add(longest))
			return c
		}
		ask := func(c net.Conn) string {
			if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				return "closed"
			}
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				return "closed"
			}
			return resp.Status
		}
		refused := map[string]string{"http://": "429 Too Many Requests", "https://": "closed"}[v.scheme]
		one, two := from("127.0.0.1"), from("127.0.0.1")
		for i, c := range []struct {
			conn net.Conn
			want string
		}{
			{one, "200 OK"},
			{two, "200 OK"},
			{from("127.0.0.1"), refused},
			{from("127.0.0.2"), "200 OK"},
			{one, "200 OK"},
		} {
			if got := ask(c.conn); got != c.want {
				t.Errorf("%s: connection %d: %q, want %q", v.name, i, got, c.want)
			}
		}
		if got := s.Stats().Refused; got != 1 {
			t.Errorf("%s: %d refused, want 1", v.name, got)
		}
		two.Close()
		eventually(t, longest, "a closed connection doesn't count", func() bool { return ask(from("127.0.0.1")) == "200 OK" })
		if got := ask(from("127.0.0.1")); got != refused {
			t.Errorf("%s: a third connection after one was closed: %q, want %q", v.name, got, refused)
		}
	}
}

// TestDefaultLimitLeavesDescriptors checks that the default of MaxConns leaves
// file descriptors for other purposes.
func TestDefaultLimitLeavesDescriptors(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	want := min(int(limit.Cur/4*3), 10_000)
	if got := server.New("", nil).MaxConns; got != want {
		t.Errorf("MaxConns %d with %d file descriptors, want %d", got, limit.Cur, want)
	}
}

// TestNothingLeftOver checks that no goroutine and no descriptor is left after
// servers have stopped that had every kind of connection. The test isn't
// parallel, because it counts those of the whole process.
func TestNothingLeftOver(t *testing.T) {
	each := func(t *testing.T, v variant) {
		t.Parallel()
		s, addr, stop := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/hijack":
				if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
					c.Close()
				}
			case "/abort":
				panic(http.ErrAbortHandler)
			case "/panic":
				panic("x")
			default:
				io.Copy(io.Discard, r.Body)
				hello(w, r)
			}
		}), func(s *server.Server) { v.configure(t, s); impatient(s); s.MaxConnsPerIP = 20 })
		tr := v.transport()
		for _, path := range []string{"/", "/hijack", "/abort", "/panic", "/"} {
			get(&http.Client{Transport: tr}, v.scheme+addr+path)
		}
		var conns []net.Conn
		for i := range 30 {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(c, []string{"", "GET ", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", "junk\r\n\r\n"}[i%4])
			conns = append(conns, c)
		}
		tr.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		for _, c := range conns {
			c.Close()
		}
		if n := s.Stats().Open; n != 0 {
			t.Errorf("%s: %d connections open in the end", v.name, n)
		}
	}
	once := func() {
		t.Run("all", func(t *testing.T) { // returns after all have ended
			for _, v := range variants {
				t.Run(v.name, func(t *testing.T) { each(t, v) })
			}
		})
	}
	once() // start permanent goroutines of the runtime and net/http
	var goroutines, fds int
	eventually(t, longest, "quiet", func() bool {
		g, f := runtime.NumGoroutine(), openFiles(t)
		same := g == goroutines && f == fds
		goroutines, fds = g, f
		return same
	})
	once()
	eventually(t, longest, fmt.Sprintf("back to %d goroutines and %d descriptors", goroutines, fds), func() bool {
		return runtime.NumGoroutine() <= goroutines && openFiles(t) <= fds
	})
}

// openFiles counts this process's file descriptors.
func openFiles(t *testing.T) int {
	n := 0
	for fd := range 4096 {
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err == nil {
			n++
		} else if !errors.Is(err, syscall.EBADF) {
			t.Fatal(err)
		}
	}
	return n
}
