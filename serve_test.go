package muxmaster_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// oddBytes are bytes that net/http lets through in a path and EscapedPath
// doesn't.
var oddBytes = []string{"|", `\`, `"`, "^", "{", "}", "<", ">", "`", "\x80", "\xc3\xa9", "\xff", "[", "]"}

// The path is split at its slashes as they came over the wire, also where url.URL
// drops RawPath from EscapedPath because a byte should have been escaped.
func TestEscapedSlashNeverSeparates(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.GET("/api/admin/users/:id", tell("admin"))
		m.GET("/api/admin/*rest", tell("admin rest"))
		m.Handle("/api/tree/", tell("tree"))
		m.GET("/static/page", tell("static page"))
		addValues(m, "GET /one/:a|GET /two/:a/:b|GET /text/v{a}|GET /num/{a:[^/]+}|GET /rest/*rest")
		m.GETFast("/fast/:a", fastValues)
		for _, odd := range oddBytes {
			wants(t, m, exchanges{
				{"/api%2Fadmin/users/1" + odd, "404"},
				{"/api%2fadmin/users/1" + odd, "404"},
				{"/api/admin%2Fusers/1" + odd, "404"},
				{"/api/admin/x%2Fusers/1" + odd, "admin rest"},
				{"/api%2Fadmin%2Fusers%2F1" + odd, "404"},
				{"/api%2Fadmin/users/" + odd, "404"},
				{"/" + odd + "/%2E%2E%2Fapi/admin/users/1", "404"},
				{"/api%2Ftree/" + odd, "404"},
				{"/api/tree%2F" + odd, "404"},
				{"/static%2Fpage" + odd, "404"},
				{"/one/a%2Fb" + odd, fmt.Sprintf("a=%q", "a/b"+odd)},
				{"/one/" + odd + "%2F", fmt.Sprintf("a=%q", odd+"/")},
				{"/one/%61%2F%62" + odd, fmt.Sprintf("a=%q", "a/b"+odd)},
				{"/one/%252F" + odd, fmt.Sprintf("a=%q", "%2F"+odd)},
				{"/two/a%2Fb" + odd, "404"},
				{"/two/a%2Fb" + odd + "/c", fmt.Sprintf("a=%q b=\"c\"", "a/b"+odd)},
				{"/two/a/b%2F" + odd, fmt.Sprintf("a=\"a\" b=%q", "b/"+odd)},
				{"/text/va%2F" + odd, fmt.Sprintf("a=%q", "a/"+odd)},
				{"/num/a%2F" + odd, "404"},
				{"/rest/a%2Fb" + odd + "/c", fmt.Sprintf("rest=%q", "/a/b"+odd+"/c")},
				{"/rest/..%2Fb" + odd, "404"},
				{"/rest/" + odd + "%2F..", "404"},
				{"/fast/a%2Fb" + odd, fmt.Sprintf("a=%q", "a/b"+odd)},
				// Without an escaped slash, the bytes are bytes.
				{"/one/" + odd, fmt.Sprintf("a=%q", odd)},
				{"/one/%41" + odd, fmt.Sprintf("a=%q", "A"+odd)},
				{"/rest/" + odd + "/", fmt.Sprintf("rest=%q", "/"+odd+"/")},
			}, mode.name)
		}
	}
}

// The promises about values hold for CONNECT, whose path isn't cleaned.
func TestCONNECTValues(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		addValues(m, "CONNECT /users/:id|CONNECT /users/:id/x")
		m.CONNECTFast("/fast/:id", fastValues)
		addValues(m, "CONNECT /v{a}.{b}/x|CONNECT /num/{n:[0-9.]+}|Handle CONNECT /rest/{rest...}|Handle /any/:x|CONNECT /star/*rest")
		m.Handle("/tree/", tell("tree"))
		for _, dots := range []string{"..", "%2e%2e", "%2E.", ".%2e", "%2e.", ".%2E", "%2E%2E", ".", "%2e", "%2E"} {
			for _, target := range []string{"/users/@", "/users/@/x", "/fast/@", "/v1.@/x", "/v@.1/x", "/num/@", "/rest/@", "/rest/a/@", "/rest/@/b", "/rest/a%2F@", "/any/@", "/star/@", "/star/a/@/b", "/star/@%2Fb"} {
				wants(t, m, exchanges{{"CONNECT " + strings.ReplaceAll(target, "@", dots), "404"}}, mode.name)
			}
		}
		for _, row := range (exchanges{
			{"/users/", "404"}, {"/users//x", "404"}, {"/fast/", "404"}, {"/any/", "404"}, {"//users/1", "404"}, {"/v.1/x", "404"},
			{"/users/1", `id="1"`}, {"/users/...", `id="..."`}, {"/users/.a", `id=".a"`}, {"/users/a%2F..", `id="a/.."`}, {"/rest/a/.../b", `rest="a/.../b"`}, {"/rest/", `rest=""`},
			{"/rest/a//b/c", `rest="a//b/c"`}, {"/rest//", `rest="/"`}, {"/v1./x", "404"}, {"/v1.2/x", `a="1" b="2"`}, {"/fast/x", `id="x"`}, {"/none//x", "404"},
			{"/tree", "307 /tree/"}, {"/tree//x/y", "tree"}, {"/tree//x/../y", "404"}, {"example.com:443", "404"},
		}) {
			wants(t, m, exchanges{{"CONNECT " + row[0], row[1]}}, mode.name)
		}
	}
}

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
					method := []string{"GET", "POST"}[i/len(names)%2]
					status, _, _, err := sendRaw(srv.Listener.Addr().String(), fmt.Sprintf("%s %s?id=%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", method, path, id))
					if err == nil && status != 200 && status != 503 { // a handler that aborts sends nothing
						t.Errorf("%s, %s: status %d", mode.name, path, status)
					}
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

// A panic of a handler goes through the router as it is.
func TestHandlerPanics(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		m.GET("/:id", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		m.GETFast("/f/:id", func(http.ResponseWriter, *http.Request, muxmaster.Params) { panic(http.ErrAbortHandler) })
		for _, target := range []string{"/1", "/f/1"} {
			func() {
				defer func() {
					if v := recover(); v != http.ErrAbortHandler {
						t.Errorf("%s, %s: recovered %v", mode.name, target, v)
					}
				}()
				ask(m, request(t, "GET", target))
			}()
		}
	}
}

// BenchmarkParallel serves requests on all processors at once:
//
//	go test -run '^$' -bench Parallel -cpu 1,2,4,8,16,32,64 .
//
// The time is the wall time divided by all requests. If processors share no
// memory, twice as many take half of it.
func BenchmarkParallel(b *testing.B) {
	for _, mode := range []string{"static", "default", "pooled"} {
		m := muxmaster.New()
		m.PoolRequestBundle = mode == "pooled"
		h := func(w http.ResponseWriter, r *http.Request) { r.PathValue("name") }
		m.GET("/static/path/here", h)
		m.GET("/user/:name", h)
		path := "/user/gordon"
		if mode == "static" {
			path = "/static/path/here"
		}
		b.Run(mode, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				r, w := httptest.NewRequest("GET", path, nil), &discard{http.Header{}}
				for pb.Next() {
					m.ServeHTTP(w, r)
				}
			})
		})
	}
}
