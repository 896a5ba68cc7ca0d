package muxmaster_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// Handlers that panic, end their goroutine, take the connection, or serve the
// request again on the way: requests that run beside them, and those that come
// later, have their own values, and a request that somebody kept shows its own
// values or none.
func TestHandlersThatEndOddly(t *testing.T) {
	const clients, requests = 4, 60
	for _, mode := range modes {
		m, other := newMux(mode.pooled), newMux(mode.pooled)
		type kept struct {
			r  *http.Request
			id string
		}
		var mu sync.Mutex
		var all []kept
		own := func(r *http.Request) string {
			if a, b := r.PathValue("a"), r.PathValue("b"); a != b {
				return fmt.Sprintf("a=%q b=%q", a, b)
			} else {
				return a
			}
		}
		check := func(r *http.Request, where string) {
			id := r.URL.Query().Get("id")
			if got := own(r); got != id {
				t.Errorf("%s, %s in %s: got %s, want %s", mode.name, r.URL, where, got, id)
			}
		}
		keep := func(r *http.Request) {
			check(r, "handler")
			mu.Lock()
			all = append(all, kept{r, r.URL.Query().Get("id")})
			mu.Unlock()
		}
		again := func(h http.Handler, r *http.Request, path string) {
			r.URL.Path = path
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		ends := map[string]func(w http.ResponseWriter, r *http.Request){
			"returns": func(w http.ResponseWriter, r *http.Request) {},
			"aborts":  func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
			"exits":   func(w http.ResponseWriter, r *http.Request) { runtime.Goexit() },
			"hijacks": func(w http.ResponseWriter, r *http.Request) {
				conn, rw, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				io.WriteString(rw, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				rw.Flush()
				conn.Close()
			},
			"flushes": func(w http.ResponseWriter, r *http.Request) { http.NewResponseController(w).Flush() },
			"serves a clone beside": func(w http.ResponseWriter, r *http.Request) {
				var wg sync.WaitGroup
				for _, h := range []http.Handler{m, other} {
					c := r.Clone(r.Context())
					wg.Go(func() { again(h, c, "/check/"+c.URL.Query().Get("id")+"/"+c.URL.Query().Get("id")) })
				}
				check(r, "beside its clones")
				wg.Wait()
				check(r, "after its clones")
			},
			"asks another router": func(w http.ResponseWriter, r *http.Request) {
				id := r.URL.Query().Get("id")
				again(other, r, "/check/"+id+"/"+id)
				again(other, r, "/none/"+id)
				again(m, r, "/check/"+id+"/"+id)
			},
			"times out": func(w http.ResponseWriter, r *http.Request) {
				h := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					id := r.URL.Query().Get("id")
					again(other, r.Clone(r.Context()), "/check/"+id+"/"+id)
					<-r.Context().Done()
				}), time.Millisecond, "")
				h.ServeHTTP(w, r.Clone(r.Context()))
				check(r, "after a timeout")
			},
		}
		for _, router := range []*muxmaster.Mux{m, other} {
			router.GET("/check/:a/:b", func(w http.ResponseWriter, r *http.Request) { check(r, "inner handler") })
		}
		var names []string
		for name, end := range ends {
			path := "/" + strings.ReplaceAll(name, " ", "-") + "/:a/"
			names = append(names, path)
			m.GET(path+":b", func(w http.ResponseWriter, r *http.Request) { keep(r); end(w, r) })
			m.POSTFast(path+":b", func(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) { keep(r); end(w, r) })
		}
		var serving sync.WaitGroup // the server doesn't wait for handlers that took their connection
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			serving.Add(1)
			defer serving.Done()
			m.ServeHTTP(w, r)
		}))
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		srv.Start()
		var wg sync.WaitGroup
		for c := range clients {
			wg.Go(func() {
				for i := range requests {
					id := fmt.Sprintf("%d-%d", c, i)
					path := strings.Replace(names[i%len(names)], ":a", id, 1) + id
					conn, err := net.Dial("tcp", srv.Listener.Addr().String())
					if err != nil {
						t.Error(err)
						return
					}
					fmt.Fprintf(conn, "%s %s?id=%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", []string{"GET", "POST"}[i/len(names)%2], path, id)
					if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
						io.Copy(io.Discard, resp.Body)
						if resp.StatusCode != 200 && resp.StatusCode != 503 {
							t.Errorf("%s, %s: %s", mode.name, path, resp.Status)
						}
					}
					conn.Close()
				}
			})
		}
		wg.Wait()
		srv.Close()
		serving.Wait()
		if len(all) != clients*requests {
			t.Errorf("%s: %d requests were served, want %d", mode.name, len(all), clients*requests)
		}
		for _, k := range all {
			if got := own(k.r); got != k.id && got != "" {
				t.Errorf("%s: the kept request %s shows %s", mode.name, k.id, got)
			}
		}
	}
}
