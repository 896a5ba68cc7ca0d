//go:build unix

package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A child is a server in a separate process.
type child struct {
	cmd    *exec.Cmd
	addr   string
	errors strings.Builder
}

// startChild starts a child and passes it sockets like systemd. It returns when
// the child serves or has failed.
func startChild(t *testing.T, addr string, sockets []*os.File, env ...string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := new(child)
	// Like systemd, the shell sets the process ID before it starts the server.
	c.cmd = exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ exec "$0"`, exe)
	c.cmd.Env = append(os.Environ(), append(env, "TEST_SERVER_ADDR="+addr, fmt.Sprint("LISTEN_FDS=", len(sockets)))...)
	c.cmd.ExtraFiles = sockets
	c.cmd.Stderr = &c.errors
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cmd.Process.Kill() }) // if the test has failed
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var line struct{ Msg, Addr string }
		if json.Unmarshal(lines.Bytes(), &line); line.Msg == "serving" {
			c.addr = line.Addr
			go io.Copy(io.Discard, out)
			break
		}
	}
	return c
}

// stop sends SIGTERM to the child, which must then exit with status 0.
func (c *child) stop(t *testing.T) {
	t.Helper()
	c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.cmd.Wait(); err != nil {
		text := c.errors.String()
		t.Errorf("the old process: %v %s", err, text[max(0, len(text)-2000):])
	}
}

func listenerFile(t *testing.T) (*os.File, string) {
	t.Helper()
	ln := listen(t)
	defer ln.Close()
	f, err := ln.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, ln.Addr().String()
}

// load is traffic of all kinds that a restart could disturb.
type load struct {
	sent, failed atomic.Int64
	first        sync.Once
	err          error // the first one
	stop         func()
}

// await waits for n more requests.
func (l *load) await(t *testing.T, n int64) {
	t.Helper()
	until := l.sent.Load() + n
	eventually(t, longest, "traffic", func() bool { return l.sent.Load() >= until })
}

const clients = 12

// startLoad starts clients that send requests in a loop. Some keep their
// connections and some open new ones. Half of them send requests that net/http
// must not repeat. Errors for which excuse returns true don't count.
func startLoad(url string, excuse func(error) bool) *load {
	l := new(load)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			tr := &http.Transport{DisableKeepAlives: i%3 == 0}
			defer tr.CloseIdleConnections()
			c := &http.Client{Transport: tr}
			for ctx.Err() == nil {
				err := sayHello(c, url, i%2 == 0)
				l.sent.Add(1)
				if err != nil && !excuse(err) {
					l.failed.Add(1)
					l.first.Do(func() { l.err = err })
				}
				<-time.After(time.Millisecond)
			}
		})
	}
	l.stop = func() { cancel(); wg.Wait() }
	return l
}

// sayHello sends a request to childServer.
func sayHello(c *http.Client, url string, post bool) error {
	if !post {
		return get(c, url)
	}
	return isHello(c.Post(url, "", struct{ io.Reader }{strings.NewReader("x")})) // net/http can't read the body again
}

// TestSecondSignalEndsTheProgram checks that the first signal begins the drain,
// which would take an hour here, and that the second terminates the program.
func TestSecondSignalEndsTheProgram(t *testing.T) {
	// If this process ignores interrupts, as with nohup, its children would
	// inherit that. Prevent it.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	for _, signals := range [][2]syscall.Signal{{syscall.SIGTERM, syscall.SIGTERM}, {syscall.SIGTERM, syscall.SIGINT}} {
		c := startChild(t, "127.0.0.1:0", nil, "TEST_SERVER_DRAIN_DELAY=1h")
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		ready := func() int {
			resp, err := client.Get("http://" + c.addr + "/readyz")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return resp.StatusCode
		}
		if got := ready(); got != 200 {
			t.Errorf("/readyz: %d, want 200", got)
		}
		c.cmd.Process.Signal(signals[0])
		eventually(t, longest, "not ready", func() bool { return ready() == 503 })
		c.cmd.Process.Signal(signals[1])
		err := c.cmd.Wait()
		status, _ := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !status.Signaled() || status.Signal() != signals[1] {
			t.Errorf("after %v and %v: %v, want termination by the second", signals[0], signals[1], err)
		}
	}
}

// TestRestartsLoseNoRequest restarts a server under load. If the socket is
// passed to the next process, no request may fail, including those that must
// not be repeated. With SO_REUSEPORT, no connection may be refused; the kernel
// may reset a connection that it assigns to a process that stops listening. Its
// request can be repeated, because nothing was read.
func TestRestartsLoseNoRequest(t *testing.T) {
	const restarts = 4
	for _, tt := range []struct {
		name   string
		passed bool // the socket
		env    []string
	}{{"socket", true, nil}, {"socket, on the engine", true, []string{"TEST_SERVER_ENGINE=1"}}, {"SO_REUSEPORT", false, nil}} {
		t.Run(tt.name, func(t *testing.T) {
			var sockets []*os.File
			addr := "127.0.0.1:0"
			if tt.passed {
				socket, _ := listenerFile(t)
				sockets, addr = []*os.File{socket}, "ignored:0"
			}
			old := startChild(t, addr, sockets, tt.env...)
			var resets atomic.Int64
			l := startLoad("http://"+old.addr, func(err error) bool {
				reset := !tt.passed && errors.Is(err, syscall.ECONNRESET)
				if reset {
					resets.Add(1)
				}
				return reset
			})
			for range restarts {
				l.await(t, 500)
				next := startChild(t, old.addr, sockets, tt.env...)
				if next.addr != old.addr {
					t.Fatalf("the new process serves on %q, want %q: %s", next.addr, old.addr, &next.errors)
				}
				old.stop(t)
				old = next
			}
			l.await(t, 500)
			l.stop()
			old.stop(t)
			if l.failed.Load() > 0 || resets.Load() > restarts*clients {
				t.Errorf("%d of %d requests failed in %d restarts and %d were reset, first: %v", l.failed.Load(), l.sent.Load(), restarts, resets.Load(), l.err)
			}
		})
	}
}

func TestActivation(t *testing.T) {
	t.Parallel()
	a, addrA := listenerFile(t)
	b, addrB := listenerFile(t)
	plainFile, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer plainFile.Close()
	pc, err := net.ListenUDP("udp", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	udp, err := pc.File()
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	for _, c := range []struct {
		name    string
		sockets []*os.File
		env     []string
		addr    string
		text    string
	}{
		{"one socket", []*os.File{a}, nil, addrA, ""},
		{"one socket, its name ignored", []*os.File{a}, []string{"LISTEN_FDNAMES=web"}, addrA, ""},
		{"two sockets, the second chosen", []*os.File{a, b}, []string{"LISTEN_FDNAMES=admin:web", "TEST_SERVER_SOCKET=web"}, addrB, ""},
		{"two sockets, none chosen", []*os.File{a, b}, []string{"LISTEN_FDNAMES=admin:web"}, "", `server: SocketName is "", but the sockets passed by systemd are ["admin" "web"]`},
		{"an unknown name", []*os.File{a}, []string{"LISTEN_FDNAMES=admin", "TEST_SERVER_SOCKET=web"}, "", `server: SocketName is "web"`},
		{"two sockets of one unit", []*os.File{a, b}, []string{"LISTEN_FDNAMES=web:web", "TEST_SERVER_SOCKET=web"}, "", `server: SocketName is "web", which 2 of the sockets`},
		{"not a socket", []*os.File{plainFile}, nil, "", `server: socket "unknown" (file descriptor 3) is neither a listening stream socket nor a datagram socket`},
		{"a datagram socket too", []*os.File{udp, a}, []string{"LISTEN_FDNAMES=web:web", "TEST_SERVER_SOCKET=web"}, addrA, ""},
	} {
		p := startChild(t, "127.0.0.1:0", c.sockets, append(c.env, "TEST_SERVER_DRAIN_DELAY=1h")...) // which an interrupt skips
		if p.addr != c.addr {
			t.Errorf("%s: serves on %q, want %q", c.name, p.addr, c.addr)
		}
		if p.addr == "" {
			p.cmd.Wait()
			if !strings.HasPrefix(p.errors.String(), c.text) {
				t.Errorf("%s: %q, want %q", c.name, p.errors.String(), c.text)
			}
			continue
		}
		if err := get(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, "http://"+p.addr); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		p.cmd.Process.Signal(os.Interrupt)
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("%s: after an interrupt: %v %s", c.name, err, p.errors.String())
		}
	}
}
