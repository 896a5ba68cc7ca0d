package h2

import (
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// A parsedRequest is what the fields of a request say, except for the header.
type parsedRequest struct {
	fields []hpack.Field // valid until the next block is decoded

	method, scheme, authority, path string
	protocol                        string // of an extended CONNECT (RFC 8441), or ""

	once     int    // bits of the kinds of fields that may not occur again
	regular  int    // number of fields that belong in the header
	cookies  int    // number of Cookie fields
	crumbs   int    // size of their values
	length   int64  // Content-Length, or -1
	priority string // of RFC 9218
	proxied  bool   // a proxy has added a field
	expects  bool   // Expect: 100-continue
	names    int    // number of names in Trailer fields
	trailers int    // size of the Trailer fields, as if each name were a field
	hasBody  bool
	answer   http.HandlerFunc // responds instead of the program's handler, or nil
	bad      bool             // the response is followed by a reset
}

// parseRequest checks the fields of a request. If they are malformed, it returns
// the name of the problem for HTTP2Config.CountError, as in net/http. block is the
// length of the block that has the fields.
func (c *Conn) parseRequest(fields []hpack.Field, end, tooLarge bool, block int) (r parsedRequest, problem string) {
	r = parsedRequest{fields: fields, length: -1, hasBody: !end}
	for i := range fields {
		f := &fields[i]
		if !f.Valid {
			return r, "header_field_invalid"
		}
		if f.Kind == hpack.Other {
			r.regular++
			continue
		}
		if problem := r.special(f); problem != "" {
			return r, problem
		}
	}
	if r.protocol != "" && !c.server.Connect {
		return r, "bad_connect"
	}
	// Cookies are joined, and trailers become the keys of a map. Each entry of the
	// table can be a part of them once, the Huffman code saves less than half, and a
	// name and its comma take more than a byte. Otherwise a short block that repeats
	// an entry would become a megabyte, or cost milliseconds.
	table := c.server.largestTable
	if tooLarge || c.server.MaxFields > 0 && r.names > c.server.MaxFields || r.crumbs > 2*block+table || r.trailers > min(32*block+table, c.server.maxList) {
		if r.method != "HEAD" { // whose response has no body
			r.method = "GET"
		}
		r.answer, r.scheme, r.path, r.authority = tooLargeHandler, "", "/", ""
		r.regular, r.fields, r.length, r.expects, r.trailers = 0, nil, -1, false, 0
		return r, ""
	}
	if r.path == "*" && r.method == "OPTIONS" && !c.server.HTTP.DisableGeneralOptionsHandler {
		r.answer = optionsHandler
	}
	return r, r.check()
}

// special processes a field whose kind isn't Other.
func (r *parsedRequest) special(f *hpack.Field) (problem string) {
	if f.Kind.Pseudo() {
		if r.regular > 0 {
			return "pseudo_after_regular" // RFC 9113 section 8.3
		}
		return r.pseudo(f)
	}
	r.regular++
	switch f.Kind {
	case hpack.Cookie:
		r.cookies++
		r.crumbs += len(f.Value)
	case hpack.ContentLength:
		n, err := strconv.ParseUint(f.Value, 10, 63)
		if err != nil || r.length >= 0 && r.length != int64(n) {
			return "bad_content_length"
		}
		r.length = int64(n)
	case hpack.Expect:
		r.expects = r.expects || syntax.HasToken(f.Value, "100-continue")
	case hpack.Host: // RFC 9113 section 8.3.1; setHeader omits it, as in HTTP/1.1
		if r.authority == "" && !r.connects() {
			r.authority = f.Value
		} else if !strings.EqualFold(r.authority, f.Value) {
			return "bad_host"
		}
	case hpack.Trailer: // each name becomes a key of Request.Trailer (CVE-2026-78659)
		commas := strings.Count(f.Value, ",")
		r.names += commas + 1
		r.trailers += len(f.Value) - commas + 32*(commas+1) // RFC 9113 section 6.5.2
	case hpack.Priority:
		r.priority = f.Value
	case hpack.Via:
		r.proxied = true
	case hpack.Forbidden:
		r.refuse("request header %q is not valid in HTTP/2", f.Key)
	case hpack.TE:
		if f.Value != "trailers" && f.Value != "" || r.once&(1<<hpack.TE) != 0 {
			r.refuse("request header \"TE\" may only be \"trailers\" in HTTP/2", "")
		}
		r.once |= 1 << hpack.TE
	}
	return ""
}

func (r *parsedRequest) pseudo(f *hpack.Field) (problem string) {
	var to *string
	switch f.Kind {
	case hpack.Method:
		to = &r.method
	case hpack.Scheme:
		to = &r.scheme
	case hpack.Authority:
		to = &r.authority
	case hpack.Path:
		to = &r.path
	case hpack.Protocol:
		if to = &r.protocol; !syntax.ValidName(f.Value) {
			return "bad_connect"
		}
	default:
		return "pseudo_unknown"
	}
	if r.once&(1<<f.Kind) != 0 {
		return "pseudo_duplicate"
	}
	r.once |= 1 << f.Kind
	*to = f.Value
	return ""
}

// connects reports whether the request is an ordinary CONNECT, which has no path.
func (r *parsedRequest) connects() bool { return r.method == "CONNECT" && r.protocol == "" }

// check checks the request as a whole (RFC 9113 section 8.3.1).
func (r *parsedRequest) check() (problem string) {
	switch {
	case r.protocol != "" && (r.method != "CONNECT" || r.authority == ""):
		return "bad_connect" // RFC 8441 section 4
	case r.connects():
		if r.path != "" || r.scheme != "" || r.authority == "" {
			return "bad_connect" // RFC 9113 section 8.5
		}
	case r.method == "", r.path == "", r.scheme != "https" && r.scheme != "http":
		return "bad_path_method"
	case r.path[0] != '/' && r.path != "*":
		return "bad_path" // as net/http since Go 1.27
	case strings.IndexByte(r.authority, '@') >= 0:
		return "userinfo_in_authority"
	}
	switch {
	case !syntax.ValidName(r.method):
		return "bad_path_method"
	case !syntax.ValidHost(r.authority):
		return "bad_authority"
	case !r.hasBody && r.length > 0:
		return "send_too_little" // RFC 9113 section 8.1.1
	}
	return ""
}

// refuse makes the response a 400, as in net/http, followed by a reset.
func (r *parsedRequest) refuse(format, key string) {
	if r.bad {
		return
	}
	text := strings.Replace(format, "%q", strconv.Quote(key), 1)
	r.answer = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, text, http.StatusBadRequest) }
	r.bad = true
}

