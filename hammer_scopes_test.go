package muxmaster_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// Over real connections, with every feature at once and routes that come while
// requests run: each answer has the values of its own request.
func TestHammerEverything(t *testing.T) {
	const clients, requests = 6, 150
	for _, mode := range modes {
		m, sub, deep := newMux(mode.pooled), newMux(mode.pooled), newMux(false)
		echo := func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(0) // let others run between routing and reading
			for _, p := range muxmaster.PathParams(r) {
				fmt.Fprintf(w, "%s=%s;", p.Key, r.PathValue(p.Key))
			}
		}
		seen := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Seen", r.PathValue("g")+r.PathValue("s"))
				next.ServeHTTP(w, r)
			})
		}
		m.GET("/one/:a", echo)
		m.GETFast("/fast/:a/:b", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
			for _, p := range ps {
				fmt.Fprintf(w, "%s=%s;", p.Key, p.Value)
			}
		})
		m.Handle("/timeout/{a}", http.TimeoutHandler(http.HandlerFunc(echo), time.Minute, ""))
		m.HandleFunc("{h}.tenants.example/host/{a}", echo)
		m.GET("/rest/{a}.json/*rest", echo)
		g := m.Group("/g/:g")
		g.Use(seen)
		g.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "not found g=", r.PathValue("g"), ";") })
		g.GET("/x/:a", echo)
		sub.Use(seen)
		sub.GET("/x/:a", echo)
		sub.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "not allowed s=", r.PathValue("s"), ";") })
		deep.GET("/:d/*rest", echo)
		sub.Mount("/deep", deep)
		m.Mount("/s/:s", sub)
		m.GET("/nested/:a", func(w http.ResponseWriter, r *http.Request) {
			m.ServeHTTP(w, httptest.NewRequest("GET", "/g/"+r.PathValue("a")+"/x/"+r.PathValue("a"), nil))
			fmt.Fprint(w, "a="+r.PathValue("a")+";")
		})
		srv := httptest.NewServer(m)
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range 50 {
				m.GET(fmt.Sprintf("/late%d/:a", i), echo)
				deep.GET(fmt.Sprintf("/late%d/:a/:b", i), echo)
			}
		})
		for c := range clients {
			wg.Go(func() {
				for i := range requests {
					id := fmt.Sprintf("%d-%d", c, i)
					q := [...]struct{ method, host, target, want string }{
						{"GET", "", "/one/@", "a=@;"},
						{"GET", "", "/fast/@/b@", "a=@;b=b@;"},
						{"GET", "", "/timeout/@", "a=@;"},
						{"GET", "@.tenants.example", "/host/@", "h=@;a=@;"},
						{"GET", "", "/rest/@.json/x/@", "a=@;rest=/x/@;"},
						{"GET", "", "/g/@/x/@", "g=@;a=@;"},
						{"GET", "", "/g/@/none", "not found g=@;"},
						{"GET", "", "/s/@/x/@", "s=@;a=@;"},
						{"POST", "", "/s/@/x/@", "not allowed s=@;"},
						{"GET", "", "/s/@/deep/@/y/@", "s=@;d=@;rest=/y/@;"},
						{"GET", "", "/nested/@", "g=@;a=@;a=@;"},
						{"GET", "", "/one/@%2F@", "a=@/@;"},
					}[i%12]
					r, err := http.NewRequest(q.method, srv.URL+strings.ReplaceAll(q.target, "@", id), nil)
					if err != nil {
						t.Error(err)
						return
					}
					r.Host = strings.ReplaceAll(q.host, "@", id)
					resp, err := srv.Client().Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					body, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if want := strings.ReplaceAll(q.want, "@", id); string(body) != want {
						t.Errorf("%s: %s %s: got %q, want %q", mode.name, q.method, r.URL, body, want)
					}
					if s := resp.Header.Get("Seen"); s != "" && s != id {
						t.Errorf("%s: %s: middleware saw %q, want %q", mode.name, r.URL, s, id)
					}
				}
			})
		}
		wg.Wait()
		srv.Close()
	}
}
