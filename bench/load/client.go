package load

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
)

// This file is a load generator for HTTP/1.1.

const browserHeaders = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
	"Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nConnection: keep-alive\r\n" +
	"Referer: https://example.com/some/page\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: same-origin\r\n"

// request appends the n-th request of a connection to b.
func (c Case) request(b []byte, n int) []byte {
	b = append(b, c.method()+" "+c.Path+" HTTP/1.1\r\nHost: localhost\r\n"...)
	if c.Browser {
		b = append(b, browserHeaders...)
		b = fmt.Appendf(b, "Cookie: session=%016x; theme=dark\r\n", n)
	}
	if body := c.body(); body != "" {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(body))
	}
	return append(append(b, "\r\n"...), c.body()...)
}

// A client is a connection that sends requests and checks the responses.
type client struct {
	link
	c        Case
	br       *bufio.Reader
	sent     int
	out      []byte
	response fasthttp.Response
}

func newClient(addr string, c Case) (connection, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{link: link{conn: conn}, c: c, br: bufio.NewReader(conn)}, nil
}

// exchange sends a batch of requests and reads the responses, and again while
// more returns true. There is one batch at a time.
func (cl *client) exchange(_ int, more func() bool) error {
	want, last := cl.c.want(), time.Now()
	for {
		cl.out = cl.out[:0]
		for range cl.c.Pipeline {
			cl.sent++
			cl.out = cl.c.request(cl.out, cl.sent)
		}
		if _, err := cl.conn.Write(cl.out); err != nil {
			return err
		}
		for range cl.c.Pipeline {
			if err := cl.response.ReadLimitBody(cl.br, 1<<20); err != nil {
				return err
			}
			if status, body := cl.response.StatusCode(), cl.response.Body(); status != http.StatusOK || string(body) != want {
				return fmt.Errorf("response %d %.40q, want 200 %.40q", status, body, want)
			}
		}
		now := time.Now()
		cl.took, last = append(cl.took, now.Sub(last)), now
		if !more() {
			return nil
		}
	}
}
