//go:build ignore

// Command types type-checks the packages of the current module and their tests
// for other operating systems:
//
//	go run .ci/types.go windows darwin freebsd plan9
//
// It reads only the declarations of the standard library from source. Building,
// or go vet, would compile the whole standard library for each system.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("types: ")
	if len(os.Args) < 2 {
		log.Fatal("usage: go run .ci/types.go <GOOS> ...")
	}
	errs := make([]error, len(os.Args)-1)
	var wg sync.WaitGroup
	for i, system := range os.Args[1:] {
		wg.Go(func() { errs[i] = check(system) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		log.Fatal(err)
	}
}

// goPackage contains the needed parts of the output of go list. The test
// variant of a package has a path such as "p [p.test]".
type goPackage struct {
	ImportPath, Name, Dir string
	Standard              bool
	GoFiles               []string
	ImportMap             map[string]string
	Error                 *struct{ Err string }
}

// check type-checks the packages and their imports for an operating system.
func check(system string) error {
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Name,Dir,Standard,GoFiles,ImportMap,Error", "./...")
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	var stderr strings.Builder
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: go list: %v\n%s", system, err, &stderr)
	}
	done, own := map[string]*types.Package{"unsafe": types.Unsafe}, 0
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("%s: go list: %v", system, err)
		}
		if p.Error != nil {
			return fmt.Errorf("%s: %s: %s", system, p.ImportPath, p.Error.Err)
		}
		// Imports precede the packages that import them. The main package of a
		// test is generated.
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		if done[p.ImportPath], err = p.check(system, done); err != nil {
			return err
		}
		if !p.Standard {
			own++
		}
	}
	fmt.Printf("%s: %d packages\n", system, own)
	return nil
}

// check type-checks one package. For packages of the standard library, it
// checks only the declarations.
func (p goPackage) check(system string, done map[string]*types.Package) (*types.Package, error) {
	var errs []error
	config := types.Config{
		IgnoreFuncBodies: p.Standard,
		FakeImportC:      true,
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
		Error:            func(err error) { errs = append(errs, fmt.Errorf("%s: %w", system, err)) },
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped := p.ImportMap[path]; mapped != "" {
				path = mapped
			}
			if pkg := done[path]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("unknown package %s", path)
		}),
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	pkg, _ := config.Check(path, fset, files, nil)
	return pkg, errors.Join(errs...)
}

// importer is a function as a types.Importer.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
