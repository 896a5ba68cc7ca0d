package compare

import (
	"cmp"
	"go/ast"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/danielgtaylor/huma/v2" // so that the module is in go.mod
)

// TestEvidence checks each cell of the second table against the documentation
// of the routers' packages: a yes names an identifier that exists, and a router
// with a no has no identifier that suggests otherwise.
func TestEvidence(t *testing.T) {
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			documented := map[string][]string{} // identifiers by package, as a path below the module
			identifiers := func(pkg string) []string {
				if _, ok := documented[pkg]; !ok {
					documented[pkg] = exported(t, path.Join(cmp.Or(p.module, "net/http"), pkg))
				}
				return documented[pkg]
			}
			for _, f := range features {
				at := f.at[p.name]
				if at == "" {
					for _, pkg := range []string{"", "middleware"} {
						for _, name := range identifiers(pkg) {
							if regexp.MustCompile(f.at["words"]).MatchString(name) {
								t.Errorf("%s: is it really missing? There is %s", f.text, name)
							}
						}
					}
					continue
				}
				where, what, ok := strings.Cut(strings.TrimPrefix(at, "recipe: "), ": ")
				switch {
				case where == "no":
				case !ok:
					if !slices.Contains(identifiers(""), where) {
						t.Errorf("%s: there is no %s", f.text, where)
					}
				case strings.HasSuffix(where, ".md"):
					text, err := os.ReadFile(filepath.Join(run(t, "list", "-m", "-f", "{{.Dir}}", p.module), where))
					if err != nil || !strings.Contains(string(text), what) {
						t.Errorf("%s: %s doesn't contain %q: %v", f.text, where, what, err)
					}
				case !slices.Contains(identifiers(where), what):
					t.Errorf("%s: there is no %s", f.text, at)
				}
			}
		})
	}
}

// run runs a go command and returns its output.
func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// declaration matches the lines of go doc -all with a receiver and a name, with
// the name of a struct or an interface, or with its members.
var declaration = regexp.MustCompile(`^(?:func \(\w+ \*?(\w+)[^)]*\) (\w+)|(?:func|type|var|const) (\w+)|\t(\w+(?:, \w+)*)\b)`)

// exported returns the exported identifiers of a package, those of methods and
// fields in the form "TYPE.NAME". There may be no such package.
func exported(t *testing.T, pkg string) (names []string) {
	t.Helper()
	if run(t, "list", "-e", "-f", "{{.Name}}", pkg) == "" {
		return nil
	}
	group := "" // what lines with a tab belong to
	for line := range strings.Lines(run(t, "doc", "-all", pkg)) {
		if line == "}\n" {
			group = ""
		}
		m := declaration.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		switch open := strings.HasSuffix(line, "{\n"); {
		case m[2] != "":
			names = append(names, m[1]+"."+m[2])
		case m[3] != "":
			names, group = append(names, m[3]), ""
			if open {
				group = m[3] + "."
			}
		default:
			for name := range strings.SplitSeq(m[4], ", ") {
				if ast.IsExported(name) {
					names = append(names, group+name)
				}
			}
		}
	}
	return names
}
