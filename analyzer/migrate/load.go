package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/packages"
)

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
	packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedModule | packages.NeedTypesInfo | packages.NeedForTest

// load returns the packages. If a package has a variant with test files, it
// returns only the variant.
func load(dir string, overlay map[string][]byte, patterns []string) ([]*packages.Package, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: loadMode, Dir: dir, Tests: true, Overlay: overlay}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	variants := make(map[string]bool)
	for _, p := range pkgs {
		if p.ForTest == p.PkgPath {
			variants[p.PkgPath] = true
		}
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return p.ForTest == "" && variants[p.PkgPath] || strings.HasSuffix(p.PkgPath, ".test")
	})
	return pkgs, nil
}

// requiresMux returns an error unless the program's module requires muxmaster.
func requiresMux(dir string) error {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName, Dir: dir}, mux.Path)
	if err == nil && len(pkgs) == 1 && len(pkgs[0].Errors) > 0 {
		err = pkgs[0].Errors[0]
	}
	if err == nil && len(pkgs) != 1 {
		err = errors.New("no such package")
	}
	if err != nil {
		return fmt.Errorf("migrate: the program's module must require muxmaster first: go get %s (%w)", mux.Path, err)
	}
	return nil
}
