package engine

import (
	"bufio"
	"bytes"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A headRow is a request. lane reports whether the engine serves it itself.
type headRow struct {
	text string
	lane bool
}

// headRows returns rows for requests that have the values in place of @.
func headRows(lane bool, request string, values ...string) (rows []headRow) {
	for _, value := range values {
		rows = append(rows, headRow{strings.Replace(request, "@", value, 1), lane})
	}
	return rows
}

// Beginnings and ends of requests in heads.
const (
	dump   = "GET /dump HTTP/1.1\r\nHost: h\r\n@\r\n\r\n"
	dump10 = "GET /dump HTTP/1.0\r\n@\r\n"
	echo   = "POST /echo HTTP/1.1\r\nHost: h\r\n@"
)

// heads are the seeds of FuzzHead and the requests of TestSameBytesRandom.
var heads = slices.Concat(
	headRows(true, "@ HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /", "GET /a%20b/%2e%2F//c;d", "GET /x?#\xff%zz", "GET //host/dump", "BREW /dump", "get /dump",
		"GET /%zz"), // passed to net/http only when the URL is parsed
	headRows(true, dump,
		"Cookie: a=b\r\nCookie: c=d\r\ncookie:e\r\nX-New: 1\r\nx-new: 2",
		"Pragma: no-cache", "Pragma: no-cache\r\nCache-Control: x", "Pragma: x\r\nPragma: no-cache",
		"Connection: Close", "Connection: x", "Connection: x,, ,close\r\nConnection:",
		"Connection: upgrade\r\nUpgrade: websocket", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk"),
	headRows(true, "@",
		"GET /dump?a=b HTTP/1.1\r\nHost: example.com:80\r\nUser-Agent: x\r\nACCEPT: */*\r\nx-odd_name!: y\r\n\r\n",
		"GET /dump? HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, TE\r\nTE: trailers\r\n\r\n",
		"GET /dump HTTP/1.1\r\nHost:\t h \t\r\nX:\r\nY: \t \r\nZ: a\tb \xff\r\n\r\n",
		"GET /dump HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
		"POST /dump HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
		"POST /empty HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
		"HEAD /big HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		"GET /length HTTP/1.0\r\nConnection: x, Keep-Alive, y\r\n\r\n",
		"POST /echo HTTP/1.0\r\nHost: h\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"),
	headRows(true, echo,
		"Content-Length: 5\r\n\r\nhello", "Expect: 100-continue\r\n\r\n", "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
		"expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"Trailer: x-a , X-B\r\nTransfer-Encoding: chunked\r\nTrailer:x-c\r\nExpect: 100-continue\r\n\r\n5\r\nhello\r\n0\r\nx-b: c\r\n\r\n",
		"Trailer: X\r\nContent-Length: 5\r\n\r\nhello"),
	headRows(true, dump10, "Host: h\r\n", "", "Connection: keep-alive\r\n"),

	// Passed to net/http, which serves or rejects them.
	headRows(false, "@\r\nHost: h\r\n\r\n",
		"GET /dump HTTP/1.2", "GET /dump HTTP/1.10", "GET /dump HTTP/2.0", "GET /dump HTTP/0.9", "GET /dump http/1.1", "GET /dump HTTP/1.1 ", "GET /dump HTTP/+1.1",
		"GET /dump", "GET  /dump HTTP/1.1", "GET\t/dump HTTP/1.1", "GET /du mp HTTP/1.1", " GET /dump HTTP/1.1", "\r\nGET /dump HTTP/1.1",
		"GET http://other/dump HTTP/1.1", "GET dump HTTP/1.1", "GET * HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT h:1 HTTP/1.1",
		"G\x00T /dump HTTP/1.1", "GET /\x7f HTTP/1.1", "GET /x?a\x00b HTTP/1.1"),
	headRows(false, "GET /dump HTTP/1.1\r\nHost: @\r\n\r\n", "", "a\r\nHost: a", "a b", "a/b", "a@b", "\xff"),
	headRows(false, dump,
		"X: a\rb", "X: a\r", "X: a\x00b", "X: a\x7fb", "X: a\r\n b", "X: a\r\n\tb: c",
		"X : a", "X\t: a", ": a", "no colon", "X\x00: a", "X\xff: a", "X(y): a", "Connection: foo close", "Trailer: a b"),
	headRows(false, "GET /dump HTTP/1.1@", // and other ends of lines
		"\r\n\r\n", "\nHost: h\r\n\r\n", "\r\nHost: h\n\r\n", "\r\nHost: h\r\n\n", "\nHost: h\n\n", "\rHost: h\r\n\r\n", "\r\n Host: h\r\n\r\n"),
	headRows(false, "@",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET /length HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
		"GET /dump HTTP/1.0\r\nConnection: keep-alive\r\nConnection: x\r\n\r\n",
		"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello"),
	headRows(false, echo, "Expect: x\r\nContent-Length: 5\r\n\r\nhello",
		"Transfer-Encoding: chunked\r\nTrailer: X,, Y\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\nTrailer: content-length\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
)

// oddChunks are valid, unusual and malformed chunked bodies.
var oddChunks = []string{
	"0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5\nhello\r\n0\n\r\n", "2;a=b\r\nhi\r\n3 \r\nyou\r\n0;x\r\n\r\n", "00005\r\nhello\r\n000\r\n\r\n",
	"5\r\nhello\r\n0\r\nX-A: 1\r\nx-b:2\r\n\r\n", "0\r\nX\r\n\r\n", "0\r\nX : y\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n", "0\r\nX: " + strings.Repeat("x", 5000) + "\r\n\r\n", "0\r\nX: y\n\n", "0\r\n\n",
	"0x5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\rhello\r\n0\r\n\r\n", "\r\n5\r\nhello\r\n0\r\n\r\n", "\r\n",
	"fffffffffffffffff\r\nhello", "7fffffffffffffff\r\nhello", "5;" + strings.Repeat("x", 5000) + "\r\nhello\r\n0\r\n\r\n", "1;" + strings.Repeat("x", 3000) + "\r\nh\r\n0\r\n\r\n",
	"5\r\nhel", "5\r\nhello", "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0", "", "g\r\n", "5 5\r\nhello\r\n0\r\n\r\n", "5\x00\r\nhello\r\n0\r\n\r\n",
	"5\r\nhello\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n", "1000\r\n" + strings.Repeat("x", 0x1000) + "\r\n1001\r\n" + strings.Repeat("y", 0x1001) + "\r\n0\r\n\r\n",
	"0\r\n" + strings.Repeat("a:\r\n", 500) + "\r\n", "0\r\n" + strings.Repeat("a:\r\n", 501) + "\r\n", strings.Repeat("1\r\nx\r\n", 3000) + "0\r\n\r\n", "50000\r\n" + strings.Repeat("z", 0x50000) + "\r\n0\r\n\r\n",
}

func init() {
	// Content-Length and Transfer-Encoding in every combination.
	lengths := []string{"", "5", "+5", "-5", " 5", "5 ", "05", "0x5", "5,5", "5, 5", "5 5", "5.0", "", "\v5", "99999999999999999999", "9223372036854775807"}
	codings := []string{"", "chunked", "Chunked", "chunked, identity", "identity", "identity, chunked", "gzip, chunked", " chunked ", "\vchunked", "chunked\x00", "xchunked", "chunked;x=y"}
	for _, body := range oddChunks {
		heads = append(heads, headRow{"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body, true})
	}
	for i, cl := range lengths {
		for j, te := range codings {
			for _, te2 := range []string{"", "chunked", "identity"} {
				text := "POST /echo HTTP/1.1\r\nHost: h\r\n"
				if i > 0 {
					text += "Content-Length: " + cl + "\r\n"
				}
				if j > 0 {
					text += "Transfer-Encoding: " + te + "\r\n"
				}
				if te2 != "" {
					text += "Transfer-encoding: " + te2 + "\r\n"
				}
				lane := j == 0 && te2 == "" && (i < 2 || cl == " 5" || cl == "5 " || cl == "05")
				if i == 0 { // no length, and chunked once
					te1 := strings.ToLower(strings.TrimSpace(te))
					lane = te1 == "chunked" && te2 == "" && te != "\vchunked" || j == 0 && te2 == "chunked"
				}
				if j == 0 && te2 == "" && i == 0 {
					continue
				}
				heads = append(heads, headRow{text + "\r\n5\r\nhello\r\n0\r\n\r\n", lane})
			}
		}
		for _, cl2 := range lengths {
			if i > 0 {
				heads = append(heads, headRow{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: " + cl + "\r\nContent-length: " + cl2 + "\r\n\r\nhello", false})
			}
		}
	}
}

// parseAll parses the whole input in one call.
func parseAll(b []byte) (*head, outcome) {
	h := new(head)
	h.reset()
	out, _ := h.parse(b)
	return h, out
}

// TestLane checks which heads the engine serves itself.
func TestLane(t *testing.T) {
	for _, tt := range heads {
		if _, out := parseAll([]byte(tt.text)); out == complete != tt.lane {
			t.Errorf("%q: served by the engine: %v, want %v", tt.text, out == complete, tt.lane)
		}
	}
}

// FuzzHead checks that http.ReadRequest accepts what the engine accepts, with
// the same result, and that the result doesn't depend on how the bytes arrive.
func FuzzHead(f *testing.F) {
	for _, tt := range heads {
		if len(tt.text) < 6<<10 { // large seeds slow the fuzzer down
			f.Add([]byte(tt.text), uint(len(tt.text)/2))
		}
	}
	srv := New(&http.Server{})
	srv.configure()
	srv.maxTrailers = 0 // http.ReadRequest has no limit
	f.Fuzz(func(t *testing.T, b []byte, cut uint) {
		h, out := parseAll(b)
		checkSplit(t, b, int(cut%uint(len(b)+1)), out, h)
		if out != complete {
			return
		}
		c := &conn{server: srv, connCtx: t.Context()}
		c.tmpl = c.template()
		bd := c.newRequest(h, b)
		if bd == nil { // passing to net/http is always correct
			return
		}
		want, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			t.Fatalf("%q: the engine accepts it, http.ReadRequest returns %v", b, err)
		}
		got := bd.Request
		if got.Method != want.Method || got.RequestURI != want.RequestURI || got.Host != want.Host ||
			got.Proto != want.Proto || got.ProtoMajor != want.ProtoMajor || got.ProtoMinor != want.ProtoMinor ||
			got.ContentLength != want.ContentLength || got.Close != want.Close ||
			(got.Body == http.NoBody) != (want.Body == http.NoBody) ||
			!slices.Equal(got.TransferEncoding, want.TransferEncoding) || !reflect.DeepEqual(got.Trailer, want.Trailer) {
			t.Fatalf("%q:\ngot  %+v\nwant %+v", b, got, want)
		}
		if !reflect.DeepEqual(got.Header, want.Header) {
			t.Fatalf("%q: header\ngot  %q\nwant %q", b, got.Header, want.Header)
		}
		if !reflect.DeepEqual(*got.URL, *want.URL) {
			t.Fatalf("%q: URL\ngot  %+v\nwant %+v", b, got.URL, want.URL)
		}
		if u, err := url.ParseRequestURI(got.RequestURI); err != nil || *u != *got.URL {
			t.Fatalf("%q: ParseRequestURI: %+v, %v, want %+v", got.RequestURI, u, err, got.URL)
		}
	})
}

// checkSplit checks that parsing a head in two parts has the same result.
func checkSplit(t *testing.T, b []byte, cut int, want outcome, whole *head) {
	t.Helper()
	h, out := parseAll(b[:cut])
	if out == needMore {
		out, _ = h.parse(b)
	} else if out == handOver && want != handOver || out == complete && want != complete {
		t.Fatalf("%q: outcome %d of the first %d bytes, %d of all", b, out, cut, want)
	}
	if out != want {
		t.Fatalf("%q: outcome %d when split at %d, want %d", b, out, cut, want)
	}
	if out == complete && (h.pos != whole.pos || h.n != whole.n || h.contentLength != whole.contentLength || h.fields != whole.fields) {
		t.Fatalf("%q: another result when split at %d", b, cut)
	}
}
