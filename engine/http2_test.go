package engine

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// startHTTP2 serves srv over HTTP/2 without TLS until the test ends.
func startHTTP2(t testing.TB, make func(*http.Server) server, srv *http.Server) (addr string) {
	t.Helper()
	if srv.Protocols == nil {
		srv.Protocols = protocols(true, false, true)
	}
	return start(t, make(srv))
}

// http2Client returns a client that uses HTTP/2, without TLS for http URLs.
func http2Client(t testing.TB) *http.Client {
	return &http.Client{Transport: transport(t, protocols(false, true, true)), Timeout: 30 * time.Second}
}

// TestHTTP2Everywhere serves one http.Server with two engines, with one that
// already serves without TLS, and then with net/http. None of them may disable
// HTTP/2 for the next.
func TestHTTP2Everywhere(t *testing.T) {
	config, _ := certificate(t) // without NextProtos
	srv := &http.Server{Handler: describe, TLSConfig: config}
	plain := New(srv)
	talk(t, start(t, plain), "GET / HTTP/1.0\r\n\r\n") // Serve runs
	for i, s := range []tlsServer{New(srv), New(srv), plain, srv} {
		ln := onFreePort(t)
		defer ln.Close()
		go s.ServeTLS(ln, "", "")
		res, err := http2Client(t).Get("https://" + ln.Addr().String())
		if err != nil {
			t.Fatalf("server %d: %v", i, err)
		}
		if got, want := bodyOf(t, res), "HTTP/2.0 tls true local tcp"; got != want {
			t.Errorf("server %d: got %q, want %q", i, got, want)
		}
	}
}

// TestHTTP2Handover serves on TLS listeners that offer HTTP/2, also where the
// program has disabled it, to a client that takes itself for one without TLS.
func TestHTTP2Handover(t *testing.T) {
	config, client := certificate(t)
	config.NextProtos, client.NextProtos, client.ServerName = []string{"h2"}, []string{"h2"}, "example.com"
	for name, tt := range map[string]struct {
		protocols *http.Protocols
		empty     bool // TLSNextProto, which serving may change
		want      string
	}{
		"default":            {nil, false, "HTTP/2.0 tls true local tcp"},
		"HTTP/2":             {protocols(false, true, false), true, "HTTP/2.0 tls true local tcp"},
		"HTTP/1":             {protocols(true, false, false), false, ""},
		"empty TLSNextProto": {nil, true, ""},
	} {
		for _, k := range kinds {
			srv := &http.Server{Handler: describe, Protocols: tt.protocols}
			if tt.empty {
				srv.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
			}
			addr := start(t, wrapped{k.make(srv), config})
			c := tls.Client(dial(t, addr), client)
			defer c.Close()
			io.WriteString(c, clientPreface+string(appendTestFrame(appendTestFrame(nil, fSettings, 0, 0, ""), fHeaders, endHeaders|endStream, 1, reqBlock("GET", "/"))))
			var got []byte
			for b := make([]byte, 1<<10); !bytes.HasSuffix(got, []byte("local tcp")); {
				n, err := c.Read(b)
				if got = append(got, b[:n]...); err != nil {
					break
				}
			}
			if k.name == "net/http" { // which has no Request.TLS since Go 1.27, because the scheme is http
				got = bytes.Replace(got, []byte("tls false"), []byte("tls true"), 1)
			}
			if i := bytes.Index(got, []byte("HTTP/2.0")); i >= 0 {
				got = got[i:]
			}
			if string(got) != tt.want {
				t.Errorf("%s, %s: got %q, want %q", k.name, name, got, tt.want)
			}
		}
	}
}

// TestHTTP2Godebug runs a program that disables HTTP/2 by a line //go:debug.
func TestHTTP2Godebug(t *testing.T) {
	for setting, want := range map[string]string{"": "false\n", "http2server=1": "true\n"} {
		cmd := exec.Command("go", "run", "./testdata/godebug")
		cmd.Env = append(os.Environ(), "GODEBUG="+setting)
		if out, err := cmd.CombinedOutput(); string(out) != want {
			t.Errorf("GODEBUG=%s: HTTP/2 is served: %s, %v; want %s", setting, out, err, want)
		}
	}
}

