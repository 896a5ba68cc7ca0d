package interop

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

// TestSmuggling sends requests with an ambiguous end through a real nginx and a
// real HAProxy, which share keep-alive connections to the server among clients.
// The proxies and the engine must agree where each request ends, and the engine
// must behave like net/http behind the same proxy:
//
//   - Each request that reaches the server has a header that only the proxy adds.
//     A request without it was smuggled in the body of another.
//   - Each client gets the responses to its own requests.
//   - The server gets the same requests and bodies, and the client gets the same
//     responses, as with net/http.
func TestSmuggling(t *testing.T) {
	attacks := smugglingAttacks()
	for _, proxy := range []struct {
		program string
		config  func(addrs, backends []string) string
	}{{"nginx", transparentNginx}, {"haproxy", transparentHAProxy}} {
		t.Run(proxy.program, func(t *testing.T) {
			t.Parallel()
			var backends []*witness
			var addrs, behind []string
			for _, srv := range servers {
				w := newWitness(t, srv)
				backends, addrs, behind = append(backends, w), append(addrs, freeAddr(t)), append(behind, w.addr)
			}
			launchProxy(t, proxy.program, proxy.config(addrs, behind), addrs...)
			outcomes := make([][]string, len(servers))
			var wg sync.WaitGroup
			for i, w := range backends {
				wg.Go(func() { outcomes[i] = w.attackAll(t, addrs[i], attacks) })
			}
			wg.Wait()
			passed := 0
			for k, attack := range attacks {
				want := outcomes[0][k]
				if strings.Contains(want, "/attack HTTP") {
					passed++
				}
				for i, srv := range servers[1:] {
					got := outcomes[i+1][k]
					switch {
					case strings.HasPrefix(attack, "CONNECT ") && strings.HasPrefix(want, strings.TrimSpace(got)):
						// The connection ends, as with net/http since Go 1.26.11.
					case strings.HasPrefix(got, "400\n") && strings.Replace(want, "501\n", "400\n", 1) == got:
						// net/http doesn't know RFC 9112 section 6.3.
					case got != want:
						t.Errorf("%s:\nsent %q\ngot  %s\nwant %s", srv.name, attack, got, want)
					}
				}
			}
			if passed < len(attacks)/20 {
				t.Errorf("the proxy has passed on %d of %d attacks: too few to show anything", passed, len(attacks))
			}
			for i, w := range backends {
				w.check(t, servers[i].name)
			}
		})
	}
}

// Targets begin with the number of their attack, which replaces N, to associate
// requests with attacks.
const (
	attackNumber = "/N/"
	smuggled     = "GET /N/smuggled HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n"
	honest       = "GET /N/honest HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
)

