package engine

import "encoding/binary"

// isToken contains the bytes of a header name (RFC 9110 section 5.6.2).
var isToken = byteSet("!#$%&'*+-.^_`|~" + digits + letters)

// isHost contains the bytes that net/http accepts in a Host.
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

// plainPath marks the bytes in targetBytes that are the same in an encoded and
// a decoded path.
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

// validValue reports whether b is a header value: it has no DEL and no control
// character except tab. It checks eight bytes at a time.
func validValue(b []byte) bool {
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

func validBytes(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// validName reports whether s is a token, as header names and methods are.
func validName[T []byte | string](s T) bool {
	for i := range len(s) {
		if !isToken[s[i]] {
			return false
		}
	}
	return len(s) > 0
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
