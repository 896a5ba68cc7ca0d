//go:build ignore

// Command sbom prints a software bill of materials (CycloneDX 1.6, JSON) of all
// modules of this repository. Run it in the root of the repository:
//
//	go run .ci/sbom.go v0.3.0
package main

import (
	"encoding/json"
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
		dir, err := filepath.Abs(filepath.Dir(file))
		if err != nil {
			log.Fatal(err)
		}
		// The modules in the module graph: the build uses some of them.
		cmd := exec.Command("go", "list", "-m", "-f", "{{.Path}}|{{.Version}}|{{if .Main}}{{.Dir}}{{else}}{{.Indirect}}{{end}}", "all")
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		modules, err := cmd.Output()
		if err != nil {
			log.Fatal(err)
		}
		edge := dependency{DependsOn: []string{}}
		for line := range strings.Lines(string(modules)) {
			f := strings.Split(strings.TrimSpace(line), "|")
			if f[1] == "" { // all modules of the repository get the same version
				f[1] = version
			}
			ref := "pkg:golang/" + f[0] + "@" + f[1]
			c := component{"library", ref, f[0], f[1], ref}
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
			switch f[2] {
			case dir:
				edge.Ref = ref
				if file == "go.mod" {
					root = c
				}
			case "true": // indirect
			default:
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