// smugglingAttacks returns the input of the attacks, without the honest request
// that follows.
func smugglingAttacks() (attacks []string) {
	post := func(lines, body string) {
		attacks = append(attacks, "POST /N/attack HTTP/1.1\r\nHost: h\r\n"+lines+"\r\n"+body)
	}
	// If one side uses the length and the other the transfer coding, one of these
	// bodies smuggles a request.
	chunk := fmt.Sprintf("%x\r\n", len(smuggled))
	bodies := []struct {
		text   string
		length int
	}{
		{"0\r\n\r\n" + smuggled, len("0\r\n\r\n" + smuggled)},
		{chunk + smuggled + "\r\n0\r\n\r\n", len(chunk)},
	}
	lengths := []string{"", "%d", "+%d", "-%d", "0%d", " %d ", "\v%d", "%d\x00", "%[1]d,%[1]d", "%[1]d, %[1]d", "%[1]d %[1]d", "%d.0", "0x%x", "%d\r\n ", "%d\r\n 0", "", "0", "99999999999999999999"}
	codings := []string{"", "Transfer-Encoding: chunked\r\n", "transfer-encoding:CHUNKED\r\n", "Transfer-Encoding: chunked, identity\r\n",
		"Transfer-Encoding: identity\r\n", "Transfer-Encoding: identity, chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: \tchunked \r\n",
		"Transfer-Encoding: \vchunked\r\n", "Transfer-Encoding: chunked\x00\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked;x=y\r\n",
		"Transfer-Encoding: chunked,\r\n", "Transfer-Encoding: \"chunked\"\r\n", "Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding:\r\n",
		"Transfer-Encoding : chunked\r\n", "Transfer-Encoding\t: chunked\r\n", "Transfer_Encoding: chunked\r\n", "X: y\r\n Transfer-Encoding: chunked\r\n",
		"X: y\nTransfer-Encoding: chunked\r\n", "X: y\rTransfer-Encoding: chunked\r\n", "X: y\r\n\rTransfer-Encoding: chunked\r\n", "\x00Transfer-Encoding: chunked\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
		"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", "Connection: close, Content-Length\r\nTransfer-Encoding: chunked\r\n", "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n"}
	for _, body := range bodies {
		for i, length := range lengths {
			if i > 0 {
				if length != "" && strings.Contains(length, "%") {
					length = fmt.Sprintf(length, body.length)
				}
				length = "Content-Length: " + length + "\r\n"
			}
			for _, coding := range codings {
				post(length+coding, body.text)
			}
		}
		for _, a := range []int{body.length, 0, len(body.text) + len(honest)} {
			for _, b := range []int{body.length, 0, 5} {
				post(fmt.Sprintf("Content-Length: %d\r\ncontent-length: %d\r\n", a, b), body.text)
				post(fmt.Sprintf("Content-Length: %d\r\nX: y\r\nContent_Length: %d\r\n", a, b), body.text)
				post(fmt.Sprintf("Content-Length: %d\nContent-Length: %d\r\n", a, b), body.text)
			}
		}
	}
	// Chunks with unusual ends.
	for _, body := range []string{
		"5\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5;x=y\r\nhello\r\n0\r\n\r\n", "5;\n\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n", "005\r\nhello\r\n000\r\n\r\n",
		"0x5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\rhello\r\n0\r\n\r\n",
		"\r\n5\r\nhello\r\n0\r\n\r\n", "10000000000000005\r\nhello\r\n0\r\n\r\n", "0\r\nX: y\r\n\r\n", "0\r\nContent-Length: 50\r\n\r\n", "0\r\nX: y\n\n", "0\r\n\n",
		"0\r\n" + smuggled, "0\n\n" + smuggled, "0;" + strings.Repeat("x", 300) + "\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n\r\n", "0\r\n\rGET /N/smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		post("Transfer-Encoding: chunked\r\n", body)
	}
	// Request lines and header lines.
	for _, line := range []string{
		"GET /N/attack HTTP/1.0", "GET /N/attack HTTP/1.2", "GET /N/attack HTTP/1.10", "GET /N/attack HTTP/2.0", "GET /N/attack HTTP/0.9", "GET /N/attack http/1.1",
		"GET /N/attack HTTP/1.1 ", "GET  /N/attack HTTP/1.1", "GET\t/N/attack HTTP/1.1", " GET /N/attack HTTP/1.1", "\r\nGET /N/attack HTTP/1.1", "\nGET /N/attack HTTP/1.1",
		"GET /N/attack", "GET /N/att ack HTTP/1.1", "GET /N/attack\x00 HTTP/1.1", "GET /N/attack\r HTTP/1.1", "GET /N/attack HTTP/1.1\r", "GET /N/attack%00%0d%0a HTTP/1.1",
		"GET /N/attack HTTP/1.1\r\nX : y", "GET /N/attack HTTP/1.1\r\nX: a\x00b", "GET /N/attack HTTP/1.1\r\nX: a\rb: c", "GET /N/attack HTTP/1.1\nX: y", "GET /N/attack HTTP/1.1\r\nX: a\r\n b",
		"GET /N/attack HTTP/1.1\r\n X: y", "GET /N/attack HTTP/1.1\r\n: y", "GET /N/attack HTTP/1.1\r\nX", "GET /N/attack HTTP/1.1\r\nX: \x7f\xff", "GET http://other/N/attack HTTP/1.1",
		"GET /N/attack?a=b#c HTTP/1.1", "GET //N/attack/../x HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT h:80 HTTP/1.1", "QUERY /N/attack HTTP/1.1", "PRI * HTTP/2.0\r\n\r\nSM\r\n",
		"GET /N/attack HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk", "GET /N/attack HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade",
	} {
		for _, rest := range []string{"\r\nHost: h\r\n\r\n", "\r\nHost: h\r\nContent-Length: 0\r\n\r\n", "\r\nHost: h\r\nHost: i\r\n\r\n", "\nHost: h\n\n",
			fmt.Sprintf("\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", len(smuggled), smuggled), "\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"} {
			attacks = append(attacks, line+rest)
		}
	}
	for _, expect := range []string{"100-continue", "100-Continue", "x", "100-continue, x"} {
		for _, framing := range []string{"Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "\r\n", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(smuggled), smuggled)} {
			attacks = append(attacks, "POST /N/attack HTTP/1.1\r\nHost: h\r\nExpect: "+expect+"\r\n"+framing)
		}
	}
	return attacks
}

// A witness is a server behind a proxy that records its requests.
type witness struct {
	addr   string
	engine *engine.Server // nil if it is net/http's

	conns    atomic.Int64
	requests atomic.Int64

	mu   sync.Mutex
	seen map[string][]string // requests by the number of their attack
}

// proxied is the header that the proxies add, which attackers don't know.
const proxied = "X-Proxied"

var targetNumber = regexp.MustCompile(`/(\d+)/`)

func newWitness(t *testing.T, srv server) *witness {
	w := &witness{seen: make(map[string][]string)}
	s := newSite(t, http.NewServeMux(), srv)
	url := s.start(w, func(srv *http.Server) {
		srv.ErrorLog = log.New(io.Discard, "", 0)
		srv.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				w.conns.Add(1)
			}
		}
	})
	w.addr = strings.TrimPrefix(url, "http://")
	w.engine, _ = s.serving.(*engine.Server)
	return w
}

