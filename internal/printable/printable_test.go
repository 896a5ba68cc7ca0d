package printable

import "testing"

func TestReplace(t *testing.T) {
	for text, want := range map[string]string{
		"/users/{id} é": "/users/{id} é", "a\x1b[31mb": "a\uFFFD[31mb", "a\nb\r\t": "a\uFFFDb\uFFFD\uFFFD", "\u202Ea\u2028\x9b": "\uFFFDa\uFFFD\uFFFD",
	} {
		if got := Replace(text); got != want {
			t.Errorf("Replace(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestASCII(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "GET": "GET", "[::1]:80": "[::1]:80", "a b~": "a b~",
		"a\nb": `"a\nb"`, "\x7f": `"\x7f"`, "\u0406": `"\u0406"`, "a\u2003b": `"a\u2003b"`, "\xff": `"\xff"`,
	} {
		if got := ASCII(text); got != want {
			t.Errorf("ASCII(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "GET": "GET", "Größe, 大": "Größe, 大", "a b": "a b", `a"b`: `a"b`,
		"a\nb": `"a\nb"`, "a\x1b[31m": `"a\x1b[31m"`, "\xff": `"\xff"`, "\u202Ea": `"\u202ea"`, "\u2028": `"\u2028"`, "\x00": `"\x00"`,
	} {
		if got := Quote(text); got != want {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc...", "a\n": `"a\n"`, "a\nbc": `"a\nb..."`} {
		if got := Excerpt(text, 3); got != want {
			t.Errorf("Excerpt(%q) = %s, want %s", text, got, want)
		}
	}
}
