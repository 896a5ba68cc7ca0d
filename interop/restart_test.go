package interop

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A load sends requests until it is stopped. It never repeats a request.
type load struct {
	stop   chan struct{}
	wg     sync.WaitGroup
	count  atomic.Int64
	failed sync.Map // errors by text
}

// startLoad sends GETs and POSTs from four clients to the quickstart.
func startLoad(url string) *load {
	l := &load{stop: make(chan struct{})}
	for range 4 {
		l.wg.Go(func() {
			client := &http.Client{Transport: new(http.Transport), Timeout: time.Minute}
			defer client.CloseIdleConnections()
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for n := 0; n < 20_000; n++ {
				select {
				case <-l.stop:
					return
				case <-tick.C:
				}
				var err error
				if n%2 == 0 {
					err = exchange(client, "POST", url+"/api/notes", `{"text":"buy milk","tags":["home"]}`, http.StatusCreated)
				} else {
					err = exchange(client, "GET", url+"/api/notes?tag=none", "", http.StatusOK)
				}
				l.count.Add(1)
				if err != nil {
					l.failed.Store(err.Error(), true)
				}
			}
		})
	}
	return l
}

// exchange sends a request that net/http's client can't send again.
func exchange(c *http.Client, method, url, body string, want int) error {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.GetBody = nil
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s: %s: %s", method, resp.Status, text)
	}
	return err
}

// await waits until some more requests have succeeded.
func (l *load) await(t *testing.T) {
	t.Helper()
	until := l.count.Load() + 50
	eventually(t, "the load goes on", func() bool { return l.count.Load() >= until })
}

func (l *load) finish(t *testing.T) {
	t.Helper()
	close(l.stop)
	l.wg.Wait()
	for what := range l.failed.Range {
		t.Errorf("failed: %s", what)
	}
	t.Logf("%d requests", l.count.Load())
}

// TestRollingRestartBehindHAProxy restarts two processes behind HAProxy, one
// after the other, with the same addresses. HAProxy checks /readyz, so a drain
// delay is sufficient.
func TestRollingRestartBehindHAProxy(t *testing.T) {
	program, dir := quickstart(t), t.TempDir()
	addrs := []string{freeAddr(t), freeAddr(t)}
	start := func(i int) *process {
		p := launch(t, exec.Command(program, "-addr", addrs[i], "-file", filepath.Join(dir, fmt.Sprint(i, ".json")), "-drain-delay", "3s"))
		eventually(t, "the quickstart is ready", answers(addrs[i], "/readyz"))
		return p
	}
	running := []*process{start(0), start(1)}
	h := startHAProxy(t, addrs[0], addrs[1])
	eventually(t, "HAProxy has both servers", func() bool { return h.up() == 2 })
	l := startLoad("http://" + h.addr)
	for i := range running {
		l.await(t)
		running[i].stopCleanly(t)
		running[i] = start(i)
		eventually(t, "HAProxy has both servers again", func() bool { return h.up() == 2 })
	}
	l.await(t)
	l.finish(t)
}

// TestRollingRestartBehindNginx restarts two processes behind nginx, which has
// no health checks. systemd's sockets outlive the processes, so requests wait
// until the next process runs.
func TestRollingRestartBehindNginx(t *testing.T) {
	program, dir := quickstart(t), t.TempDir()
	var addrs []string
	var sockets []*os.File
	for range 2 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		socket, err := ln.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		addrs, sockets = append(addrs, ln.Addr().String()), append(sockets, socket)
		ln.Close()
	}
	start := func(i int) *process {
		// Like systemd, the shell sets the process ID before it starts the program.
		cmd := exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"`, program, "-file", filepath.Join(dir, fmt.Sprint(i, ".json")))
		cmd.ExtraFiles = sockets[i : i+1]
		return launch(t, cmd)
	}
	running := []*process{start(0), start(1)}
	addr := startNginx(t, addrs[0], addrs[1])
	l := startLoad("http://" + addr)
	for range 2 {
		for i := range running {
			l.await(t)
			running[i].stopCleanly(t)
			running[i] = start(i)
		}
	}
	l.await(t)
	l.finish(t)
}
