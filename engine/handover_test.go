package engine

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestHandOver checks the responses of connections that are passed to net/http,
// which must end although the client doesn't close its side.
func TestHandOver(t *testing.T) {
	const (
		get       = "GET /never HTTP/1.1\r\nHost: h\r\n\r\n"
		first     = "GET /first HTTP/1.1\r\nHost: h\r\n\r\n"
		faulty    = "RFC 9112 section 6.1"
		noPreface = "not the preface of HTTP/2"
		tunnel    = "RFC 9110 section 9.3.6"
		oneDate   = "RFC 9110 section 5.3"
		closed    = "a body that was closed unread"
	)
	for _, tt := range []struct{ rule, send, want string }{
		{faulty, "POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + get, `POST 0 [] ""`},
		{faulty, "POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nhi" + get, `POST 2 [] "hi"`},
		{faulty, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get, `POST -1 [chunked] ""`},
		{faulty, "POST /echo HTTP/1.1\r\nHost: h\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + get, `POST -1 [chunked] ""`},
		{faulty, "POST /clear HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get, "cleared"},
		{faulty, "GET dump HTTP/1.1\r\nHost: h\r\n\r\n" + get, "400 Bad Request"},
		{faulty, "OPTIONS * HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get, "Content-Length: 0"},
		{faulty, "GET http://h/first HTTP/1.1\r\nHost: h\r\n\r\nPOST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get, `POST -1 [chunked] ""`},
		{noPreface, first + "Invalid\r\n\r\n", "400 Bad Request"},
		{noPreface, first + "GET\r\n\r\n", "400 Bad Request"},
		{noPreface, "GET\r\n\r\n", "400 Bad Request"},
		{noPreface, "PRI\r\n\r\n", "400 Bad Request"},
		{tunnel, "CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n" + get, "200 OK"},
		{tunnel, "CONNECT /204 HTTP/1.1\r\nHost: h:1\r\n\r\n" + get, "204 No Content"},
		{tunnel, "CONNECT /x HTTP/1.1\r\nHost: h:1\r\n\r\n" + get, "\r\n\r\n/x"},
		{tunnel, "CONNECT /tunnel HTTP/1.1\r\nHost: h:1\r\n\r\n" + get, "HTTP/1.1 501 Not Implemented" + errorHeaders + "tunnel"},
		{oneDate, "GET http://h/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + get, "\r\n\r\nhttp://h/x"},
		{closed, "POST http://h/replaced HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n\r\n\r\n" + get + strings.Repeat("x", 300000-len(get)-4), "200 OK"},
	} {
		each(t, engines, func(t *testing.T, k kind) {
			for _, h2c := range []bool{false, true} {
				c := dial(t, start(t, k.make(&http.Server{Handler: http.HandlerFunc(compared), Protocols: protocols(true, false, h2c)})))
				c.SetDeadline(time.Now().Add(20 * time.Second))
				io.WriteString(c, tt.send)
				b, _ := io.ReadAll(c)
				out := string(b)
				if !strings.Contains(out, tt.want) || strings.Contains(out, "/never") || strings.Count(out, "Date: ") > strings.Count(out, "HTTP/1.") || strings.HasPrefix(tt.send, "CONNECT") &&
					(strings.Contains(out, "Content-Length") || strings.Contains(out, "Transfer-Encoding")) {
					t.Errorf("%s: %q: got %q, want %q", tt.rule, tt.send, out, tt.want)
				}
			}
		})
	}
}
