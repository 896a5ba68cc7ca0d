package engine

// A nameID identifies a header name in the list names. Zero stands for any
// other name.
type nameID uint8

// Header names that the engine interprets, see head.special.
const (
	idHost nameID = iota + 1
	idContentLength
	idConnection
	idPragma
	idCacheControl
	idTransferEncoding
	idExpect
	idTrailer
	firstOrdinary
)

// names lists common header names in canonical form, by nameID.
var names = [...]string{
	idHost:             "Host",
	idContentLength:    "Content-Length",
	idConnection:       "Connection",
	idPragma:           "Pragma",
	idCacheControl:     "Cache-Control",
	idTransferEncoding: "Transfer-Encoding",
	idExpect:           "Expect",
	idTrailer:          "Trailer",

	firstOrdinary: "Accept",
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
var nameTable = func() (t [nameSlots]nameID) {
	for id := nameID(1); int(id) < len(names); id++ {
		i := nameHash([]byte(names[id]))
		for t[i] != 0 {
			i = (i + 1) % nameSlots
		}
		t[i] = id
	}
	return t
}()

// nameHash hashes the length and three bytes of a name, ignoring case.
func nameHash(b []byte) uint32 {
	n := uint32(len(b))
	first, mid, last := uint32(b[0]|0x20), uint32(b[n/2]|0x20), uint32(b[n-1]|0x20)
	return (n*37 + first*5 + mid*131 + last*17) % nameSlots
}

// lookupName returns the id of a name, ignoring case, or 0. The name must not
// be empty.
func lookupName(b []byte) nameID {
	for i := nameHash(b); ; i = (i + 1) % nameSlots {
		id := nameTable[i]
		if id == 0 {
			return 0
		}
		if known := names[id]; len(known) == len(b) && (string(b) == known || equalFold(b, known)) {
			return id
		}
	}
}

// equalFold reports whether b equals s, ignoring the case of ASCII letters. It
// doesn't fold other letters, such as U+212A (the Kelvin sign) to "k".
func equalFold[T []byte | string](b T, s string) bool {
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
