package engine

import (
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// get returns the first value of a header.
func (r *response) get(key string) string {
	for i := range r.Fields {
		if r.Fields[i].Key == key {
			return r.Fields[i].Value
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
	r.SentHead = true
	sum := r.Summary()
	if sum.HasTrailers {
		r.DeclareTrailers(func(string) {})
	}
	plan := headPlan{setDate: !sum.HasDate}
	if r.Done && !sum.HasTrailers && sum.TransferEncoding == "" && r.BodyAllowed() && !sum.HasLength && (!r.IsHEAD || len(p) > 0) {
		r.Length = int64(len(p)) // p is the whole body
		plan.setLength = true
	}
	r.planConnection(&plan, &sum)
	if r.drainBody() {
		r.closeAfter = true
		plan.dropConnection, plan.setConnection = true, "close"
		sum.Closes = false
	}
	r.planType(&plan, &sum, p)
	r.planFraming(&plan, sum.TransferEncoding)
	if r.closeAfter && (!r.conn.server.keepAlives() || !sum.Closes) && !r.switchesProtocol() {
		plan.dropConnection, plan.setConnection = true, "close"
		if r.http10 {
			plan.setConnection = ""
		}
	}
	r.appendHead(&plan)
}

// planConnection decides whether the connection serves another request, as far
// as the headers tell.
func (r *response) planConnection(plan *headPlan, sum *request.Summary) {
	if r.keepAlive && (r.IsHEAD || r.Length != -1 || !r.BodyAllowed()) {
		if !sum.HasConnection {
			plan.setConnection = "keep-alive"
		}
	} else if r.http10 || r.wantsClose {
		r.closeAfter = true
	}
	if sum.Closes || !r.conn.server.keepAlives() {
		r.closeAfter = true
	}
}

// planType decides about the Content-Type.
func (r *response) planType(plan *headPlan, sum *request.Summary, p []byte) {
	switch {
	case !r.BodyAllowed():
		plan.dropType = r.Status == http.StatusNotModified
	case sum.ContentEncoding == "" && !sum.HasType && sum.TransferEncoding == "" && len(p) > 0:
		plan.setType = syntax.DetectContentType(p)
	}
}

// planFraming decides what marks the end of the body: its length, the last
// chunk or the end of the connection.
func (r *response) planFraming(plan *headPlan, encoding string) {
	hasLength := r.Length != -1
	plan.dropLength = !r.BodyAllowed()
	if hasLength && encoding != "" && encoding != "identity" {
		r.logf("http: WriteHeader called with both Transfer-Encoding of %q and a Content-Length of %d", encoding, r.Length)
		plan.dropLength = true
		hasLength = false
	}
	switch {
	case r.IsHEAD, !r.BodyAllowed(), hasLength:
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
	if r.closeAfter || r.fullDuplex || b.expected && !closesBodies {
		return false
	}
	r.flushOut() // earlier responses: a client may wait for them before it sends the body
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
	if r.Status != http.StatusSwitchingProtocols || r.get("Upgrade") == "" {
		return false
	}
	for i := range r.Fields {
		f := &r.Fields[i]
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
