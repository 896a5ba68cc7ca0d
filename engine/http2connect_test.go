package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// startConnect starts an engine that accepts extended CONNECT.
func startConnect(t *testing.T, k kind, srv *http.Server) (addr string) {
	return startHTTP2(t, func(srv *http.Server) server {
		s := k.make(srv).(*Server)
		s.EnableConnectProtocol = true
		return s
	}, srv)
}

// connect opens a tunnel.
func connect(path string, more ...string) step {
	return fields(1, reqBlock("CONNECT", path, append([]string{":protocol=websocket"}, more...)...))
}

// TestConnectProtocol checks which extended CONNECT requests the engine accepts
// (RFC 8441 section 4), and what becomes of both directions. A request that comes
// afterwards must get nothing of them.
func TestConnectProtocol(t *testing.T) {
	end := make(chan string)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		switch r.URL.Path {
		case "/dump":
			fmt.Fprintf(w, "%s %s %s %q %q %d %q %v", r.Method, r.URL, r.RequestURI, r.Host, r.URL.Host, r.ContentLength, r.Header, rc.EnableFullDuplex())
			return
		case "/404":
			http.NotFound(w, r)
			return
		}
		rc.Flush()
		b := make([]byte, 100)
		n, err := r.Body.Read(b)
		switch r.URL.Path {
		case "/panic":
			panic(http.ErrAbortHandler)
		case "/early":
			return
		case "/readdeadline":
			rc.SetReadDeadline(time.Now())
			_, err = r.Body.Read(b)
			fmt.Fprint(w, errors.Is(err, os.ErrDeadlineExceeded))
			return
		case "/write": // the client reads nothing
			if b[0] == 'd' {
				rc.SetWriteDeadline(time.Now().Add(time.Millisecond))
			}
			for err = nil; err == nil; _, err = w.Write(make([]byte, 10_000)) {
			}
		case "/echo":
			for ; err == nil; n, err = r.Body.Read(b) {
				w.Write(b[:n])
				rc.Flush()
			}
		}
		if err != io.EOF {
			<-r.Context().Done()
		}
		end <- fmt.Sprint(err, ", ", r.Context().Err())
	})
	const noLength = "stream 1: :status=200 Date=X; "
	for _, tt := range []struct {
		name string
		send []step
		want string // in the summary
		end  string // what the handler sees
	}{
		{"accepted", []step{connect("/echo"), data(1, "hello"), received(1, 5), data(1, "again"), received(1, 10), dataEnd(1, "")}, noLength + `"helloagain"; end`, "EOF, <nil>"},
		{"what the handler sees", []step{connect("/dump?q=1", "a=b", "cookie=c", "cookie=d")},
			`"CONNECT /dump?q=1 /dump?q=1 \"h\" \"\" -1 map[\":protocol\":[\"websocket\"] \"A\":[\"b\"] \"Cookie\":[\"c; d\"]] <nil>"; end`, ""},
		{"no body", []step{fieldsEnd(1, reqBlock("CONNECT", "/echo", ":protocol=x"))}, noLength + `""; end`, "EOF, <nil>"},
		{"not found", []step{connect("/404")}, "stream 1: :status=404 Content-Length=19 ", ""},
		{"ordinary CONNECT", []step{fieldsEnd(1, block(":method=CONNECT", ":authority=h:1"))}, noLength + `""; end`, "EOF, <nil>"},
		{"GET", []step{get(1, "/dump", ":protocol=websocket")}, "; reset 1", ""},
		{"no path", []step{fieldsEnd(1, block(":method=CONNECT", ":scheme=http", ":authority=h", ":protocol=x"))}, "; reset 1", ""},
		{"no scheme", []step{fieldsEnd(1, block(":method=CONNECT", ":path=/dump", ":authority=h", ":protocol=x"))}, "; reset 1", ""},
		{"no authority", []step{fieldsEnd(1, block(":method=CONNECT", ":scheme=http", ":path=/dump", ":protocol=x"))}, "; reset 1", ""},
		{"empty protocol", []step{fieldsEnd(1, reqBlock("CONNECT", "/dump", ":protocol="))}, "; reset 1", ""},
		{"two empty protocols", []step{fieldsEnd(1, reqBlock("CONNECT", "/dump", ":protocol=", ":protocol=x"))}, "; reset 1", ""},
		{"odd protocol", []step{fieldsEnd(1, reqBlock("CONNECT", "/dump", ":protocol=a b"))}, "; reset 1", ""},
		{"large fields", []step{connect("/dump", "a="+strings.Repeat("x", 5000))}, "stream 1: :status=431", ""},
		{"reset", []step{connect("/echo"), data(1, "x"), received(1, 1), reset(1)}, `"x"; `, "http2: stream closed, context canceled"},
		{"reset, and the next one while it waits", []step{connect("/echo"), data(1, "x"), received(1, 1), reset(1), get(3, "/dump"), ping, reset(3), ping}, `"x"; `, "http2: stream closed, context canceled"},
		{"reset, nothing read", []step{connect("/write"), data(1, "x"), received(1, 65535), reset(1)}, `"65535 bytes"; `, "http2: stream closed, context canceled"},
		{"write deadline, nothing read", []step{connect("/write"), data(1, "d")}, "; reset 2", "i/o timeout, context canceled"},
		{"read deadline", []step{connect("/readdeadline"), data(1, "x")}, noLength + `"true"; end, reset 0`, ""},
		{"handler panics", []step{connect("/panic"), data(1, "x")}, noLength + `""; reset 2`, ""},
		{"handler ends first", []step{connect("/early"), data(1, "x"), ended(1), data(1, "late")}, noLength + `""; end, reset 0`, ""},
		{"too many streams", []step{connect("/echo"), connect2, data(1, "x"), received(1, 1), dataEnd(1, "")}, "stream 3: ; \"\"; reset 7", "EOF, <nil>"},
	} {
		for _, k := range engines {
			t.Run(k.name+"/"+tt.name, func(t *testing.T) {
				addr := startConnect(t, k, &http.Server{Handler: h, MaxHeaderBytes: 4096, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1}})
				c := dialFrames(t, addr)
				c.ping()
				for _, s := range tt.send {
					s(c)
				}
				if tt.end != "" {
					if got := <-end; got != tt.end {
						t.Errorf("the handler saw %q, want %q", got, tt.end)
					}
				}
				if !strings.HasPrefix(tt.name, "reset") {
					c.ended(1)
				}
				c.ping()
				if got := c.summary(); !strings.Contains(got, tt.want) {
					t.Errorf("got %s, want %q", got, tt.want)
				}
				window(0, 1<<20)(c)
				c.get(5, "/dump")
				c.ended(5)
				if got, want := c.summary(), `GET /dump /dump \"h\" \"\" 0 map[] <nil>"; end`; !strings.Contains(got, want) {
					t.Errorf("the next request: got %s, want %q", got, want)
				}
			})
		}
	}
}

