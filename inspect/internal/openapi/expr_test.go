package openapi

import (
	"regexp"
	"testing"
)

func TestECMAScript(t *testing.T) {
	values := []string{"", "a", "A", "k", "\u212A", "abc", "ABC", "7", "2024-01-31", "é", "α", "😀", "a.b", "a{1}", "-", "x-y", " ", "\n", "]", "^", "a\nb", "aab"}
	for _, tt := range []struct{ expr, want string }{
		{`[0-9]+`, `[0-9]+`},
		{`\d{4}-\d{2}-\d{2}`, `\d{4}-\d{2}-\d{2}`},
		{`[a-z0-9-]{1,8}`, `[a-z0-9-]{1,8}`},
		{`(?:a|b)+?`, `(?:a|b)+?`},
		{`[^\]]`, `[^\]]`},
		{`(?i)abc`, `[Aa][Bb][Cc]`},
		{`(?i)k`, "[Kk\u212A]"},
		{`(?P<year>\d)`, `(?:[0-9])`},
		{`[[:alpha:]]+`, `[A-Za-z]+`},
		{`[[:^digit:]]`, `[^0-9]`},
		{`\Qa.b\E`, `a\.b`},
		{`\x{1F600}`, "😀"},
		{`\x{e9}|[\x{3b1}-\x{3b3}]`, "[éα-γ]"},
		{`\A[a-z]{2,}\z`, `^[a-z]{2,}$`},
		{`(?U)a+`, `a+?`},
		{`a{1}`, `a{1}`},
		{`a\{1}`, `a\{1\}`},
		{`(?s).`, `[\s\S]`},
		{`.`, `[^\n]`},
		{`x\-y`, `x\x2dy`},
		{`\pL`, ``},
		{`\ba\B.*`, `\ba\B[^\n]*`},
		{`(?i:a)(b|cd)*`, `[Aa](?:b|cd)*`},
		{`(?i)-*(ab|c)?`, `\x2d*(?:[Aa][Bb]|[Cc])?`},
	} {
		got := ecmaScript(tt.expr)
		if tt.want != "" && got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.expr, got, tt.want)
		}
		is, err := regexp.Compile(`^(?:` + got + `)$`)
		if err != nil {
			t.Errorf("%s: got %s: %v", tt.expr, got, err)
			continue
		}
		was := regexp.MustCompile(`\A(?:` + tt.expr + `)\z`)
		for _, v := range values {
			if was.MatchString(v) != is.MatchString(v) {
				t.Errorf("%s: got %s, which differs for %q", tt.expr, got, v)
			}
		}
	}
}
