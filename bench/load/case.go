package load

import (
	"fmt"
	"net/http"
	"strings"
)

// A Case is one kind of load.
type Case struct {
	Path        string
	Browser     bool // ten headers with a cookie, which changes over HTTP/1.1, or one header
	Connections int
	Idle, Slow  int // further connections: that wait for requests; whose client reads 100 KB in 2 s
	Pipeline    int // requests that are sent together over HTTP/1.1

	Protocol  Protocol
	Streams   int // requests at a time on each HTTP/2 connection
	PerSecond int // requests that are sent one at a time, over HTTP/1.1 on all connections at once; 0 for as many as possible
}

// Protocol is the protocol of a case.
type Protocol string

// The protocols.
const (
	HTTP1 Protocol = ""
	HTTPS Protocol = "HTTPS" // HTTP/1.1 over TLS
	H2C   Protocol = "h2c"   // HTTP/2 without TLS
	H2TLS Protocol = "TLS"   // HTTP/2 over TLS
)

// HTTP2 reports whether p is HTTP/2.
func (p Protocol) HTTP2() bool { return p == H2C || p == H2TLS }

// protocols returns p for servers and clients.
func (p Protocol) protocols() *http.Protocols {
	only := new(http.Protocols)
	only.SetHTTP1(!p.HTTP2())
	only.SetHTTP2(p == H2TLS)
	only.SetUnencryptedHTTP2(p == H2C)
	return only
}

// The paths of cases.
const (
	helloPath    = "/hello"
	jsonPath     = "/json"
	echoPath     = "/echo"
	downloadPath = "/download"
	paramPath    = "/some/page/123"
	connectPath  = "/bench.Connect/Echo"
	grpcService  = "/bench.GRPC/"
	grpcPath     = grpcService + "Echo"
)

// pages are the paths without calls and parameters.
var pages = []string{helloPath, jsonPath, echoPath, downloadPath}

const hello = "Hello, World!"

// The types of the responses.
const (
	textType  = "text/plain; charset=utf-8"
	jsonType  = "application/json"
	bytesType = "application/octet-stream"
)

// document is a JSON document of 1 KB, echoed a request body of 1 KB, and
// download a response of 100 KB.
var (
	document = `{"items":[` + strings.Repeat(`{"id":12345,"name":"somebody"},`, 32) + `{"id":1,"name":"last"}]}`
	echoed   = strings.Repeat("x", 1024)
	download = strings.Repeat("0123456789", 10_000)
)

// works are the requests and responses of the paths.
var works = map[string]struct {
	name string // in an HTTP/2 table
	body string // of the requests
	kind string // the type of the responses, set by handlers
	want string // the body of the responses
}{
	helloPath:    {"hello", "", textType, hello},
	jsonPath:     {"browser JSON", "", jsonType, document},
	echoPath:     {"echo 1 KB", echoed, bytesType, echoed},
	downloadPath: {"download 100 KB", "", bytesType, download},
	paramPath:    {"", "", "", "123"},
	connectPath:  {"gRPC to connect-go", message, "", message},
	grpcPath:     {"gRPC to grpc-go", message, "", message},
}

// Parameter is the case in which routers are compared: a GET request whose response
// is the path's last segment.
var Parameter = Case{Path: paramPath, Connections: 100, Pipeline: 1}

// Cases returns the cases in which HTTP servers are compared: six with 64
// connections, and some with more connections, pipelining, bursts, and TLS.
func Cases() (cases []Case) {
	for _, browser := range []bool{false, true} {
		for _, path := range []string{helloPath, jsonPath, echoPath} {
			cases = append(cases, Case{Path: path, Browser: browser, Connections: 64, Pipeline: 1})
		}
	}
	return append(cases, Case{Path: helloPath, Connections: 512, Pipeline: 1},
		Case{Path: helloPath, Connections: 64, Pipeline: 16},
		Case{Path: helloPath, Connections: 200, Idle: 9800, Pipeline: 1},
		Case{Path: jsonPath, Browser: true, Connections: 190, Slow: 10, Pipeline: 1},
		Case{Path: jsonPath, Browser: true, Connections: 100, PerSecond: 5000, Pipeline: 1},
		Case{Path: helloPath, Connections: 1000, Pipeline: 1, Protocol: HTTPS},
		Case{Path: helloPath, Connections: 64, Pipeline: 1, Protocol: HTTPS},
		Case{Path: jsonPath, Browser: true, Connections: 64, Pipeline: 1, Protocol: HTTPS})
}

