// Package figure formats figures and updates generated parts of documents.
package figure

import (
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"regexp"
	"strings"
)

// Duration formats nanoseconds with three significant digits and a suitable
// unit.
func Duration(ns float64) string {
	switch {
	case ns < 1e3:
		return Digits(ns) + " ns"
	case ns < 1e6:
		return Digits(ns/1e3) + " µs"
	case ns < 1e9:
		return Digits(ns/1e6) + " ms"
	}
	return Digits(ns/1e9) + " s"
}

// Digits formats v with three significant digits, or all digits before the
// decimal point.
func Digits(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return Count(v)
}

// Count formats an integer with thousands separators.
func Count(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Compact formats v with at most three digits, or all digits before the decimal
// point.
func Compact(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.3g", v)
	}
	return Count(v)
}

// Times formats a ratio.
func Times(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v >= 10:
		return fmt.Sprintf("%.0f×", v)
	case v >= 0.995:
		return fmt.Sprintf("%.1f×", v)
	}
	return fmt.Sprintf("%.2g×", v)
}

// Row returns a row of a Markdown table.
func Row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// Head returns the head of a Markdown table. The columns after the first ones are
// aligned to the right.
func Head(first int, titles ...string) string {
	return Row(titles...) + "|" + strings.Repeat("---|", first) + strings.Repeat("---:|", len(titles)-first) + "\n"
}

// Replace replaces the text between the lines "<!-- NAME: generated … -->" and
// "<!-- end of NAME, figures SUM -->" in a document, and SUM, of which Sum says
// what it is.
func Replace(document, name, text string) (string, error) {
	for _, m := range parts.FindAllStringSubmatchIndex(document, -1) {
		if document[m[2]:m[3]] == name {
			text = strings.TrimSuffix(text, "\n")
			return document[:m[4]] + text + "\n" + fmt.Sprintf("<!-- end of %s, figures %s -->", name, Sum(text)) + document[m[1]:], nil
		}
	}
	return "", fmt.Errorf("the document needs the lines %q and %q", "<!-- "+name+": generated … -->", "<!-- end of "+name+", figures … -->")
}

// parts matches the generated parts of a document: the name, the text with the
// newline at its end, and the sum. Parts that other modules generate have none.
var parts = regexp.MustCompile(`(?s)<!-- ([^:\n]+): generated [^\n]*\n(.*?)<!-- end of [^,\n]+?(?:, figures (\w+))? -->`)

// Sum returns a checksum of the digits in a text, so that a test finds figures
// that were changed by hand. The words around them may be.
func Sum(text string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(digits)))
}

// Replaced returns the text of a file with generated parts, each a name and a
// text, replaced.
func Replaced(file string, parts ...[2]string) (string, error) {
	data, err := os.ReadFile(file)
	document := string(data)
	for _, part := range parts {
		if err == nil {
			document, err = Replace(document, part[0], part[1])
		}
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return document, nil
}
