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

// build writes the program to dir, compiles it and returns the name of the
// binary. The new version is the working tree in root, including uncommitted
// changes. The position of code in a binary affects its speed by a few percent,
// so there are two layouts: with newFirst, the new version comes first.
func build(ctx context.Context, dir, root string, old fs.FS, newFirst bool, tags string) (binary string, err error) {
	// The names have the same length, because the length of a path could affect
	// the speed.
	newName, oldName := "a", "z"
	if !newFirst {
		newName, oldName = "z", "a"
	}
	if err := write(ctx, dir, map[string]fs.FS{newName: os.DirFS(root), oldName: old}); err != nil {
		return "", err
	}
	const program = `package main

import (
	new "against/%s_bench/against/side"
	old "against/%s_bench/against/side"
	"against/race"
)

func main() { race.Main(new.Task, old.Task) }
`
	if err := os.WriteFile(filepath.Join(dir, "main.go"), fmt.Appendf(nil, program, newName, oldName), 0o666); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", "race.exe", "-tags", tags, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("against: the program with both versions does not build: %w\n%s", err, out)
	}
	return filepath.Join(dir, "race.exe"), nil
}

// write writes both versions, with import paths that begin with their names, and
// this module's part of the program once for each of them.
func write(ctx context.Context, dir string, versions map[string]fs.FS) error {
	root, err := Root(ctx)
	if err != nil {
		return err
	}
	bench := os.DirFS(filepath.Join(root, "bench"))
	mod := "module against\n\ngo 1.26\n"
	for name, tree := range versions {
		module := name + ".example/muxmaster"
		mod += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => ./%s\n", module, module, name)
		// This changes both imports and strings with package paths.
		rename := strings.NewReplacer(benchPath+"/measure", "against/measure", benchPath, "against/"+name+"_bench", modulePath, module)
		files, err := routerSource(tree)
		if err != nil {
			return err
		}
		if err := copyFiles(filepath.Join(dir, name), tree, rename, files...); err != nil {
			return err
		}
		files, err = globs(bench, "*.go", "routes/*", "contender/contender.go", "contender/floor.go", "contender/muxmaster*.go", "against/side/*.go")
		if err != nil {
			return err
		}
		if err := copyFiles(filepath.Join(dir, name+"_bench"), bench, rename, files...); err != nil {
			return err
		}
		// Both versions have the same.
		if err := copyFiles(dir, bench, rename, "measure/measure.go", "against/race/race.go"); err != nil {
			return err
		}
	}
	if err := os.Rename(filepath.Join(dir, "against", "race"), filepath.Join(dir, "race")); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666)
}

// copyFiles copies files of a tree, with other import paths.
func copyFiles(dir string, tree fs.FS, rename *strings.Replacer, files ...string) error {
	for _, name := range files {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(rename.Replace(string(data))), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// globs returns the names of the files that match one of the patterns, without
// tests.
func globs(tree fs.FS, patterns ...string) (files []string, err error) {
	for _, pattern := range patterns {
		names, err := fs.Glob(tree, pattern)
		if err != nil {
			return nil, err
		}
		files = append(files, slices.DeleteFunc(names, isTest)...)
	}
	return files, nil
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// Root returns the directory of the root module, relative to the current one.
func Root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if err != nil {
		return "", fmt.Errorf("against: can't find module %s; run the command in bench/: %w", modulePath, err)
	}
	return strings.TrimSpace(string(out)), nil
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

// routerSource returns the names of the files of the root module that its build
// needs, without tests and nested modules.
func routerSource(tree fs.FS) (files []string, err error) {
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
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
		if source && !isTest(name) {
			files = append(files, name)
		}
		return nil
	})
	return files, err
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
