package muxmaster_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// wireMux is a router with every kind of route, that counts panics.
func wireMux(pooled bool) (http.Handler, *atomic.Int64) {
	m := newMux(pooled)
	m.GET("/", values)
	m.GET("/users/:id", values)
	m.POST("/users/{id}", values)
	m.GET("/num/{id:[0-9]+}/x", values)
	m.GET("/v{major}.{minor}/x", values)
	m.GET("/{name}.json", values)
	m.GET("/static/*filepath", values)
	m.GETFast("/fast/:a/:b/", fastValues)
	m.Handle("/tree/", http.HandlerFunc(values))
	m.Handle("host.example/{x}/", http.HandlerFunc(values))
	m.CONNECT("/c/:x", values)
	m.Handle("CONNECT /ct/", http.HandlerFunc(values))
	sub := muxmaster.New()
	sub.GET("/:y", values)
	m.Mount("/sub/:x", sub)
	g := m.Group("/group/:g")
	g.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Group", strconv.Quote(r.PathValue("g")))
			next.ServeHTTP(w, r)
		})
	})
	g.GET("/", values)
	g.POST("/x/:y/", values)
	m.Handle("{tenant}.tenants.example/t/{id}", http.HandlerFunc(values))
	m.Handle("{sub...}.any.example/t/", http.HandlerFunc(values))
	m.Handle("GET /spa/", http.NotFoundHandler())
	m.ServeFiles("/files/*filepath", files)
	m.ServeSPA("/app", app)
	var panicked atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				panicked.Add(1)
				panic(v)
			}
		}()
		m.ServeHTTP(w, r)
	}), &panicked
}

