package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

var (
	soak      = flag.Duration("soak", 2*time.Second, "the `time` of TestSoak")
	soakTable = flag.Bool("soaktable", false, "write the table of TestSoak to docs/production.md")
)

func TestMain(m *testing.M) {
	if name := os.Getenv("SOAK"); name != "" {
		soakServer(name == "engine, Recycle")
	}
	os.Exit(m.Run())
}

// soakServer is the main function of a child process. It serves the notes, the
// files of the working directory, and uploads on the engine, without and with
// TLS. For each line of input, it prints its figures.
func soakServer(recycle bool) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	notes, err := openStore("notes.json")
	if err != nil {
		panic(err)
	}
	mux := newMux(notes)
	mux.ServeFiles("/files/*filepath", os.DirFS("."))
	mux.POST("/echo", func(w http.ResponseWriter, r *http.Request) {
		if b, err := io.ReadAll(r.Body); err == nil {
			w.Write(b)
		}
	})
	var servers [2]*server.Server
	for i := range servers {
		s := server.New("127.0.0.1:0", mux)
		s.Engine, s.Recycle, s.ErrorHandler = true, recycle, problem.JSON
		s.HTTP.ReadHeaderTimeout = time.Minute // for clients on a busy machine
		s.HTTP.Protocols.SetUnencryptedHTTP2(true)
		if i == 1 {
			s.HTTP.TLSConfig = httptest.NewTLSServer(nil).TLS
		}
		ln, err := s.Listen(context.Background())
		if err != nil {
			panic(err)
		}
		go s.Serve(context.Background(), ln)
		for servers[i] = s; s.Stats().Engine == nil; time.Sleep(time.Millisecond) {
		}
		fmt.Println(ln.Addr())
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		files, _ := os.ReadDir("/proc/self/fd") // none on other systems than Linux
		var size, resident int
		statm, _ := os.ReadFile("/proc/self/statm")
		fmt.Sscan(string(statm), &size, &resident)
		a, b := servers[0].Stats(), servers[1].Stats()
		fmt.Println(resident*os.Getpagesize(), runtime.NumGoroutine(), len(files), a.Open+b.Open, a.Engine.Requests+b.Engine.Requests)
	}
	os.Exit(0)
}

// contents are those of a file and of uploads.
var contents = func() string {
	b := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(b)
	return string(b)
}()

// A soaked is a server under load, with what its clients see.
type soaked struct {
	name    string
	in      io.Writer
	out     *bufio.Reader
	clients [4]*http.Client // HTTP/1.1 and HTTP/2, without and with TLS
	urls    [4]string

	mu              sync.Mutex
	requests, wrong int             // wrong is the number of bytes
	took            []time.Duration // of small responses, since the last row
	failed          []string

	rss, goroutines, files, open, engine int // what the process printed last
}

func startSoaked(t *testing.T, name string) *soaked {
	program, err0 := os.Executable()
	cmd, s := exec.Command(program), &soaked{name: name}
	cmd.Dir, cmd.Env, cmd.Stderr = t.TempDir(), append(os.Environ(), "SOAK="+name), os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err0, err1, err2, os.WriteFile(filepath.Join(cmd.Dir, "large"), []byte(contents), 0o666), cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	s.in, s.out = in, bufio.NewReader(out)
	for i := range s.clients {
		secure, http2 := i >= 2, i&1 != 0
		if s.urls[i] = s.urls[i&2]; !http2 {
			var addr string
			fmt.Fscan(s.out, &addr)
			s.urls[i] = map[bool]string{false: "http://", true: "https://"}[secure] + addr
		}
		tr := &http.Transport{
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, network, addr)
				if err == nil {
					c.(*net.TCPConn).SetReadBuffer(64 << 10) // so that the server waits for slow readers
				}
				return c, err
			},
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, IdleConnTimeout: 30 * time.Second,
			Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10},
		}
		tr.Protocols.SetHTTP1(!http2)
		tr.Protocols.SetHTTP2(http2)
		tr.Protocols.SetUnencryptedHTTP2(http2 && !secure)
		s.clients[i] = &http.Client{Transport: tr, Timeout: 5 * time.Minute}
	}
	return s
}

