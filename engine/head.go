package engine

import (
	"bytes"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// Limits of the heads that the engine serves. It passes connections with larger
// heads to net/http.
const (
	firstBuffer = 4 << 10  // size of a connection's first read buffer
	largestHead = 16 << 10 // bytes of a request line and its header lines
	largestName = 256      // bytes of a header name
	maxFields   = 64       // header lines
)

// A head is the parsed head of a request. It holds offsets into the input, not
// slices, because the input may move when more of it arrives.
//
//	GET /x?y HTTP/1.1\r\n      => method "GET", target "/x?y"
//	Host: example.com\r\n      => fields[0], host 0
//	accept:*/*\r\n             => fields[1], id of "Accept"
//	\r\n                       => complete, end
//
// parse accepts a strict subset of what http.ReadRequest and net/http's server
// accept, with the same meaning. FuzzHead checks that.
type head struct {
	out outcome // of parsing so far, used by parseNext
	why reason

	pos    int // start of the first unparsed line
	method string
	target span
	plain  bool // decoding the target's path doesn't change it
	query  int  // offset of the target's first '?', or -1

	n      int
	fields [maxFields]fieldSpan

	host          int   // index of the Host field, or -1
	contentLength int64 // -1 if there is none
	chunked       bool  // Transfer-Encoding: chunked
	trailers      int   // number of names in Trailer fields
	expects       bool  // Expect: 100-continue
	http10        bool  // HTTP/1.0, else HTTP/1.1
	connections   int   // number of Connection fields
	close         bool  // Connection: close
	keepAlive     bool  // Connection: keep-alive
	pragma        bool
	noCache       bool // the first Pragma is no-cache
	cacheControl  bool
}

// A span is a range of offsets.
type span struct{ from, to int }

// A fieldSpan is a header line.
type fieldSpan struct {
	name, value span
	id          syntax.ID
}

// An outcome is the result of parse.
type outcome uint8

const (
	needMore outcome = iota
	complete
	handOver
)

func (h *head) reset() {
	h.out, h.why = needMore, noReason
	h.pos, h.method, h.n = 0, "", 0
	h.host, h.contentLength = -1, -1
	h.chunked, h.trailers, h.expects, h.http10 = false, 0, false, false
	h.connections, h.close, h.keepAlive = 0, false, false
	h.pragma, h.noCache, h.cacheControl = false, false, false
}

// parse continues to parse the head at the start of b, which must begin with
// the bytes of the previous call. If the outcome is complete, the head ends at
// h.pos. It doesn't parse complete lines again.
func (h *head) parse(b []byte) (outcome, reason) {
	if h.method == "" {
		if out, why := h.requestLine(b); out != complete {
			return out, why
		}
	}
	for {
		i := h.pos
		if len(b)-i >= 2 && b[i] == '\r' && b[i+1] == '\n' {
			h.pos = i + 2
			return h.check()
		}
		if out, why := h.headerLine(b, i); out != complete {
			return out, why
		}
	}
}

// check checks rules about combinations of header fields.
func (h *head) check() (outcome, reason) {
	switch {
	case h.http10 && (h.chunked || h.expects || h.connections > 1 || h.close && h.keepAlive):
		return handOver, reasonVersion
	case h.http10 && !h.keepAlive:
		h.close = true
	case h.host < 0 && !h.http10:
		return handOver, reasonHost
	case h.chunked && h.contentLength >= 0:
		return handOver, reasonTransferEncoding
	}
	return complete, noReason
}

// requestLine parses the first line.
func (h *head) requestLine(b []byte) (outcome, reason) {
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		return needMore, noReason
	}
	const proto = " HTTP/1.1\r"
	if end < len(proto) {
		return handOver, reasonVersion
	}
	switch string(b[end-len(proto) : end]) {
	case proto:
	case " HTTP/1.0\r":
		h.http10 = true
	default:
		return handOver, reasonVersion
	}
	line := b[:end-len(proto)]
	sp := bytes.IndexByte(line, ' ')
	if sp < 0 {
		return handOver, reasonRequestLine
	}
	switch string(line[:sp]) {
	case "GET":
		h.method = "GET"
	case "POST":
		h.method = "POST"
	case "HEAD":
		h.method = "HEAD"
	case "PUT":
		h.method = "PUT"
	case "PATCH":
		h.method = "PATCH"
	case "DELETE":
		h.method = "DELETE"
	case "OPTIONS":
		h.method = "OPTIONS"
	default:
		if !syntax.ValidName(line[:sp]) || string(line[:sp]) == "CONNECT" {
			return handOver, reasonMethod
		}
		h.method = string(line[:sp])
	}
	h.target = span{sp + 1, len(line)}
	if !h.checkTarget(line[sp+1:], sp+1) {
		return handOver, reasonTarget
	}
	h.pos = end + 1
	return complete, noReason
}