// TestHTTP2LatePreface sends the preface after a request over HTTP/1.1, where it
// is a request like any other.
func TestHTTP2LatePreface(t *testing.T) {
	const get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
	late := clientPreface + string(appendTestFrame(nil, fSettings, 0, 0, ""))
	var addrs []string
	for _, k := range kinds {
		addrs = append(addrs, start(t, k.make(quiet(&http.Server{Handler: describe, Protocols: protocols(true, false, true)}))))
	}
	for _, parts := range [][]string{
		{get + late},
		{"GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", late},
		{"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx\r\n" + late},
		{get + get + late[:len(clientPreface)-2], late[len(clientPreface)-2:]},
	} {
		compare(t, addrs, parts...)
	}
}

// A wrapped server is served over TLS by Serve.
type wrapped struct {
	server
	config *tls.Config
}

func (w wrapped) Serve(l net.Listener) error { return w.server.Serve(tls.NewListener(l, w.config)) }

// TestLaneRead checks that a connection has a large buffer only while it
// receives much.
func TestLaneRead(t *testing.T) {
	from, to := net.Pipe()
	defer to.Close()
	c := &conn{nc: from}
	l := &lane{conn: c, begun: true}
	for i, size := range []int{100, 9, 20_000, 20_000, 16_393, 30, 100, 9, 5000, 100, 9} {
		go to.Write(make([]byte, size))
		for have := 0; have < size; {
			b, err := l.Read(size)
			if err != nil {
				t.Fatal(err)
			}
			have = len(b)
		}
		l.Discard(size)
		if small := []int{100, 9, 30}; slices.Contains(small, size) && i > 0 {
			go to.Write([]byte{1})
			if _, err := l.Read(1); err != nil {
				t.Fatal(err)
			}
			l.Discard(1)
			if n := len(c.in.b); n != firstBuffer {
				t.Errorf("part %d: a buffer of %d bytes after %d bytes", i, n, size)
			}
		}
	}
}

// TestHTTP2HeaderLimit compares fields that just exceed MaxHeaderBytes, or don't,
// with net/http.
func TestHTTP2HeaderLimit(t *testing.T) {
	const limit, pseudos = 1000 + 320, 4*32 + len(":method:scheme:path:authority"+"GEThttp/h")
	var want string
	for _, k := range kinds {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
		addr := startHTTP2(t, k.make, &http.Server{Handler: h, MaxHeaderBytes: limit - 320})
		got := ""
		for over := -1; over <= 1; over++ {
			for _, trailers := range []bool{false, true} {
				for _, cut := range []int{0, 500} {
					c := dialFrames(t, addr)
					b := reqBlock("GET", "/", "x="+strings.Repeat("v", limit-pseudos-33+over))
					if trailers {
						c.frame(fHeaders, endHeaders, 1, reqBlock("POST", "/"))
						b = block("x=" + strings.Repeat("v", limit-33+over))
					}
					c.frame(fHeaders, endStream, 1, b[:cut])
					c.frame(fContinuation, endHeaders, 1, b[cut:])
					c.ended(1)
					c.ping()
					got += fmt.Sprintln(over, trailers, cut, c.outcome(1))
					c.Close()
				}
			}
		}
		c := dialFrames(t, addr)
		c.frame(fHeaders, endHeaders|endStream, 1, reqBlock("HEAD", "/", "x="+strings.Repeat("v", limit)))
		c.ended(1)
		got += fmt.Sprintln("HEAD", c.outcome(1))
		if want == "" {
			want = got
		} else if got != want || !strings.Contains(got, "431") {
			t.Errorf("%s: got\n%s\nwant\n%s", k.name, got, want)
		}
	}
}
