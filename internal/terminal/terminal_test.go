package terminal

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestColored(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // seems to be a terminal
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	read, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer pipe.Close()
	for _, c := range []struct{ noColor, term string }{{"", "xterm"}, {"", ""}, {"1", "xterm"}, {"", "dumb"}} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got, want := Colored(device), c.noColor == "" && c.term != "dumb"; got != want {
			t.Errorf("NO_COLOR=%s TERM=%s: a terminal is colored: %v, want %v", c.noColor, c.term, got, want)
		}
		if Colored(new(bytes.Buffer)) || Colored(file) || Colored(pipe) {
			t.Errorf("NO_COLOR=%s TERM=%s: a buffer, a file or a pipe is colored", c.noColor, c.term)
		}
	}
	if file.Close(); Colored(file) {
		t.Error("a closed file is colored")
	}
}

func TestMethod(t *testing.T) {
	length := len(Method("", true)) - 1 // text/tabwriter counts the escape sequences as text
	colors := map[string]string{}
	for _, alike := range []string{"GET HEAD QUERY", "POST", "PUT PATCH", "DELETE", "BREW * OPTIONS"} {
		for _, method := range strings.Fields(alike) {
			got := Method(method, true)
			color, _, ok := strings.Cut(got, method+"\x1b[0m")
			if !ok || len(got)-len(method) != length {
				t.Errorf("Method(%s) = %q", method, got)
			}
			if other, ok := colors[color]; ok && other != alike {
				t.Errorf("%s has the color of %s", method, other)
			}
			colors[color] = alike
		}
	}
	if len(colors) != 5 {
		t.Errorf("%d colors, want 5", len(colors))
	}
	for method, want := range map[string]string{"": "*", "GET": "GET", "\x1b": "\uFFFD"} {
		if got := Method(method, false); got != want {
			t.Errorf("Method(%q) = %q, want %q", method, got, want)
		}
	}
}