// optionsHandler responds to OPTIONS *, as net/http does.
func optionsHandler(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "0")
	io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 4<<10))
}

// tooLargeHandler responds to a request whose fields are too large, as net/http
// does.
func tooLargeHandler(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusRequestHeaderFieldsTooLarge)
	w.Write([]byte("<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>"))
}

// setURL sets the URL of s from the :path. It reports false if that is invalid.
func (s *stream) setURL(r *parsedRequest) bool {
	path := r.path
	if r.connects() {
		s.URL = url.URL{Host: r.authority}
		return true
	}
	i, query := 0, -1
	for i < len(path) && syntax.TargetBytes[path[i]] == syntax.PlainPath {
		i++
	}
	if i < len(path) && path[i] == '?' {
		query = i
		for i < len(path) && ' ' < path[i] && path[i] < 0x7f {
			i++
		}
	}
	return s.SetURL(path, i == len(path) && path[0] == '/', query)
}

// setHeader sets the header of s.
func (s *stream) setHeader(r *parsedRequest) {
	header := s.Filler(r.regular)
	for i := range r.fields {
		f := &r.fields[i]
		switch {
		case f.Kind.Pseudo(), f.Kind == hpack.Host:
			continue
		case f.Kind == hpack.ContentLength && s.Header["Content-Length"] != nil: // the same again (RFC 9110 section 8.6)
			continue
		case f.Kind == hpack.Cookie && r.cookies > 1, f.Kind == hpack.Expect && r.expects, f.Kind == hpack.Trailer:
			continue
		}
		header.Add(f.ID, f.Key, f.Value)
	}
	if r.cookies > 1 {
		s.Header["Cookie"] = []string{r.joinCookies()} // RFC 9113 section 8.2.3
	}
	if r.protocol != "" {
		s.Header[":protocol"] = []string{r.protocol} // as in net/http
	}
}

func (r *parsedRequest) joinCookies() string {
	list := make([]string, 0, r.cookies)
	for i := range r.fields {
		if r.fields[i].Kind == hpack.Cookie {
			list = append(list, r.fields[i].Value)
		}
	}
	return strings.Join(list, "; ")
}

// trailer returns the declared trailers, as in net/http.
func (r *parsedRequest) trailer() http.Header {
	if r.trailers == 0 {
		return nil
	}
	var h http.Header
	for i := range r.fields {
		if r.fields[i].Kind != hpack.Trailer {
			continue
		}
		for key := range strings.SplitSeq(r.fields[i].Value, ",") {
			switch key = textproto.CanonicalMIMEHeaderKey(textproto.TrimString(key)); key {
			case "Transfer-Encoding", "Trailer", "Content-Length":
			default:
				if h == nil {
					h = make(http.Header)
				}
				h[key] = nil
			}
		}
	}
	return h
}