func connect2(c *frameConn) { fields(3, reqBlock("CONNECT", "/echo", ":protocol=x"))(c) }

// TestConnectProtocolTimeouts checks that the server's timeouts apply to tunnels.
func TestConnectProtocolTimeouts(t *testing.T) {
	for name, srv := range map[string]*http.Server{
		"read":  {ReadTimeout: 50 * time.Millisecond},
		"write": {WriteTimeout: 50 * time.Millisecond},
	} {
		each(t, engines, func(t *testing.T, k kind) {
			err := make(chan error, 1)
			srv := &http.Server{ReadTimeout: srv.ReadTimeout, WriteTimeout: srv.WriteTimeout}
			srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, e := r.Body.Read(make([]byte, 1))
				err <- e
			})
			c := dialFrames(t, startConnect(t, k, srv))
			connect("/")(c)
			if got := <-err; name == "read" && !errors.Is(got, os.ErrDeadlineExceeded) || got == nil {
				t.Errorf("%s: Read returned %v", name, got)
			}
			c.ended(1)
		})
	}
}

// TestConnectProtocolBoth sends in both directions at once.
func TestConnectProtocolBoth(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		var got bytes.Buffer
		c := dialFrames(t, startConnect(t, k, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			read := make(chan bool)
			go func() {
				io.Copy(&got, r.Body)
				close(read)
			}()
			for range 2000 {
				w.Write(make([]byte, 4096))
				http.NewResponseController(w).Flush()
			}
			<-read
		})}))
		c.endless.Store(true)
		connect("/")(c)
		for range 60 {
			data(1, strings.Repeat("x", 16<<10))(c)
		}
		dataEnd(1, "")(c)
		if c.ended(1); got.String() != strings.Repeat("x", 60*16<<10) || !strings.HasSuffix(c.summary(), "; end\n") {
			t.Errorf("the handler read %d bytes; %s", got.Len(), c.summary())
		}
	})
}

// TestConnectProtocolSettings checks when clients are told of extended CONNECT,
// and that the engine then treats it as net/http does.
func TestConnectProtocolSettings(t *testing.T) {
	announced := func(addr string) bool {
		c := dial(t, addr)
		io.WriteString(c, http2Hello)
		head := make([]byte, 9)
		io.ReadFull(c, head)
		settings := make([]byte, head[2])
		io.ReadFull(c, settings)
		return bytes.Contains(settings, []byte("\x00\x08\x00\x00\x00\x01"))
	}
	each(t, engines, func(t *testing.T, k kind) {
		if announced(startHTTP2(t, k.make, &http.Server{})) {
			t.Error("on by default")
		}
		if !announced(startConnect(t, k, &http.Server{})) {
			t.Error("off")
		}
	})
	t.Setenv("GODEBUG", "http2xconnect=1")
	if !announced(startHTTP2(t, engines[0].make, &http.Server{})) {
		t.Error("off with GODEBUG")
	}
	if out, err := exec.Command(os.Args[0], "-test.run=^TestHTTP2Frames$/^extended").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
