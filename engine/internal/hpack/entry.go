package hpack

import (
	"net/textproto"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// A Kind says what a server must do with a field.
type Kind uint8

const (
	Other Kind = iota // add it to the header
	Cookie
	ContentLength
	Expect
	Host
	Trailer
	TE
	Priority
	Via       // or another field of proxies
	Forbidden // specific to a connection (RFC 9113 section 8.2.2)
	Method    // the pseudo-header fields begin here
	Scheme
	Authority
	Path
	Protocol
	UnknownPseudo
)

// Pseudo reports whether the field is a pseudo-header field.
func (k Kind) Pseudo() bool { return k >= Method }

// A name is the name of a field.
type name struct {
	wire  string // in lower case, if it is valid
	key   string // canonical, as in http.Header
	id    syntax.ID
	kind  Kind
	valid bool
}

// An entry is an entry of a table.
type entry struct {
	name
	value string
	valid bool // name and value are valid
}

func (e entry) size() int { return len(e.wire) + len(e.value) + overhead }

// kinds lists the names that aren't just added to the header.
var kinds = map[string]Kind{
	"Cookie": Cookie, "Content-Length": ContentLength, "Expect": Expect, "Host": Host, "Trailer": Trailer, "Te": TE, "Priority": Priority,
	"Via": Via, "Forwarded": Via, "X-Forwarded-For": Via,
	"Connection": Forbidden, "Keep-Alive": Forbidden, "Proxy-Connection": Forbidden, "Transfer-Encoding": Forbidden, "Upgrade": Forbidden,
	":method": Method, ":scheme": Scheme, ":authority": Authority, ":path": Path, ":protocol": Protocol,
}

// known are the names of package syntax, in lower case.
var known = func() (list [len(syntax.Names)]name) {
	for id, key := range syntax.Names {
		if id > 0 {
			list[id] = name{wire: lower(key), key: key, id: syntax.ID(id), kind: kinds[key], valid: true}
		}
	}
	return list
}()

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// newName returns the name b. It allocates only if the name isn't known.
func newName(b []byte) name {
	if len(b) == 0 {
		return name{}
	}
	if b[0] == ':' {
		wire := string(b)
		kind := kinds[wire]
		if kind == Other {
			kind = UnknownPseudo
		}
		return name{wire: wire, key: wire, kind: kind, valid: true}
	}
	if id := syntax.Lookup(b); id > 0 && string(b) == known[id].wire {
		return known[id]
	}
	wire := string(b)
	for _, c := range b {
		if !syntax.IsToken[c] || 'A' <= c && c <= 'Z' {
			return name{wire: wire} // RFC 9113 section 8.2.1
		}
	}
	key := textproto.CanonicalMIMEHeaderKey(wire)
	return name{wire: wire, key: key, kind: kinds[key], valid: true}
}

// static is the static table (RFC 7541 appendix A). Its first entry has the
// index 1.
var static = func() (list [62]entry) {
	for i, f := range [...][2]string{
		{":authority"}, {":method", "GET"}, {":method", "POST"}, {":path", "/"}, {":path", "/index.html"}, {":scheme", "http"},
		{":scheme", "https"}, {":status", "200"}, {":status", "204"}, {":status", "206"}, {":status", "304"}, {":status", "400"},
		{":status", "404"}, {":status", "500"}, {"accept-charset"}, {"accept-encoding", "gzip, deflate"}, {"accept-language"},
		{"accept-ranges"}, {"accept"}, {"access-control-allow-origin"}, {"age"}, {"allow"}, {"authorization"}, {"cache-control"},
		{"content-disposition"}, {"content-encoding"}, {"content-language"}, {"content-length"}, {"content-location"},
		{"content-range"}, {"content-type"}, {"cookie"}, {"date"}, {"etag"}, {"expect"}, {"expires"}, {"from"}, {"host"}, {"if-match"},
		{"if-modified-since"}, {"if-none-match"}, {"if-range"}, {"if-unmodified-since"}, {"last-modified"}, {"link"}, {"location"},
		{"max-forwards"}, {"proxy-authenticate"}, {"proxy-authorization"}, {"range"}, {"referer"}, {"refresh"}, {"retry-after"},
		{"server"}, {"set-cookie"}, {"strict-transport-security"}, {"transfer-encoding"}, {"user-agent"}, {"vary"}, {"via"},
		{"www-authenticate"},
	} {
		n := newName([]byte(f[0]))
		list[i+1] = entry{name: n, value: f[1], valid: n.valid}
	}
	return list
}()
