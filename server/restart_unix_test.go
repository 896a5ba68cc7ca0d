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
	"path/filepath"
	"runtime/debug"
	"slices"
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

// launch starts a program and passes it sockets like systemd.
func launch(t *testing.T, sockets []*os.File, env []string, program string, args ...string) (*child, io.Reader) {
	t.Helper()
	c := new(child)
	// Like systemd, the shell sets the process ID before it starts the server.
	c.cmd = exec.Command("/bin/sh", append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, program}, args...)...)
	c.cmd.Env = append(os.Environ(), append(env, fmt.Sprint("LISTEN_FDS=", len(sockets)))...)
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
	return c, out
}

// startChild starts a child. It returns when the child serves or has failed.
func startChild(t *testing.T, addr string, sockets []*os.File, env ...string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, out := launch(t, sockets, append(env, "TEST_SERVER_ADDR="+addr), exe)
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

// startLoad starts clients that call do in a loop. Some keep their connections
// and some open new ones. Those with post send requests that net/http must not
// repeat. Errors for which excuse returns true don't count.
func startLoad(do func(c *http.Client, post bool) error, excuse func(error) bool) *load {
	l := new(load)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			tr := &http.Transport{DisableKeepAlives: i%3 == 0}
			defer tr.CloseIdleConnections()
			c := &http.Client{Transport: tr}
			for ctx.Err() == nil {
				err := do(c, i%2 == 0)
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

func never(error) bool { return false }

// exchange sends a GET, or a POST if body isn't empty, and returns the body of
// the response. It returns an error if the status differs.
func exchange(c *http.Client, url, body string, status int) (string, error) {
	method, r := "GET", io.Reader(nil)
	if body != "" {
		method, r = "POST", struct{ io.Reader }{strings.NewReader(body)} // net/http can't read it again
	}
	req, err := http.NewRequest(method, url, r)
	if err != nil {
		return "", err
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != status {
		err = fmt.Errorf("%s: %q", resp.Status, text)
	}
	return string(text), err
}

// sayHello is load for childServer.
func sayHello(url string) func(*http.Client, bool) error {
	return func(c *http.Client, post bool) error {
		body := ""
		if post {
			body = "x"
		}
		text, err := exchange(c, url, body, 200)
		if err == nil && text != "hello" {
			err = fmt.Errorf("%q", text)
		}
		return err
	}
}

// buildQuickstart builds the quickstart and returns the file name.
func buildQuickstart(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "quickstart")
	build := []string{"build", "-o", program}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		build = append(build, "-race")
	}
	if out, err := exec.Command("go", append(build, "../examples/quickstart")...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// TestSecondSignalEndsTheProgram checks that the first signal begins the drain,
// which would take an hour here, and that the second terminates the program.
func TestSecondSignalEndsTheProgram(t *testing.T) {
	// If this process ignores interrupts, as with nohup, its children would
	// inherit that. Prevent it.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	program := buildQuickstart(t)
	for _, signals := range [][2]syscall.Signal{{syscall.SIGTERM, syscall.SIGTERM}, {syscall.SIGTERM, syscall.SIGINT}} {
		socket, addr := listenerFile(t)
		c, out := launch(t, []*os.File{socket}, nil, program, "-file", filepath.Join(t.TempDir(), "notes.json"), "-drain-delay", "1h")
		go io.Copy(io.Discard, out)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		ready := func() int {
			resp, err := client.Get("http://" + addr + "/readyz")
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

// TestRestartsOfTheQuickstart restarts the quickstart under load, like systemd:
// the old process ends, and clients that connect before the new one starts wait
// in the socket's queue. No request may fail, and the file must contain all
// notes that clients have created.
func TestRestartsOfTheQuickstart(t *testing.T) {
	program, file := buildQuickstart(t), filepath.Join(t.TempDir(), "notes.json")
	socket, addr := listenerFile(t)
	run := func() *child {
		c, out := launch(t, []*os.File{socket}, nil, program, "-file", file)
		go io.Copy(io.Discard, out)
		return c
	}
	var mu sync.Mutex
	made := map[int]bool{}
	url := "http://" + addr + "/api/notes"
	service := run()
	l := startLoad(func(c *http.Client, post bool) error {
		if !post {
			_, err := exchange(c, url+"?tag=none", "", 200)
			return err
		}
		text, err := exchange(c, url, `{"text":"x"}`, 201)
		if err != nil {
			return err
		}
		var note struct{ ID int }
		if err := json.Unmarshal([]byte(text), &note); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if made[note.ID] {
			return fmt.Errorf("two notes have the ID %d", note.ID)
		}
		made[note.ID] = true
		return nil
	}, never)
	const restarts = 3
	for range restarts {
		l.await(t, 300)
		service.stop(t)
		service = run()
	}
	l.await(t, 300)
	l.stop()
	service.stop(t)
	if l.failed.Load() > 0 {
		t.Errorf("%d of %d requests failed in %d restarts, first: %v", l.failed.Load(), l.sent.Load(), restarts, l.err)
	}
	var saved struct{ Notes []struct{ ID int } }
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &saved)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range saved.Notes {
		if !made[n.ID] {
			t.Errorf("note %d is saved, but no client got a response for it", n.ID)
		}
		delete(made, n.ID)
	}
	if len(made) > 0 {
		t.Errorf("%d notes are lost of which clients were told", len(made))
	}
}

// TestRestartsLoseNoRequest restarts a server under load and passes the socket
// to the next process. No request may fail, including those that must not be
// repeated.
func TestRestartsLoseNoRequest(t *testing.T) {
	restartsLoseNoRequest(t)
}

func TestRestartsOnTheEngineLoseNoRequest(t *testing.T) {
	restartsLoseNoRequest(t, "TEST_SERVER_ENGINE=1")
}

func restartsLoseNoRequest(t *testing.T, env ...string) {
	t.Helper()
	socket, addr := listenerFile(t)
	old := startChild(t, "ignored:0", []*os.File{socket}, env...)
	l := startLoad(sayHello("http://"+addr), never)
	const restarts = 4
	for range restarts {
		l.await(t, 500)
		next := startChild(t, "ignored:0", []*os.File{socket}, env...)
		if next.addr != addr {
			t.Fatalf("the new process serves on %q, want %q: %s", next.addr, addr, &next.errors)
		}
		old.stop(t)
		old = next
	}
	l.await(t, 500)
	l.stop()
	old.stop(t)
	if l.failed.Load() > 0 {
		t.Errorf("%d of %d requests failed in %d restarts, first: %v", l.failed.Load(), l.sent.Load(), restarts, l.err)
	}
}

// TestRestartsWithReusePortRefuseNoConnection checks that no connection is
// refused during a restart with SO_REUSEPORT. The kernel may reset a connection
// that it assigns to a process that stops listening. Its request can be
// repeated, because nothing was read.
func TestRestartsWithReusePortRefuseNoConnection(t *testing.T) {
	old := startChild(t, "127.0.0.1:0", nil)
	var resets atomic.Int64
	l := startLoad(sayHello("http://"+old.addr), func(err error) bool {
		if errors.Is(err, syscall.ECONNRESET) {
			resets.Add(1)
			return true
		}
		return false
	})
	const restarts = 3
	for range restarts {
		l.await(t, 500)
		next := startChild(t, old.addr, nil)
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
		{"not a socket", []*os.File{plainFile}, nil, "", `server: socket "unknown" (file descriptor 3) is not a listening stream socket`},
	} {
		p := startChild(t, "127.0.0.1:0", c.sockets, c.env...)
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
