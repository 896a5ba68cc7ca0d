//go:build ignore

// Command sbom prints a software bill of materials (CycloneDX 1.6, JSON) of all
// modules of this repository. Run it in the root of the repository:
//
//	go run .ci/sbom.go v0.3.0
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Purl    string `json:"purl"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// A module is one line of go list -m -json.
type module struct {
	Path, Version  string
	Main, Indirect bool
	Replace        *module
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("sbom: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: go run .ci/sbom.go <version>")
	}
	version := os.Args[1]
	files, err := exec.Command("git", "ls-files", "go.mod", "*/go.mod").Output()
	if err != nil {
		log.Fatal(err)
	}
	var all []component
	var edges []dependency
	for _, file := range strings.Fields(string(files)) {
		if strings.Contains(file, "testdata/") {
			continue
		}
		modules, err := list(filepath.Dir(file))
		if err != nil {
			log.Fatal(err)
		}
		path, err := exec.Command("go", "-C", filepath.Dir(file), "mod", "edit", "-json").Output()
		if err != nil {
			log.Fatal(err)
		}
		var own struct{ Module struct{ Path string } }
		if err := json.Unmarshal(path, &own); err != nil {
			log.Fatal(err)
		}
		edge := dependency{Ref: purl(own.Module.Path, version), DependsOn: []string{}}
		for _, m := range modules {
			if m.Main {
				m.Version = version // all modules of the repository get the same
			}
			c := component{"library", purl(m.Path, m.Version), m.Path, m.Version, purl(m.Path, m.Version)}
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
			if !m.Indirect && c.Ref != edge.Ref {
				edge.DependsOn = append(edge.DependsOn, c.Ref)
			}
		}
		edges = append(edges, edge)
	}
	slices.SortFunc(all, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "\t")
	root := edges[slices.IndexFunc(edges, func(d dependency) bool {
		return !strings.Contains(strings.TrimPrefix(d.Ref, "pkg:golang/github.com/seed-1954dcaa/muxmaster"), "/")
	})]
	if err := e.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": all[slices.IndexFunc(all, func(c component) bool { return c.Ref == root.Ref })]},
		"components": all, "dependencies": edges,
	}); err != nil {
		log.Fatal(err)
	}
}

func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }

// list returns the modules in the module graph of the module in dir: its build
// uses some of them.
func list(dir string) (modules []module, err error) {
	cmd := exec.Command("go", "list", "-m", "-json", "all")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(out); ; {
		var m module
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return modules, cmd.Wait()
		} else if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
}
