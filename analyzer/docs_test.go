package analyzer_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A block is a block of Go code in docs/checks.md.
type block struct {
	check, code  string
	wrong, fixed bool // fixed: it is the result of -fix for the previous block
	line         int
}

func blocks(t *testing.T) []block {
	t.Helper()
	var all []block
	var current *block
	check, paragraph, before := "", "", ""
	for i, line := range strings.Split(read(t, "../docs/checks.md"), "\n") {
		switch {
		case current != nil && line == "```":
			all = append(all, *current)
			current = nil
		case current != nil:
			current.code += line + "\n"
		case line == "```go":
			current = &block{check: check, line: i + 2, wrong: strings.HasPrefix(before, "Wrong"), fixed: strings.Contains(before, "-fix")}
		case strings.HasPrefix(line, "## "):
			check = line[3:]
		case line == "":
			before, paragraph = paragraph, ""
		default:
			paragraph += line
		}
	}
	return all
}

// TestDocs checks the code blocks in docs/checks.md. Blocks after "Wrong" must
// be reported, in each line with a comment if there are any. Other blocks must
// not.
// -fix must have the documented result.
func TestDocs(t *testing.T) {
	all := blocks(t)
	if len(all) < 9 {
		t.Fatalf("docs/checks.md has %d blocks of Go, want at least 9", len(all))
	}
	files := make(map[string]string)
	for _, b := range all {
		files[fmt.Sprintf("line%d/main.go", b.line)] = program(b.code)
	}
	dir := module(t, files)
	reports, _ := run(t, dir, "go", "vet", "-vettool="+muxvet, "./...")
	for i, b := range all {
		name := fmt.Sprintf("line%d/main.go", b.line)
		if !b.wrong {
			if strings.Contains(reports, name) {
				t.Errorf("docs/checks.md:%d is reported:\n%s", b.line, reports)
			}
			if b.fixed {
				fixed := fmt.Sprintf("line%d", all[i-1].line)
				run(t, dir, "go", "vet", "-vettool="+muxvet, "-fix", "./"+fixed)
				if text := read(t, filepath.Join(dir, fixed, "main.go")); text != program(b.code) {
					t.Errorf("docs/checks.md:%d: -fix makes\n%s", b.line, text)
				}
			}
			continue
		}
		if !strings.Contains(reports, name) {
			t.Errorf("docs/checks.md:%d is not reported", b.line)
		}
		for n, line := range strings.Split(program(b.code), "\n") {
			if strings.Contains(line, "//") && !strings.Contains(reports, fmt.Sprintf("%s:%d:", name, n+1)) {
				t.Errorf("docs/checks.md:%d: this line is not reported: %s", b.line, line)
			}
		}
	}
}

// program returns a Go file with the declarations and their imports.
func program(code string) string {
	text := "package p\n\nimport (\n"
	for _, path := range []string{"fmt", "html/template", "log", "net/http", "net/url", "slices", "sync", "time",
		"github.com/seed-1954dcaa/muxmaster", "github.com/seed-1954dcaa/muxmaster/engine", "github.com/seed-1954dcaa/muxmaster/middleware"} {
		if regexp.MustCompile(`\b` + filepath.Base(path) + `\.`).MatchString(code) {
			text += "\t\"" + path + "\"\n"
		}
	}
	return text + ")\n\n" + code
}

// TestExamples checks that there is no report for this repository's programs,
// which are many and use the router in every way, but for those that are true.
func TestExamples(t *testing.T) {
	for _, c := range []struct {
		dir, packages string
		true          string // expression for reports that are true
	}{
		{"..", "./examples/... ./cmd/...", ""},
		{"../examples/libraries", "./...", ""},
		{"../bench", "./...", `load/http2servers\.go:.* a grpc\.Server uses the request`}, // the benchmark doesn't call it with Recycle
		{"../interop", "./...", ""},
		{"../interop/browser", "./...", ""},
	} {
		t.Run(c.dir, func(t *testing.T) {
			if testing.Short() && c.packages == "./..." {
				t.Skip("it compiles many libraries")
			}
			cmd := exec.Command("go", append([]string{"vet", "-vettool=" + muxvet}, strings.Fields(c.packages)...)...)
			cmd.Dir, cmd.Env = c.dir, append(os.Environ(), "GOFLAGS=")
			if c.dir == ".." {
				cmd.Env = append(cmd.Env, "GOWORK=off")
			}
			out, err := cmd.CombinedOutput()
			for line := range strings.Lines(string(out)) {
				if c.true == "" || !regexp.MustCompile(c.true).MatchString(line) {
					t.Error(strings.TrimSpace(line))
				}
			}
			if err != nil && len(out) == 0 {
				t.Error(err)
			}
		})
	}
}
