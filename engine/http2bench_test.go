//go:build linux

package engine

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The benchmark's servers are processes of their own: this program with the
// variable benchServer, which names the kind of server and "tls" or "plain". If
// the variable benchProfile names a directory, each writes a CPU profile there.
const (
	benchServer  = "ENGINE_BENCH_SERVER"
	benchProfile = "ENGINE_BENCH_PROFILE"
)

func init() {
	kind, transport, ok := strings.Cut(os.Getenv(benchServer), " ")
	if !ok {
		return
	}
	srv := &http.Server{Handler: benchHandler(), Protocols: new(http.Protocols)}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetHTTP2(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(ln.Addr())
	for _, k := range kinds {
		if k.name != kind {
			continue
		}
		s := k.make(srv)
		stop := startProfile(strings.ReplaceAll(kind, "/", "-"))
		go func() { // until the parent ends
			io.Copy(io.Discard, os.Stdin)
			stop()
			os.Exit(0)
		}()
		if transport == "plain" {
			err = s.Serve(ln)
		} else {
			certs := httptest.NewUnstartedServer(nil)
			certs.StartTLS()
			srv.TLSConfig = &tls.Config{Certificates: certs.TLS.Certificates}
			err = s.(interface {
				ServeTLS(net.Listener, string, string) error
			}).ServeTLS(ln, "", "")
		}
		panic(err)
	}
}

// startProfile starts a CPU profile if benchProfile is set.
func startProfile(kind string) (stop func()) {
	dir := os.Getenv(benchProfile)
	if dir == "" {
		return func() {}
	}
	f, err := os.Create(filepath.Join(dir, kind+".pprof"))
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		panic(err)
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}
}

func benchHandler() http.Handler {
	big := make([]byte, 100_000)
	type item struct {
		ID    int      `json:"id"`
		Name  string   `json:"name"`
		Tags  []string `json:"tags"`
		Price float64  `json:"price"`
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	mux.HandleFunc("/json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		b, _ := json.Marshal(item{7, "thing", []string{"a", "b", "c"}, 9.5})
		w.Write(b)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Write(b)
	})
	mux.HandleFunc("/sleep", func(w http.ResponseWriter, r *http.Request) { time.Sleep(5 * time.Millisecond) })
	mux.HandleFunc("/work", func(w http.ResponseWriter, r *http.Request) { // about 50 µs
		n := uint64(len(r.URL.Path))
		for range 40_000 {
			n = n*6364136223846793005 + 1
		}
		fmt.Fprint(w, n)
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) { w.Write(big) })
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, r *http.Request) {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		fmt.Fprint(w, u.Utime.Nano()+u.Stime.Nano())
	})
	return mux
}

// A load sends requests over raw connections.
type load struct {
	conns   []*loadConn
	streams int
	first   []byte // frames of a connection's first request
	request []byte // frames of the others; the identifiers are set for each
	heads   []int  // where its frames begin
}

type loadConn struct {
	net.Conn
	br   *bufio.Reader
	next uint32
	got  int // bytes of DATA not acknowledged
	out  []byte

	began   [1024]time.Time // by stream, halved
	latency []float64       // of all requests, in seconds
}

