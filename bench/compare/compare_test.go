package compare

import (
	"flag"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
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

// TestFeatures checks that each feature of ours has a test or a recipe that
// exists.
func TestFeatures(t *testing.T) {
	tests := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && slices.Contains([]string{".git", "bench", "interop", "analyzer", "examples"}, name) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := read("../../" + name)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(text, -1) {
			tests[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	recipes, err := read("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range features {
		if f.test != "" && !tests[f.test] {
			t.Errorf("%s: no test %s", f.text, f.test)
		}
		if f.recipe != "" && !strings.Contains(recipes, "\n## "+f.recipe+"\n") {
			t.Errorf("%s: docs/recipes.md has no %q", f.text, f.recipe)
		}
		if f.test+f.recipe+f.reason == "" || len(f.words) == 0 {
			t.Errorf("%s is incomplete", f.text)
		}
		for name := range f.others {
			if !slices.ContainsFunc(peers, func(p router) bool { return p.name == name }) {
				t.Errorf("%s: there is no column %s", f.text, name)
			}
		}
	}
}
