package analyzer_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestRaceDetector checks that the race detector reports handlers that read a
// path value from the request too late, and no others, for those in
// testdata/pooled.
func TestRaceDetector(t *testing.T) {
	source := read(t, "testdata/pooled/main.go")
	dir := module(t, map[string]string{"main.go": source})
	if out, code := run(t, dir, "go", "build", "-race", "-o", "pooled", "."); code != 0 {
		t.Fatal(out)
	}
	for _, m := range regexp.MustCompile(`(?m)^func ((wrong|right)\w+)`).FindAllStringSubmatch(source, -1) {
		name, wrong := m[1], m[2] == "wrong"
		out, code := run(t, dir, "./pooled", name)
		race := regexp.MustCompile(`WARNING: DATA RACE\n(?s:.*)main\.`).MatchString(out)
		if race != wrong || (code == 0) == wrong || !strings.Contains(out, name) {
			t.Errorf("%s: reported by the race detector: %v, want %v; status %d\n%s", name, race, wrong, code, out)
		}
	}
}
