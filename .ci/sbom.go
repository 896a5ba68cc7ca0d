//go:build ignore

// Command sbom prints a software bill of materials (CycloneDX 1.6, JSON) of all
// modules of this repository. Run it in the root of the repository:
//
//	go run .ci/sbom.go v0.3.0
package main

import (
	"bytes"
	"encoding/json"
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
	Path, Version, GoMod string
	Main, Indirect       bool
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
	var root component
	var edges []dependency
	for _, file := range strings.Fields(string(files)) {
		if strings.Contains(file, "testdata/") {
			continue
		}
		modules, err := list(filepath.Dir(file))
		if err != nil {
			log.Fatal(err)
		}
		edge := dependency{DependsOn: []string{}}
		for _, m := range modules {
			if m.Main {
				m.Version = version // all modules of the repository get the same
			}
			ref := "pkg:golang/" + m.Path + "@" + m.Version
			c := component{"library", ref, m.Path, m.Version, ref}
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
			switch {
			case m.Main && m.GoMod == here(file):
				edge.Ref = ref
				if file == "go.mod" {
					root = c
				}
			case !m.Indirect:
				edge.DependsOn = append(edge.DependsOn, ref)
			}
		}
		edges = append(edges, edge)
	}
	slices.SortFunc(all, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "\t")
	if err := e.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": root},
		"components": all, "dependencies": edges,
	}); err != nil {
		log.Fatal(err)
	}
}

// here returns the absolute name of a file.
func here(file string) string {
	name, err := filepath.Abs(file)
	if err != nil {
		log.Fatal(err)
	}
	return name
}

// list returns the modules in the module graph of the module in dir: its build
// uses some of them.
func list(dir string) (modules []module, err error) {
	cmd := exec.Command("go", "list", "-m", "-json", "all")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	for d := json.NewDecoder(bytes.NewReader(out)); err == nil; {
		var m module
		if err = d.Decode(&m); err == nil {
			modules = append(modules, m)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return modules, err
}
