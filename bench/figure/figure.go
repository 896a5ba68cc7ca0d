// Package figure formats figures and updates generated parts of documents.
package figure

import (
	"fmt"
	"math"
	"os"
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
// "<!-- end of NAME -->" in a document.
func Replace(document, name, text string) (string, error) {
	start, end := "<!-- "+name+": generated", "\n<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(document, start)
	line, rest, ok2 := strings.Cut(rest, "\n")
	_, after, ok3 := strings.Cut("\n"+rest, end)
	if !ok || !ok2 || !ok3 {
		return "", fmt.Errorf("the document needs the lines %q and %q", start+" … -->", end[1:])
	}
	return before + start + line + "\n" + strings.TrimSuffix(text, "\n") + end + after, nil
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

// ReplaceIn is Replace for a file.
func ReplaceIn(file, name, text string) error {
	document, err := Replaced(file, [2]string{name, text})
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(document), 0o666)
}
