//go:build ignore

// Command modules checks that the modules of this repository work in a fresh
// clone and when installed with the go command. Run it in the root of the
// repository:
//
//	go run .ci/modules.go
//
// It clones the last commit. In the clone, common go commands must not change
// any file. Then it creates a module proxy with the files of the clone as the
// version that the nested modules require, and installs the commands of each
// nested module from there. This fails if a go.mod has a replace directive.
package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A module is one go.mod of the repository.
type module struct {
	dir  string // relative to the clone
	path string
	mod  goMod
}

// goMod contains the needed parts of the output of go mod edit -json.
type goMod struct {
	Module  struct{ Path string }
	Require []struct{ Path, Version string }
	Replace []struct{ Old struct{ Path string } }
}

// files are the files in git, relative to the clone.
type files []string

func main() {
	log.SetFlags(0)
	log.SetPrefix("modules: ")
	work, err := os.MkdirTemp("", "modules")
	if err != nil {
		log.Fatal(err)
	}
	err = check(work)
	if e := os.RemoveAll(work); err == nil {
		err = e
	}
	if err != nil {
		log.Fatal(err)
	}
}

func check(work string) error {
	clone := filepath.Join(work, "clone")
	if _, err := run(".", nil, "git", "clone", "--quiet", ".", clone); err != nil {
		return err
	}
	known, modules, err := list(clone)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := staysClean(clone, m, filepath.Join(work, "bin")); err != nil {
			return err
		}
	}
	version, err := sameVersion(modules)
	if err != nil {
		return err
	}
	proxy := filepath.Join(work, "proxy")
	for _, m := range modules {
		if err := publish(proxy, clone, known, modules, m, version); err != nil {
			return err
		}
	}
	cache, err := run(".", nil, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	upstream, err := run(".", nil, "go", "env", "GOPROXY")
	if err != nil {
		return err
	}
	env := []string{
		"GOWORK=off", "GOSUMDB=off", "GOFLAGS=-modcacherw -trimpath",
		"GOMODCACHE=" + filepath.Join(work, "mod"), "GOBIN=" + filepath.Join(work, "bin"),
		// The module cache is also used as a proxy, to avoid downloads.
		"GOPROXY=file://" + proxy + ",file://" + strings.TrimSpace(cache) + "/cache/download," + strings.TrimSpace(upstream),
	}
	for _, m := range modules[1:] {
		if err := install(work, env, m, version); err != nil {
			return err
		}
	}
	return nil
}

// list returns the files in git and the modules, the root module first.
func list(clone string) (files, []module, error) {
	out, err := run(clone, nil, "git", "ls-files")
	if err != nil {
		return nil, nil, err
	}
	known := files(strings.Fields(out))
	modules := []module{{dir: "."}}
	for _, name := range known {
		if dir, ok := strings.CutSuffix(name, "/go.mod"); ok && !strings.Contains(name, "testdata/") {
			modules = append(modules, module{dir: dir})
		}
	}
	for i := range modules {
		out, err := run(filepath.Join(clone, modules[i].dir), nil, "go", "mod", "edit", "-json")
		if err != nil {
			return nil, nil, err
		}
		if err := json.Unmarshal([]byte(out), &modules[i].mod); err != nil {
			return nil, nil, err
		}
		modules[i].path = modules[i].mod.Module.Path
	}
	return known, modules, nil
}

