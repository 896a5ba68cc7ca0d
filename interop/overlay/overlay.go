// Package overlay runs tests that need generated code. The code exists only
// while the test runs, in a temporary directory: the go command sees it with
// its -overlay flag. Files that use it have the build tag "generated".
package overlay

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// Test runs go test with the arguments in the working directory, as if the
// files were there. It uses the race detector if the calling test does.
func Test(t *testing.T, files map[string][]byte, args ...string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	temp, replace := t.TempDir(), make(map[string]string)
	for name, text := range files {
		file := filepath.Join(temp, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(dir, name)] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	flags := []string{"test", "-tags=generated", "-overlay=" + overlay}
	if raceDetector() {
		flags = append(flags, "-race")
	}
	out, err := exec.Command("go", append(flags, args...)...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "[no test") {
		t.Errorf("go test: %v\n%s", err, out)
	}
}

func raceDetector() bool {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}
