package pattern

import (
	"regexp"
	"testing"
)

func TestExprMatch(t *testing.T) {
	tests := []struct {
		expr      string
		automaton bool // instead of RE2
	}{
		{`[0-9]+`, true},
		{`\d{4}`, true},
		{`\d{2,4}`, true},
		{`[a-z0-9-]+`, true},
		{`[^/]+`, true},
		{`.*`, true},
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, true},
		{`[0-9a-fA-F-]{36}`, true},
		{`v[0-9]+`, true},
		{`([a-z]+)`, true},
		{`a?`, true},
		{`-?[0-9]+`, true},
		{`[a-z]+[0-9]+`, true},
		{`[a-z]{1,2}-?[0-9]*`, true},
		{`[0-9]+\.?[0-9]*`, true},
		{`[a-z]+[a-c]+`, true},
		{`(?i)abc`, true},
		{`(?i)[a-z]+`, false}, // the Kelvin sign folds to k
		{`[[:alpha:]]+`, true},
		{`\pL+`, false},
		{`.{3}`, true}, // runes, not bytes
		{`a|bc`, true},
		{`^[0-9]+$`, false},
		{`(?m)^a$`, false},
		{`(?:en|de|fr)(?:-[A-Z]{2})?`, true},
		{`(?i)s`, false}, // the long s folds to s
		{`[é-ü]`, false},
		{`[^é]`, false},
		{`é`, false},
		{`(a|b)*a(a|b){7}`, false}, // too many states
		{`[a-z]{0,100}`, false},    // too many instructions
	}
	subjects := []string{"", "0", "12", "1234", "12345", "abc", "a-b-1", "ABC", "é", "日本語", "a\nb", "\n", "\xff\xfe", "a1", "v12", "v",
		"-", "-1", "--1", "1-", "a-1", "abc-1", "ab1", "1.5", "1.", "/", "0123456789abcdef", "123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000", "K", "a\na", "bc"}
	for _, tt := range tests {
		e, err := compileExpr(tt.expr)
		if err != nil {
			t.Fatalf("compileExpr(%q): %v", tt.expr, err)
		}
		if got := e.re == nil; got != tt.automaton {
			t.Errorf("compileExpr(%q) made an automaton: %v, want %v", tt.expr, got, tt.automaton)
		}
		re := regexp.MustCompile(`\A(?:` + tt.expr + `)\z`)
		for _, s := range subjects {
			if got, want := e.match(s), re.MatchString(s); got != want {
				t.Errorf("Expr(%q).Match(%q) = %v, want %v", tt.expr, s, got, want)
			}
		}
	}
}

func FuzzExpr(f *testing.F) {
	for _, seed := range [][2]string{{`[0-9]+`, "12"}, {`\d{2,4}`, "123"}, {`[^/]+`, "é"}, {`a[bc]?d`, "abd"}, {`.*x`, "yx"}, {`-?[0-9]+`, "-1"}, {`a*b?c{2}[^d]*`, "abcc"}, {`(?s).+`, "\n"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, expr, s string) {
		e, err := compileExpr(expr)
		if err != nil {
			return
		}
		re, err := regexp.Compile(`\A(?:` + expr + `)\z`)
		if err != nil {
			t.Fatalf("compileExpr(%q) accepted what regexp refuses: %v", expr, err)
		}
		if got, want := e.match(s), re.MatchString(s); got != want {
			t.Errorf("Expr(%q).Match(%q) = %v, want %v", expr, s, got, want)
		}
	})
}
