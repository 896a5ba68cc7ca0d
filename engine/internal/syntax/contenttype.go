package syntax

import (
	"encoding/binary"
	"net/http"
)

const textPlain = "text/plain; charset=utf-8"

// DetectContentType returns what [http.DetectContentType] does, with less time
// for most texts: that function compares data with 40 signatures, and then looks
// at each byte alone.
func DetectContentType(data []byte) string {
	if len(data) > 0 && beginsText[data[0]] && isText(data[:min(len(data), 512)]) {
		return textPlain
	}
	return http.DetectContentType(data)
}

// beginsText are bytes that begin texts but none of the signatures.
var beginsText = func() (list [256]bool) {
	for _, c := range `{["'(ACDEHJKLNQSTUVWXYZabcdefghijklmnopqrsuvxyz0123456789` {
		list[c] = http.DetectContentType([]byte{byte(c), 'x', 'x', 'x', 'f', 't', 'y', 'p'}) == textPlain
	}
	return list
}()

// isText reports whether data has no control characters but those of texts.
func isText(data []byte) bool {
	for len(data) >= 8 {
		x := binary.LittleEndian.Uint64(data)
		const ones = 0x0101010101010101
		if (x-' '*ones)&^x&(0x80*ones) != 0 && !isTextBytes(data[:8]) { // a byte below ' '
			return false
		}
		data = data[8:]
	}
	return isTextBytes(data)
}

func isTextBytes(data []byte) bool {
	for _, c := range data {
		if c < ' ' && c != '\t' && c != '\n' && c != '\f' && c != '\r' && c != 0x1b {
			return false
		}
	}
	return true
}
