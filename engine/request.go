package engine

import (
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// A bundle holds the objects that a handler receives. By default, each request
// has a new one. With Server.Recycle, a connection reuses one.
type bundle struct {
	request.Parts
	large bool    // the head is larger than maxShared
	w     *writer // never reused; points to first unless Recycle is set
	first writer
	req   http.Request // unless it had to be copied, see Begin
}

// template returns a request with the fields that all requests of the
// connection share.
func (c *conn) template() *http.Request {
	return &http.Request{
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		RemoteAddr: c.remoteAddr,
		TLS:        c.tls,
	}
}

// newRequest returns the request with the head h, which is at the start of b.
// It copies the head to one string, and the strings of the request are parts of
// it. It returns nil if the target isn't valid.
func (c *conn) newRequest(h *head, b []byte) *bundle {
	text := string(b[:h.pos])
	target := text[h.target.from:h.target.to]
	large := len(text) > maxShared
	if large {
		target = strings.Clone(target)
	}
	bd := c.bundle
	if bd == nil {
		bd = new(bundle)
		bd.Request = &bd.req
		if c.server.Recycle {
			c.bundle = bd
		}
	}
	bd.large = large
	query := -1
	if h.query >= 0 {
		query = h.query - h.target.from
	}
	if !bd.SetURL(target, h.plain, query) {
		return nil
	}
	if bd.ResponseHeader == nil {
		bd.ResponseHeader = make(http.Header)
	}
	bd.fill(h, text)

	ctx := c.newContext()
	c.current = ctx
	r := bd.Begin(c.tmpl, ctx)
	r.Method = h.method
	r.URL = &bd.URL
	r.Header = bd.Header
	r.RequestURI = target
	if h.host >= 0 {
		host := h.fields[h.host].value
		r.Host = text[host.from:host.to]
	}
	if h.http10 {
		r.Proto, r.ProtoMinor = "HTTP/1.0", 0
	}
	r.Close = h.close
	r.Body = http.NoBody
	switch {
	case h.chunked:
		r.ContentLength = -1
		r.TransferEncoding = []string{"chunked"}
		r.Trailer = h.trailer(text)
		ctx.body = &body{conn: c, ctx: ctx, chunks: &chunks{conn: c, req: r}, closing: h.close}
	case h.contentLength > 0:
		r.ContentLength = h.contentLength
		ctx.body = &body{conn: c, ctx: ctx, remain: h.contentLength, closing: h.close}
	default:
		return bd
	}
	r.Body = ctx.body
	ctx.body.expected = h.expects
	ctx.body.continuePending.Store(h.expects)
	return bd
}

// maxShared is the size of the largest head that shares one string with its
// target. The target of a larger head is copied, so a retained path value
// doesn't keep the headers in memory.
const maxShared = 1024

// fill sets the header from h, whose text is text.
func (bd *bundle) fill(h *head, text string) {
	n := h.n
	if h.host >= 0 {
		n--
	}
	header := bd.Filler(n)
	for i := range h.fields[:h.n] {
		f := &h.fields[i]
		if i == h.host || h.chunked && (f.id == syntax.TransferEncoding || f.id == syntax.Trailer) {
			continue
		}
		key := syntax.Names[f.id]
		if f.id == 0 {
			key = textproto.CanonicalMIMEHeaderKey(text[f.name.from:f.name.to])
		}
		header.Add(f.id, key, text[f.value.from:f.value.to])
	}
	if h.noCache && !h.cacheControl {
		bd.Header["Cache-Control"] = []string{"no-cache"} // as net/http does
	}
}

// trailer returns the names in the Trailer fields of the text as keys, or nil if
// there are none.
func (h *head) trailer(text string) http.Header {
	if h.trailers == 0 {
		return nil
	}
	trailer := make(http.Header, h.trailers)
	for _, f := range h.fields[:h.n] {
		if f.id == syntax.Trailer {
			for name := range strings.SplitSeq(text[f.value.from:f.value.to], ",") {
				trailer[http.CanonicalHeaderKey(strings.Trim(name, " \t"))] = nil
			}
		}
	}
	return trailer
}

// recycle prepares bd for the next request of its connection.
func (c *conn) recycle(bd *bundle) {
	if !c.server.Recycle {
		return
	}
	if !bd.Reuse() {
		c.bundle = nil
	} else if bd.large && bd.Request != nil {
		// Don't keep the text of the head while the connection is idle.
		bd.URL = url.URL{}
		*bd.Request = http.Request{URL: &bd.URL, Header: bd.Header, Body: http.NoBody}
	}
}
