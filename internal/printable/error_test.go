package printable

import (
	"errors"
	"strings"
	"testing"
)

func TestError(t *testing.T) {
	for text, want := range map[string]string{
		"no such member": "no such member", "a\nb": `"a\nb"`,
		strings.Repeat("x", 5000): strings.Repeat("x", maxError) + "...",
	} {
		err := errors.New(text)
		if got := Error(err); got.Error() != want || !errors.Is(got, err) {
			t.Errorf("Error(%.20q) = %.40q, want %.40q", text, got, want)
		}
	}
}
