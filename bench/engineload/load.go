package engineload

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Case is one kind of load.
type Case struct {
	Path        string // hello, json or echo
	Browser     bool   // ten headers with a cookie that changes, or one header
	Connections int
	Pipeline    int // requests that are sent together
}

func (c Case) String() string {
	headers := "minimal"
	if c.Browser {
		headers = "browser"
	}
	s := fmt.Sprintf("%s, %s headers, %d connections", c.Path, headers, c.Connections)
	if c.Pipeline > 1 {
		s += fmt.Sprintf(", %d pipelined", c.Pipeline)
	}
	return s
}

// Cases returns the six cases of Bars, and cases with more connections and with
// pipelining.
func Cases() (cases []Case) {
	for _, browser := range []bool{false, true} {
		for _, path := range []string{"hello", "json", "echo"} {
			cases = append(cases, Case{path, browser, 64, 1})
		}
	}
	return append(cases, Case{"hello", false, 512, 1}, Case{"hello", true, 512, 1}, Case{"hello", false, 64, 16})
}

const browserHeaders = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
	"Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nConnection: keep-alive\r\n" +
	"Referer: https://example.com/some/page\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: same-origin\r\n"

// request appends the n-th request of a connection to b.
func (c Case) request(b []byte, n int) []byte {
	method := "GET"
	if c.Path == "echo" {
		method = "POST"
	}
	b = append(b, method+" /"+c.Path+" HTTP/1.1\r\nHost: localhost\r\n"...)
	if c.Browser {
		b = append(b, browserHeaders...)
		b = fmt.Appendf(b, "Cookie: session=%016x; theme=dark\r\n", n)
	}
	if c.Path == "echo" {
		b = append(b, "Content-Length: 1024\r\n\r\n"...)
		return append(b, echoed...)
	}
	return append(b, "\r\n"...)
}

var echoed = strings.Repeat("x", 1024)

// want returns the expected body of the response.
func (c Case) want() string {
	return map[string]string{"hello": hello, "json": document, "echo": echoed}[c.Path]
}

// A client is a connection that sends requests and checks the responses.
type client struct {
	conn net.Conn
	br   *bufio.Reader
	sent int
	out  []byte
	body []byte
}

// do sends a batch of requests and reads the responses.
func (cl *client) do(c Case, want string) error {
	cl.out = cl.out[:0]
	for range c.Pipeline {
		cl.sent++
		cl.out = c.request(cl.out, cl.sent)
	}
	if _, err := cl.conn.Write(cl.out); err != nil {
		return err
	}
	for range c.Pipeline {
		if err := cl.response(want); err != nil {
			return err
		}
	}
	return nil
}

func (cl *client) response(want string) error {
	status, err := cl.br.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return fmt.Errorf("response %q", status)
	}
	length, chunked := -1, false
	for {
		line, err := cl.br.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == 2 {
			break
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return err
			}
		} else if bytes.Equal(line, []byte("Transfer-Encoding: chunked\r\n")) {
			chunked = true
		}
	}
	cl.body = cl.body[:0]
	if chunked {
		err = cl.chunks()
	} else {
		err = cl.read(length)
	}
	if err != nil {
		return err
	}
	if string(cl.body) != want {
		return fmt.Errorf("body %.40q, want %.40q", cl.body, want)
	}
	return nil
}

// read adds length bytes to the body.
func (cl *client) read(length int) error {
	if length < 0 || length > 1<<20 {
		return fmt.Errorf("response of %d bytes", length)
	}
	at := len(cl.body)
	cl.body = slices.Grow(cl.body, length)[:at+length]
	_, err := io.ReadFull(cl.br, cl.body[at:])
	return err
}

// chunks reads a chunked body.
func (cl *client) chunks() error {
	for {
		line, err := cl.br.ReadSlice('\n')
		if err != nil {
			return err
		}
		length, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 20)
		if err != nil {
			return err
		}
		if err := cl.read(int(length)); err != nil {
			return err
		}
		if _, err := cl.br.Discard(len("\r\n")); err != nil || length == 0 {
			return err
		}
	}
}

// A loader has open connections to a server.
type loader struct{ clients []*client }

func dial(addr string, n int) (*loader, error) {
	l := new(loader)
	for range n {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			l.close()
			return nil, err
		}
		l.clients = append(l.clients, &client{conn: conn, br: bufio.NewReader(conn)})
	}
	return l, nil
}

func (l *loader) close() {
	for _, c := range l.clients {
		c.conn.Close()
	}
}

// run makes about n requests over all connections. It returns how many, and
// how long they took.
func (l *loader) run(ctx context.Context, c Case, n int) (requests int, took time.Duration, err error) {
	batches := max(1, n/(len(l.clients)*c.Pipeline))
	want := c.want()
	errs := make(chan error, len(l.clients))
	begin := time.Now()
	var wg sync.WaitGroup
	for _, cl := range l.clients {
		wg.Go(func() {
			cl.conn.SetDeadline(time.Now().Add(30 * time.Second))
			for range batches {
				if err := cl.do(c, want); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	took = time.Since(begin)
	select {
	case err = <-errs:
	default:
		err = ctx.Err()
	}
	return batches * c.Pipeline * len(l.clients), took, err
}
