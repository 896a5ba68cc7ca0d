// Package printable makes text from the network safe to print and to log: it
// can't begin another line or an escape sequence of a terminal.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote returns s, quoted if it contains a character that isn't printable or
// invalid UTF-8. Nothing is lost, so it is for logs.
func Quote(s string) string {
	for _, c := range s {
		if c == utf8.RuneError || !unicode.IsGraphic(c) {
			return strconv.Quote(s)
		}
	}
	return s
}

// Excerpt returns the first max bytes of s, followed by "..." if there are more,
// quoted as by Quote.
func Excerpt(s string, max int) string {
	if len(s) > max {
		s = s[:max] + "..."
	}
	return Quote(s)
}

// ASCII returns s, quoted if it has a byte that isn't printable ASCII. It is for
// logs, and for what has no other characters unless somebody attacks: methods
// and addresses.
func ASCII(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return strconv.QuoteToASCII(s)
		}
	}
	return s
}

// Replace returns s with U+FFFD in the place of each character that isn't
// printable. It has as many characters as s, so it is for tables.
func Replace(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// maxError is the maximum length of the text of an Error, in bytes.
const maxError = 1 << 10

// Error returns an error that wraps err. Its text is that of err, quoted by
// Quote, and truncated if it is long. From Go 1.27, the errors of encoding/json
// contain the names of members, of any length.
func Error(err error) error { return wrapped{err} }

type wrapped struct{ err error }

func (w wrapped) Error() string {
	return Excerpt(w.err.Error(), maxError)
}

func (w wrapped) Unwrap() error { return w.err }