// HTTP2Shapes are the columns of the HTTP/2 table: connections and the requests
// at a time on each.
var HTTP2Shapes = [][2]int{{1, 1}, {1, 100}, {64, 1}, {64, 10}}

// pace is the rate of the paced cases, which a server with one core can handle
// without a queue.
const pace = 2000

// PacedShape is the shape of the paced cases.
var PacedShape = Case{PerSecond: pace}.Shape()

// HTTP2Cases returns the cases in which HTTP/2 servers are compared.
func HTTP2Cases() (cases []Case) {
	for _, work := range []Case{
		{Path: helloPath, Protocol: H2C}, {Path: jsonPath, Protocol: H2C, Browser: true}, {Path: jsonPath, Protocol: H2TLS, Browser: true},
		{Path: echoPath, Protocol: H2C}, {Path: downloadPath, Protocol: H2C}, {Path: connectPath, Protocol: H2C}, {Path: grpcPath, Protocol: H2C},
	} {
		for _, shape := range HTTP2Shapes {
			work.Connections, work.Streams = shape[0], shape[1]
			cases = append(cases, work)
		}
		if work.Path == helloPath || work.Path == jsonPath {
			work.Connections, work.Streams, work.PerSecond = 16, 1, pace
			cases = append(cases, work)
		}
	}
	return cases
}

func (c Case) String() string {
	switch {
	case c.Protocol.HTTP2():
		return c.Work() + ", " + c.Shape()
	case c.Path == paramPath && c.Protocol == HTTPS:
		return "1 parameter, 1 core, TLS"
	case c.Path == paramPath:
		return "1 parameter, 1 core"
	}
	headers := "minimal"
	if c.Browser {
		headers = "browser"
	}
	s := fmt.Sprintf("%s, %s headers, %d connections", c.Path[1:], headers, c.Connections)
	switch {
	case c.Pipeline > 1:
		s += fmt.Sprintf(", %d pipelined", c.Pipeline)
	case c.Idle > 0:
		s += fmt.Sprintf(" and %d idle ones", c.Idle)
	case c.Slow > 0:
		s += fmt.Sprintf(" and %d slow readers", c.Slow)
	case c.PerSecond > 0:
		s += fmt.Sprintf(", all at once %d times a second", c.PerSecond/c.Connections)
	case c.Protocol == HTTPS:
		s += ", TLS"
	}
	return s
}

// Simple reports whether an HTTP/1.1 case has no pipelining, TLS, further connections
// and bursts.
func (c Case) Simple() bool {
	return c.Protocol == HTTP1 && c.Pipeline == 1 && c.Idle+c.Slow+c.PerSecond == 0
}

// Work returns what the requests of an HTTP/2 case are, the row of its table.
func (c Case) Work() string { return works[c.Path].name + ", " + string(c.Protocol) }

// Shape returns the connections and requests at a time of an HTTP/2 case, the
// column of its table.
func (c Case) Shape() string {
	if c.PerSecond > 0 {
		return fmt.Sprintf("%d/s", c.PerSecond)
	}
	return fmt.Sprintf("%d×%d", c.Connections, c.Streams)
}

func (c Case) method() string {
	if works[c.Path].body != "" {
		return http.MethodPost
	}
	return http.MethodGet
}

// fields returns the header fields of a request, except Host and Content-Length.
func (c Case) fields() (fields [][2]string) {
	if c.Browser {
		fields = [][2]string{
			{"User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36"},
			{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"},
			{"Accept-Language", "en-US,en;q=0.5"}, {"Accept-Encoding", "gzip, deflate, br, zstd"}, {"Referer", "https://example.com/some/page"},
			{"Sec-Fetch-Dest", "document"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Site", "same-origin"},
		}
		if !c.Protocol.HTTP2() {
			return append(fields, [2]string{"Connection", "keep-alive"}, [2]string{"Cookie", "session=%016x; theme=dark"})
		}
		return append(fields, [2]string{"Cookie", "session=0123456789abcdef; theme=dark"})
	}
	if c.Path == connectPath || c.Path == grpcPath {
		fields = [][2]string{{"Content-Type", "application/grpc"}, {"TE", "trailers"}}
	}
	return fields
}
