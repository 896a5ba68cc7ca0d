package muxmaster_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

// This file sends random request lines to Muxes of random routes behind
// net/http's server, and compares the responses with the reference.

// targetParts are put into request targets.
var targetParts = []string{
	"/", "//", "/./", "/../", "/.", "/..", "%2e", "%2E%2e", "%2f", "%2F..%2F", "\\", "%5c", "/\\", ";", ";x=y", "%3b", "%", "%%", "%zz", "%0", "%00", "%0d%0aX:y",
	"%u002f", "%c0%af", "?", "%3f", "#", "@", ":", "::", "[", "]", "{", "}", "*", "+", "~", "|", "\"", "'", "<", "^", "`", "\x01", "\x7f", "\t", "\v", "\xff", "\xc0\xaf", "é",
	"%ff", "\u2028", "\r", "\x00", strings.Repeat("a", 8000), strings.Repeat("/a", 4000), strings.Repeat("/..", 2500), strings.Repeat("%2F", 2500),
}

// wireTarget puts a request target together.
func wireTarget(c *trietest.Choices, method string, routes trietest.Routes) string {
	target := c.Target(routes)
	for range c.Pick(4) {
		at := c.Pick(len(target) + 1)
		target = target[:at] + trietest.Of(c, targetParts) + target[at:]
	}
	switch c.Pick(16) {
	case 1:
		return "http://" + trietest.Of(c, trietest.RequestHosts) + target
	case 2:
		return trietest.Of(c, []string{"*", "example.com:443", "x:" + target, "HTTPS://u:p@h" + target, "//example.com" + target, "http:" + target, "", "?q", "example.com"})
	case 3:
		return target + "?" + trietest.Of(c, []string{"", "q=/../x", "a;b=%zz", "%0d%0aX:y", "\xff", "?", "#"})
	}
	return target
}

// wired serves h, says in headers what the server made of each request, and
// counts panics.
func wired(h http.Handler, panicked *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Seen", strconv.Quote(wirePath(r)))
		w.Header().Set("Seen-Query", strconv.Quote(r.URL.RawQuery))
		w.Header().Set("Seen-Host", strconv.Quote(r.Host))
		defer func() {
			if v := recover(); v != nil {
				panicked.Add(1)
				panic(v)
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// A wireConn sends requests to a server over a connection, a new one when the
// server has closed the last.
type wireConn struct {
	addr string
	conn net.Conn
	r    *bufio.Reader
}

// ask sends a request and returns the response with its body. Anything that
// follows the response is an error.
func (c *wireConn) ask(method, request string) (*http.Response, string, error) {
	if c.conn == nil {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			return nil, "", err
		}
		c.conn, c.r = conn, bufio.NewReader(conn)
	}
	c.conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c.conn, request); err != nil {
		return nil, "", err
	}
	if method == "CONNECT" {
		method = "GET" // for the reader; the server's responses to CONNECT have a body
	}
	resp, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	// The server's own error to a HEAD request has a body.
	if err == nil && c.r.Buffered() > 0 && resp.Header.Get("Seen") != "" {
		more, _ := c.r.Peek(c.r.Buffered())
		err = fmt.Errorf("%.100q follows the response", more)
	}
	if resp.Close || err != nil {
		c.close()
	}
	return resp, string(body), err
}

func (c *wireConn) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// unquote returns a header of wired.
func unquote(resp *http.Response, key string) string {
	s, _ := strconv.Unquote(resp.Header.Get(key))
	return s
}

// checkWire returns what is wrong with a response.
func (m refMux) checkWire(method string, resp *http.Response, body string) string {
	if resp.Header.Get("Seen") == "" { // the server itself responded
		if !slices.Contains([]int{200, 400, 505, 501}, resp.StatusCode) {
			return "the server's response"
		}
		return ""
	}
	got := answer{resp.StatusCode, resp.Header.Get("Location"), resp.Header.Get("Allow"), body}
	if !slices.Contains([]int{200, 204, 307, 400, 404, 405}, got.status) {
		return "an unknown status"
	}
	if got.location != "" {
		if wrong := foreign(got.location); wrong != "" {
			return fmt.Sprintf("Location %q %s", got.location, wrong)
		}
	}
	for key, vals := range resp.Header {
		if !slices.Contains([]string{"Seen", "Seen-Query", "Seen-Host", "Date", "Content-Type", "Content-Length", "Location", "Allow", "X-Content-Type-Options", "Connection", "Transfer-Encoding"}, key) || len(vals) > 1 {
			return fmt.Sprintf("header %s: %q", key, vals)
		}
	}
	path, query := unquote(resp, "Seen"), unquote(resp, "Seen-Query")
	if path == "" || path[0] != '/' {
		if got.status == 200 || method == "CONNECT" && got.status == 307 {
			return "a path without a slash is served"
		}
		return ""
	}
	if query != "" {
		query = "?" + query
	}
	if strings.ContainsFunc(query, func(c rune) bool { return c <= ' ' || c > '~' || c == '#' }) {
		query = "" // Location has it escaped
		got.location, _, _ = strings.Cut(got.location, "?")
	}
	if method == "HEAD" && got.status == 200 {
		return "" // nothing tells the route
	}
	return m.check(method, unquote(resp, "Seen-Host"), path, query, got)
}

// holdWire compares Muxes behind a server with the reference.
func holdWire(t *testing.T, routes, requests []byte) {
	c := trietest.Choices(routes)
	registration, ref := trietest.Registration(c.Pick(3)), refMux{redirectSlash: c.Pick(2) == 0}
	for c.More() && len(ref.routes) < 30 {
		ref.routes = append(ref.routes, c.Route(registration))
	}
	var panicked atomic.Int64
	var conns [2]wireConn
	var kept refMux
	for i := range conns {
		mux, k := ref.build(t, i == 1, false)
		kept = k
		srv := httptest.NewServer(wired(mux, &panicked))
		defer srv.Close()
		conns[i].addr = srv.Listener.Addr().String()
		defer conns[i].close()
	}
	c = requests
	for c.More() && !t.Failed() {
		method := trietest.Of(&c, append(trietest.RequestMethods, "get", "G%T", "A-B", "!"))
		host := trietest.Of(&c, append(trietest.RequestHosts, "", "[::1]:80", "a:b", "..", "EXAMPLE.com.:8080"))
		target := wireTarget(&c, method, kept.routes)
		request := method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
		var first answer
		for i := range conns {
			resp, body, err := conns[i].ask(method, request)
			if err != nil {
				t.Errorf("%.300q: %v\nroutes: %q", request, err, kept.routes.Patterns())
				break
			}
			got := answer{resp.StatusCode, resp.Header.Get("Location"), resp.Header.Get("Allow"), body}
			if wrong := kept.checkWire(method, resp, body); wrong != "" {
				t.Errorf("%.300q: %.200q, %.300s\nroutes: %q", request, got.brief(), wrong, kept.routes.Patterns())
			}
			if i == 0 {
				first = got
			} else if got != first {
				t.Errorf("%.300q: %.200q, but pooled %.200q\nroutes: %q", request, first.brief(), got.brief(), kept.routes.Patterns())
			}
		}
	}
	if n := panicked.Load(); n > 0 {
		t.Errorf("%d panics\nroutes: %q", n, kept.routes.Patterns())
	}
}

func TestWireReference(t *testing.T) { trietest.Random(t, 25, 100, holdWire) }
