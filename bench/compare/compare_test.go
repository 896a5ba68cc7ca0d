package compare

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write docs/comparison.md")

// TestComparison checks the table in docs/comparison.md.
func TestComparison(t *testing.T) {
	const name = "../../docs/comparison.md"
	goMod, err := read("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	document, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fill(document, table(goMod))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if document != want {
		t.Errorf("%s is out of date; run: go test ./compare -update\n%s", name, table(goMod))
	}
}
