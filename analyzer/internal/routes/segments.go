package routes

import (
	"regexp"
	"strings"
)

// Segments splits a valid pattern at its slashes, except those in braces. The
// first segment contains the methods and the host, and may be empty.
func Segments(pattern string) (segments []string) {
	start := 0
	outside(pattern, func(i int) {
		if pattern[i] == '/' {
			segments = append(segments, pattern[start:i])
			start = i + 1
		}
	})
	return append(segments, pattern[start:])
}

// outside calls f with the index of each byte of text that isn't in braces, and
// of each opening brace.
func outside(text string, f func(i int)) {
	depth := 0
	for i := 0; i < len(text); i++ {
		if depth == 0 {
			f(i)
		}
		switch text[i] {
		case '\\': // in an expression
			i++
		case '{':
			depth++
		case '}':
			depth--
		}
	}
}

var (
	brace = regexp.MustCompile(`^\{([\pL_][\pL\d_-]*)`)
	sign  = regexp.MustCompile(`(?:^\*|:)([\pL_][\pL\d_-]*)`)
)

// Parameters returns the names of the parameters in a valid pattern.
func Parameters(pattern string) (names []string) {
	for _, seg := range Segments(pattern) {
		if !strings.Contains(seg, "{") {
			if m := sign.FindStringSubmatch(seg); m != nil {
				names = append(names, m[1])
			}
			continue
		}
		outside(seg, func(i int) {
			if m := brace.FindStringSubmatch(seg[i:]); m != nil {
				names = append(names, m[1])
			}
		})
	}
	return names
}
