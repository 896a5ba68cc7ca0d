package openapi

import "testing"

func TestECMAScript(t *testing.T) {
	for expr, same := range map[string]bool{
		`[0-9]+`: true, `\d{4}-\d{2}-\d{2}`: true, `[a-z0-9-]{1,8}`: true, `(?:a|b)+?`: true, `[^\]]`: true, `a{1}`: true, `a\{1\}`: true,
		`en|de|fr`: true, `-?[0-9]+`: true, `[0-9a-f]{8}-[0-9a-f]{4}`: true, `[a-z]+\.json`: true, `\ba\B`: true,
		`(?i)abc`: false, `(?P<year>\d)`: false, `[[:alpha:]]+`: false, `\Qa.b\E`: false, `\x{1F600}`: false, `\A[a-z]{2,}\z`: false,
		`(?U)a+`: false, `(?s).`: false, `.`: false, `x\-y`: false, `\pL`: false, `é+`: false, `\s`: false, `a]`: false, `a{,2}`: false,
	} {
		if got := ecmaScript(expr); (got == expr) != same || got != "" && got != expr {
			t.Errorf("%s: got %q", expr, got)
		}
	}
}
