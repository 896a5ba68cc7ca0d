package pattern

import (
	"regexp"
	"testing"
)

func TestFold(t *testing.T) {
	p, err := ParsePath("/Users/X{a:[A-Z]+}.Kb{b}/É%2FA/*Rest")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Fold().Shape(), "\x00users\x00x{[A-Z]+}.kb{}\x00É/a\x00\x01\x01"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.Shape(), "\x00Users\x00X{[A-Z]+}.Kb{}\x00É/A\x00\x01\x01"; got != want {
		t.Errorf("Fold changed the pattern to %s", got)
	}
	expr, _ := p.Fold().Segs[1].regexp()
	re := regexp.MustCompile(expr)
	for text, want := range map[string]bool{"XAB.Kbc": true, "xAB.kBc": true, "xab.Kbc": false, "xAB-kbc": false, "xAB.\u212Abc": false} {
		if re.MatchString(text) != want {
			t.Errorf("%s matches %q: %v", expr, text, !want)
		}
	}
}
