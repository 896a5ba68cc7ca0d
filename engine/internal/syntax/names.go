// Package syntax knows the bytes of HTTP messages: tokens, values, hosts and
// targets, common header names, which of them can be trailers, and the Date. It
// knows nothing of connections and requests.
package syntax

import "encoding/binary"

// An ID identifies a header name in the list Names. Zero stands for any other
// name.
type ID uint8

// Header names that the HTTP/1.1 parser interprets.
const (
	Host ID = iota + 1
	ContentLength
	Connection
	Pragma
	CacheControl
	TransferEncoding
	Expect
	Trailer
	FirstOrdinary
)

// Names lists common header names in canonical form, by ID.
var Names = [...]string{
	Host:             "Host",
	ContentLength:    "Content-Length",
	Connection:       "Connection",
	Pragma:           "Pragma",
	CacheControl:     "Cache-Control",
	TransferEncoding: "Transfer-Encoding",
	Expect:           "Expect",
	Trailer:          "Trailer",

	FirstOrdinary: "Accept",
	"Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization",
	"Access-Control-Request-Headers", "Access-Control-Request-Method",
	"Cdn-Loop", "Cf-Connecting-Ip", "Cf-Ipcountry", "Cf-Ray", "Cf-Visitor",
	"Content-Encoding", "Content-Language", "Content-Type", "Cookie", "Date",
	"Dnt", "Forwarded", "From", "Http2-Settings", "If-Match", "If-Modified-Since",
	"If-None-Match", "If-Range", "If-Unmodified-Since", "Idempotency-Key",
	"Keep-Alive", "Max-Forwards", "Origin", "Priority", "Proxy-Authorization",
	"Proxy-Connection", "Range", "Referer", "Save-Data",
	"Sec-Ch-Ua", "Sec-Ch-Ua-Mobile", "Sec-Ch-Ua-Platform", "Sec-Fetch-Dest",
	"Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Gpc",
	"Sec-Purpose", "Sec-Websocket-Extensions", "Sec-Websocket-Key",
	"Sec-Websocket-Protocol", "Sec-Websocket-Version", "Te", "Traceparent",
	"Tracestate", "Baggage", "Upgrade", "Upgrade-Insecure-Requests",
	"User-Agent", "Via", "X-Api-Key", "X-B3-Sampled", "X-B3-Spanid",
	"X-B3-Traceid", "X-Correlation-Id", "X-Csrf-Token", "X-Forwarded-For",
	"X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Real-Ip",
	"X-Request-Id", "X-Requested-With",
}

const nameSlots = 512 // a power of two

// nameTable is a hash table of nameIDs with linear probing.
var nameTable = func() (t [nameSlots]ID) {
	for id := ID(1); int(id) < len(Names); id++ {
		i := nameHash(Names[id])
		for t[i] != 0 {
			i = (i + 1) % nameSlots
		}
		t[i] = id
	}
	return t
}()

// nameHash hashes the length and three bytes of a name, ignoring case.
func nameHash[T []byte | string](b T) uint32 {
	n := uint32(len(b))
	first, mid, last := uint32(b[0]|0x20), uint32(b[n/2]|0x20), uint32(b[n-1]|0x20)
	return (n*37 + first*5 + mid*131 + last*17) % nameSlots
}

// Lookup returns the id of a name, ignoring case, or 0. The name must not
// be empty.
func Lookup[T []byte | string](b T) ID {
	for i := nameHash(b); ; i = (i + 1) % nameSlots {
		id := nameTable[i]
		if id == 0 {
			return 0
		}
		if known := Names[id]; len(known) == len(b) && (string(b) == known || EqualFold(b, known)) {
			return id
		}
	}
}

// EqualFold reports whether b equals s, ignoring the case of ASCII letters. It
// doesn't fold other letters, such as U+212A (the Kelvin sign) to "k".
func EqualFold[T []byte | string](b T, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range len(b) {
		x, y := b[i], s[i]
		if x != y && (x|0x20 != y|0x20 || x|0x20 < 'a' || x|0x20 > 'z') {
			return false
		}
	}
	return true
}

// IsToken contains the bytes of a header name (RFC 9110 section 5.6.2).
var IsToken = byteSet("!#$%&'*+-.^_`|~" + digits + letters)

// isHost contains the bytes of a host that isn't between brackets.
var isHost, isHex = byteSet("!$%&()*+,-.;='_~" + digits + letters), byteSet("abcdefABCDEF" + digits)

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func byteSet(s string) (set [256]bool) {
	for i := range len(s) {
		set[s[i]] = true
	}
	return set
}

// PlainPath marks the bytes in TargetBytes that are the same in an encoded and
// a decoded path.
const PlainPath = 1

var TargetBytes = func() (t [256]uint8) {
	for c, ok := range byteSet("/-_.~$&+,:;=@" + digits + letters) {
		if ok {
			t[c] = PlainPath
		}
	}
	return t
}()

// ValidHost reports whether b is a host, which may be empty, with an optional
// port (RFC 9110 section 7.2, RFC 3986 section 3.2.2). It doesn't check what is
// between brackets, which may have a zone.
func ValidHost[T []byte | string](b T) bool {
	i := 0
	if len(b) > 0 && b[0] == '[' {
		for i = 1; i < len(b) && b[i] != ']'; i++ {
			if !isHost[b[i]] && b[i] != ':' {
				return false
			}
		}
		if i == 1 || i == len(b) || i+1 < len(b) && b[i+1] != ':' {
			return false
		}
		i++
	}
	for ; i < len(b) && b[i] != ':'; i++ {
		if !isHost[b[i]] || b[i] == '%' && (i+2 >= len(b) || !isHex[b[i+1]] || !isHex[b[i+2]]) {
			return false
		}
	}
	for i++; i < len(b); i++ {
		if b[i] < '0' || b[i] > '9' {
			return false
		}
	}
	return true
}

// ValidValue reports whether b is a header value: it has no DEL and no control
// character except tab. It checks eight bytes at a time.
func ValidValue(b []byte) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		del := x ^ 0x7f*ones
		// Each byte below 0x20 and each DEL sets a high bit. Borrows can set
		// more high bits but never clear one, so zero means that b is valid.
		if ((x-0x20*ones)&^x|(del-ones)&^del)&highs != 0 && !validBytes(b[:8]) {
			return false
		}
		b = b[8:]
	}
	return validBytes(b)
}

// ValidString is ValidValue for strings.
func ValidString(s string) bool { return validBytes(s) }

func validBytes[T []byte | string](b T) bool {
	for i := range len(b) {
		if c := b[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// ValidName reports whether s is a token, as header Names and methods are.
func ValidName[T []byte | string](s T) bool {
	for i := range len(s) {
		if !IsToken[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

// HasToken reports whether v contains token, delimited by spaces, tabs and
// commas, like the function of the same name in net/http.
func HasToken(v, token string) bool {
	for i := 0; i+len(token) <= len(v); i++ {
		end := i + len(token)
		if (i == 0 || isBoundary(v[i-1])) && (end == len(v) || isBoundary(v[end])) && EqualFold(v[i:end], token) {
			return true
		}
	}
	return false
}

func isBoundary(b byte) bool { return b == ' ' || b == ',' || b == '\t' }
