package interop

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// A process is a program that a test has started.
type process struct {
	cmd  *exec.Cmd
	log  *syncBuffer
	done chan struct{} // closed when the process has ended
	err  error         // result of Wait; valid after done is closed
}

// launch starts a program and stops it when the test ends.
func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, log: new(syncBuffer), done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	endWithTest(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: .ci/run installs the programs that the tests start", err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s said: %s", filepath.Base(cmd.Path), p.log)
		}
		p.stop(t)
	})
	return p
}

// stop sends SIGTERM and waits for the end.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		p.cmd.Process.Kill()
		<-p.done
		t.Errorf("%s didn't end: %s", p.cmd.Path, p.log)
	}
}

// stopCleanly is stop for programs that must exit with status 0.
func (p *process) stopCleanly(t *testing.T) {
	t.Helper()
	p.stop(t)
	if p.err != nil {
		t.Errorf("%s: %v: %s", filepath.Base(p.cmd.Path), p.err, p.log)
	}
}

// eventually waits until ok returns true, with a timeout that is long enough
// for a busy machine.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	steady.Until(t, 2*time.Minute, what, ok)
}

// answers returns a function that reports whether the server responds to GET
// path with 200.
func answers(addr, path string) func() bool {
	return func() bool {
		resp, err := http.Get("http://" + addr + path)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}
}

// freeAddr returns an unused address, a new one each time: what listens on it
// may start after other calls.
func freeAddr(t *testing.T) string {
	t.Helper()
	for {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := ln.Addr().String()
		ln.Close()
		if _, given := givenAddrs.LoadOrStore(addr, true); !given {
			return addr
		}
	}
}

var givenAddrs sync.Map // addresses that freeAddr has returned

// quickstart builds examples/quickstart with the race detector and returns the
// file name.
func quickstart(t *testing.T) string {
	t.Helper()
	program, err := buildQuickstart()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// buildQuickstart builds it once for all tests.
var buildQuickstart = sync.OnceValues(func() (string, error) {
	program := filepath.Join(workDir, "quickstart")
	cmd := exec.Command("go", "build", "-race", "-o", program, "./examples/quickstart")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
})

// redisServer is the one Redis that all tests share.
var redisServer struct {
	sync.Mutex
	cmd  *exec.Cmd
	addr string
}

// startRedis returns the address of a real Redis.
func startRedis(t *testing.T) string {
	t.Helper()
	r := &redisServer
	r.Lock()
	defer r.Unlock()
	if r.cmd != nil {
		return r.addr
	}
	addr := freeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", workDir)
	endWithTest(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(fmt.Errorf("%w: install redis-server", err))
	}
	r.cmd, r.addr = cmd, addr
	eventually(t, "Redis accepts connections", func() bool {
		c, err := net.Dial("tcp", addr)
		return err == nil && c.Close() == nil
	})
	return r.addr
}

func stopRedis() {
	if r := &redisServer; r.cmd != nil {
		r.cmd.Process.Signal(syscall.SIGTERM)
		r.cmd.Wait()
	}
}
