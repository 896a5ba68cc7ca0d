//go:build !muxmaster_safe && !race

package muxmaster_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// What kept requests keep alive is bounded: a chunk of values and short paths
// each.
func TestKeptRequests(t *testing.T) {
	const n = 200_000
	for _, c := range []struct {
		name  string
		n     int
		long  bool
		every int
		most  uint64 // bytes a kept request, beside the request itself
	}{
		{"short paths", n, false, 1, 64},
		{"paths of 8 KB", n / 100, true, 1, 9472 + 512},
		{"one in a hundred", n, false, 100, 1<<10 + 63*48 + 64},
		{"one in a hundred of 8 KB", n / 10, true, 100, 9472 + 512},
	} {
		m := muxmaster.New()
		m.GET("/x/:id", func(http.ResponseWriter, *http.Request) {})
		target := "/x/0123456789"
		if c.long {
			target = "/x/" + strings.Repeat("a", 8<<10)
		}
		kept := make([]*http.Request, 0, c.n/c.every)
		proto := request(t, "GET", target)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		w := discard{}
		var size uint64
		for i := range c.n {
			r := new(http.Request)
			*r = *proto
			u := *proto.URL
			u.Path = strings.Clone(u.Path)
			r.URL, r.RequestURI = &u, u.Path
			m.ServeHTTP(w, r)
			if i%c.every == 0 {
				kept = append(kept, r)
				size += 512 + 128 // a Request and a URL, by their size classes
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		got := (after.HeapAlloc - min(before.HeapAlloc+size, after.HeapAlloc)) / uint64(len(kept))
		if got > c.most {
			t.Errorf("%s: a kept request keeps %d bytes alive, want at most %d", c.name, got, c.most)
		}
		for _, r := range kept {
			if v := r.PathValue("id"); len(v) != len(target)-3 {
				t.Fatalf("%s: a kept request has the value %q", c.name, v)
			}
		}
	}
}