// wireRequests are sent as they stand, and are seeds of FuzzWire. The answer is
// the first line that is worth telling; "" for whatever net/http's server says.
var wireRequests = []struct{ request, want string }{
	{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "200"},
	{"GET /users/5 HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="5"`},
	{"GET /users/5 HTTP/1.0\r\n\r\n", `200 id="5"`},
	{"GET http://other/users/5 HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="5"`},
	{"GET http://host.example/users HTTP/1.1\r\nHost: a\r\n\r\n", `307 /users/`},
	{"GET http://host.example:80/users/ HTTP/1.1\r\nHost: a\r\n\r\n", `200 x="users"`},
	{"GET http://a//evil.com/ HTTP/1.1\r\nHost: a\r\n\r\n", `307 /evil.com/`},
	{"GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", `307 /`},
	{"GET http://a?x=y HTTP/1.1\r\nHost: a\r\n\r\n", `307 /?x=y`},
	{"GET https://u:p@evil.com/tree HTTP/1.1\r\nHost: a\r\n\r\n", `307 /tree/`},
	{"GET * HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
	{"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "200"}, // net/http's server answers
	{"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "404"},
	{"CONNECT /c/x HTTP/1.1\r\nHost: a\r\n\r\n", `200 x="x"`},
	{"CONNECT /c/ HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
	{"CONNECT /ct//x HTTP/1.1\r\nHost: a\r\n\r\n", "200"},
	{"CONNECT /ct//../x HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
	{"CONNECT /ct HTTP/1.1\r\nHost: a\r\n\r\n", "307 /ct/"},
	{"CONNECT //evil.com/ct HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
	{"OPTIONS /users/5 HTTP/1.1\r\nHost: a\r\n\r\n", "204"},
	{"HEAD /users/5 HTTP/1.1\r\nHost: a\r\n\r\n", "200"},
	{"BREW /users/5 HTTP/1.1\r\nHost: a\r\n\r\n", "405"},
	{"get /users/5 HTTP/1.1\r\nHost: a\r\n\r\n", "405"},
	{"GET //evil.com HTTP/1.1\r\nHost: a\r\n\r\n", "307 /evil.com"},
	{"GET //evil.com/%2e%2e HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET /\\evil.com/..// HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET /tree HTTP/1.1\r\nHost: evil.com\r\nX-Forwarded-Host: evil.org\r\nForwarded: host=evil.net\r\n\r\n", "307 /tree/"},
	{"GET /users/%00 HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="\x00"`},
	{"GET /users/%FF HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="\xff"`},
	{"GET /users/\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="\xff\xfe"`},
	{"GET /users/a%2Fb HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="a/b"`},
	{"GET /users/%0D%0AX-Injected:%20y/ HTTP/1.1\r\nHost: a\r\n\r\n", "307 /users/%0D%0AX-Injected:%20y"},
	{"GET /users/%252e HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="%2e"`},
	{"GET /users/%2e%2E/ HTTP/1.1\r\nHost: a\r\n\r\n", `307 /`},
	{"GET /static/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", "307 /etc/passwd"},
	{"GET /static/..;/x HTTP/1.1\r\nHost: a\r\n\r\n", `200 filepath="/..;/x"`},
	{"GET /users/5?a=%zz&;b HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="5"`},
	{"GET /users/5#frag HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET /users/%zz HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
	{"GET users/5 HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
	{"GET x:/users/5 HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET x:users/5 HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET mailto:a@b HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET ://x HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
	{"GET ?x HTTP/1.1\r\nHost: a\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: \r\n\r\n", `200 id="5"`},
	{"GET /users/ HTTP/1.1\r\nHost: host.example.:\r\n\r\n", `200 x="users"`},
	{"GET /users/5 HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", `200 id="5"`},
	{"GET /users/5 HTTP/1.1\r\nHost: [::1\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: a:b:c\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: :\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: [\r\n\r\n", ``},
	{"GET /users/5 HTTP/1.1\r\nHost: ]:\r\n\r\n", ``},
	{"GET /sub/1/2 HTTP/1.1\r\nHost: a\r\n\r\n", `200 x="1" y="2"`},
	{"GET /sub/1/2/ HTTP/1.1\r\nHost: a\r\n\r\n", `307 /sub/1/2`},
	{"GET /group/1 HTTP/1.1\r\nHost: a\r\n\r\n", `200 g="1"`},
	{"GET /group/a%2Fb/ HTTP/1.1\r\nHost: a\r\n\r\n", `200 g="a/b"`},
	{"GET /group/a%0D%0Ab/none HTTP/1.1\r\nHost: a\r\n\r\n", `404`},
	{"POST /group/1/x/2 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", `307 /group/1/x/2/`},
	{"OPTIONS /group/1/x/2/ HTTP/1.1\r\nHost: a\r\n\r\n", `204`},
	{"POST /group//x/%2e%2e/x/2 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", `307 /group/x/2`},
	{"GET /t/5 HTTP/1.1\r\nHost: Acme.tenants.example.:80\r\n\r\n", `200 tenant="acme" id="5"`},
	{"GET http://x.y.any.example/t HTTP/1.1\r\nHost: a\r\n\r\n", `307 /t/`},
	{"GET /t/x HTTP/1.1\r\nHost: x.y.any.example\r\n\r\n", `200 sub="x.y"`},
	{"GET /files/a.txt HTTP/1.1\r\nHost: a\r\n\r\n", `200 text of a`},
	{"GET /files/..%2f..%5Cwire_test.go HTTP/1.1\r\nHost: a\r\n\r\n", `404`},
	{"GET /files//evil.com HTTP/1.1\r\nHost: a\r\n\r\n", `307 /files/evil.com`},
	{"GET /app/a.txt HTTP/1.1\r\nHost: a\r\n\r\n", `200 text of a`},
	{"GET /app/x/y HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n", `200 <!doctype html>index`},
	{"GET /app/\xff HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n", ``},
	{"GET /v1.2.3/x HTTP/1.1\r\nHost: a\r\n\r\n", `200 major="1" minor="2.3"`},
	{"GET /.json HTTP/1.1\r\nHost: a\r\n\r\n", `404`},
	{"GET /" + strings.Repeat("a", 60000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
	{"GET /users/" + strings.Repeat("a", 60000) + " HTTP/1.1\r\nHost: a\r\n\r\n", `200 id="` + strings.Repeat("a", 60000) + `"`},
	{"GET " + strings.Repeat("/a", 30000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
	{"GET " + strings.Repeat("/", 60000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET " + strings.Repeat("/..", 20000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET " + strings.Repeat("/%2e%2E", 8000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "307 /"},
	{"GET /static" + strings.Repeat("/a%2Fb", 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n", `200 filepath="` + strings.Repeat("/a/b", 9000) + `"`},
	{"GET /v" + strings.Repeat(".", 60000) + "/x HTTP/1.1\r\nHost: a\r\n\r\n", ""},
	{"GET " + strings.Repeat("/x/..", 12000) + "/evil HTTP/1.1\r\nHost: a\r\n\r\n", "307 /evil"},
}

// sendRaw sends bytes to the server and returns the status, body and Location
// of the response.
func sendRaw(addr, raw string) (status int, body, location string, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, "", "", err
	}
	defer conn.Close()
	method, _, _ := strings.Cut(raw, " ")
	go io.WriteString(conn, strings.Replace(raw, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: strings.Replace(method, "CONNECT", "GET", 1)})
	if err != nil {
		return 0, "", "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), resp.Header.Get("Location"), err
}

func TestWire(t *testing.T) {
	for _, mode := range modes {
		h, panicked := wireMux(mode.pooled)
		srv := httptest.NewServer(h)
		for _, c := range wireRequests {
			status, body, location, err := sendRaw(srv.Listener.Addr().String(), c.request)
			short := c.request[:min(len(c.request), 80)]
			if err != nil {
				t.Errorf("%s, %q: %v", mode.name, short, err)
				continue
			}
			got := fmt.Sprint(status)
			if status == 200 && body != "" {
				got += " " + body
			}
			if location != "" {
				got += " " + location
			}
			if c.want != "" && got != c.want {
				t.Errorf("%s, %q: got %.200s, want %.200s", mode.name, short, got, c.want)
			}
			if location != "" {
				if wrong := foreign(location); wrong != "" {
					t.Errorf("%s, %q: Location %q %s", mode.name, short, location, wrong)
				}
			}
		}
		srv.Close()
		if n := panicked.Load(); n > 0 {
			t.Errorf("%s: %d panics", mode.name, n)
		}
	}
}

// foreign returns an error if a Location leads to another host.
func foreign(location string) string {
	if !strings.HasPrefix(location, "/") || strings.HasPrefix(location, "//") || strings.HasPrefix(location, "/\\") {
		return "does not begin with one slash"
	}
	if u, err := url.Parse(location); err != nil || u.Host != "" || u.Scheme != "" {
		return "is another host's"
	}
	if strings.ContainsAny(location, "\r\n") {
		return "has more than one line"
	}
	return ""
}

// FuzzWire holds the router to never panic, and to keep Location on its host.
func FuzzWire(f *testing.F) {
	for _, c := range wireRequests {
		if len(c.request) < 4000 {
			f.Add(c.request)
		}
	}
	plain, _ := wireMux(false)
	pooled, _ := wireMux(true)
	f.Fuzz(func(t *testing.T, raw string) {
		for _, h := range []http.Handler{plain, pooled} {
			r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
			if err != nil {
				return
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if l := w.Header().Get("Location"); l != "" {
				if wrong := foreign(l); wrong != "" {
					t.Errorf("%q: Location %q %s", raw, l, wrong)
				}
			}
			if strings.Contains(w.Body.String(), `=""`) && !strings.Contains(w.Body.String(), `filepath`) && !strings.Contains(w.Body.String(), "<!doctype") {
				t.Errorf("%q: an empty value: %s", raw, w.Body)
			}
		}
	})
}