// checkTarget accepts a target that starts with a slash and contains no control
// character, space or DEL.
func (h *head) checkTarget(t []byte, offset int) bool {
	h.plain, h.query = true, -1
	if len(t) == 0 || t[0] != '/' {
		return false
	}
	i := 0
	for i < len(t) && syntax.TargetBytes[t[i]] == syntax.PlainPath {
		i++
	}
	for ; i < len(t); i++ {
		switch c := t[i]; {
		case c == '?' && h.query < 0:
			h.query = offset + i
		case c <= ' ' || c == 0x7f:
			return false
		case h.query < 0 && syntax.TargetBytes[c] != syntax.PlainPath:
			h.plain = false
		}
	}
	return true
}

// headerLine parses the header line that starts at b[i].
func (h *head) headerLine(b []byte, i int) (outcome, reason) {
	j := i
	for j < len(b) && syntax.IsToken[b[j]] && j-i <= largestName {
		j++
	}
	if j-i > largestName {
		return handOver, reasonHeaderLine
	}
	if j == len(b) {
		return needMore, noReason
	}
	if b[j] == '\r' && j == i && j+1 == len(b) {
		return needMore, noReason // may be the empty line
	}
	if b[j] != ':' || j == i {
		return handOver, reasonHeaderLine
	}
	v := j + 1
	length := bytes.IndexByte(b[v:], '\n')
	if length < 0 {
		return needMore, noReason
	}
	next := v + length + 1
	end := next - 2
	if end < v || b[end] != '\r' {
		return handOver, reasonHeaderLine
	}
	for v < end && (b[v] == ' ' || b[v] == '\t') {
		v++
	}
	for end > v && (b[end-1] == ' ' || b[end-1] == '\t') {
		end--
	}
	value := b[v:end]
	if !syntax.ValidValue(value) {
		return handOver, reasonHeaderLine
	}
	if next < len(b) {
		if c := b[next]; c == ' ' || c == '\t' {
			return handOver, reasonHeaderLine // obs-fold, RFC 9112 section 5.2
		}
	} else {
		return needMore, noReason // the next line may continue this one
	}
	if h.n == maxFields {
		return handOver, reasonManyHeaders
	}
	id := syntax.Lookup(b[i:j])
	if id > 0 && id < syntax.FirstOrdinary {
		if why := h.special(id, value); why != noReason {
			return handOver, why
		}
	}
	h.fields[h.n] = fieldSpan{span{i, j}, span{v, end}, id}
	h.n++
	h.pos = next
	return complete, noReason
}

// special interprets a field that affects framing, the connection or the host.
func (h *head) special(id syntax.ID, value []byte) reason {
	switch id {
	case syntax.Host:
		if h.host >= 0 || len(value) == 0 || !syntax.ValidHost(value) {
			return reasonHost
		}
		h.host = h.n
	case syntax.ContentLength:
		n, ok := parseLength(value)
		if h.contentLength >= 0 || !ok {
			return reasonLength
		}
		h.contentLength = n
	case syntax.Connection:
		h.connections++
		return h.connection(value)
	case syntax.Pragma:
		if !h.pragma {
			h.pragma, h.noCache = true, string(value) == "no-cache"
		}
	case syntax.CacheControl:
		h.cacheControl = true
	case syntax.TransferEncoding:
		if h.chunked || !syntax.EqualFold(value, "chunked") {
			return reasonTransferEncoding
		}
		h.chunked = true
	case syntax.Expect:
		if h.expects || !syntax.EqualFold(value, "100-continue") {
			return reasonExpect
		}
		h.expects = true
	case syntax.Trailer:
		for name := range bytes.SplitSeq(value, comma) {
			h.trailers++
			if name = bytes.Trim(name, " \t"); !syntax.ValidName(name) || syntax.EqualFold(name, "Transfer-Encoding") ||
				syntax.EqualFold(name, "Trailer") || syntax.EqualFold(name, "Content-Length") {
				return reasonHeaderLine
			}
		}
	}
	return noReason
}

var comma = []byte(",")

// connection parses a Connection field.
func (h *head) connection(value []byte) reason {
	for len(value) > 0 {
		option := value
		if i := bytes.IndexByte(value, ','); i >= 0 {
			option, value = value[:i], value[i+1:]
		} else {
			value = nil
		}
		switch option = bytes.Trim(option, " \t"); {
		case syntax.EqualFold(option, "keep-alive"):
			h.keepAlive = true
		case syntax.EqualFold(option, "close"):
			h.close = true
		case len(option) > 0 && !syntax.ValidName(option):
			return reasonConnection
		}
	}
	return noReason
}

// parseLength parses a Content-Length of up to 18 digits.
func parseLength(value []byte) (n int64, ok bool) {
	if len(value) == 0 || len(value) > 18 {
		return 0, false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
