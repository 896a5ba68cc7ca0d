package compare

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/comparison.md")

// TestComparison checks the tables in docs/comparison.md.
func TestComparison(t *testing.T) {
	const file = "../../docs/comparison.md"
	goMod, err := read("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	document, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := document
	for name, text := range map[string]string{"table": table(goMod), "features": featureTable()} {
		before, after, ok := strings.Cut(want, "<!-- "+name+": generated ")
		comment, after, ok2 := strings.Cut(after, "\n")
		_, after, ok3 := strings.Cut(after, "<!-- end of "+name+" -->")
		if !ok || !ok2 || !ok3 {
			t.Fatalf("%s has no lines around the %s", file, name)
		}
		want = before + "<!-- " + name + ": generated " + comment + "\n" + text + "<!-- end of " + name + " -->" + after
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if document != want {
		t.Errorf("%s is out of date; run: go test ./compare -update", file)
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