// staysClean returns an error if common go commands in the module change files
// of the clone.
func staysClean(clone string, m module, bin string) error {
	dir := filepath.Join(clone, m.dir)
	commands, err := mains(dir)
	if err != nil {
		return err
	}
	// Use the flags of test.sh, so that libraries are compiled only once.
	flags := []string{"-trimpath"}
	if m.dir == "interop" {
		flags = append(flags, "-race")
	}
	build, vet := append([]string{"build"}, flags...), append([]string{"vet"}, flags...)
	if len(commands) > 0 {
		build = append(build, "-o", bin+"/")
	}
	build, vet = append(build, "./..."), append(vet, "./...")
	for _, args := range [][]string{{"doc", "."}, {"list", "-m", "all"}, vet, build} {
		if args[0] == "doc" && !hasGoFiles(dir) {
			continue
		}
		if _, err := run(dir, nil, "go", args...); err != nil {
			return err
		}
		changed, err := run(clone, nil, "git", "status", "--porcelain")
		if err != nil {
			return err
		}
		if changed != "" {
			diff, _ := run(clone, nil, "git", "diff")
			return fmt.Errorf("go %s in %s changes files:\n%s%s", strings.Join(args, " "), m.dir, changed, diff)
		}
	}
	fmt.Printf("%s: stays clean\n", m.path)
	return nil
}

func hasGoFiles(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return len(names) > 0
}

// sameVersion returns the version of the root module that all nested modules
// require.
func sameVersion(modules []module) (string, error) {
	version := ""
	for _, m := range modules[1:] {
		for _, r := range m.mod.Replace {
			return "", fmt.Errorf("%s/go.mod replaces %s, which breaks go install; use %[1]s/go.work instead", m.dir, r.Old.Path)
		}
		for _, r := range m.mod.Require {
			switch {
			case r.Path != modules[0].path:
			case version == "":
				version = r.Version
			case version != r.Version:
				return "", fmt.Errorf("%s/go.mod requires %s %s, other modules %s", m.dir, r.Path, r.Version, version)
			}
		}
	}
	if version == "" {
		return "", errors.New("no nested module requires the root module")
	}
	return version, nil
}

// publish writes a version of the module to the proxy's directory.
func publish(proxy, clone string, known files, modules []module, m module, version string) error {
	dir := filepath.Join(proxy, m.path, "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(clone, m.dir, "go.mod"))
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		version + ".mod":  string(mod),
		version + ".info": fmt.Sprintf("{%q:%q}", "Version", version),
		"list":            version + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, name := range known {
		if owner(modules, name) != m.dir {
			continue
		}
		inside := name
		if m.dir != "." {
			inside = strings.TrimPrefix(name, m.dir+"/")
		}
		if err := pack(z, filepath.Join(clone, name), m.path+"@"+version+"/"+inside); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}

// owner returns the directory of the module that a file belongs to.
func owner(modules []module, name string) string {
	best := "."
	for _, m := range modules {
		if strings.HasPrefix(name, m.dir+"/") && len(m.dir) > len(best) {
			best = m.dir
		}
	}
	return best
}

func pack(z *zip.Writer, from, to string) error {
	info, err := os.Lstat(from)
	if err != nil || info.Mode().Type() != 0 {
		return err // module zips contain only regular files
	}
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := z.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return err
}

// install installs the commands of a module. If the module has none, install
// adds it to an empty module with go get.
func install(work string, env []string, m module, version string) error {
	empty := filepath.Join(work, "empty", filepath.FromSlash(m.path))
	if err := os.MkdirAll(empty, 0o777); err != nil {
		return err
	}
	commands, err := mains(filepath.Join(work, "clone", m.dir))
	if err != nil {
		return err
	}
	args := []string{"install"}
	for _, path := range commands {
		args = append(args, path+"@"+version)
	}
	if len(args) == 1 {
		if _, err := run(empty, env, "go", "mod", "init", "example.com/empty"); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		args = []string{"get", m.path + "@" + version}
	}
	if _, err := run(empty, env, "go", args...); err != nil {
		return err
	}
	fmt.Printf("%s: go %s\n", m.path, strings.Join(args, " "))
	return nil
}

// mains lists the commands of the module in a directory.
func mains(dir string) ([]string, error) {
	out, err := run(dir, nil, "go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./...")
	return strings.Fields(out), err
}

// run executes a command and returns its standard output.
func run(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s in %s: %v\n%s", name, strings.Join(args, " "), dir, err, &stderr)
	}
	return string(out), nil
}
