package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/internal/conform"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// Beginnings of requests in conformanceRules.
const (
	get     = "GET / HTTP/1.1\r\nHost: h\r\n"
	post    = "POST / HTTP/1.1\r\nHost: h\r\n"
	chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
	get10   = "GET / HTTP/1.0\r\n"
	post10  = "POST / HTTP/1.0\r\n"
	end     = "\r\n"
)

// A conformanceRule is a rule of RFC 9110 or 9112, with requests that it is about
// and the required outcomes: the status, and whether the connection serves
// another request (keep) or not (close). Further words must be part of the
// response, or must not with a leading exclamation mark; ~ stands for a space.
type conformanceRule struct {
	rfc, level, rule string
	rows             []conformanceRow
}

type conformanceRow struct{ send, want string }

// refused returns rows for invalid requests, which have the values in place of @.
func refused(request string, values ...string) (rows []conformanceRow) {
	for _, value := range values {
		rows = append(rows, conformanceRow{strings.Replace(request, "@", value, 1), "400 close"})
	}
	return rows
}

var conformanceRules = []conformanceRule{
	{"9112 2.2", "MUST", "a bare CR is invalid, or replaced with a space", []conformanceRow{
		{"GET / HTTP/1.1\rHost: h\r\n\r\n", "400 close"},
		{get + "X: a\rb\r\n\r\n", "400 close"},
		{get + "X: a\r\r\n\r\n", "400 close | 200 keep"},
		{get + "X\r: a\r\n\r\n", "400 close"},
		{"GET /\r HTTP/1.1\r\nHost: h\r\n\r\n", "400 close"},
		{"GET / HTTP/1.1\r\nHost: h\r\rX: y\r\n\r\n", "400 close"},
	}},
	{"9112 2.2", "MAY", "a line may end with LF", []conformanceRow{
		{"GET / HTTP/1.1\nHost: h\n\n", "200 keep | 400 close"},
		{"GET / HTTP/1.1\nHost: h\r\n\r\n", "200 keep | 400 close"},
		{get + "X: a\n\r\n", "200 keep | 400 close"},
		{get + "\n", "200 keep | 400 close"},
	}},
	{"9112 2.2", "SHOULD", "an empty line before the request is ignored", []conformanceRow{
		{end + get + end, "200 keep"},
		{post + "Content-Length: 2\r\n\r\nhi\r\n" + get + end, "200 200 keep"},
	}},
	{"9112 2.2", "MUST", "whitespace before the first header field is refused or ignored", []conformanceRow{
		{"GET / HTTP/1.1\r\n Host: h\r\n\r\n", "400 close"},
		{"GET / HTTP/1.1\r\n\tX: y\r\nHost: h\r\n\r\n", "400 close | 200 keep !X="},
		{"GET / HTTP/1.1\r\n \r\nHost: h\r\n\r\n", "400 close | 200 keep"},
	}},
	{"9112 2.3", "MUST", "HTTP-version is HTTP/, a digit, a dot and a digit", refused("GET / @\r\nHost: h\r\n\r\n",
		"http/1.1", "HTTP/1", "HTTP/1.", "HTTP/.1", "HTTP/11", "HTTP/1.10", "HTTP/+1.1", "HTTP/1.1a", "HTTPS/1.1", "XTTP/1.1")},
	{"9110 2.5", "SHOULD", "a higher minor version is served as the highest one known, another major version gets a 505", []conformanceRow{
		{"GET / HTTP/1.2\r\nHost: h\r\n\r\n", "200 keep HTTP/1.1~200"},
		{"GET / HTTP/1.9\r\nHost: h\r\n\r\n", "200 keep HTTP/1.1~200"},
		{"GET / HTTP/3.0\r\nHost: h\r\n\r\n", "505 close | 400 close"},
		{"GET / HTTP/0.9\r\nHost: h\r\n\r\n", "505 close | 400 close"},
		{"GET /\r\n", "400 close"},
	}},
	{"9112 3", "SHOULD", "an invalid request line is refused", slices.Concat(refused("@\r\nHost: h\r\n\r\n",
		"GET", "GET /a b HTTP/1.1", " GET / HTTP/1.1", "GET HTTP/1.1", "GET / / HTTP/1.1", "/ GET HTTP/1.1"),
		[]conformanceRow{{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400 close"}})},
	{"9110 9.1", "MUST", "a method is a token, and its case matters", slices.Concat(refused("@ / HTTP/1.1\r\nHost: h\r\n\r\n",
		"G(T", "G\x00T", "G\xc3\x89T", `"GET"`, "G:T"), []conformanceRow{
		{"get / HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep method=get"},
		{"X-!#$%&'*+.^_`|~1 / HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep method=X-!#$%&"},
	})},
	{"9112 3", "SHOULD", "a target that is too long gets a 414, or the head a 431", []conformanceRow{
		{"GET /" + strings.Repeat("a", 8000) + " HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep"},
		{"GET /" + strings.Repeat("a", 2<<20) + " HTTP/1.1\r\nHost: h\r\n\r\n", "414 close | 431 close | 400 close"},
	}},
	{"9112 3.2", "MUST", "a request of HTTP/1.1 has one Host, and its value is valid", slices.Concat([]conformanceRow{
		{"GET / HTTP/1.1\r\n\r\n", "400 close"},
		{"GET / HTTP/1.1\r\nX: y\r\n\r\n", "400 close"},
		{"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400 close"},
		{"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400 close"},
		{"GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", "400 close"},
		{"GET http://h/ HTTP/1.1\r\n\r\n", "400 close"},
		{"GET http://h/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400 close"},
	}, refused("GET / HTTP/1.1\r\nHost: @\r\n\r\n",
		"a b", "a, b", "a/b", "http://a", "u@a", "a?b", "a#b", `a\b`, "<a>", `"a"`, "{a}", "a\x00", "\xc3\xa4", "a:b", "a:1:2", "a:-1",
		"[::1", "::1", "[]", "[::1]a", "a]", "a%zz", "a%4"), []conformanceRow{
		{"GET / HTTP/1.1\r\nHost: example.com:8080\r\n\r\n", "200 keep host=example.com:8080"},
		{"GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "200 keep host=[::1]:8080"},
		{"GET / HTTP/1.1\r\nHost: a_b.c-d\r\n\r\n", "200 keep host=a_b.c-d"},
		{"GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "200 keep"},
		{"GET / HTTP/1.1\r\nHost: a%41!$&'()*+;=\r\n\r\n", "200 keep"},
		{"GET / HTTP/1.1\r\nHost:\r\n\r\n", "200 keep"},
		{"GET / HTTP/1.1\r\nhOST:h\r\n\r\n", "200 keep host=h"},
		{"GET / HTTP/1.1\r\nX: y\r\nHost: \t h \t\r\n\r\n", "200 keep host=h"},
		{get10 + end, "200 close"},
	})},
	{"9112 3.2.1", "MUST", "a target in origin form starts with a slash", []conformanceRow{
		{"GET x HTTP/1.1\r\nHost: h\r\n\r\n", "400 close"},
		{"GET ?x HTTP/1.1\r\nHost: h\r\n\r\n", "400 close"},
		{"GET /?x=a?b/c HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep uri=/?x=a?b/c"},
		{"GET //a HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep uri=//a host=h"},
		{"GET /%41%2f HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep uri=/%41%2f"},
		{"GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", "400 close"},
		{"GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n", "400 close"},
		{"GET /\x7f HTTP/1.1\r\nHost: h\r\n\r\n", "400 close"},
	}},
	{"9112 3.2.2", "MUST", "a target in absolute form is accepted, and its authority replaces Host", []conformanceRow{
		{"GET http://a/x HTTP/1.1\r\nHost: a\r\n\r\n", "200 keep host=a"},
		{"GET http://a/x HTTP/1.1\r\nHost: b\r\n\r\n", "200 keep host=a"},
		{"GET http://a:80/x?y HTTP/1.1\r\nHost: b\r\n\r\n", "200 keep host=a:80"},
		{"GET HTTP://a/x HTTP/1.1\r\nHost: a\r\n\r\n", "200 keep host=a"},
		{"GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", "200 keep host=a"},
		{"GET http://a/x HTTP/1.0\r\n\r\n", "200 close host=a"},
	}},
	{"9112 3.2.3", "MUST", "a target in authority form is only for CONNECT", []conformanceRow{
		{"GET 1.2.3.4:80 HTTP/1.1\r\nHost: 1.2.3.4:80\r\n\r\n", "400 close"},
		{"GET [::1]:80 HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "400 close"},
		{"CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n", "200 close host=h:80 | 200 keep host=h:80"},
		{"CONNECT [::1]:80 HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "200 close host=[::1]:80 | 200 keep host=[::1]:80"},
	}},
	{"9110 9.3.6", "MUST", "a successful response to CONNECT has neither Content-Length nor Transfer-Encoding", []conformanceRow{
		{"CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n", "200 close !Content-Length !Transfer-Encoding"},
		{"CONNECT /204 HTTP/1.1\r\nHost: h\r\n\r\n", "204 close !Content-Length !Transfer-Encoding"},
	}},
	{"9112 3.2.4", "MUST", "the target * is only for OPTIONS", []conformanceRow{
		{"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep"},
		{"GET * HTTP/1.1\r\nHost: h\r\n\r\n", "400 close | 200 keep uri=* | 404 keep"},
	}},
	{"9112 5.1", "MUST", "whitespace between name and colon is refused", []conformanceRow{
		{get + "X : y\r\n\r\n", "400 close"},
		{get + "X\t: y\r\n\r\n", "400 close"},
		{"GET / HTTP/1.1\r\nHost : h\r\n\r\n", "400 close"},
		{post + "Content-Length : 2\r\n\r\nhi", "400 close"},
		{post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "400 close"},
	}},
	{"9110 5.1", "MUST", "a field name is a token", slices.Concat(refused(get+"@\r\n\r\n",
		": y", "X", "X y: z", "X(: y", "X\x00: y", "X/Y: z", "X\xc3\xa4: y", "\x0bX: y"), []conformanceRow{
		{get + "X-!#$%&'*+.^_`|~1: y\r\n\r\n", "200 keep"},
	})},
	{"9110 5.5", "MUST", "a value with CR, LF or NUL is invalid, or they are replaced", []conformanceRow{
		{get + "X: a\x00b\r\n\r\n", "400 close"},
		{get + "X: \x00\r\n\r\n", "400 close"},
		{get + "X: a\x01b\r\n\r\n", "400 close | 200 keep"},
		{get + "X: a\x7fb\r\n\r\n", "400 close | 200 keep"},
		{get + "X: a\tb\r\n\r\n", "200 keep X=a\tb"},
		{get + "X: \xe4\xff\r\n\r\n", "200 keep"},
		{get + "X:\r\n\r\n", "200 keep X=;"},
		{get + "X: \t y \t\r\n\r\n", "200 keep X=y;"},
		{get + "X:y\r\n\r\n", "200 keep X=y;"},
		{get + "X: a\r\nx: b\r\n\r\n", "200 keep X=a,b;"},
	}},
	{"9112 5.2", "MUST", "obs-fold is refused, or replaced with spaces", []conformanceRow{
		{get + "X: a\r\n b\r\n\r\n", "400 close | 200 keep X=a~b;"},
		{get + "X: a\r\n\tb\r\n\r\n", "400 close | 200 keep X=a~b;"},
		{get + "X: a\r\n  \r\n\r\n", "400 close | 200 keep X=a"},
		{get + "X:\r\n b\r\n\r\n", "400 close | 200 keep X=b;"},
	}},
	{"9110 8.6", "MUST", "an invalid or contradictory Content-Length is refused", slices.Concat(refused(post+"Content-Length: @\r\n\r\nhi",
		"a", "-1", "+2", "0x2", "2.0", "2 2", "2,", "2, 3", "2;", "99999999999999999999", "\xd9\xa2",
		"2\r\nContent-Length: 3", "3\r\nContent-Length: 2", "2\r\nContent-Length: a"), []conformanceRow{
		{post + "Content-Length:\r\n\r\n", "400 close"},
		{post10 + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi", "400 close"},
		{post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", "400 close | 200 keep body=hi;"},
		{post + "Content-Length: 2, 2\r\n\r\nhi", "400 close | 200 keep body=hi;"},
		{post + "Content-Length: 02\r\n\r\nhi", "200 keep body=hi;"},
		{post + "Content-Length: 2\r\n\r\nhi", "200 keep body=hi;"},
		{post + "Content-Length: 0\r\n\r\n", "200 keep body=;"},
	})},
	{"9112 6.1", "MUST", "the connection closes after a message with Content-Length and Transfer-Encoding", []conformanceRow{
		{post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 close | 200 close body=;"},
		{post + "Transfer-Encoding: chunked\r\nContent-Length: 30\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "400 close | 200 close body=hi;"},
		{post + "Transfer-Encoding: chunked\r\nContent-Length: a\r\n\r\n0\r\n\r\n", "400 close | 200 close"},
		{"POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n", "400 close | 200 close"},
		{"OPTIONS * HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n", "400 close | 200 close"},
	}},
	{"9112 6.1", "MUST", "the connection closes after a message of HTTP/1.0 with Transfer-Encoding", []conformanceRow{
		{post10 + "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 close | 200 close"},
		{post10 + "Connection: keep-alive\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 close | 200 close"},
		{get10 + "Connection: keep-alive\r\nTransfer-Encoding: identity\r\n\r\n", "400 close | 200 close"},
	}},
	{"9112 6.1", "SHOULD", "a transfer coding that isn't understood gets a 501", []conformanceRow{
		{post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501 close | 400 close"},
		{post + "Transfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n", "501 close | 400 close"},
		{post + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "501 close | 400 close"},
	}},
	{"9112 6.3", "MUST", "a message whose last transfer coding isn't chunked gets a 400", slices.Concat(refused(post+"Transfer-Encoding: @\r\n\r\n0\r\n\r\n",
		"chunked, gzip", "chunked\r\nTransfer-Encoding: gzip", "gzip", "identity", "xchunked", "chunkedx", `"chunked"`, "\vchunked"), []conformanceRow{
		{post + "Transfer-Encoding:\r\n\r\n0\r\n\r\n", "400 close"},
		{post + "Content-Length: 5\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", "400 close"},
	})},
	{"9112 6.1", "MUST", "chunked is applied once", []conformanceRow{
		{post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "400 close | 501 close"},
		{post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 close | 501 close"},
	}},
	{"9112 7", "MUST", "transfer codings are case-insensitive", []conformanceRow{
		{post + "Transfer-Encoding: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "200 keep body=hi;"},
		{post + "tRANSFER-eNCODING:\tCHUNKED \r\n\r\n2\r\nhi\r\n0\r\n\r\n", "200 keep body=hi;"},
	}},
	{"9112 7.1", "MUST", "chunks are parsed, and malformed ones are refused", slices.Concat([]conformanceRow{
		{chunked + "0\r\n\r\n", "200 keep body=;"},
		{chunked + "2\r\nhi\r\n0\r\n\r\n", "200 keep body=hi;"},
		{chunked + "1\r\nh\r\n1\r\ni\r\n0\r\n\r\n", "200 keep body=hi;"},
		{chunked + "A\r\n0123456789\r\n0\r\n\r\n", "200 keep body=0123456789;"},
		{chunked + "a\r\n0123456789\r\n0\r\n\r\n", "200 keep body=0123456789;"},
		{chunked + "0002\r\nhi\r\n000\r\n\r\n", "200 keep body=hi;"},
	}, refused(chunked+"@0\r\n\r\n",
		"x\r\nhi\r\n", "0x2\r\nhi\r\n", "-2\r\nhi\r\n", "+2\r\nhi\r\n", " 2\r\nhi\r\n", "\r\nhi\r\n", ";x\r\nhi\r\n", "2\rX\nhi\r\n", "2\nhi\r\n",
		"2\r\nhi\n", "2\r\nhi", "2\r\nhii\r\n", "3\r\nhi\r\n", "2\r\nhi\rX", "10000000000000000\r\nhi\r\n", "ffffffffffffffff2\r\nhi\r\n", "2_0\r\nhi\r\n"))},
	{"9112 7.1.1", "MUST", "chunk extensions that aren't known are ignored", []conformanceRow{
		{chunked + "2;x\r\nhi\r\n0\r\n\r\n", "200 keep body=hi;"},
		{chunked + "2;x=y\r\nhi\r\n0;z\r\n\r\n", "200 keep body=hi;"},
		{chunked + "2;x=\"y;z\"\r\nhi\r\n0\r\n\r\n", "200 keep body=hi;"},
		{chunked + "2;x\nhi\r\n0\r\n\r\n", "400 close"},
		{chunked + "2;" + strings.Repeat("x", 100_000) + "\r\nhi\r\n0\r\n\r\n", "400 close"},
	}},
	{"9112 7.1.2", "MUST", "trailers are parsed, and not merged into the header", []conformanceRow{
		{chunked + "0\r\nX: y\r\n\r\n", "200 keep body=; !X=y"},
		{chunked + "0\r\nHost: evil\r\nContent-Length: 5\r\n\r\n", "200 keep host=h | 400 close"},
	}},
	{"9112 7.1.2", "SHOULD", "malformed trailers are refused", []conformanceRow{
		{chunked + "0\r\nX\r\n\r\n", "400 close"},
		{chunked + "0\r\n: y\r\n\r\n", "400 close"},
		{chunked + "0\r\nX : y\r\n\r\n", "400 close"},
	}},
	{"9112 8", "MUST", "an incomplete message isn't served as a complete one", []conformanceRow{
		{"\x00" + get, "400 close |  close"},
		{"\x00GET / HT", "400 close |  close"},
		{"\x00" + post + "Content-Length: 5\r\n\r\nhi", "400 close |  close"},
		{"\x00" + chunked + "5\r\nhi", "400 close |  close"},
		{"\x00" + chunked + "2\r\nhi\r\n", "400 close |  close"},
		{"\x00" + chunked + "2\r\nhi\r\n0\r\n", "400 close |  close"},
	}},
	{"9112 9.3", "MUST", "connections persist in HTTP/1.1 unless an option says close, and in HTTP/1.0 only with keep-alive", []conformanceRow{
		{get + end, "200 keep"},
		{get + "Connection: close\r\n\r\n", "200 close Connection:~close"},
		{get + "Connection: CLOSE\r\n\r\n", "200 close"},
		{get + "Connection: x, close\r\n\r\n", "200 close"},
		{get + "Connection: x\r\nConnection: close\r\n\r\n", "200 close"},
		{get + "Connection: closed\r\n\r\n", "200 keep"},
		{get + "Connection: keep-alive\r\n\r\n", "200 keep"},
		{get10 + "Connection: close\r\n\r\n", "200 close"},
		{get10 + "Connection: keep-alive\r\n\r\n", "200 keep Connection:~keep-alive"},
		{get10 + "Connection: Keep-Alive, x\r\n\r\n", "200 keep"},
		{get10 + "Connection: keep-alive, close\r\n\r\n", "200 close"},
		{"GET /close HTTP/1.1\r\nHost: h\r\n\r\n", "200 close Connection:~close"},
	}},
	{"9112 9.3.2", "MUST", "responses to pipelined requests come in order", []conformanceRow{
		{get + end + post + "Content-Length: 2\r\n\r\nhi" + chunked + "2\r\nho\r\n0\r\n\r\n", "200 200 200 keep"},
		{get + end + "HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET /204 HTTP/1.1\r\nHost: h\r\n\r\n" + get + "X : y\r\n\r\n", "200 200 204 400 close"},
		{post + "Content-Length: 50\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n" + strings.Repeat("x", 15), "200 keep"},
	}},
	{"9112 9.6", "MUST", "requests after one with close aren't served", []conformanceRow{
		{get + "Connection: close\r\n\r\n" + get + end, "200 close"},
		{get10 + end + get10 + end, "200 close"},
	}},
	{"9110 6.6.1", "MUST", "a response has Date, except those of status 1xx and 5xx", []conformanceRow{
		{get + end, "200 keep Date:"},
		{"GET /204 HTTP/1.1\r\nHost: h\r\n\r\n", "204 keep Date:"},
		{"GET /304 HTTP/1.1\r\nHost: h\r\n\r\n", "304 keep Date:"},
		{"GET /404 HTTP/1.1\r\nHost: h\r\n\r\n", "404 keep Date:"},
		{get + "X : y\r\n\r\n", "400 close Date:"},
		{"GET / HTTP/1.1\r\n\r\n", "400 close Date:"},
		{get + "X: " + strings.Repeat("y", 2<<20) + "\r\n\r\n", "431 close Date:"},
		{"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep Date:"},
	}},
	{"9112 6.3", "MUST", "a response to HEAD, and one with status 204 or 304, has no body", []conformanceRow{
		{"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep !method="},
		{"HEAD /big HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep !xxx"},
		{"HEAD /flush HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep !xxx"},
		{"GET /204 HTTP/1.1\r\nHost: h\r\n\r\n", "204 keep !xxx"},
		{"GET /304 HTTP/1.1\r\nHost: h\r\n\r\n", "304 keep !xxx"},
	}},
	{"9112 6.1", "MUST", "a response to HTTP/1.0, or with status 204, has no Transfer-Encoding", []conformanceRow{
		{"GET /flush HTTP/1.0\r\n\r\n", "200 close !Transfer-Encoding xxx"},
		{"GET /flush HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "200 close !Transfer-Encoding xxx"},
		{"GET /204 HTTP/1.1\r\nHost: h\r\n\r\n", "204 keep !Transfer-Encoding !Content-Length"},
		{"GET /flush HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep Transfer-Encoding:~chunked !Content-Length"},
	}},
	{"9110 10.1.1", "MUST", "Expect: 100-continue gets a 100 or a final status, and nothing in HTTP/1.0", []conformanceRow{
		{post + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi", "100 200 keep body=hi; | 200 keep body=hi;"},
		{post + "Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "100 200 keep body=hi; | 200 keep body=hi;"},
		{get + "Expect: 100-continue\r\n\r\n", "200 keep | 100 200 keep"},
		{post10 + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi", "200 close body=hi;"},
		{get + "Expect: x\r\n\r\n", "417 close | 417 keep | 200 keep"},
	}},
	{"9110 7.8", "MUST", "Upgrade may be ignored, and is in HTTP/1.0", []conformanceRow{
		{get + "Connection: Upgrade\r\nUpgrade: x\r\n\r\n", "200 keep"},
		{get + "Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n", "200 keep | 200 close"},
		{get10 + "Connection: Upgrade\r\nUpgrade: x\r\n\r\n", "200 close"},
		{get + "Upgrade: x\r\n\r\n", "200 keep"},
	}},
	{"9110 9.3", "MUST", "the body of any method has the length that its head declares", []conformanceRow{
		{get + "Content-Length: 2\r\n\r\nhi", "200 keep body=hi;"},
		{"DELETE / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", "200 keep body=hi;"},
		{"HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", "200 keep"},
		{"OPTIONS / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "200 keep body=hi;"},
		{"FOO / HTTP/1.1\r\nHost: h\r\n\r\n", "200 keep body=;"},
		{post + end, "200 keep body=;"},
	}},
	{"9110 5.4", "SHOULD", "fields that are too large get a 4xx status", []conformanceRow{
		{get + strings.Repeat("X: y\r\n", 100) + end, "200 keep"},
		{get + "X: " + strings.Repeat("y", 100_000) + "\r\n\r\n", "200 keep | 431 close"},
		{get + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 2000) + end, "431 close"},
	}},
}

// outcome sends a request, and another one to see whether the connection serves
// it. It returns what a row of conformanceRules requires, and the response.
func outcome(t *testing.T, addr, send string, patience time.Duration) (string, string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	text, cut := strings.CutPrefix(send, "\x00")
	if !cut {
		text += "GET /probe HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
	}
	go func() {
		io.WriteString(c, text)
		if cut {
			c.(*net.TCPConn).CloseWrite()
		}
	}()
	all, _ := io.ReadAll(c)
	br := bufio.NewReader(bytes.NewReader(all))
	var statuses []string
	method, _, _ := strings.Cut(text, " ")
	for i := 0; ; i++ {
		if i > 0 && method == "HEAD" {
			method = "GET"
		}
		req := &http.Request{Method: method}
		if strings.Contains(send, "\r\n\r\nHEAD ") && i == 1 {
			req.Method = "HEAD"
		}
		res, err := http.ReadResponse(br, req)
		if err != nil {
			break
		}
		io.Copy(io.Discard, res.Body)
		if res.Header.Get("X-Probe") != "" {
			return strings.Join(statuses, " ") + " keep", string(all)
		}
		statuses = append(statuses, strconv.Itoa(res.StatusCode))
	}
	return strings.Join(statuses, " ") + " close", string(all)
}

// fulfills reports whether an outcome and a response are one of those required.
func fulfills(got, response, want string) bool {
	head := regexp.MustCompile(`(?m)^[a-z-]+: `).ReplaceAllStringFunc(response, func(name string) string { // as hyper writes them
		return http.CanonicalHeaderKey(name[:len(name)-2]) + ": "
	})
	if i := strings.Index(head, "\nX-Probe: "); i >= 0 {
		head = head[:strings.LastIndex(head[:i], "HTTP/1.1 200 OK")]
	}
	for alternative := range strings.SplitSeq(want, " | ") {
		ok, rest := strings.CutPrefix(alternative, got)
		if !rest {
			continue
		}
		all := !strings.Contains(response, "uri=/smuggled")
		for word := range strings.SplitSeq(strings.TrimPrefix(ok, " "), " ") {
			word, not := strings.CutPrefix(word, "!")
			word = strings.ReplaceAll(word, "~", " ")
			all = all && (word == "" || strings.Contains(head, word) != not)
		}
		if all {
			return true
		}
	}
	return false
}

var peers = flag.String("peers", "", "for TestConformance, other servers with conform.Handler: `NAME=ADDRESS,...`")

// measured returns how many requests of a rule the peers treat as required, as cells
// of a table.
func measured(t *testing.T, rule conformanceRule) string {
	var cells strings.Builder
	for peer := range strings.SplitSeq(*peers, ",") {
		name, addr, _ := strings.Cut(peer, "=")
		fulfilled := 0
		for _, row := range rule.rows {
			if got, response := outcome(t, addr, row.send, 2*time.Second); fulfills(got, response, row.want) {
				fulfilled++
			} else {
				t.Logf("%s: %.200q: %s, want %s", name, row.send, got, row.want)
			}
		}
		fmt.Fprintf(&cells, " %d |", fulfilled)
	}
	return cells.String()
}

// TestConformance checks that servers treat requests as RFC 9110 and 9112
// require. It also checks docs/conformance.md, which -update writes; the columns of
// other servers only with -peers.
func TestConformance(t *testing.T) {
	const file = "../docs/conformance.md"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// others returns the cells of other servers in the line of the document that
	// begins so.
	others := func(line string) string {
		_, rest, _ := strings.Cut(string(old), "\n"+line)
		rest, _, _ = strings.Cut(rest, "\n")
		cells := strings.SplitN(rest, "|", 3)
		return cells[len(cells)-1]
	}
	const head = "| RFC | level | rule | requests |"
	names := others(head)
	if *peers != "" {
		names = strings.TrimSuffix(regexp.MustCompile(`=[^,]*,?`).ReplaceAllString(" "+*peers, " | "), " ")
	}
	quiet := log.New(io.Discard, "", 0)
	contenders := []*struct{ name, addr string }{{name: "net/http"}, {name: "package server"}, {name: "engine"}, {name: "engine, Recycle"}, {name: "package server, Engine"}}
	for i, c := range contenders {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c.addr = ln.Addr().String()
		srv := &http.Server{Handler: http.HandlerFunc(conform.Handler), ErrorLog: quiet}
		ended := make(chan error, 1)
		stop := srv.Close
		switch i {
		case 0:
			go func() { ended <- srv.Serve(ln) }()
		case 1, 4:
			s := server.New("", srv.Handler)
			s.Engine, s.HTTP.ErrorLog = i == 4, quiet
			ctx, cancel := context.WithCancel(context.Background())
			stop = func() error { cancel(); return nil }
			go func() { ended <- s.Serve(ctx, ln) }()
		default:
			s := engine.New(srv)
			s.Recycle = i == 3
			stop = s.Close
			go func() { ended <- s.Serve(ln) }()
		}
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}

	var table, differing strings.Builder
	rows, failures := 0, make([]int, 2) // of net/http, and of the engine
	for _, rule := range conformanceRules {
		fulfilled := make([]int, 2)
		for _, row := range rule.rows {
			rows++
			results := make([]string, len(contenders))
			passes := make([]bool, len(contenders))
			var clients sync.WaitGroup
			for i, c := range contenders {
				clients.Go(func() {
					got, response := outcome(t, c.addr, row.send, time.Minute)
					results[i], passes[i] = got, fulfills(got, response, row.want)
					if i >= 2 && !passes[i] && rule.level == "MUST" {
						t.Errorf("RFC %s: %s: %s, %.200q\ngot  %s, %.400q\nwant %s", rule.rfc, rule.rule, c.name, row.send, got, response, row.want)
					}
				})
			}
			clients.Wait()
			for i, c := range contenders {
				if same := min(i/2, 1) * 2; passes[i] != passes[same] {
					t.Errorf("%.200q: %s responds %s, %s %s", row.send, c.name, results[i], contenders[same].name, results[same])
				}
			}
			for i, pass := range []bool{passes[0], passes[2]} {
				if pass {
					fulfilled[i]++
				} else {
					failures[i]++
				}
			}
			if !passes[0] || !passes[2] {
				fmt.Fprintf(&differing, "| %s | %s | %s | %s | %s |\n", rule.rfc, code(row.send), code(row.want), code(results[2]), code(results[0]))
			}
		}
		line := fmt.Sprintf("| %s | %s | %s | %d |", rule.rfc, rule.level, rule.rule, len(rule.rows))
		cells := others(line)
		if *peers != "" {
			cells = measured(t, rule)
		}
		fmt.Fprintf(&table, "%s %d | %d |%s\n", line, fulfilled[1], fulfilled[0], cells)
	}
	doc := fmt.Sprintf(`# Conformance to RFC 9110 and 9112

<!-- generated by go test ./engine -run TestConformance -update -->

%d requests over plain connections, each with the outcome that the RFCs require, %d rules. The [engine](engine.md) treats all but %d as
required, net/http of %s all but %d. The engine is the same with Recycle and in package server with Engine, and package server without Engine is the
same as net/http: the test checks all five. `+"`interop/programs/run.sh -update conformance`"+` adds the other servers: fasthttp and hyper with a similar
handler, nginx as a proxy.

%s
|---|---|---|---:|---:|---:%s
%s
## Where they differ from the RFCs

keep: the connection serves another request. close: it doesn't. Further words must be part of the response, those with ! must not. ~ is a space.

| RFC | request | required | engine | net/http |
|---|---|---|---|---|
%s
The requests are in engine/conformance_test.go.
`, rows, len(conformanceRules), failures[1], runtime.Version(), failures[0], head+" engine | net/http |"+names, strings.Repeat("|---:", strings.Count(names, "|"))+"|", table.String(), differing.String())
	if i := bytes.Index(old, []byte("\n## Test suites of others\n")); i >= 0 {
		doc += string(old[i:])
	}
	switch {
	case string(old) == doc:
		return
	case flag.Lookup("update").Value.String() == "true":
	case !strings.Contains(string(old), "net/http of "+runtime.Version()+" "):
		return // net/http differs between releases
	default:
		t.Fatalf("%s is out of date; run go test ./engine -run TestConformance -update", file)
	}
	if err := os.WriteFile(file, []byte(doc), 0o666); err != nil {
		t.Fatal(err)
	}
}

// code formats a text, which may be long, for a table.
func code(s string) string {
	s = fmt.Sprintf("%q", strings.TrimSuffix(s, "\r\n"))
	if len(s) > 150 {
		s = s[:100] + "…" + s[len(s)-30:]
	}
	return "`" + strings.ReplaceAll(s[1:len(s)-1], "|", "\\|") + "`"
}
