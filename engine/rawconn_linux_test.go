//go:build !muxmaster_portable

package engine

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// accepted returns a connection that underTLS has accepted, or else a
// *net.TCPConn, and the client's end.
func accepted(t *testing.T, raw bool) (nc net.Conn, client *net.TCPConn) {
	ln := onFreePort(t)
	if raw {
		ln = underTLS(ln)
	}
	nc, client = acceptOne(t, ln)
	if _, ok := nc.(*rawConn); ok != raw {
		t.Fatalf("accepted a %T, want a rawConn: %v", nc, raw)
	}
	return nc, client
}

// TestRawConn compares the results of Read and Write with those of a
// *net.TCPConn.
func TestRawConn(t *testing.T) {
	large := make([]byte, 16<<20)
	type ends = func(nc net.Conn, client *net.TCPConn)
	later := func(f ends) ends {
		return func(nc net.Conn, client *net.TCPConn) { time.AfterFunc(20*time.Millisecond, func() { f(nc, client) }) }
	}
	nothing := func(net.Conn, *net.TCPConn) {}
	sends := func(_ net.Conn, client *net.TCPConn) { io.WriteString(client, "text") }
	half := func(_ net.Conn, client *net.TCPConn) { client.CloseWrite() }
	closed := func(nc net.Conn, _ *net.TCPConn) { nc.Close() }
	reads := func(_ net.Conn, client *net.TCPConn) { go io.Copy(io.Discard, client) }
	reset := func(_ net.Conn, client *net.TCPConn) {
		client.SetLinger(0)
		client.Close()
	}
	read := func(nc net.Conn) (int, error) { return nc.Read(make([]byte, 4)) }
	readFull := func(nc net.Conn) (int, error) { return io.ReadFull(nc, make([]byte, 4)) }
	write := func(nc net.Conn) (int, error) { return nc.Write(large) }
	for _, tt := range []struct {
		name   string
		before ends
		do     func(nc net.Conn) (n int, err error)
	}{
		{"data", sends, readFull},
		{"data later", later(sends), readFull},
		{"data and the end", func(nc net.Conn, client *net.TCPConn) { sends(nc, client); half(nc, client) }, func(nc net.Conn) (int, error) {
			b, err := io.ReadAll(nc)
			return len(b), err
		}},
		{"end", half, read},
		{"read of nothing", nothing, func(nc net.Conn) (int, error) { return nc.Read(nil) }},
		{"read timeout", func(nc net.Conn, _ *net.TCPConn) { nc.SetReadDeadline(time.Now().Add(time.Millisecond)) }, read},
		{"read, closed", closed, read},
		{"read, closed meanwhile", later(closed), read},
		{"two reads, closed meanwhile", later(closed), func(nc net.Conn) (int, error) {
			go read(nc)
			return read(nc)
		}},
		{"read, reset", reset, read},
		{"write of nothing", nothing, func(nc net.Conn) (int, error) { return nc.Write(nil) }},
		{"write that waits", reads, write},
		{"write timeout", func(nc net.Conn, _ *net.TCPConn) { nc.SetWriteDeadline(time.Now().Add(20 * time.Millisecond)) }, func(nc net.Conn) (int, error) {
			n, err := write(nc)
			return min(n, 1), err
		}},
		{"write, closed", closed, write},
		{"write, reset", reset, func(nc net.Conn) (int, error) {
			read(nc)
			return write(nc)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got [2]string
			for i := range got {
				nc, client := accepted(t, i == 1)
				tt.before(nc, client)
				n, err := tt.do(nc)
				timeout := false
				if ne, ok := err.(net.Error); ok {
					timeout = ne.Timeout()
				}
				got[i] = ports.ReplaceAllString(fmt.Sprintf("%d bytes, %v (%T), timeout: %v", n, err, err, timeout), "ADDR")
			}
			if got[1] != got[0] {
				t.Errorf("got %s; *net.TCPConn: %s", got[1], got[0])
			}
		})
	}
}

// TestServeTLS checks that TLS connections are read and written with raw system
// calls, and that their hooks see a connection with the methods of a
// *net.TCPConn.
func TestServeTLS(t *testing.T) {
	inner := make(chan net.Conn, 1)
	srv := &http.Server{Handler: http.NotFoundHandler()}
	srv.ConnState = func(nc net.Conn, state http.ConnState) {
		if state == http.StateActive {
			inner <- nc.(*tls.Conn).NetConn()
		}
	}
	addr := startTLS(t, New(srv), srv)
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	nc := eventually(t, "a connection", inner)
	if _, ok := nc.(*rawConn); !ok {
		t.Errorf("the connection under TLS is a %T", nc)
	}
	if _, ok := nc.(interface {
		SetKeepAliveConfig(net.KeepAliveConfig) error
		CloseWrite() error
	}); !ok {
		t.Errorf("a %T lacks methods of *net.TCPConn", nc)
	}
	if _, ok := nc.(interface{ NetConn() net.Conn }).NetConn().(*net.TCPConn); !ok {
		t.Error("NetConn doesn't return the *net.TCPConn")
	}
}

// TestRawWrapper checks that a SocketConn under TLS is bypassed over HTTP/2, but
// not over HTTP/1.1, and that each byte is counted once.
func TestRawWrapper(t *testing.T) {
	eachCase(t, engines, names("http/1.1", "h2"), func(t *testing.T, k kind, protocol string, _ bool) {
		ln := new(counts)
		found := make(chan bool, 10)
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			w.Write(b)
		})}
		srv.ConnState = func(nc net.Conn, state http.ConnState) {
			if state == http.StateNew {
				_, ok := nc.(*tls.Conn).NetConn().(interface{ NetConn() net.Conn }).NetConn().(countingConn)
				found <- ok
			}
		}
		srv.TLSConfig, _ = certificate(t)
		addr := startTLSOn(t, ln.counting(t), k.make(srv))
		cl := &http.Client{Transport: transport(t, protocols(protocol != "h2", protocol == "h2", false))}
		post := func() {
			res, err := cl.Post("https://"+addr, "", strings.NewReader(strings.Repeat("x", 100_000)))
			if err != nil {
				t.Fatal(err)
			}
			if b := bodyOf(t, res); len(b) != 100_000 {
				t.Fatalf("%d bytes", len(b))
			}
		}
		post()
		read := ln.read.Load()
		post()
		if read = ln.read.Load() - read; (read == 0) != (protocol == "h2") {
			t.Errorf("read %d bytes with the wrapper", read)
		}
		if wrote := ln.wrote.Load(); (wrote > 0) != (protocol == "h2") {
			t.Errorf("wrote %d bytes past the wrapper", wrote)
		}
		written := func() int64 { return ln.written.Load() + ln.wrote.Load() }
		steady.Until(t, 10*time.Second, "the last bytes are counted", func() bool { return written() >= 200_000 })
		if n := written(); n > 210_000 {
			t.Errorf("counted %d written bytes of 200,000", n)
		}
		if !<-found {
			t.Error("NetConn doesn't return the wrapper")
		}
	})
}