// A request is one that a client sends, and its response.
type request struct {
	method, path string // {id} is that of the last Location
	body         io.Reader
	span         string // the value of Range
	status       int    // 0 if the client ends the request
	want         string
	n            int           // bytes of the response to read, or 0 for all
	pause        time.Duration // after each read
}

// send sends a request, compares the response and returns the {id}.
func (s *soaked) send(client int, q request, id string) string {
	r, err := http.NewRequest(q.method, s.urls[client]+strings.ReplaceAll(q.path, "{id}", id), q.body)
	if err != nil {
		panic(err)
	}
	if q.span != "" {
		r.Header.Set("Range", q.span)
	}
	r.Close = client&1 == 0 && strings.HasPrefix(q.path, "/static/") // over HTTP/1.1, for new connections
	start, status, got := time.Now(), 0, []byte{}
	resp, err := s.clients[client].Do(r)
	if err == nil {
		defer resp.Body.Close()
		if status = resp.StatusCode; resp.Header.Get("Location") != "" {
			id = path.Base(resp.Header.Get("Location"))
		}
		for p := make([]byte, 16<<10); err == nil && (q.n == 0 || len(got) < q.n); time.Sleep(q.pause) {
			var n int
			n, err = resp.Body.Read(p)
			got = append(got, p[:n]...)
		}
	}
	want := strings.ReplaceAll(q.want, "{id}", id)
	if q.n > 0 {
		want = want[:min(len(got), len(want))]
	}
	wrong := 0
	for i := range got {
		if status == q.status && (i >= len(want) || got[i] != want[i]) {
			wrong++
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.wrong += wrong
	if wrong > 0 || status != q.status || len(got) < len(want) {
		text := fmt.Sprintf("%s, client %d: %s %s after %v: status %d, %v, %d bytes are wrong: %.60q, want %.60q", s.name, client, q.method, q.path, time.Since(start), status, err, wrong, got, want)
		fmt.Fprintln(os.Stderr, text)
		s.failed = append(s.failed, text)
	} else if len(got) < 1000 {
		s.took = append(s.took, time.Since(start))
	}
	return id
}

// A load is the requests that a client sends one after the other, how many times
// a second.
type load struct {
	rate     float64
	requests []request
}

// loads returns all loads. Most requests send or get a part of contents, so that
// responses to others are wrong.
func loads(part string) []load {
	script, _ := static.ReadFile("static/notes.js")
	at, note := len(contents)-len(part), fmt.Sprintf(`"text":"%x"}`, part[:300])
	return []load{
		{20, []request{{method: "GET", path: "/api/notes?tag=none", status: 200, want: "[]"}}},
		{5, []request{{method: "GET", path: "/api/notes/x", status: 404, want: `{"title":"Not Found","status":404}` + "\n"}}},
		{5, []request{{method: "POST", path: "/api/notes", body: strings.NewReader("{" + note), status: 201, want: `{"id":{id},` + note},
			{method: "GET", path: "/api/notes/{id}", status: 200, want: `{"id":{id},` + note},
			{method: "DELETE", path: "/api/notes/{id}", status: 204}}},
		{2, []request{{method: "GET", path: "/static/notes.js", status: 200, want: string(script)}}},
		{0.5, []request{{method: "GET", path: "/files/large", status: 200, want: contents}}},
		{5, []request{{method: "GET", path: "/files/large", span: fmt.Sprintf("bytes=%d-%d", at, at+9_999), status: 206, want: part[:10_000]}}},
		{1, []request{{method: "POST", path: "/echo", body: strings.NewReader(part), status: 200, want: part}}},
		{0.2, []request{{method: "GET", path: "/files/large", pause: 30 * time.Millisecond, status: 200, want: contents}}}, // a slow reader
		{1, []request{{method: "POST", path: "/echo", body: iotest.OneByteReader(strings.NewReader(part[:999])), status: 200, want: part[:999]}}},
		{1, []request{{method: "GET", path: "/files/large", n: len(part), status: 200, want: contents}}}, // ended by the client, as the next two
		{0.2, []request{{method: "GET", path: "/events", n: 1, status: 200, want: strings.Repeat("data: changed\n\n", 99)}}},
		{1, []request{{method: "POST", path: "/echo", body: io.MultiReader(strings.NewReader(part), iotest.ErrReader(io.ErrUnexpectedEOF))}}},
	}
}

// load sends requests until ctx ends, and waits for their responses.
func (s *soaked) load(ctx context.Context) {
	var wg sync.WaitGroup
	for i, l := range loads(contents) {
		wg.Go(func() {
			limit, ticks := make(chan bool, 20), time.Tick(time.Duration(1e9/l.rate))
			for n := 0; ctx.Err() == nil; n++ {
				limit <- true
				wg.Go(func() {
					id := ""
					for _, q := range loads(contents[rand.IntN(len(contents)-10_000):])[i].requests {
						id = s.send(n%len(s.clients), q, id)
					}
					<-limit
				})
				select {
				case <-ticks:
				case <-ctx.Done():
				}
			}
		})
	}
	wg.Wait()
}

// poll asks the process for its figures.
func (s *soaked) poll(t *testing.T) {
	fmt.Fprintln(s.in)
	if _, err := fmt.Fscan(s.out, &s.rss, &s.goroutines, &s.files, &s.open, &s.engine); err != nil {
		t.Fatalf("%s: the process ended: %v", s.name, err)
	}
}

// row returns a row of the table.
func (s *soaked) row(when string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := fmt.Sprintf("| %s | %s | %d | %d | %d | %.1f MB | %d | %d |", when, s.name, s.requests, len(s.failed), s.wrong, float64(s.rss)/1e6, s.goroutines, s.files)
	if slices.Sort(s.took); len(s.took) > 0 {
		row += fmt.Sprintf(" %.1f, %.1f ms", s.took[len(s.took)/2].Seconds()*1e3, s.took[len(s.took)*99/100].Seconds()*1e3)
	}
	s.took = nil
	return row + " |\n"
}

// TestSoak runs the service on the engine, without and with Recycle, for the time
// of -soak, under mixed traffic over HTTP/1.1 and HTTP/2, without and with TLS. No
// byte may be wrong, and no goroutine or descriptor may be left.
func TestSoak(t *testing.T) {
	table := fmt.Sprintf("\n%s, %s/%s, %d processors, %s\n\n| time | server | requests | failed | wrong bytes | resident | goroutines | descriptors | p50, p99 |\n|---|---|---|---|---|---|---|---|---|\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), time.Now().Format("2 January 2006"))
	both := []*soaked{startSoaked(t, "engine"), startSoaked(t, "engine, Recycle")}
	add := func(when time.Duration) {
		for _, s := range both {
			s.poll(t)
			row := s.row(when.Round(time.Second / 10).String())
			t.Log(row)
			table += row
		}
	}
	add(0)
	goroutines, files := both[0].goroutines, both[0].files
	ctx, cancel := context.WithTimeout(t.Context(), *soak)
	defer cancel()
	var wg sync.WaitGroup
	for _, s := range both {
		wg.Go(func() { s.load(ctx) })
	}
	for n, rows := time.Duration(1), time.Tick(*soak/6); n < 6; n++ {
		<-rows
		add(n * *soak / 6)
	}
	wg.Wait()
	for _, s := range both {
		left := func() bool { return s.open > 0 || s.goroutines > goroutines || s.files > files }
		s.poll(t)
		for end := time.Now().Add(time.Minute); left() && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			for _, c := range s.clients {
				c.CloseIdleConnections()
			}
			s.poll(t)
		}
		if left() || len(s.failed) > 0 || s.engine < s.requests/2 {
			t.Errorf("%s: %d open connections are left, the engine served %d requests, %d goroutines before, %d files; failed: %s", s.name, s.open, s.engine, goroutines, files, strings.Join(s.failed[:min(len(s.failed), 20)], "\n"))
		}
	}
	add(*soak) // without connections
	const doc, begin, end = "../../docs/production.md", "<!-- generated: go test ./examples/quickstart -timeout 2h -run TestSoak -soak 1h -soaktable -->\n", "<!-- end of generated -->\n"
	text, err := os.ReadFile(doc)
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if err != nil || !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q: %v", doc, begin, end, err)
	}
	if *soakTable {
		if err := os.WriteFile(doc, []byte(before+begin+table+"\n"+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
