package engine

import (
	"cmp"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A headerField is one value of the response's header. A key without values
// becomes one field with none set, because the key still prevents a default
// such as Date.
type headerField struct {
	key, value string
	none       bool
}

// takeSnapshot copies the header, because changes after WriteHeader must have
// no effect. It sorts the fields by key, as net/http does.
func (r *response) takeSnapshot() {
	r.snapshot = true
	r.fields = r.fields[:0]
	for k, values := range r.header {
		if len(values) == 0 {
			r.fields = append(r.fields, headerField{key: k, none: true})
		}
		for _, v := range values {
			r.fields = append(r.fields, headerField{key: k, value: v})
		}
	}
	sortFields(r.fields)
}

func sortFields(f []headerField) {
	if len(f) > 16 {
		slices.SortStableFunc(f, func(a, b headerField) int { return cmp.Compare(a.key, b.key) })
		return
	}
	for i := 1; i < len(f); i++ {
		for j := i; j > 0 && f[j].key < f[j-1].key; j-- {
			f[j], f[j-1] = f[j-1], f[j]
		}
	}
}

// get returns the first value of a header.
func (r *response) get(key string) string {
	for i := range r.fields {
		if r.fields[i].key == key {
			return r.fields[i].value
		}
	}
	return ""
}

// A headPlan lists the differences between the head and the handler's header.
type headPlan struct {
	dropLength, dropType, dropEncoding, dropConnection bool

	setLength     bool // to contentLength
	setType       string
	setConnection string
	setChunked    bool
	setDate       bool
}

// sendHead decides how the response is framed and appends its head to out. p is
// the first part of the body. The code follows chunkWriter.writeHeader of
// net/http.
func (r *response) sendHead(p []byte) {
	r.sentHead = true
	var plan headPlan
	var length, encoding, connection, contentType, date, trailers bool
	var te, contentEncoding, connectionValue string
	for i := range r.fields {
		f := &r.fields[i]
		switch f.key {
		case "Content-Length":
			length = true
		case "Transfer-Encoding":
			if !encoding {
				encoding, te = true, f.value
			}
		case "Connection":
			if !connection {
				connection, connectionValue = true, f.value
			}
		case "Content-Type":
			contentType = true
		case "Content-Encoding":
			if contentEncoding == "" {
				contentEncoding = f.value
			}
		case "Date":
			date = true
		case "Trailer":
			trailers = true
			r.declareTrailers(f.value)
		default:
			if strings.HasPrefix(f.key, http.TrailerPrefix) {
				trailers = true
			}
		}
	}
	hasEncoding := te != ""

	if r.done && !trailers && !hasEncoding && bodyAllowed(r.status) && !length && (!r.isHEAD || len(p) > 0) {
		r.contentLength = int64(len(p))
		plan.setLength = true
	}
	hasLength := r.contentLength != -1
	keepAlives := r.conn.server.keepAlives()
	if r.keepAlive && (r.isHEAD || hasLength || !bodyAllowed(r.status)) {
		if !connection {
			plan.setConnection = "keep-alive"
		}
	} else if r.http10 || r.wantsClose {
		r.closeAfter = true
	}
	if connectionValue == "close" || !keepAlives {
		r.closeAfter = true
	}
	if b := r.ctx.body; b != nil {
		if b.expected && !b.expectedEnd() {
			r.closeAfter = true // the client may or may not send the body
		}
		if !b.expected && !r.closeAfter && !r.fullDuplex && r.drain(b) {
			r.closeAfter = true
			plan.dropConnection, plan.setConnection = true, "close"
			connectionValue = ""
		}
	}

	if bodyAllowed(r.status) {
		if contentEncoding == "" && !contentType && !hasEncoding && len(p) > 0 {
			plan.setType = http.DetectContentType(p)
		}
	} else {
		plan.dropLength, plan.dropEncoding = true, true
		plan.dropType = r.status == http.StatusNotModified
	}
	plan.setDate = !date

	if hasLength && hasEncoding && te != "identity" {
		r.conn.server.logf("http: WriteHeader called with both Transfer-Encoding of %q and a Content-Length of %d", te, r.contentLength)
		plan.dropLength = true
		hasLength = false
	}
	switch {
	case r.isHEAD, !bodyAllowed(r.status), hasLength:
		plan.dropEncoding = true
	case te == "identity", r.http10:
		r.closeAfter = true // closing the connection ends the body
		plan.dropEncoding = true
	default:
		r.chunking = true
		plan.setChunked = true
		plan.dropLength = true
		if te == "chunked" {
			plan.dropEncoding = true
		}
	}
	if r.closeAfter && (!keepAlives || !hasToken(connectionValue, "close")) && !r.switchesProtocol() {
		plan.dropConnection = true
		if !r.http10 {
			plan.setConnection = "close"
		}
	}
	r.appendHead(&plan)
}

// drain reads the rest of the request's body, because some clients read the
// response only after sending the whole body (Go issue 15527). It reports
// whether the body is too large; other failures set closeAfter.
func (r *response) drain(b *body) (tooBig bool) {
	discard, close, tooBig := b.unread()
	if discard {
		var ok bool
		ok, tooBig = b.drain()
		close = !ok
	}
	if close {
		r.closeAfter = true
	}
	return tooBig
}

// switchesProtocol reports whether the response is a 101 with an Upgrade header
// and Connection: upgrade.
func (r *response) switchesProtocol() bool {
	if r.status != http.StatusSwitchingProtocols || r.get("Upgrade") == "" {
		return false
	}
	for i := range r.fields {
		f := &r.fields[i]
		if f.key != "Connection" {
			continue
		}
		for option := range strings.SplitSeq(f.value, ",") {
			if equalFold(strings.Trim(option, " \t"), "upgrade") {
				return true
			}
		}
	}
	return false
}

// appendHead appends the status line and the header to out.
func (r *response) appendHead(plan *headPlan) {
	r.appendStatusLine(r.status)
	for i := range r.fields {
		f := &r.fields[i]
		switch f.key {
		case "Content-Length":
			if plan.dropLength {
				continue
			}
		case "Content-Type":
			if plan.dropType {
				continue
			}
		case "Transfer-Encoding":
			if plan.dropEncoding {
				continue
			}
		case "Connection":
			if plan.dropConnection {
				continue
			}
		}
		r.appendField(f)
	}
	out := r.out
	if plan.setDate {
		out = append(out, "Date: "...)
		out = append(out, dateNow()...)
		out = append(out, "\r\n"...)
	}
	if plan.setLength {
		out = append(out, "Content-Length: "...)
		out = strconv.AppendInt(out, r.contentLength, 10)
		out = append(out, "\r\n"...)
	}
	if plan.setType != "" {
		out = append(out, "Content-Type: "...)
		out = append(out, plan.setType...)
		out = append(out, "\r\n"...)
	}
	if plan.setConnection != "" {
		out = append(out, "Connection: "...)
		out = append(out, plan.setConnection...)
		out = append(out, "\r\n"...)
	}
	if plan.setChunked {
		out = append(out, "Transfer-Encoding: chunked\r\n"...)
	}
	r.out = append(out, "\r\n"...)
}

func (r *response) appendStatusLine(code int) {
	if code == http.StatusOK && !r.http10 {
		r.out = append(r.out, "HTTP/1.1 200 OK\r\n"...)
		return
	}
	if r.http10 {
		r.out = append(r.out, "HTTP/1.0 "...)
	} else {
		r.out = append(r.out, "HTTP/1.1 "...)
	}
	r.out = strconv.AppendInt(r.out, int64(code), 10)
	if text := http.StatusText(code); text != "" {
		r.out = append(r.out, ' ')
		r.out = append(r.out, text...)
	} else {
		r.out = append(r.out, " status code "...)
		r.out = strconv.AppendInt(r.out, int64(code), 10)
	}
	r.out = append(r.out, "\r\n"...)
}

// appendField appends a header line. Like net/http, it replaces line breaks in
// the value with spaces and omits fields with an invalid name.
func (r *response) appendField(f *headerField) {
	if f.none || !validName(f.key) || strings.HasPrefix(f.key, http.TrailerPrefix) {
		return
	}
	r.out = append(r.out, f.key...)
	r.out = append(r.out, ": "...)
	r.out = append(r.out, cleanValue(f.value)...)
	r.out = append(r.out, "\r\n"...)
}

func validName[T []byte | string](s T) bool {
	for i := range len(s) {
		if !isToken[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

func cleanValue(v string) string {
	if strings.IndexByte(v, '\n') >= 0 || strings.IndexByte(v, '\r') >= 0 {
		v = lineEnds.Replace(v)
	}
	return textproto.TrimString(v)
}

// hasToken reports whether v contains token, delimited by spaces, tabs and
// commas, like the function of the same name in net/http.
func hasToken(v, token string) bool {
	for i := 0; i+len(token) <= len(v); i++ {
		end := i + len(token)
		if (i == 0 || isBoundary(v[i-1])) && (end == len(v) || isBoundary(v[end])) && equalFold(v[i:end], token) {
			return true
		}
	}
	return false
}

func isBoundary(b byte) bool { return b == ' ' || b == ',' || b == '\t' }

// A date is the value of a Date header.
type date struct {
	second int64
	text   string
}

var lastDate atomic.Pointer[date]

// dateNow returns the current Date. It formats the time once per second.
func dateNow() string {
	now := time.Now()
	d := lastDate.Load()
	if d == nil || d.second != now.Unix() {
		d = &date{now.Unix(), now.UTC().Format(http.TimeFormat)}
		lastDate.Store(d)
	}
	return d.text
}
