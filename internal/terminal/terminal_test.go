package terminal

import (
	"bytes"
	"os"
	"testing"
)

func TestColored(t *testing.T) {
	if Colored(new(bytes.Buffer)) {
		t.Error("a buffer is taken for a terminal")
	}
	f, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if Colored(f) {
		t.Error("a file is taken for a terminal")
	}
}

func TestMethodsHaveOneLength(t *testing.T) {
	for _, m := range []string{"GET", "POST", "PUT", "DELETE", "BREW", "*"} {
		if got, want := len(Method(m))-len(m), len(Method("GET"))-3; got != want {
			t.Errorf("%s: %d bytes of color, want %d", m, got, want)
		}
	}
}
