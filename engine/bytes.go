package engine

import "encoding/binary"

// isToken tells the bytes of a header name (RFC 9110 section 5.6.2).
var isToken = byteSet("!#$%&'*+-.^_`|~" + digits + letters)

// isHost tells the bytes that net/http accepts in a Host.
var isHost = byteSet("!$%&()*+,-.:;=[']_~" + digits + letters)

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

// plainPath marks, in targetBytes, the bytes that stand for themselves in the
// path of a target: url.Parse neither decodes them nor would encode them.
const plainPath = 1

var targetBytes = func() (t [256]uint8) {
	for c, ok := range byteSet("/-_.~$&+,:;=@" + digits + letters) {
		if ok {
			t[c] = plainPath
		}
	}
	return t
}()

func validHost(b []byte) bool {
	for _, c := range b {
		if !isHost[c] {
			return false
		}
	}
	return true
}

// validValue reports whether b is a header value: no control character but
// tab, no DEL. It looks at eight bytes at a time.
func validValue(b []byte) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		del := x ^ 0x7f*ones
		// A high bit where a byte is below 0x20, or is DEL. Borrows can set
		// more of them, never fewer, so a zero is certain.
		if ((x-0x20*ones)&^x|(del-ones)&^del)&highs != 0 && !validBytes(b[:8]) {
			return false
		}
		b = b[8:]
	}
	return validBytes(b)
}

func validBytes(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