var browserFields = []string{
	"user-agent=Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "accept=application/json, text/plain, */*",
	"accept-language=en-US,en;q=0.5", "accept-encoding=gzip, deflate, br, zstd", "referer=https://example.com/items",
	"sec-fetch-dest=empty", "sec-fetch-mode=cors", "sec-fetch-site=same-origin", "cookie=session=0123456789abcdef0123456789abcdef; theme=dark", "priority=u=4",
}

// indexedBlock encodes fields that the server's table gets with the first
// request and later requests refer to.
func indexedBlock(first bool, fields []string) (b []byte) {
	for i, f := range fields {
		if !first {
			b = append(b, 0x80|byte(62+len(fields)-1-i))
			continue
		}
		name, value, _ := strings.Cut(f, "=")
		b = append(append(b, 0x40, byte(len(name))), name...)
		b = append(append(b, byte(len(value))), value...)
	}
	return b
}

func newLoad(b testing.TB, addr string, tlsOn bool, conns, streams int, path string) *load {
	l := &load{streams: streams}
	fields := []string{":authority=localhost", ":path=" + path}
	if path == "/json" {
		fields = append(fields, browserFields...)
	}
	pseudo := []byte{0x82, 0x86} // GET, http
	flags := uint8(endHeaders | endStream)
	if path == "/echo" {
		pseudo[0], flags = 0x83, endHeaders
	}
	build := func(first bool) []byte {
		r := appendTestFrame(nil, fHeaders, flags, 0, string(append(slices.Clone(pseudo), indexedBlock(first, fields)...)))
		l.heads = []int{0}
		if path == "/echo" {
			l.heads = append(l.heads, len(r))
			r = appendTestFrame(r, fData, endStream, 0, strings.Repeat("x", 1000))
		}
		return r
	}
	for range conns {
		var nc net.Conn
		var err error
		if tlsOn {
			nc, err = tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		} else {
			nc, err = net.Dial("tcp", addr)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { nc.Close() })
		c := &loadConn{Conn: nc, br: bufio.NewReaderSize(nc, 128<<10), next: 1}
		c.Write(append(appendTestFrame([]byte(clientPreface), fSettings, 0, 0, "\x00\x04\x00\x10\x00\x00"), appendTestFrame(nil, fWindow, 0, 0, u32(1<<28))...))
		c.Write(appendTestFrame(nil, fSettings, ack, 0, ""))
		l.first = build(true)
		l.request = l.first
		l.send(c, 1)
		l.receive(c, 1)
		l.conns = append(l.conns, c)
	}
	l.request = build(false)
	return l
}

// send sends n requests.
func (l *load) send(c *loadConn, n int) {
	c.out = c.out[:0]
	for range n {
		at := len(c.out)
		c.out = append(c.out, l.request...)
		for _, h := range l.heads {
			binary.BigEndian.PutUint32(c.out[at+h+5:], c.next)
		}
		c.began[c.next/2%1024] = time.Now()
		c.next += 2
	}
	if c.got > 1<<20 {
		c.out = appendTestFrame(c.out, fWindow, 0, 0, u32(uint32(c.got)))
		c.got = 0
	}
	if _, err := c.Write(c.out); err != nil {
		panic(err)
	}
}

// receive reads until at least n responses have ended and no more input is
// buffered. It returns their number.
func (l *load) receive(c *loadConn, n int) (ended int) {
	for ended < n || c.br.Buffered() >= 9 {
		head, err := c.br.Peek(9)
		if err != nil {
			panic(err)
		}
		length, kind, flags := int(head[0])<<16|int(head[1])<<8|int(head[2]), head[3], head[4]
		if kind == fGoAway || kind == fReset {
			panic(fmt.Sprint("frame of kind ", kind))
		}
		if kind <= fHeaders && flags&endStream != 0 {
			ended++
			id := binary.BigEndian.Uint32(head[5:])
			c.latency = append(c.latency, time.Since(c.began[id/2%1024]).Seconds())
		}
		if kind == fData {
			c.got += length
		}
		c.br.Discard(9 + length)
	}
	return ended
}

// run sends n requests over all connections.
func (l *load) run(n int) {
	var wg sync.WaitGroup
	for _, c := range l.conns {
		wg.Go(func() {
			left := n / len(l.conns)
			sent := min(left, l.streams)
			l.send(c, sent)
			for got := 0; got < left; {
				k := l.receive(c, 1)
				got += k
				if more := min(k, left-sent); more > 0 {
					sent += more
					l.send(c, more)
				}
			}
		})
	}
	wg.Wait()
}

// quantile returns a quantile of the latencies since the last call of forget.
func (l *load) quantile(q float64) float64 {
	var all []float64
	for _, c := range l.conns {
		all = append(all, c.latency...)
	}
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
}

func (l *load) forget() {
	for _, c := range l.conns {
		c.latency = c.latency[:0]
	}
}

// BenchmarkHTTP2 measures the CPU time of a request over HTTP/2 in a server
// process, and reports how many requests the engine serves in the time that
// net/http needs for one: the median of interleaved rounds. The names are those
// of the transport, the handler, and connections times streams. It also reports
// how many requests the engine serves in the same time (speed), and the 99th
// percentile of the latency relative to net/http's (p99, lower is better).
//
//	go test -run '^$' -bench HTTP2 -benchtime 1x ./engine
func BenchmarkHTTP2(b *testing.B) {
	for _, transport := range []string{"plain", "tls"} {
		for _, path := range []string{"/hello", "/json", "/echo", "/big"} {
			for _, shape := range [][2]int{{1, 1}, {1, 10}, {1, 100}, {64, 1}, {64, 10}} {
				b.Run(fmt.Sprintf("%s%s/%dx%d", transport, path, shape[0], shape[1]), func(b *testing.B) {
					benchmarkHTTP2(b, transport, path, shape[0], shape[1])
				})
			}
		}
		for _, path := range []string{"/sleep", "/work"} {
			b.Run(transport+path+"/1x100", func(b *testing.B) { benchmarkHTTP2(b, transport, path, 1, 100) })
		}
	}
}

func benchmarkHTTP2(b *testing.B, transport, path string, conns, streams int) {
	var loads []*load
	var cpu []func() int64
	for _, k := range kinds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), benchServer+"="+k.name+" "+transport)
		cmd.Stderr = os.Stderr
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { in.Close(); cmd.Wait() })
		addr, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		addr = strings.TrimSpace(addr)
		loads = append(loads, newLoad(b, addr, transport == "tls", conns, streams, path))
		cl := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		url := map[string]string{"plain": "http://", "tls": "https://"}[transport] + addr + "/cpu"
		cpu = append(cpu, func() (n int64) {
			res, err := cl.Get(url)
			if err != nil {
				b.Fatal(err)
			}
			defer res.Body.Close()
			fmt.Fscan(res.Body, &n)
			return n
		})
	}
	n := 4000
	if path == "/big" {
		n = 600
	}
	n = max(n, conns*streams*4)
	for b.Loop() {
		var ratios, times, speed, p99 [3][]float64
		for round := range 9 {
			var used, took, slow [3]float64
			for i := range loads {
				loads[i].forget()
				before, began := cpu[i](), time.Now()
				loads[i].run(n)
				took[i] = time.Since(began).Seconds()
				used[i] = float64(cpu[i]() - before)
				slow[i] = loads[i].quantile(0.99)
			}
			if round == 0 {
				continue // to warm up
			}
			for i := range used {
				ratios[i] = append(ratios[i], used[0]/used[i])
				times[i] = append(times[i], used[i]/float64(n)/1000)
				speed[i] = append(speed[i], took[0]/took[i])
				p99[i] = append(p99[i], slow[i]/slow[0])
			}
		}
		b.ReportMetric(median(ratios[1]), "default")
		b.ReportMetric(median(ratios[2]), "recycle")
		b.ReportMetric(median(speed[1]), "speed")
		b.ReportMetric(median(speed[2]), "speed/recycle")
		b.ReportMetric(median(p99[1]), "p99")
		b.ReportMetric(median(p99[2]), "p99/recycle")
		b.ReportMetric(median(times[0]), "µs/net")
		b.ReportMetric(median(times[1]), "µs/default")
		b.ReportMetric(0, "ns/op")
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
