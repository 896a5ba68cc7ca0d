// Package migrate rewrites programs of other routers for muxmaster.
//
// It rewrites constructors, types, registrations with their patterns, and reads
// of path values. It lists what it can't rewrite, with the position and advice.
// It changes a package only if it can rewrite all of it and the result
// type-checks.
package migrate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
	"golang.org/x/tools/go/packages"
)

// Result is the result of rewriting a program.
type Result struct {
	Files  []File   // the changed ones, by name
	Notes  []Note   // by place
	Behind []string // packages that use the router but are not changed
}

// A File is a changed file.
type File struct {
	Name          string
	Before, After []byte
}

// Routers lists the names of the routers that Run supports.
func Routers() []string { return slices.Sorted(maps.Keys(dialects)) }

// Run rewrites the packages in dir that match the patterns. It doesn't write the
// files: see [Result.Write].
func Run(from, dir string, patterns ...string) (*Result, error) {
	d := dialects[from]
	if d == nil {
		return nil, fmt.Errorf("migrate: unknown router %q: use one of %s", from, strings.Join(Routers(), ", "))
	}
	pkgs, err := load(dir, nil, patterns)
	if err != nil {
		return nil, err
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return p.Module != nil && !p.Module.Main })
	all := pkgs
	pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(p *packages.Package) bool { return !d.usedBy(p) })
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("migrate: no package matching %s imports %s", strings.Join(patterns, " "), from)
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("migrate: %s doesn't compile: %v", p.PkgPath, p.Errors[0])
		}
	}
	if err := requiresMux(dir); err != nil {
		return nil, err
	}
	k := newKinds(d, pkgs)
	skip := make(map[string]bool)
	var program []string
	for _, p := range pkgs {
		program = append(program, p.PkgPath)
	}
	var units []*unit
	result := new(Result)
	for _, p := range pkgs {
		x, err := newRewriter(d, p, k, program, skip)
		if err != nil {
			return nil, err
		}
		x.run()
		result.Notes = append(result.Notes, x.notes...)
		u := &unit{path: p.PkgPath, imports: p.Imports, dropped: x.blocked, files: make(map[string][]byte)}
		for _, s := range x.sources {
			if len(s.edits) == 0 {
				continue
			}
			after, err := s.result()
			if err != nil {
				result.Notes = append(result.Notes, Note{p.Fset.Position(s.file.Pos()), err.Error(), true})
				u.dropped = true
				continue
			}
			for _, c := range s.lost(after) {
				result.Notes = append(result.Notes, Note{p.Fset.Position(c.Pos()), "this comment was removed with the rewritten code: " + c.Text, false})
			}
			u.files[s.name] = after
		}
		units = append(units, u)
	}
	if err := result.check(dir, patterns, all, units); err != nil {
		return nil, err
	}
	for _, u := range units {
		if u.dropped {
			if !slices.Contains(result.Behind, u.path) {
				result.Behind = append(result.Behind, u.path)
			}
			continue
		}
		for name, after := range u.files {
			before, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			result.Files = append(result.Files, File{name, before, after})
		}
	}
	slices.SortFunc(result.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(result.Notes, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.Position.Filename, b.Position.Filename), cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column))
	})
	return result, nil
}

// usedBy reports whether a package uses the router. It can do so without
// importing it.
func (d *dialect) usedBy(p *packages.Package) bool {
	old := func(path string) bool {
		return slices.Contains(d.paths, path) || d == servemux && path == "net/http"
	}
	for path := range p.Imports {
		if old(path) {
			return true
		}
	}
	for _, obj := range p.TypesInfo.Uses {
		if obj.Pkg() != nil && slices.Contains(d.paths, obj.Pkg().Path()) {
			return true
		}
	}
	return false
}

// A unit is a package, which is changed completely or not at all.
type unit struct {
	path    string
	imports map[string]*packages.Package
	files   map[string][]byte
	dropped bool
}

// check drops the packages that don't type-check with the changes, and those
// whose change breaks another package. All units that one package of the program
// imports, directly or not, are kept or dropped together, because they may pass
// routers to each other, even as an http.Handler.
func (r *Result) check(dir string, patterns []string, all []*packages.Package, units []*unit) error {
	together := programs(all, units)
	module := ""
	for _, p := range all {
		if p.Module != nil {
			module = p.Module.Path + "/..."
		}
	}
	wide := patterns
	if module != "" && !slices.Contains(patterns, module) {
		wide = append(slices.Clone(patterns), module)
	}
	for {
		for changed := true; changed; {
			changed = false
			for _, group := range together {
				if slices.ContainsFunc(group, func(u *unit) bool { return u.dropped }) {
					for _, u := range group {
						changed = changed || !u.dropped
						u.dropped = true
					}
				}
			}
		}
		overlay := make(map[string][]byte)
		for _, u := range units {
			if !u.dropped {
				maps.Copy(overlay, u.files)
			}
		}
		if len(overlay) == 0 {
			return nil
		}
		pkgs, err := load(dir, overlay, wide)
		if err != nil {
			return err
		}
		bad := false
		for _, p := range pkgs {
			if len(p.Errors) == 0 || !slices.ContainsFunc(all, func(q *packages.Package) bool { return q.PkgPath == p.PkgPath }) && brokenBefore(dir, p.PkgPath) {
				continue
			}
			e := firstError(p)
			for _, u := range units {
				if _, ok := p.Imports[u.path]; (ok || u.path == p.PkgPath || u.path+"_test" == p.PkgPath) && !u.dropped {
					u.dropped, bad = true, true
					r.Notes = append(r.Notes, Note{Text: fmt.Sprintf("%s: not changed, because the result does not type-check: %v (of %d errors)", u.path, e, len(p.Errors)), Blocks: true})
				}
			}
		}
		if !bad {
			return nil
		}
	}
}

// brokenBefore reports whether a package has errors without the changes.
func brokenBefore(dir, path string) bool {
	pkgs, err := load(dir, nil, []string{path})
	return err != nil || slices.ContainsFunc(pkgs, func(p *packages.Package) bool { return len(p.Errors) > 0 })
}

// programs returns the units that each package is or imports.
func programs(all []*packages.Package, units []*unit) [][]*unit {
	byPath := make(map[string]*packages.Package)
	for _, p := range all {
		byPath[p.PkgPath] = p
	}
	var groups [][]*unit
	for _, p := range all {
		seen := make(map[string]bool)
		var group []*unit
		var visit func(path string)
		visit = func(path string) {
			if seen[path] {
				return
			}
			seen[path] = true
			for _, u := range units {
				if u.path == path || u.path == path+"_test" {
					group = append(group, u)
				}
			}
			if p := byPath[path]; p != nil {
				for path := range p.Imports {
					visit(path)
				}
			}
		}
		visit(p.PkgPath)
		if len(group) > 1 {
			groups = append(groups, group)
		}
	}
	return groups
}

// firstError returns the first error of a package. It prefers type errors, because
// errors of the go command contain names of temporary files.
func firstError(p *packages.Package) packages.Error {
	for _, e := range p.Errors {
		if e.Kind == packages.TypeError {
			return e
		}
	}
	return p.Errors[0]
}

// Write writes the changed files.
func (r *Result) Write() error {
	for _, f := range r.Files {
		if err := os.WriteFile(f.Name, f.After, 0o666); err != nil {
			return err
		}
	}
	return nil
}

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
