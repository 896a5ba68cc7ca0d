// Package against compares the speed of two versions of the router: that of the
// working tree and that of a git commit. It builds one binary with both.
//
// If two binaries ran one after the other, changes in the load of the machine
// would distort the comparison. In one process, the versions alternate every
// few milliseconds.
package against

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	modulePath = "github.com/seed-1954dcaa/muxmaster"
	benchPath  = modulePath + "/bench"
)

// Versions holds the sources of both versions.
type Versions struct {
	new, old map[string][]byte // contents of the root module by file name
	bench    map[string][]byte // and of this module
}

// Read reads the version in the working tree, including uncommitted changes,
// and that of the commit ref. root is the directory of the root module.
func Read(ctx context.Context, root, ref string) (v Versions, err error) {
	if v.new, err = routerSource(os.DirFS(root)); err != nil {
		return v, err
	}
	old, err := commit(ctx, root, ref)
	if err != nil {
		return v, err
	}
	if v.old, err = routerSource(old); err != nil {
		return v, err
	}
	v.bench, err = harness(ctx)
	return v, err
}

// Build writes the program to dir, compiles it and returns the name of the
// binary. The position of code in a binary affects its speed by a few percent,
// so there are two layouts: with newFirst, the new version comes first.
func (v Versions) Build(ctx context.Context, dir string, newFirst bool, tags string) (binary string, err error) {
	// The names have the same length, because the length of a path could affect
	// the speed.
	newName, oldName := "a", "z"
	if !newFirst {
		newName, oldName = "z", "a"
	}
	if err := v.write(dir, newName, oldName); err != nil {
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

// write writes the program with both versions. Their import paths begin with
// newName and oldName.
func (v Versions) write(dir, newName, oldName string) error {
	const program = `package main

import (
	new "against/%s_bench/against/side"
	old "against/%s_bench/against/side"
	"against/race"
)

func main() { race.Main(new.Task, old.Task) }
`
	files := map[string][]byte{"main.go": fmt.Appendf(nil, program, newName, oldName)}
	mod := "module against\n\ngo 1.26\n"
	for name, version := range map[string]map[string][]byte{newName: v.new, oldName: v.old} {
		module := name + ".example/muxmaster"
		mod += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => ./%s\n", module, module, name)
		// This changes both imports and strings with package paths.
		rename := strings.NewReplacer(benchPath+"/measure", "against/measure", benchPath, "against/"+name+"_bench", modulePath, module)
		for file, data := range version {
			files[name+"/"+file] = []byte(rename.Replace(string(data)))
		}
		for file, data := range v.bench {
			data = []byte(rename.Replace(string(data)))
			switch file {
			case "measure/measure.go", "against/race/race.go": // both versions have the same
				files[strings.TrimPrefix(file, "against/")] = data
			default:
				files[name+"_bench/"+file] = data
			}
		}
	}
	files["go.mod"] = []byte(mod)
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Root returns the directory of the root module, relative to the current one.
func Root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if err != nil {
		return "", fmt.Errorf("against: can't find module %s; run the command in bench/: %w", modulePath, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// harness reads the files of this module that the program needs, which import
// only the standard library, each other and the router.
func harness(ctx context.Context) (map[string][]byte, error) {
	root, err := Root(ctx)
	if err != nil {
		return nil, err
	}
	files, bench := map[string][]byte{}, os.DirFS(filepath.Join(root, "bench"))
	for _, pattern := range []string{"*.go", "routes/*", "contender/contender.go", "contender/floor.go", "contender/muxmaster*.go", "measure/measure.go", "against/*/*.go"} {
		names, err := fs.Glob(bench, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			if files[name], err = fs.ReadFile(bench, name); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// commit returns the files in a commit of the repository in dir.
func commit(ctx context.Context, dir, ref string) (fs.FS, error) {
	if strings.HasPrefix(ref, "-") {
		return nil, fmt.Errorf("against: %q is not a commit", ref)
	}
	data, err := git(ctx, dir, "archive", "--format=zip", ref)
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(data), int64(len(data)))
}

// routerSource reads the files of the root module that its build needs, without
// tests and nested modules.
func routerSource(tree fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	return files, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() {
			if _, err := fs.Stat(tree, name+"/go.mod"); err == nil || name == ".git" || d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		// Packages below internal embed files of any kind.
		source := name == "go.mod" || name == "go.sum" || slices.Contains([]string{".go", ".s", ".h"}, path.Ext(name)) || strings.HasPrefix(name, "internal/")
		if source && !strings.HasSuffix(name, "_test.go") {
			files[name], err = fs.ReadFile(tree, name)
		}
		return err
	})
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
