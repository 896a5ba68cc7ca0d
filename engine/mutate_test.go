package engine

import (
	"math/rand/v2"
	"strings"
)

// oddPieces and oddLines are what mutate inserts.
var (
	oddPieces = []string{" ", "\t", "\r", "\n", "\r\n", ":", ";", ",", "\x00", "\x7f", "\xff", "0", "a", "F", "+", "-", "/", "?", "#", "%", "%2", `"`, `\`, "\v", "_"}
	oddLines  = []string{
		"Transfer-Encoding: chunked\r\n", "transfer-encoding: chunked\r\n", "Transfer-Encoding: chunked\n", "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: identity\r\n",
		"Content-Length: 3\r\n", "Content-Length: 0\r\n", "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length:\r\n", "Content-Length: 1, 1\r\n",
		"Connection: close\r\n", "Connection: keep-alive\r\n", "Connection: upgrade\r\n", "Upgrade: h2c\r\n", "Expect: 100-continue\r\n", "Trailer: X-A\r\n", "TE: trailers\r\n",
		"Host: x\r\n", "Host:\r\n", "Pragma: no-cache\r\n", " folded\r\n", "\r\n", "X: \r\n", "X: a\r\r\n", ": x\r\n", "x\r\n", "0\r\n\r\n", "5\r\nhello\r\n",
	}
)

// mutate returns s with one to three random changes: bytes and lines that are
// inserted, removed, replaced or repeated.
func mutate(rnd *rand.Rand, s string) string {
	odd := func() string { return oddPieces[rnd.IntN(len(oddPieces))] }
	for range 1 + rnd.IntN(3) {
		at := rnd.IntN(len(s) + 1)
		line := at + strings.IndexByte(s[at:], '\n') + 1 // start of the next line, or at
		switch rnd.IntN(7) {
		case 0, 1:
			s = s[:at] + odd() + s[at:]
		case 2:
			s = s[:at] + s[min(len(s), at+1+rnd.IntN(3)):]
		case 3:
			s = s[:at] + odd() + s[min(len(s), at+1):]
		case 4, 5:
			s = s[:line] + oddLines[rnd.IntN(len(oddLines))] + s[line:]
		case 6:
			end := line + strings.IndexByte(s[line:], '\n') + 1
			s = s[:end] + s[line:end] + s[end:]
		}
	}
	return s
}