func (w *witness) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.requests.Add(1)
	body, err := io.ReadAll(r.Body)
	target := "-"
	if m := targetNumber.FindStringSubmatch(r.RequestURI); m != nil {
		target = m[1]
	}
	w.mu.Lock()
	w.seen[target] = append(w.seen[target], fmt.Sprintf("seen %s %s %s proxied %q, %d, %q, %q %v", r.Method, r.RequestURI, r.Proto, r.Header[proxied], r.ContentLength, r.TransferEncoding, body, err))
	w.mu.Unlock()
	if r.Method == http.MethodConnect { // 200 would make a tunnel
		rw.WriteHeader(http.StatusMethodNotAllowed)
	}
	fmt.Fprintf(rw, "%s %s %d", r.Method, r.RequestURI, len(body))
}

// attackAll sends all attacks through the proxy at addr, and returns the result
// of each: the responses, and the requests that the witness has recorded.
func (w *witness) attackAll(t *testing.T, addr string, attacks []string) []string {
	outcomes := make([]string, len(attacks))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(attacks) {
					return
				}
				number := fmt.Sprint(k)
				answers := converse(t, addr, strings.ReplaceAll(attacks[k]+honest, attackNumber, "/"+number+"/"))
				// Another client's request, which may use the same connection
				// as the attack.
				probe := converse(t, addr, strings.ReplaceAll(honest, attackNumber, "/probe"+number+"/"))
				if want := "200 GET /probe" + number + "/honest 0"; probe != want {
					t.Errorf("after %q another client gets %q, want %q", attacks[k], probe, want)
				}
				for line := range strings.Lines(answers) {
					if m := targetNumber.FindStringSubmatch(line); m != nil && m[1] != number {
						t.Errorf("%q gets the answer to another request: %q", attacks[k], line)
					}
				}
				outcomes[k] = answers
				if !strings.HasSuffix(answers, "waits") { // otherwise the handler may still read
					w.mu.Lock()
					outcomes[k] += "\n" + strings.Join(w.seen[number], "\n")
					w.mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return outcomes
}

// converse sends text over a new connection. It returns the statuses of the
// responses, and the bodies of those that aren't errors of the proxy itself.
func converse(t *testing.T, addr, text string) string {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer c.Close()
	io.WriteString(c, text)
	var answers []string
	for br := bufio.NewReader(c); ; {
		c.SetReadDeadline(time.Now().Add(clientPatience))
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				answers = append(answers, "waits")
			}
			return strings.Join(answers, "\n")
		}
		body, _ := io.ReadAll(resp.Body)
		answer := fmt.Sprint(resp.StatusCode)
		if resp.StatusCode == http.StatusOK {
			answer += " " + string(body)
		}
		answers = append(answers, answer)
		if strings.Contains(answer, "/honest") {
			return strings.Join(answers, "\n")
		}
	}
}

// clientPatience is how long a client waits for a response, if the proxy or the
// server waits for more of the request.
const clientPatience = 3 * time.Second

// check checks that no request was smuggled, and that connections were reused.
func (w *witness) check(t *testing.T, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for number, requests := range w.seen {
		for _, r := range requests {
			if !strings.Contains(r, `proxied ["yes"]`) {
				t.Errorf("%s: the server takes a part of attack %s for a request that the proxy hasn't sent: %s", name, number, r)
			}
		}
	}
	if conns, requests := w.conns.Load(), w.requests.Load(); conns > requests/2 {
		t.Errorf("%s: the proxy has made %d connections for %d requests: no connection was shared", name, conns, requests)
	}
	if w.engine != nil {
		if st := w.engine.Stats(); st.Requests < uint64(w.requests.Load())*3/4 {
			t.Errorf("%s: the engine has served %d of %d requests itself: %v", name, st.Requests, w.requests.Load(), st.Reasons)
		}
	}
}

// transparentNginx returns the configuration of an nginx that changes requests
// as little as possible, with an address for each backend.
func transparentNginx(addrs, backends []string) string {
	config := "worker_processes 1; daemon off; error_log stderr crit; pid $dir/pid;\nevents {}\nhttp {\naccess_log off; client_body_temp_path $dir;\n"
	for i, addr := range addrs {
		config += fmt.Sprintf(`upstream u%d { server %s; keepalive 16; }
server {
	listen %s;
	ignore_invalid_headers off; underscores_in_headers on; merge_slashes off;
	location / {
		proxy_pass http://u%d;
		proxy_http_version 1.1; proxy_request_buffering off; proxy_next_upstream off;
		proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header %s yes;
	}
}
`, i, backends[i], addr, i, proxied)
	}
	return config + "}\n"
}

// transparentHAProxy is like transparentNginx for HAProxy.
func transparentHAProxy(addrs, backends []string) string {
	config := haproxyDefaults + "\tretries 0\n\thttp-reuse always\n"
	for i, addr := range addrs {
		config += fmt.Sprintf("listen l%d\n\tbind %s\n\thttp-request set-header %s yes\n\tserver s %s\n", i, addr, proxied, backends[i])
	}
	return config
}
