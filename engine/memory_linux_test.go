package engine

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// used returns the size of the heap and the stacks.
func used() uint64 {
	var m runtime.MemStats
	for range 3 { // the second collection empties the pools
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// TestIdleAfterForm opens connections and sends a large form on each. Then it
// compares the memory of the idle connections with net/http's: they must not
// hold the form. Some clients have begun another request, or sent stray bytes.
func TestIdleAfterForm(t *testing.T) {
	const count, size = 20, 2 << 20
	form := "a=" + strings.Repeat("b", size-2)
	const boundary = "boundary"
	multi := "--" + boundary + "\r\nContent-Disposition: form-data; name=a\r\n\r\n" + form + "\r\n--" + boundary + "--\r\n"
	framings := map[string]string{
		"length":            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + strconv.Itoa(len(form)) + "\r\n\r\n" + form,
		"chunked":           "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n" + form + "\r\n0\r\n\r\n",
		"multipart":         "Content-Type: multipart/form-data; boundary=boundary\r\nContent-Length: " + strconv.Itoa(len(multi)) + "\r\n\r\n" + multi,
		"multipart chunked": "Content-Type: multipart/form-data; boundary=boundary\r\nTransfer-Encoding: chunked\r\n\r\n" + strconv.FormatInt(int64(len(multi)), 16) + "\r\n" + multi + "\r\n0\r\n\r\n",
	}
	for name, framing := range framings {
		t.Run(name, func(t *testing.T) {
			var nethttp uint64
			for _, k := range kinds {
				contexts := make(chan context.Context, count) // retained, as a program may do
				addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if len(r.FormValue("a")) < size-2 {
						t.Errorf("got %d bytes", len(r.FormValue("a")))
					}
					contexts <- r.Context()
					ctx := context.WithValue(r.Context(), "large", r.Form) // as some middleware does
					*r = *r.WithContext(ctx)
				})}))
				before := used()
				for i := range count {
					c := dial(t, addr)
					io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\n"+framing+[]string{"", "G", "GET / HT"}[i%3])
					readText(t, bufio.NewReader(c))
				}
				more := int64(used() - before)
				t.Logf("%s: %d bytes for each of %d idle connections, client included", k.name, more/count, count)
				if k.name == "net/http" {
					nethttp = uint64(max(0, more))
				} else if more > int64(nethttp)+size {
					t.Errorf("%s: idle connections take %d bytes, net/http's take %d", k.name, more, nethttp)
				}
				runtime.KeepAlive(contexts)
			}
		})
	}
}

// TestIdleMemory opens 10,000 connections and serves a request on each. Then it
// compares the memory of the idle connections with net/http's. Run it with -v
// to see the figures.
func TestIdleMemory(t *testing.T) {
	count := 10_000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if room := int(min(limit.Cur, 1<<20))/2 - 100; room < count {
		count = room
	}
	if testing.Short() || raceEnabled {
		count = min(count, 500)
	}
	var nethttp uint64
	for _, k := range kinds {
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "hello")
		})}))
		br := bufio.NewReader(nil)
		each, err := idleMemory(t, k, addr, count, []byte("GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: test\r\n\r\n"), func(c net.Conn) error {
			br.Reset(c)
			readText(t, br)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if k.name == "net/http" {
			nethttp = each
		} else if each > nethttp {
			t.Errorf("%s: %d bytes for an idle connection, net/http uses %d", k.name, each, nethttp)
		}
	}
}

// idleMemory sends a request on each of count connections, reads the responses,
// and returns how much memory each connection takes.
func idleMemory(t *testing.T, k kind, addr string, count int, request []byte, read func(net.Conn) error) (each uint64, err error) {
	before := used()
	conns := make([]net.Conn, count)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", addr); err != nil {
			return 0, err
		}
		defer conns[i].Close()
		conns[i].Write(request)
		if err := read(conns[i]); err != nil {
			return 0, err
		}
	}
	each = (used() - before) / uint64(count)
	t.Logf("%s: %d bytes for each of %d idle connections, client included", k.name, each, count)
	return each, nil
}
