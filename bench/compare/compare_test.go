package compare

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
)

var update = flag.Bool("update", false, "write docs/comparison.md")

// TestComparison checks the tables in docs/comparison.md.
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
	want, err := figure.Replace(document, "table", table(goMod))
	if err == nil {
		want, err = figure.Replace(want, "features", featureTable())
	}
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
		t.Errorf("%s is out of date; run: go test ./compare -update", name)
	}
}

// TestFeatures checks that the features are complete. The root module's TestDocs
// checks the names of tests in the table, and its links to recipes.
func TestFeatures(t *testing.T) {
	for _, f := range features {
		if f.at["test"]+f.at["recipe"]+f.at["reason"] == "" || f.at["words"] == "" {
			t.Errorf("%s is incomplete", f.text)
		}
		for name := range f.at {
			if !slices.ContainsFunc(peers, func(p router) bool { return p.name == name }) && !slices.Contains([]string{"test", "recipe", "reason", "words"}, name) {
				t.Errorf("%s: there is no column %s", f.text, name)
			}
		}
	}
}
