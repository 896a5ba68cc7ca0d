package printable

import (
	"errors"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for name, f := range map[string]struct {
		function func(string) string
		want     map[string]string
	}{
		"Replace": {Replace, map[string]string{
			"/users/{id} é": "/users/{id} é", "a\x1b[31mb": "a\uFFFD[31mb", "a\nb\r\t": "a\uFFFDb\uFFFD\uFFFD", "\u202Ea\u2028\x9b": "\uFFFDa\uFFFD\uFFFD",
		}},
		"ASCII": {ASCII, map[string]string{
			"": "", "GET": "GET", "[::1]:80": "[::1]:80", "a b~": "a b~",
			"a\nb": `"a\nb"`, "\x7f": `"\x7f"`, "\u0406": `"\u0406"`, "a\u2003b": `"a\u2003b"`, "\xff": `"\xff"`,
		}},
		"Quote": {Quote, map[string]string{
			"": "", "GET": "GET", "Größe, 大": "Größe, 大", "a b": "a b", `a"b`: `a"b`,
			"a\nb": `"a\nb"`, "a\x1b[31m": `"a\x1b[31m"`, "\xff": `"\xff"`, "\u202Ea": `"\u202ea"`, "\u2028": `"\u2028"`, "\x00": `"\x00"`,
		}},
		"Excerpt": {func(s string) string { return Excerpt(s, 3) }, map[string]string{
			"": "", "abc": "abc", "abcd": "abc...", "a\n": `"a\n"`, "a\nbc": `"a\nb..."`,
		}},
		"Error": {func(s string) string { return Error(errors.New(s)).Error() }, map[string]string{
			"no such member": "no such member", "a\nb": `"a\nb"`, strings.Repeat("x", 5000): strings.Repeat("x", maxError) + "...",
		}},
	} {
		for text, want := range f.want {
			if got := f.function(text); got != want {
				t.Errorf("%s(%.20q) = %.40s, want %.40s", name, text, got, want)
			}
		}
	}
	if err := errors.New("a"); !errors.Is(Error(err), err) {
		t.Error("Error doesn't wrap its error")
	}
}
