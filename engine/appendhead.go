package engine

import (
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// appendHead appends the status line and the header to out.
func (r *response) appendHead(plan *headPlan) {
	r.appendStatusLine(r.Status)
	for i := range r.Fields {
		f := &r.Fields[i]
		switch f.Key {
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
		out = append(out, syntax.Date()...)
		out = append(out, "\r\n"...)
	}
	if plan.setLength {
		out = append(out, "Content-Length: "...)
		out = strconv.AppendInt(out, r.Length, 10)
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
func (r *response) appendField(f *request.Field) {
	if f.None || !syntax.ValidName(f.Key) || strings.HasPrefix(f.Key, http.TrailerPrefix) {
		return
	}
	r.out = append(r.out, f.Key...)
	r.out = append(r.out, ": "...)
	r.out = append(r.out, cleanValue(f.Value)...)
	r.out = append(r.out, "\r\n"...)
}

var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

func cleanValue(v string) string {
	if strings.IndexByte(v, '\n') >= 0 || strings.IndexByte(v, '\r') >= 0 {
		v = lineEnds.Replace(v)
	}
	return textproto.TrimString(v)
}

// appendTrailers appends the trailers of a chunked response to out, sorted by
// name: those declared in a Trailer header, and those set with
// http.TrailerPrefix.
func (r *response) appendTrailers() {
	r.Fields = r.Fields[:0]
	add := func(key string, values []string) {
		for _, v := range values {
			r.Fields = append(r.Fields, request.Field{Key: key, Value: v})
		}
	}
	for k, values := range r.header {
		if name, ok := strings.CutPrefix(k, http.TrailerPrefix); ok {
			add(name, values)
		}
	}
	for _, name := range r.Trailers {
		add(name, r.header[name])
	}
	request.SortFields(r.Fields)
	for i := range r.Fields {
		r.appendField(&r.Fields[i])
	}
}
