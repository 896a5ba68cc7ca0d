//go:build !race

package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// A goroutine that reads path values while its pooled handler returns breaks
// the contract of PoolRequestBundle, and the race detector reports it. Without
// the detector it must see the request's own values or "", and never panic.
//
// A reader that the system stops between two instructions for as long as a
// thousand requests take can see a value of another one. That happens on a busy
// machine, but not three times in a row.
func TestPooledReaderSeesItsOwnValues(t *testing.T) {
	var seen string
	for range 3 {
		if seen = lateReaders(); seen == "" {
			return
		}
	}
	t.Error(seen)
}

// lateReaders returns a text that says what readers saw that they must not see.
func lateReaders() string {
	m := newMux(true)
	var foreign, panicked, own atomic.Int64
	var readers sync.WaitGroup
	spy := func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Id")
		started := make(chan struct{})
		readers.Go(func() {
			defer func() {
				if recover() != nil {
					panicked.Add(1)
				}
			}()
			close(started)
			for range 200 {
				for _, name := range [...]string{"a", "b", "c"} {
					switch v := strings.TrimPrefix(r.PathValue(name), "/"); v {
					case name + id:
						own.Add(1)
					case "":
					default:
						foreign.Add(1)
					}
				}
			}
		})
		<-started
	}
	m.GET("/one/:a", spy)
	m.GET("/three/:a/:b/:c", spy)
	m.GET("/v{a}.{b}/*c", spy)
	m.GETFast("/fast/:a/:b", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { spy(w, r) })
	var clients sync.WaitGroup
	for c := range 4 {
		clients.Go(func() {
			for i := range 1000 {
				id := fmt.Sprintf("%d-%d", c, i)
				target := [...]string{"/one/a@", "/three/a@/b@/c@", "/va@.b@/c@", "/fast/a@/b@"}[i%4]
				r := httptest.NewRequest("GET", strings.ReplaceAll(target, "@", id), nil)
				r.Header.Set("X-Id", id)
				m.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
	clients.Wait()
	readers.Wait()
	if foreign.Load() > 0 || panicked.Load() > 0 || own.Load() == 0 {
		return fmt.Sprintf("%d panics, %d values of other requests, %d own", panicked.Load(), foreign.Load(), own.Load())
	}
	return ""
}
