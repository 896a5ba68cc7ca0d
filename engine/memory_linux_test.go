package engine

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
	"syscall"
	"testing"
)

// TestIdleMemory opens 10,000 connections and serves a request on each. Then it
// compares the memory of the idle connections with net/http's. Run it with -v
// to see the figures.
func TestIdleMemory(t *testing.T) {
	count := 10_000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if room := int(min(limit.Cur, 1<<20))/2 - 100; room < count {
		count = room
	}
	if testing.Short() || raceEnabled {
		count = min(count, 500)
	}
	used := func() uint64 {
		var m runtime.MemStats
		for range 3 { // the second collection empties the pools
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	var nethttp uint64
	for _, k := range kinds {
		s := k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "hello")
		})})
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error)
		go func() { served <- s.Serve(ln) }()
		before := used()
		conns := make([]net.Conn, count)
		br := bufio.NewReader(nil)
		for i := range conns {
			if conns[i], err = net.Dial("tcp", ln.Addr().String()); err != nil {
				t.Fatal(err)
			}
			io.WriteString(conns[i], "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: test\r\n\r\n")
			br.Reset(conns[i])
			res, err := http.ReadResponse(br, nil)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, res.Body)
		}
		each := (used() - before) / uint64(count)
		t.Logf("%s: %d bytes for each of %d idle connections, client included", k.name, each, count)
		if k.name == "net/http" {
			nethttp = each
		} else if each > nethttp {
			t.Errorf("%s: %d bytes for an idle connection, net/http uses %d", k.name, each, nethttp)
		}
		for _, c := range conns {
			c.Close()
		}
		s.Close()
		<-served
	}
}
