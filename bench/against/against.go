// Package against builds one binary that holds two versions of the router, that
// of the working tree and that of a git commit, and lets it measure one against
// the other.
//
// Two binaries that run one after the other also differ in what else the machine
// did meanwhile. In one process the versions take turns every few milliseconds.
package against

import (
	"archive/tar"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/against/race"
)

const (
	modulePath = "github.com/seed-1954dcaa/muxmaster"
	benchPath  = modulePath + "/bench"
	// The two versions' module paths have the same length, so that nothing
	// depends on it.
	newPath = "new.example/muxmaster"
	oldPath = "old.example/muxmaster"
)

//go:embed race/race.go subject/subject.go
var sources embed.FS

// Build writes the program into dir and compiles it. root is the folder of the
// working tree's root module, ref a git commit of the same repository. It returns
// the binary's file.
func Build(ctx context.Context, dir, root, ref, tags string) (binary string, err error) {
	if err := copyWorkingTree(ctx, filepath.Join(dir, "new"), root); err != nil {
		return "", err
	}
	if err := copyCommit(ctx, filepath.Join(dir, "old"), root, ref); err != nil {
		return "", err
	}
	if err := writeProgram(dir, filepath.Join(root, "bench", "measure")); err != nil {
		return "", err
	}
	args := []string{"build", "-o", "race.exe"}
	if tags != "" {
		args = append(args, "-tags", tags)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("against: the program with both versions does not build: %w\n%s", err, out)
	}
	return filepath.Join(dir, "race.exe"), nil
}

// ErrWorse is returned by Run when rows are worse.
var ErrWorse = errors.New("against: the new version is slower")

// Run starts the binary on the job and lets it print to w.
func Run(ctx context.Context, w io.Writer, binary string, job race.Job) error {
	input, err := json.Marshal(job)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, binary)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), w, os.Stderr
	err = cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return ErrWorse
	}
	return err
}

// Root returns the folder of the root module, seen from the current folder.
func Root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if err != nil {
		return "", fmt.Errorf("against: can't find module %s; run this in bench/: %w", modulePath, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// copyWorkingTree copies the root module's files as they are on disk, committed
// or not.
func copyWorkingTree(ctx context.Context, dir, root string) error {
	names, err := git(ctx, root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", ".")
	if err != nil {
		return err
	}
	outer := nested(strings.Split(string(names), "\x00"))
	for name := range strings.SplitSeq(string(names), "\x00") {
		if !wanted(name, outer) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, but not committed yet
		}
		if err != nil {
			return err
		}
		if err := writeFile(dir, name, rename(data, newPath)); err != nil {
			return err
		}
	}
	return nil
}

// copyCommit copies the root module's files of a commit.
func copyCommit(ctx context.Context, dir, root, ref string) error {
	if strings.HasPrefix(ref, "-") {
		return fmt.Errorf("against: %q is no commit", ref)
	}
	data, err := git(ctx, root, "archive", "--format=tar", ref)
	if err != nil {
		return err
	}
	var names []string
	files := map[string][]byte{}
	archive := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("against: git archive %s: %w", ref, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(archive); err != nil {
			return err
		}
		names = append(names, h.Name)
	}
	outer := nested(names)
	for _, name := range names {
		if !wanted(name, outer) {
			continue
		}
		if err := writeFile(dir, name, rename(files[name], oldPath)); err != nil {
			return err
		}
	}
	return nil
}

// nested returns the folders, with a slash behind, that hold a module of their own.
func nested(names []string) []string {
	var dirs []string
	for _, name := range names {
		if dir, file := path.Split(name); file == "go.mod" && dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// wanted tells whether the router may need the file to build.
func wanted(name string, nested []string) bool {
	if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
		return false
	}
	for _, dir := range nested {
		if strings.HasPrefix(name, dir) {
			return false
		}
	}
	return name == "go.mod" || name == "go.sum" || strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".s") || strings.HasSuffix(name, ".h")
}

// rename gives a source file's module another path, in imports and in strings
// that name its packages.
func rename(data []byte, to string) []byte {
	return bytes.ReplaceAll(data, []byte(modulePath), []byte(to))
}

// writeProgram writes the parts that are neither version's.
func writeProgram(dir, measure string) error {
	const main = `package main

import (
	new "against/new_side"
	old "against/old_side"
	"against/race"
)

func main() { race.Main(new.Load, old.Load) }
`
	mod := fmt.Sprintf("module against\n\ngo 1.26\n\nrequire (\n\t%s v0.0.0\n\t%s v0.0.0\n)\n\nreplace (\n\t%[1]s => ./new\n\t%[2]s => ./old\n)\n", newPath, oldPath)
	own := func(data []byte) []byte {
		data = bytes.ReplaceAll(data, []byte(benchPath+"/against/race"), []byte("against/race"))
		return bytes.ReplaceAll(data, []byte(benchPath), []byte("against"))
	}
	raceFile, err := sources.ReadFile("race/race.go")
	if err != nil {
		return err
	}
	subjectFile, err := sources.ReadFile("subject/subject.go")
	if err != nil {
		return err
	}
	measureFile, err := os.ReadFile(filepath.Join(measure, "measure.go"))
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"go.mod":              []byte(mod),
		"main.go":             []byte(main),
		"race/race.go":        own(raceFile),
		"measure/measure.go":  measureFile,
		"new_side/subject.go": rename(own(subjectFile), newPath),
		"old_side/subject.go": rename(own(subjectFile), oldPath),
	} {
		if err := writeFile(dir, name, data); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(dir, name string, data []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("against: git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
