//go:build linux

package engine

import (
	"net"
	"net/http"
	"runtime"
	"testing"
)

// TestHTTP2Allocations counts the allocations of requests.
func TestHTTP2Allocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, tt := range []struct {
		path string
		want []float64 // of net/http (not checked), the engine, with Recycle
	}{
		{"/hello", []float64{0, 8, 3}},
		{"/json", []float64{0, 15, 8}},
	} {
		for i, k := range kinds {
			addr := startHTTP2(t, k.make, &http.Server{Handler: benchHandler()})
			l := newLoad(t, addr, false, 1, 10, tt.path)
			l.run(2000)
			const n = 5000
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			l.run(n)
			runtime.ReadMemStats(&after)
			got := float64(after.Mallocs-before.Mallocs) / n
			size := float64(after.TotalAlloc-before.TotalAlloc) / n
			t.Logf("%s %s: %.1f allocations of %.0f bytes", k.name, tt.path, got, size)
			if i > 0 && got > tt.want[i]+0.5 {
				t.Errorf("%s %s: %.1f allocations, want at most %v", k.name, tt.path, got, tt.want[i])
			}
		}
	}
}

// TestHTTP2IdleMemory measures the memory of connections that are idle after a
// request.
func TestHTTP2IdleMemory(t *testing.T) {
	count := 1000
	used := func() uint64 {
		var m runtime.MemStats
		for range 3 { // the second collection empties the pools
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	for i, k := range kinds {
		addr := startHTTP2(t, k.make, &http.Server{Handler: benchHandler()})
		request := newLoad(t, addr, false, 1, 1, "/json").first
		begin := appendTestFrame([]byte(clientPreface), fSettings, 0, 0, "")
		begin = append(append(begin, appendTestFrame(nil, fSettings, ack, 0, "")...), request...)
		begin[len(begin)-len(request)+8] = 1
		before := used()
		conns := make([]net.Conn, count)
		buf := make([]byte, 4096)
		for j := range conns {
			conns[j] = dial(t, addr)
			conns[j].Write(begin)
		}
		for _, c := range conns {
			for ended := false; !ended; {
				n, err := c.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				ended = n > 60 // the response
			}
		}
		each := (used() - before) / uint64(count)
		t.Logf("%s: %d bytes for an idle connection, client included", k.name, each)
		limit := uint64(10<<10 + 1000)
		if newRawIO(&conn{nc: conns[0]}) == nil { // the portable build
			limit += 4 << 10 // each connection keeps the buffer that it reads into
		}
		if i > 0 && each > limit && !raceEnabled {
			t.Errorf("%s: %d bytes for an idle connection, want at most %d", k.name, each, limit)
		}
		for _, c := range conns {
			c.Close()
		}
	}
}
