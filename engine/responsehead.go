package engine

import (
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// takeSnapshot copies the header, because changes after WriteHeader must have
// no effect. It sorts the fields by key, as net/http does.
func (r *response) takeSnapshot() {
	r.snapshot = true
	r.fields = request.AppendFields(r.fields[:0], r.header)
}

// get returns the first value of a header.
func (r *response) get(key string) string {
	for i := range r.fields {
		if r.fields[i].Key == key {
			return r.fields[i].Value
		}
	}
	return ""
}

// A headSummary says what the handler's header contains, as far as it affects
// the rest of the head. Strings are first values.
type headSummary struct {
	length, connection, contentType, date, trailers bool // whether it is set

	connectionValue  string
	transferEncoding string
	contentEncoding  string
}

func summarize(fields []request.Field) (sum headSummary) {
	for i := range fields {
		f := &fields[i]
		first := i == 0 || fields[i-1].Key != f.Key
		switch f.Key {
		case "Content-Length":
			sum.length = true
		case "Transfer-Encoding":
			if first {
				sum.transferEncoding = f.Value
			}
		case "Connection":
			if first {
				sum.connection, sum.connectionValue = true, f.Value
			}
		case "Content-Type":
			sum.contentType = true
		case "Content-Encoding":
			if first {
				sum.contentEncoding = f.Value
			}
		case "Date":
			sum.date = true
		case "Trailer":
			sum.trailers = sum.trailers || !f.None
		default:
			if strings.HasPrefix(f.Key, http.TrailerPrefix) {
				sum.trailers = true
			}
		}
	}
	return sum
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
	sum := summarize(r.fields)
	if sum.trailers {
		r.declareTrailers()
	}
	plan := headPlan{setDate: !sum.date}
	if r.done && !sum.trailers && sum.transferEncoding == "" && request.BodyAllowed(r.status) && !sum.length && (!r.isHEAD || len(p) > 0) {
		r.contentLength = int64(len(p)) // p is the whole body
		plan.setLength = true
	}
	r.planConnection(&plan, &sum)
	if r.drainBody() {
		r.closeAfter = true
		plan.dropConnection, plan.setConnection = true, "close"
		sum.connectionValue = ""
	}
	r.planType(&plan, &sum, p)
	r.planFraming(&plan, sum.transferEncoding)
	if r.closeAfter && (!r.conn.server.keepAlives() || !syntax.HasToken(sum.connectionValue, "close")) && !r.switchesProtocol() {
		plan.dropConnection = true
		if !r.http10 {
			plan.setConnection = "close"
		}
	}
	r.appendHead(&plan)
}

// planConnection decides whether the connection serves another request, as far
// as the headers tell.
func (r *response) planConnection(plan *headPlan, sum *headSummary) {
	if r.keepAlive && (r.isHEAD || r.contentLength != -1 || !request.BodyAllowed(r.status)) {
		if !sum.connection {
			plan.setConnection = "keep-alive"
		}
	} else if r.http10 || r.wantsClose {
		r.closeAfter = true
	}
	if sum.connectionValue == "close" || !r.conn.server.keepAlives() {
		r.closeAfter = true
	}
}

// planType decides about the Content-Type.
func (r *response) planType(plan *headPlan, sum *headSummary, p []byte) {
	switch {
	case !request.BodyAllowed(r.status):
		plan.dropType = r.status == http.StatusNotModified
	case sum.contentEncoding == "" && !sum.contentType && sum.transferEncoding == "" && len(p) > 0:
		plan.setType = syntax.DetectContentType(p)
	}
}

// planFraming decides what marks the end of the body: its length, the last
// chunk or the end of the connection.
func (r *response) planFraming(plan *headPlan, encoding string) {
	hasLength := r.contentLength != -1
	plan.dropLength = !request.BodyAllowed(r.status)
	if hasLength && encoding != "" && encoding != "identity" {
		r.conn.server.logf("http: WriteHeader called with both Transfer-Encoding of %q and a Content-Length of %d", encoding, r.contentLength)
		plan.dropLength = true
		hasLength = false
	}
	switch {
	case r.isHEAD, !request.BodyAllowed(r.status), hasLength:
		plan.dropEncoding = true
	case encoding == "identity", r.http10:
		r.closeAfter = true
		plan.dropEncoding = true
	default:
		r.chunking = true
		plan.setChunked = true
		plan.dropLength = true
		plan.dropEncoding = encoding == "chunked"
	}
}

// drainBody reads the rest of the request's body, because some clients read the
// response only after sending the whole body (Go issue 15527). It reports
// whether the body is too large; other failures set closeAfter.
func (r *response) drainBody() (tooBig bool) {
	b := r.ctx.body
	if b == nil {
		return false
	}
	if b.expected && !b.expectedEnd() {
		r.closeAfter = true // the client may or may not send the body
	}
	if r.closeAfter || r.fullDuplex || b.expected && !since127 {
		return false
	}
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
		if f.Key != "Connection" {
			continue
		}
		for option := range strings.SplitSeq(f.Value, ",") {
			if syntax.EqualFold(strings.Trim(option, " \t"), "upgrade") {
				return true
			}
		}
	}
	return false
}
